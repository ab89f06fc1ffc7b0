import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesOf, withFolder } from '../../tests/support/made-folder.ts'
import { type JsonObject, parseJson } from '../core/json.ts'
import { joinCheckpoints, listBackups } from './checkpoints.ts'

const HASH = 'b335630551682c19'

function at(line: number) {
  return { file: '/log.jsonl', line, offset: line * 100, length: 50 }
}

function rows(...raws: JsonObject[]) {
  return raws.map((raw, index) => ({ raw, place: at(index + 1) }))
}

function snapshot(prompt: string, tracked: JsonObject, by?: string): JsonObject {
  return {
    type: 'file-history-snapshot',
    messageId: by ?? prompt,
    snapshot: { messageId: prompt, trackedFileBackups: tracked, timestamp: `time of ${prompt}` },
    isSnapshotUpdate: by !== undefined,
  }
}

function backup(version: number, name: string | null = `${HASH}@v${version}`): JsonObject {
  return { backupFileName: name, version, backupTime: `time of v${version}` }
}

test('lists backups by session', () => {
  const files = {
    [`file-history/s1/${HASH}@v1`]: 'one',
    [`file-history/s1/${HASH}@v12`]: '',
    [`file-history/s2/${HASH}@v1`]: 'x',
    'file-history/s1/notes.txt': '',
    [`file-history/s1/${HASH}@v3`]: null,
  }
  withFolder(files, (root) => {
    const file = (session: string, name: string) => join(root, 'file-history', session, name)
    expect(listBackups(filesOf(root))).toEqual([
      { root, session: 's1', name: `${HASH}@v1`, file: file('s1', `${HASH}@v1`) },
      { root, session: 's1', name: `${HASH}@v12`, file: file('s1', `${HASH}@v12`) },
      { root, session: 's2', name: `${HASH}@v1`, file: file('s2', `${HASH}@v1`) },
    ])
  })
})

test.each([[{}], [{ 'file-history': null }], [{ 'file-history': 'x' }], [{ 'file-history/s1': 'x' }]])(
  'finds no backup in %j',
  (files) => {
    withFolder(files, (root) => {
      const items = listBackups(filesOf(root))
      expect(items).toEqual([])
    })
  },
)

test('joins snapshots and their updates: the snapshot names the prompt, the row who edited', () => {
  const checkpoints = joinCheckpoints(
    rows(
      snapshot('p1', {}),
      snapshot('p1', { 'a.ts': backup(1) }, 'assistant'),
      snapshot('p2', { 'a.ts': backup(2) }),
      snapshot('p3', { 'a.ts': backup(2) }),
    ),
  )
  expect(checkpoints[0]).toEqual({
    path: 'a.ts',
    version: 1,
    backupFile: `${HASH}@v1`,
    messageId: 'assistant',
    promptUuid: 'p1',
    timestamp: 'time of p1',
    repeated: false,
    place: at(2),
  })
  expect(checkpoints.slice(1).map((c) => [c.promptUuid, c.version, c.repeated, c.place.line])).toEqual([
    ['p2', 2, false, 3],
    ['p3', 2, true, 4],
  ])
})

test('joins deltas to the prompt whose snapshot they extend', () => {
  const delta = {
    type: 'file-history-delta',
    messageId: 'assistant',
    snapshotMessageId: 'p1',
    trackingPath: '/x/new.md',
    backup: { ...backup(1, null), realParentDir: '/x' },
    timestamp: 'time of delta',
  }
  const checkpoints = joinCheckpoints(rows(snapshot('p1', { 'a.ts': backup(1) }), snapshot('p2', {}), delta))
  expect(checkpoints).toMatchObject([
    { promptUuid: 'p1', path: 'a.ts', messageId: 'p1' },
    {
      promptUuid: 'p1',
      path: '/x/new.md',
      backupFile: null,
      messageId: 'assistant',
      timestamp: 'time of delta',
    },
  ])
})

test('keeps the first row that told of a version when an update repeats it', () => {
  const update = snapshot('p1', { 'a.ts': backup(1), 'b.ts': backup(1) }, 'assistant')
  const checkpoints = joinCheckpoints(rows(snapshot('p1', { 'a.ts': backup(1) }), update, update))
  expect(checkpoints.map((c) => [c.path, c.messageId, c.place.line])).toEqual([
    ['a.ts', 'p1', 1],
    ['b.ts', 'assistant', 2],
  ])
})

test('takes a file named __proto__ like any other', () => {
  const tracked = parseJson(`{"__proto__":{"backupFileName":"${HASH}@v1","version":1}}`)
  const row = { type: 'file-history-snapshot', messageId: 'p', snapshot: { trackedFileBackups: tracked } }
  expect(joinCheckpoints(rows(row))).toMatchObject([{ path: '__proto__', version: 1 }])
})

test.each<JsonObject>([
  { type: 'user' },
  { type: 'file-history-snapshot' },
  {
    type: 'file-history-snapshot',
    messageId: 'p',
    snapshot: { trackedFileBackups: { a: 'the content', b: {}, c: null } },
  },
  { type: 'file-history-snapshot', snapshot: { trackedFileBackups: { a: { backupFileName: null } } } },
  { type: 'file-history-delta', messageId: 'p', backup: {} },
  { type: 'file-history-delta', messageId: 'p', trackingPath: 'a', backup: { backupFileName: 7 } },
])('finds no checkpoint in %j', (raw) => {
  expect(joinCheckpoints(rows(raw))).toEqual([])
})
