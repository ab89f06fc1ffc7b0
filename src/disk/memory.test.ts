import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesOf, withFolder } from '../../tests/support/made-folder.ts'
import { readMemory } from './memory.ts'

test('reads the memory of projects, of the person and of agents', () => {
  const files = {
    'projects/-home-p/memory/MEMORY.md': '- a',
    'projects/-home-p/memory/topic.md': 'b',
    'projects/-home-q/memory': null,
    'memory/personal/me.md': 'c',
    'agent-memory/reviewer/MEMORY.md': 'd',
    'agent-memory/reviewer/data.json': '{}',
  }
  withFolder(files, (root) => {
    const { items, warnings } = readMemory(filesOf(root))
    expect(items.map(({ project, agent, name, text }) => [project, agent, name, text])).toEqual([
      ['-home-p', null, 'MEMORY', '- a'],
      ['-home-p', null, 'topic', 'b'],
      [null, null, 'me', 'c'],
      [null, 'reviewer', 'MEMORY', 'd'],
    ])
    expect(items[0]).toMatchObject({ file: join(root, 'projects', '-home-p', 'memory', 'MEMORY.md'), sizeBytes: 3 })
    expect(warnings).toEqual([])
  })
})

test.each([
  [{}],
  [{ projects: null, memory: null, 'agent-memory': null }],
  [{ projects: 'x', memory: 'x', 'agent-memory': 'x' }],
  [{ 'projects/p/memory/folder.md': null, 'projects/p/memory/deep/a.md': 'x' }],
])('finds no memory in %j', (files) => {
  withFolder(files, (root) => {
    expect(readMemory(filesOf(root))).toEqual({ items: [], warnings: [] })
  })
})
