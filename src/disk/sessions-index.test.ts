import { expect, test } from 'vitest'
import { withFolder } from '../../tests/support/made-folder.ts'
import { compareIndex, type IndexEntry, readSessionsIndex } from './sessions-index.ts'

test('reads the entries of an index', () => {
  const entry = {
    sessionId: 's1',
    fullPath: '/r/projects/p/s1.jsonl',
    fileMtime: 1769365656734,
    firstPrompt: 'hello',
    summary: 'A greeting',
    messageCount: 6,
    created: '2026-01-25T18:16:50.773Z',
    modified: '2026-01-25T18:19:20.784Z',
    gitBranch: '',
    projectPath: '/p',
    isSidechain: false,
  }
  withFolder({ 'sessions-index.json': JSON.stringify({ version: 1, entries: [entry] }) }, (folder) => {
    expect(readSessionsIndex(folder)).toEqual({
      items: [
        {
          sessionId: 's1',
          fileMtimeMs: 1769365656734,
          firstPrompt: 'hello',
          summary: 'A greeting',
          messageCount: 6,
          createdAt: '2026-01-25T18:16:50.773Z',
          modifiedAt: '2026-01-25T18:19:20.784Z',
          gitBranch: null,
          projectPath: '/p',
        },
      ],
      warnings: [],
    })
  })
})

test.each([
  [{}, 0, 0],
  [{ 'sessions-index.json': null }, 0, 1],
  [{ 'sessions-index.json': '' }, 0, 1],
  [{ 'sessions-index.json': '[]' }, 0, 1],
  [{ 'sessions-index.json': '{"entries":{}}' }, 0, 0],
  [{ 'sessions-index.json': '{"entries":[null,1,{"sessionId":"s"},{"summary":"x"},{"sessionId":5}]}' }, 1, 1],
])('reads what it can of %j', (files, count, warningCount) => {
  withFolder(files, (folder) => {
    const { items, warnings } = readSessionsIndex(folder)
    expect(items).toHaveLength(count)
    expect(warnings).toHaveLength(warningCount)
  })
})

test('compares an index with what is on disk', () => {
  const entry = (sessionId: string, fileMtimeMs: number | null): IndexEntry => ({
    sessionId,
    fileMtimeMs,
    firstPrompt: null,
    summary: null,
    messageCount: null,
    createdAt: null,
    modifiedAt: null,
    gitBranch: null,
    projectPath: null,
  })
  const entries = [entry('gone', 1), entry('same', 1000), entry('touched', 1000), entry('silent', null)]
  const onDisk = new Map([
    ['same', 1000.4],
    ['touched', 1001],
    ['silent', 1000],
    ['new', 1000],
  ])
  expect(compareIndex(entries, onDisk)).toEqual({ missingOnDisk: ['gone'], notInIndex: ['new'], stale: ['touched'] })
})
