import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../core/json.ts'
import { Library } from '../disk/library.ts'
import { log, root } from '../testing/index.ts'
import type { Asking } from './find.ts'
import { findPoint, isPoint } from './point.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-point-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const made = log({ seed: 'points' })
  .user('one')
  .assistant('first')
  .user('two')
  .tool('Bash', { command: 'ls' })
  .assistant('second')
root().add(made).write(folder)
const file = join(folder, made.files().find(({ path }) => path.endsWith(`${made.sessionId}.jsonl`))?.path ?? '')
const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
const rows = made.rows() as readonly JsonObject[]
const lineOf = (text: string) => lines.findIndex((line) => line.includes(text)) + 1
const uuidAt = (line: number) => String((JSON.parse(lines[line - 1] ?? '{}') as JsonObject).uuid)

function asking(): Asking {
  const library = new Library({ roots: [folder] })
  return { library, now: new Date('2026-11-16T12:00:00Z'), cwd: folder, currentSession: undefined, warn: () => {} }
}

describe('a point is named by', () => {
  test('a session and a turn: its last row', async () => {
    const point = await findPoint(asking(), `${made.sessionId}:1`)
    const last = lines.findLastIndex((line, at) => at < lineOf('"two"') - 1 && line.includes('"uuid"')) + 1
    expect(point).toMatchObject({ turn: 1, uuid: uuidAt(last), place: { line: last } })
    expect(point.opened.files.id).toBe(made.sessionId)
  })

  test('turn 0: before anything was asked', async () => {
    expect(await findPoint(asking(), 'last:0')).toMatchObject({ turn: 0, uuid: null, place: null, offset: -1 })
  })

  test('a session and the start of a uuid: a row that calls a tool ends when that has answered', async () => {
    const call = lineOf('"name":"Bash"')
    const point = await findPoint(asking(), `last:${uuidAt(call).slice(0, 8)}`)
    const answer = lines.findIndex((line) => line.includes('"type":"tool_result"')) + 1
    const before = Buffer.byteLength(lines.slice(0, answer - 1).join('\n')) + 1
    expect(point).toMatchObject({ turn: 2, uuid: uuidAt(call), place: { line: call, file }, file, offset: before })
  })

  test('a log and a line of it, be it a row or not', async () => {
    expect(await findPoint(asking(), `${file}:${lineOf('first')}`)).toMatchObject({
      turn: 1,
      uuid: uuidAt(lineOf('first')),
    })
    const other = rows.findIndex((row) => row.uuid === undefined)
    if (other >= 0)
      expect(await findPoint(asking(), `${file}:${other + 1}`)).toMatchObject({ place: { line: other + 1 } })
  })

  test('a citation, as long as the record is the one that was cited', async () => {
    const line = lineOf('first')
    const hash = createHash('sha256')
      .update(lines[line - 1] ?? '')
      .digest('hex')
      .slice(0, 8)
    expect(await findPoint(asking(), `last:${uuidAt(line)}@${hash}`)).toMatchObject({ uuid: uuidAt(line) })
    await expect(findPoint(asking(), `last:${uuidAt(line)}@00000000`)).rejects.toThrow('not the one that was cited')
  })
})

test.each([
  ['nothing', 'is not a point'],
  ['last:', 'is not a point'],
  ['last:9', 'There is no turn 9: this session has 2.'],
  ['last:ffffffff', 'No row of this session'],
  ['gone:1', 'No session matches'],
  [`${file}:999`, 'has no record at line 999'],
])('%s gets a sentence', async (text, message) => {
  await expect(findPoint(asking(), text)).rejects.toThrow(message)
})

test('times and plain words are no points', () => {
  expect(['last:3', 'a title: b:12', `${file}:4`, '3f9a2c11:8c1d2e3f'].map(isPoint)).toEqual([true, true, true, true])
  expect(['3', 'end', '2026-11-01T10:00', '2026-11-01T10:00:00Z', '7d'].map(isPoint)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ])
})
