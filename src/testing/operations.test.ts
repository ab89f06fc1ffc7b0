import { expect, test } from 'vitest'
import { fieldAt, type JsonObject, stringAt } from '../core/json.ts'
import { type Log, log } from './log.ts'
import { root } from './root.ts'

test('a resume of 1.0.65 copies the history: new uuids and times, same message ids, summary first', () => {
  const first = talk('1.0.65')
  const second = first.resumed().user('more')
  const [summary, ...copies] = second.rows()
  expect(second.sessionId).not.toBe(first.sessionId)
  expect(summary).toMatchObject({ type: 'summary', leafUuid: first.rows().at(-1)?.uuid })
  expect(copies.length).toBe(first.rows().length + 1)
  for (const [index, row] of first.rows().entries()) {
    const copy = copies[index]
    expect(copy?.uuid).not.toBe(row.uuid)
    expect(copy?.timestamp).not.toBe(row.timestamp)
    expect(copy?.sessionId).toBe(second.sessionId)
    expect(fieldAt(copy?.message, 'id')).toBe(fieldAt(row.message, 'id'))
    expect(copy).not.toHaveProperty('requestId')
  }
  expect(copies.at(-1)?.parentUuid).toBe(copies.at(-2)?.uuid)
  expect(logs(second)).toEqual([first, second].map(({ sessionId }) => `projects/-home-ana-api/${sessionId}.jsonl`))
})

test('a resume of later versions goes on in the same file', () => {
  const made = talk('2.1.112')
  expect(made.resumed().user('more')).toBe(made)
  expect(logs(made).length).toBe(1)
})

test('a resume of 2.0.37 to 2.1.4 leaves an empty file, one of 1.0.128 a summary', () => {
  const left = (version: string) => {
    const made = talk(version).resumed()
    return made.files().find(({ path }) => path.endsWith('.jsonl') && !path.includes(made.sessionId))?.content
  }
  expect(left('2.0.77')).toBe('')
  expect(left('1.0.128')).toMatch(/^\{"type":"summary",/)
  expect(left('2.1.112')).toBeUndefined()
})

test('--continue of 1.0.128 points across files and keeps the old session id', () => {
  const first = talk('1.0.128')
  const second = first.continued().user('more')
  const [summary, prompt] = second.rows()
  expect(summary?.type).toBe('summary')
  expect(prompt).toMatchObject({ sessionId: first.sessionId, parentUuid: first.rows().at(-1)?.uuid })
  expect(second.rows().length).toBe(2)
  expect(logs(second)).toContain(`projects/-home-ana-api/${second.sessionId}.jsonl`)
})

test('a fork has the same rows under another session id', () => {
  const first = talk('2.1.112')
  const second = first.forked().user('more').assistant('yes')
  const originals = first.rows().filter(({ uuid }) => uuid !== undefined)
  const copies = second
    .rows()
    .filter(({ uuid }) => uuid !== undefined)
    .slice(0, originals.length)
  expect(copies).toEqual(originals.map((row) => ({ ...row, sessionId: second.sessionId })))
  expect(second.rows().some(({ forkedFrom }) => forkedFrom !== undefined)).toBe(false)
})

test('a fork of 2.1.325 has prompt ids of its own, which group the same rows', () => {
  const first = talk('2.1.325')
  const groups = (rows: readonly JsonObject[]) => {
    const ids = rows.filter(({ uuid }) => uuid !== undefined).map(({ promptId }) => promptId)
    return ids.map((id) => ids.indexOf(id))
  }
  const second = first.forked()
  expect(groups(second.rows())).toEqual(groups(first.rows()))
  const ids = (made: Log) => new Set(made.rows().flatMap((row) => stringAt(row, 'promptId') ?? []))
  expect([...ids(second)].filter((id) => ids(first).has(id))).toEqual([])
})

test('what the first session does after a fork is not in the second', () => {
  const first = talk('2.1.325')
  const second = first.forked().user('theirs')
  first.user('ours')
  expect(texts(second)).toContain('theirs')
  expect(texts(second)).not.toContain('ours')
  const files = root().add(first, second).files()
  expect(String(files.find(({ path }) => path.includes(`${first.sessionId}.jsonl`))?.content)).toContain('ours')
})

test('a fork of 1.0.128 is told anew: later times, no request ids', () => {
  const first = talk('1.0.128')
  const second = first.forked()
  const [, ...copies] = second.rows()
  expect(copies.map(({ uuid }) => uuid)).toEqual(first.rows().map(({ uuid }) => uuid))
  expect(copies.every((row) => row.requestId === undefined)).toBe(true)
  expect(copies.map(({ timestamp }) => timestamp)).not.toContain(first.rows()[0]?.timestamp)
})

test('a branch has only the active chain, each row with its origin, and the checkpoints', () => {
  const first = log()
    .user('a')
    .edit('a.ts', { before: 'x\n', after: 'y\n' })
    .assistant('b')
    .user('dropped')
    .assistant('c')
    .rewind({ to: 2 })
    .user('kept')
    .assistant('d')
  const second = first.branched({ title: 'Other way' }).user('on')
  expect(texts(second)).toEqual(['a', 'kept', 'on'])
  const copies = second.rows().filter(({ forkedFrom }) => forkedFrom !== undefined)
  for (const row of copies) {
    expect(row).toMatchObject({ forkedFrom: { sessionId: first.sessionId, messageUuid: row.uuid } })
    expect(row.sessionId).toBe(second.sessionId)
  }
  expect(second.rows()).toContainEqual({ type: 'custom-title', customTitle: 'Other way', sessionId: second.sessionId })
  const backups = (made: Log) => made.files().filter(({ path }) => path.startsWith(`file-history/${made.sessionId}/`))
  expect(backups(second).map(({ content }) => content)).toEqual(backups(first).map(({ content }) => content))
  expect(second.files().map(({ path }) => path)).toContain(
    `projects/-home-ana-api/${second.sessionId}/custom-title.json`,
  )
})

test('a branch keeps all results of parallel calls', () => {
  const second = log()
    .user('a')
    .parallel([{ name: 'Bash' }, { name: 'Bash' }])
    .assistant('b')
    .branched()
  expect(second.rows().filter(({ sourceToolAssistantUUID }) => sourceToolAssistantUUID !== undefined).length).toBe(2)
})

test('follow-ups are the same bytes twice', () => {
  const make = () => talk('2.1.325').forked().user('x').branched({ title: 't' }).user('y').files()
  expect(make()).toEqual(make())
  expect(make().filter(({ path }) => path.endsWith('.jsonl')).length).toBe(3)
})

function talk(version: string): Log {
  return log({ version })
    .user('hello')
    .assistant('hi')
    .user('list')
    .tool('Bash', { command: 'ls' }, { output: 'a' })
    .assistant('there is a')
}

function logs(made: Log): readonly string[] {
  return made.files().flatMap(({ path }) => (path.endsWith('.jsonl') ? [path] : []))
}

function texts(made: Log): readonly string[] {
  return made.rows().flatMap((row: JsonObject) => (row.type === 'user' ? (stringAt(row.message, 'content') ?? []) : []))
}
