import { closeSync, openSync, readSync } from 'node:fs'
import { RESPONSE_NUMBERS } from '../../core/facts/response-rows.ts'
import { ACTIVE } from '../../core/facts/row-table.ts'
import type { Source, SourceEntry } from '../../disk/source.ts'
import type { Database, Row } from '../../index/driver.ts'
import { ingestFacts } from '../../index/ingest.ts'
import { openIndex } from '../../index/open.ts'
import { rowTablesOf } from '../../index/row-tables.ts'
import { readTexts } from '../../index/text.ts'
import { docAt, docCount, partsOfDoc, type TextBatch, textOfDoc } from '../../index/text-batch.ts'
import { TextWriter } from '../../index/write-text.ts'
import { storedKey } from './stored-key.ts'

/** What a store keeps of a log as a whole, in the words of the index: made by the same code from the same bytes. */
export interface LogFacts {
  readonly facts: StoredFacts
  readonly turns: readonly Row[]
  readonly calls: StoredCalls
  /** The rows of its tree, packed (`core/row-table`). */
  readonly tree: Uint8Array
  /** The keys of these, as `storedKey` writes them. */
  readonly keys: readonly number[]
  readonly responses: readonly Row[]
}

/** The rows of `fact`, `slug` and `summary`, and the session that a flat log of an agent names. */
export interface StoredFacts {
  readonly session: string
  readonly fact: Row
  readonly slugs: readonly string[]
  readonly summaries: readonly Row[]
}

/** The rows of `call` and `place`. */
export interface StoredCalls {
  readonly calls: readonly Row[]
  readonly places: readonly Row[]
}

/** A record that can be found, with what is searched of it. */
export interface StoredDoc {
  readonly text: string
  /** The parts of its words, as `partsOf` writes these. */
  readonly parts: string
  readonly number: number
  readonly line: number
  readonly offset: number
  readonly length: number
  readonly time: number | null
  readonly role: string
  readonly kind: string
  readonly tool: string | null
  readonly model: string | null
  readonly branch: string | null
  readonly target: string | null
  readonly isError: boolean
  readonly copy: number
}

/** Reads a log that lies in a file: hands on what is known of it, then its docs, some at a time. */
export async function readLogFacts(
  entry: SourceEntry,
  takeFacts: (facts: LogFacts) => Promise<void>,
  takeDocs: (docs: readonly StoredDoc[]) => Promise<void>,
): Promise<void> {
  const { database } = openIndex(undefined, [])
  const fd = openSync(entry.path, 'r')
  const source = {
    list: () => [entry],
    read: (_: SourceEntry, offset: number, into: Uint8Array) => readSync(fd, into, 0, into.length, offset),
  }
  try {
    ingestFacts(database, source)
    const log = database.prepare('select id, read from log').get()
    if (!log) return
    const to = log.read as number
    const writer = new TextWriter(database)
    for (const batch of textBatches(source, entry, to, 'calls')) writer.add(log.id as number, batch)
    await takeFacts(factsIn(database, log.id as number))
    let number = 0
    for (const batch of textBatches(source, entry, to, 'index')) {
      const docs = docsIn(database, batch, number)
      number += docs.length
      if (docs.length > 0) await takeDocs(docs)
    }
  } finally {
    closeSync(fd)
    database.close()
  }
}

function* textBatches(source: Source, entry: SourceEntry, to: number, makes: 'calls' | 'index'): Iterable<TextBatch> {
  let from = { offset: 0, line: 0 }
  for (;;) {
    const batch = readTexts(source, { entry, from, to }, { makes })
    if (!batch) return
    yield batch
    if (batch.isEnd) return
    from = batch.end
  }
}

const decoder = new TextDecoder()

/** An answer is about the same tool and file as its call. */
function docsIn(database: Database, batch: TextBatch, from: number): readonly StoredDoc[] {
  const answered = new Map<number, string>()
  for (const one of batch.calls)
    if (one.what === 'answer' && one.doc !== -1 && !answered.has(one.doc)) answered.set(one.doc, one.id)
  const call = database.prepare(
    'select t.text as tool, p.text as target from call left join name t on t.id = tool left join name p on p.id = target where tool_use = ?',
  )
  return Array.from({ length: docCount(batch) }, (_, i): StoredDoc => {
    const { tool, target, ...doc } = docAt(batch, i)
    const id = answered.get(i)
    const asked = id === undefined ? undefined : call.get(id)
    return {
      ...doc,
      number: from + i,
      tool: tool ?? (asked?.tool as string | null | undefined) ?? null,
      target: target ?? (asked?.target as string | null | undefined) ?? null,
      text: decoder.decode(textOfDoc(batch, i)),
      parts: decoder.decode(partsOfDoc(batch, i)),
    }
  })
}

function factsIn(database: Database, log: number): LogFacts {
  const all = (sql: string) => database.prepare(sql).all()
  const { log: _, ...fact } = database.prepare('select * from fact').get() as Row
  const [tree] = database.prepare('select packed from rows').all()
  return {
    facts: {
      session: database.prepare('select session from log').get()?.session as string,
      fact,
      slugs: all('select slug from slug').map(({ slug }) => slug as string),
      summaries: all('select leaf, line, text from summary'),
    },
    turns: all('select n, key, label, started from turn order by n'),
    calls: { calls: all(CALLS), places: all(PLACES) },
    tree: (tree?.packed as Uint8Array | undefined) ?? new Uint8Array(0),
    keys: rowTablesOf(database, log).flatMap(({ keys, flags }) =>
      Array.from(keys, (key, i) => storedKey(key, ((flags[i] as number) & ACTIVE) !== 0)),
    ),
    responses: all(RESPONSES),
  }
}

const CALLS = `
select tool_use, t.text as tool, by_api, p.text as target, line, offset, length, time, answer_line, answer_offset, answer_length,
  ended, took, is_error, result_bytes, added, removed
from call left join name t on t.id = tool left join name p on p.id = target order by coalesce(offset, answer_offset)`

const PLACES =
  'select kind, offset, line, length, time, key, parent, sidechain, fork, custom from place order by offset'

const RESPONSES = `
select row_number() over (order by r.id) - 1 as number, message, request, m.text as model, g.text as geo,
  ${RESPONSE_NUMBERS.join(', ')}
from response r join name m on m.id = model left join name g on g.id = geo order by r.id`
