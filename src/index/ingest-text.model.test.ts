import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  expectAsFromNothing,
  file,
  type IndexModel,
  pathOf,
  type Rearrangement,
  rearrange,
  rearrangement,
} from '../../tests/support/index-model.ts'
import { readLog } from '../core/log/log.ts'
import { searchableText } from '../core/search/searchable.ts'
import { diskSource } from '../disk/disk-source.ts'
import type { Database, Row } from './driver.ts'
import { ingestFacts } from './ingest.ts'
import { ingestTexts } from './ingest-text.ts'
import { openIndex } from './open.ts'
import { unindexedLogs } from './queries/unindexed-logs.ts'
import { DOCS_OF_A_LOG } from './schema.ts'

const WORDS = ['apple', 'Brücke', 'getUserName', 'x.ts', '日本語', 'zebra']

type Change =
  | { readonly do: 'append'; readonly file: number; readonly word: number; readonly cut: number }
  | { readonly do: 'newline'; readonly file: number }
  | Rearrangement
type Step = Change | { readonly do: 'index' | 'facts' | 'restart' }

/** One log grows more than the others. */
const often = fc.oneof(fc.constant(0), file)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      file: often,
      word: fc.nat(WORDS.length - 1),
      // The end of the row that is not written: none, its newline, or some of it.
      cut: fc.constantFrom(0, 1, 9),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('newline' as const), file: often }) },
  { weight: 3, arbitrary: rearrangement },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('index' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('facts', 'restart' as const) }) },
)

const model: IndexModel<Step> = { act, ingest, dump }

function act(one: Step, number: number, root: string, database: Database): void {
  if (one.do === 'index') ingest(database, root)
  else if (one.do === 'facts') ingestFacts(database, diskSource([root]))
  else change(root, one as Change, number)
}

test('words after any sequence of changes equal words made from nothing', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30, size: 'max' }), (steps) => expectAsFromNothing(steps, model)),
    { numRuns: 150 },
  )
})

test('an answer in a last line without newline is forgotten where the line goes on', () => {
  const append = { do: 'append', file: 0 } as const
  const [call, answer] = [
    { ...append, word: 3, cut: 0 },
    { ...append, word: 5, cut: 1 },
  ]
  expectAsFromNothing<Step>([call, answer, { do: 'index' }, { ...append, word: 0, cut: 1 }], model)
})

test('a log that moves to where another has vanished takes its place', () => {
  const root = mkdtempSync(join(tmpdir(), 'annals-moved-'))
  mkdirSync(join(root, 'projects/-p'), { recursive: true })
  const database = openIndex(undefined, [root]).database
  change(root, { do: 'append', file: 0, word: 0, cut: 0 }, 0)
  change(root, { do: 'append', file: 1, word: 4, cut: 0 }, 1)
  ingest(database, root)
  rmSync(pathOf(root, 1))
  ingest(database, root)
  renameSync(pathOf(root, 0), pathOf(root, 1))
  ingest(database, root)
  expect(database.prepare('select path, state from log').all()).toMatchObject([
    { path: pathOf(root, 1), state: 'disk' },
  ])
  expect(database.prepare('select count(*) as count from words').get()).toMatchObject({ count: 1 })
  database.close()
  rmSync(root, { recursive: true })
})

function ingest(database: Database, root: string): void {
  ingestFacts(database, diskSource([root]))
  ingestTexts(database, diskSource([root]))
  expect(unindexedLogs(database)).toEqual([])
  for (const number of [0, 1, 2, 3])
    expect(docsOf(database, pathOf(root, number))).toEqual(textsIn(pathOf(root, number)))
}

function docsOf(database: Database, path: string): readonly unknown[] {
  const docs = database.prepare(`select offset from doc join log on log.id = doc.id / ${DOCS_OF_A_LOG}
    where path = ? and state <> 'lost' order by doc.id`)
  return docs.all(path).map(({ offset }) => offset)
}

/** Where the records of a log stand that can be searched, a last one without newline among them. */
function textsIn(path: string): readonly number[] {
  const { records } = readLog(existsSync(path) ? readFileSync(path) : new Uint8Array())
  return records.filter((record) => searchableText(record)?.text).map(({ place }) => place.offset)
}

/** A word as a prompt, a title, a call or the answer to the one before. */
function rowOf(word: number, written: number): object {
  const text = WORDS[word] as string
  const row = {
    uuid: `00000000-0000-4000-8000-${String(written).padStart(12, '0')}`,
    timestamp: '2026-11-01T10:00:00.000Z',
  }
  const call = `toolu_${written >> 2}`
  if (word === 1) return { type: 'custom-title', customTitle: text }
  if (word === 3) {
    const content = [{ type: 'tool_use', id: call, name: 'Read', input: { file_path: `/home/ana/${text}` } }]
    return { type: 'assistant', ...row, message: { id: `msg_${written}`, role: 'assistant', content } }
  }
  if (word === 5) {
    const content = [{ type: 'tool_result', tool_use_id: call, content: text, is_error: written % 2 === 0 }]
    return { type: 'user', ...row, message: { role: 'user', content } }
  }
  return { type: 'user', ...row, message: { role: 'user', content: text } }
}

function change(root: string, action: Change, number: number): void {
  if (action.do === 'newline') {
    appendFileSync(pathOf(root, action.file), '\n')
    return
  }
  if (action.do !== 'append') {
    const message = { content: 'rewritten apple' }
    rearrange(root, action, `${JSON.stringify({ type: 'user', uuid: `w${number}`, message })}\n`)
    return
  }
  const row = `${JSON.stringify(rowOf(action.word, number))}\n`
  appendFileSync(pathOf(root, action.file), row.slice(0, row.length - action.cut))
}

/** What an index knows of the logs that are there, row numbers aside. */
function dump(database: Database) {
  const rows = (sql: string, ...values: string[]): Row[] =>
    database
      .prepare(sql)
      .all(...values)
      .map((row) => ({ ...row }))
  const docs = `doc join log on log.id = doc.id / ${DOCS_OF_A_LOG}`
  return {
    logs: rows("select path, worded, worded_line, orderly from log where state <> 'lost' order by path"),
    docs: rows(
      `select path, line, offset, length, time, error, doc.id % ${DOCS_OF_A_LOG} as n,
         (select text from name where id = tool) as tool, (select text from name where id = target) as target
       from ${docs} where state <> 'lost' order by path, offset`,
    ),
    copies: rows(
      `select group_concat(path || ' ' || offset, ', ') as places from
         (select path, offset, copy from ${docs} where state <> 'lost' order by path, offset) group by copy order by 1`,
    ),
    calls: rows(
      `select path, (select text from name where name.id = tool) as name, (select text from name where name.id = target) as file, call.*
       from call join log on log.id = call.log where state <> 'lost' order by path, tool_use`,
    ).map(({ log: _, tool: _tool, target: _target, ...call }) => call),
    places: rows(
      `select path, kind, line, place.offset, place.length, time, key, parent, sidechain, fork, custom from place join log on log.id = place.log where state <> 'lost' order by 1, 2, 4`,
    ),
    words: ['apple', 'brucke', 'user', '日本', 'zebra', 'rewritten'].map((word) =>
      rows(
        `select path, offset from words join doc on doc.id = words.rowid join log on log.id = doc.id / ${DOCS_OF_A_LOG}
         where words match ? and state <> 'lost' order by path, offset`,
        `"${word}"`,
      ),
    ),
  }
}
