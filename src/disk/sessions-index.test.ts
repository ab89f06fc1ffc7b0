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
          fullPath: '/r/projects/p/s1.jsonl',
          fileMtimeMs: 1769365656734,
          firstPrompt: 'hello',
          summary: 'A greeting',
          messageCount: 6,
          createdAt: '2026-01-25T18:16:50.773Z',
          modifiedAt: '2026-01-25T18:19:20.784Z',
          gitBranch: null,
          projectPath: '/p',
          isSidechain: false,
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
  const entry = (sessionId: string, fileMtimeMs: number | null, messageCount: number | null): IndexEntry => ({
    sessionId,
    fullPath: null,
    fileMtimeMs,
    firstPrompt: null,
    summary: null,
    messageCount,
    createdAt: null,
    modifiedAt: null,
    gitBranch: null,
    projectPath: null,
    isSidechain: null,
  })
  const entries = [
    entry('gone', 1, 1),
    entry('same', 1000, 5),
    entry('touched', 1000, 5),
    entry('longer', 1000, 5),
    entry('both', 1000, 5),
    entry('silent', null, null),
    entry('uncounted', 1000, 5),
  ]
  const compared = compareIndex(entries, [
    { sessionId: 'same', modifiedAtMs: 1000.4, messageCount: 5 },
    { sessionId: 'touched', modifiedAtMs: 1001, messageCount: 5 },
    { sessionId: 'longer', modifiedAtMs: 1000, messageCount: 6 },
    { sessionId: 'both', modifiedAtMs: 2000, messageCount: 6 },
    { sessionId: 'silent', modifiedAtMs: 1000, messageCount: 6 },
    { sessionId: 'uncounted', modifiedAtMs: 1000, messageCount: null },
    { sessionId: 'new', modifiedAtMs: 1000, messageCount: 6 },
  ])
  expect(compared.missingOnDisk.map((item) => item.sessionId)).toEqual(['gone'])
  expect(compared.notInIndex.map((item) => item.sessionId)).toEqual(['new'])
  expect(compared.stale.map((item) => [item.entry.sessionId, item.differs])).toEqual([
    ['touched', ['fileMtime']],
    ['longer', ['messageCount']],
    ['both', ['fileMtime', 'messageCount']],
  ])
})
