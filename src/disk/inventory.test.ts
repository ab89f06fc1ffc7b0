import { describe, expect, test } from 'vitest'
import { familyBytes, takeInventory, withEntry } from './inventory.ts'
import type { Source, SourceEntry } from './source.ts'

/** A source of files by path, each of one byte more than the one before. */
function sourceOf(paths: readonly string[], root = '/r'): Source {
  return {
    list: () => paths.map((path, i) => ({ root, path: `${root}/${path}`, sizeBytes: i + 1, modifiedAt: 0 })),
    read: () => undefined,
  }
}

describe('a root with everything in it', () => {
  const projects = takeInventory(
    sourceOf([
      'projects/-p/s.jsonl',
      'projects/-p/s/subagents/agent-a1.meta.json',
      'projects/-p/s/subagents/agent-a1.jsonl',
      'projects/-p/s/subagents/workflows/wf_1/agent-a2.jsonl',
      'projects/-p/s/subagents/workflows/wf_1/journal.jsonl',
      'projects/-p/s/workflows/wf_1.json',
      'projects/-p/s/tool-results/b1.txt',
      'projects/-p/s/custom-title.json',
      'projects/-p/gone/tool-results/b2.txt',
      'projects/-p/agent-0123abcd.jsonl',
      'projects/-p/sessions-index.json',
      'projects/-p/memory/MEMORY.md',
      'projects/-q/memory/MEMORY.md',
      'history.jsonl',
    ]),
  )
  const [p, q] = projects
  const [session, gone] = p?.sessions ?? []

  test('has its projects, one of them without a session', () => {
    expect(projects.map((project) => [project.key, project.dir, project.sessions.length])).toEqual([
      ['-p', '/r/projects/-p', 2],
      ['-q', '/r/projects/-q', 0],
    ])
    expect(p?.sessionsIndex?.path).toBe('/r/projects/-p/sessions-index.json')
    expect(q?.sessionsIndex).toBeUndefined()
  })

  test('has the family of a session', () => {
    expect(session).toMatchObject({ id: 's', root: '/r', log: { path: '/r/projects/-p/s.jsonl' } })
    expect(session?.project).toEqual({ root: '/r', key: '-p', dir: '/r/projects/-p' })
    expect(session?.agents).toMatchObject([
      { id: 'a1', run: null, session: 's', log: { sizeBytes: 3 }, meta: { sizeBytes: 2 } },
      { id: 'a2', run: 'wf_1', session: 's', log: { sizeBytes: 4 }, meta: undefined },
    ])
    expect(session?.toolResults.map((entry) => entry.path)).toEqual(['/r/projects/-p/s/tool-results/b1.txt'])
    expect(session?.customTitle?.sizeBytes).toBe(8)
    expect(session?.others).toHaveLength(2)
    expect(familyBytes(session as NonNullable<typeof session>)).toBe(1 + 2 + 3 + 4 + 5 + 6 + 7 + 8)
  })

  test('P24: keeps what is left of a session whose log is gone', () => {
    expect(gone).toMatchObject({ id: 'gone', log: undefined, toolResults: [{ sizeBytes: 9 }] })
  })

  test('has the flat agents of a project apart', () => {
    expect(p?.flatAgents).toMatchObject([{ id: '0123abcd', session: null, run: null, log: { sizeBytes: 10 } }])
  })
})

test('two projects may hold sessions and agents of one name', () => {
  const both = takeInventory(
    sourceOf(['projects/-p/s.jsonl', 'projects/-q/s.jsonl', 'projects/-p/agent-a.jsonl', 'projects/-q/agent-a.jsonl']),
  )
  expect(both.map((project) => [project.sessions.length, project.flatAgents.length])).toEqual([
    [1, 1],
    [1, 1],
  ])
})

test('a meta file alone is an agent without a log', () => {
  const [project] = takeInventory(sourceOf(['projects/-p/s/subagents/agent-a.meta.json']))
  expect(project?.sessions[0]?.agents).toMatchObject([{ id: 'a', log: undefined, meta: { sizeBytes: 1 } }])
})

test('names that every object has are names', () => {
  const [project] = takeInventory(
    sourceOf(['projects/__proto__/constructor.jsonl', 'projects/__proto__/constructor/subagents/agent-toString.jsonl']),
  )
  expect(project).toMatchObject({ key: '__proto__', sessions: [{ id: 'constructor', agents: [{ id: 'toString' }] }] })
})

test('a file that changed is put in without sorting the others, as sorting all of them would', () => {
  const paths = [
    'projects/-p/s.jsonl',
    'projects/-p/t.jsonl',
    'projects/-p/s/subagents/agent-a1.meta.json',
    'projects/-p/s/subagents/agent-a1.jsonl',
    'projects/-p/s/subagents/workflows/wf_1/agent-a1.jsonl',
    'projects/-p/agent-0123abcd.jsonl',
    'projects/-q/s.jsonl',
  ]
  const source = sourceOf(paths)
  const entries = [...source.list()]
  for (const changed of entries) {
    const grown = { ...changed, sizeBytes: changed.sizeBytes + 100 }
    const list = () => entries.map((entry) => (entry === changed ? grown : entry))
    expect(withEntry(takeInventory(source), grown), changed.path).toEqual(takeInventory({ list }))
  }
  const [title] = sourceOf(['projects/-p/s/custom-title.json']).list()
  expect(withEntry(takeInventory(source), title as SourceEntry)).toBeUndefined()
})
