import { Failure } from '../core/failure.ts'
import { textAt } from '../core/json.ts'
import type { LogRecord } from '../core/record.ts'
import { type Searchable, searchableText } from '../core/searchable.ts'
import type { Range } from '../core/snippet.ts'
import { streamRecords } from '../disk/log-file.ts'
import { readHead } from '../disk/page.ts'
import { linesWith, matchTexts, requiredLiteral, ripgrepPath } from '../disk/ripgrep.ts'
import type { SourceEntry } from '../disk/source.ts'
import { copyKey } from '../store/copy-key.ts'
import type { Context } from './op.ts'

/** A log that is searched, and whose it is. */
export interface RawLog {
  readonly entry: SourceEntry
  readonly session: string
  readonly agent: string | null
  readonly project: { readonly key: string; readonly path: string | null }
}

/** A record with the places of the matches in its text. */
export interface RawHit {
  readonly log: RawLog
  readonly record: LogRecord
  readonly found: Searchable
  readonly ranges: readonly Range[]
}

/** How many texts are matched in one go: as many as fit the memory well. */
const BATCH_CHARACTERS = 8 * 1024 * 1024

/**
 * Finds a text as it is, or a pattern, in the logs themselves. ripgrep narrows the lines down; what decides is the decoded
 * text, so that quotes, line breaks and other escapes are found as they are read, and never found where they are not.
 */
export async function searchRaw(
  context: Context,
  logs: readonly RawLog[],
  sought: { readonly exact: string } | { readonly regex: string },
  isWanted: (record: LogRecord, found: Searchable) => boolean,
): Promise<{ readonly hits: readonly RawHit[]; readonly isComplete: boolean }> {
  const rg = ripgrepPath('rg') as string
  const literal = 'exact' in sought ? sought.exact : requiredLiteral(sought.regex)
  if (literal === '') throw new Failure('BAD_INPUT', 'There is nothing to search for.')
  const { candidates, isComplete } = await candidatesOf(context, logs, rg, literal)
  const hits: RawHit[] = []
  const seen = new Set<number>()
  let batch: Omit<RawHit, 'ranges'>[] = []
  let size = 0
  const flush = async () => {
    const ranges =
      'exact' in sought
        ? batch.map(({ found }) => rangesOf(found.text, sought.exact))
        : (
            await matchTexts(
              rg,
              sought.regex,
              batch.map(({ found }) => found.text),
            )
          ).ranges
    batch.forEach((one, i) => {
      const places = ranges[i] ?? []
      const key = copyKey(one.record, one.found.text)
      if (places.length === 0 || seen.has(key)) return
      seen.add(key)
      hits.push({ ...one, ranges: places })
    })
    batch = []
    size = 0
  }
  for (const { log, record } of candidates) {
    const found = searchableText(record)
    if (!found || found.text === '' || !isWanted(record, found)) continue
    batch.push({ log, record, found })
    size += found.text.length
    if (size > BATCH_CHARACTERS) await flush()
  }
  await flush()
  return { hits: hits.sort((a, b) => (timeOf(b) < timeOf(a) ? -1 : 1)), isComplete }
}

function timeOf({ record }: RawHit): string {
  return textAt(record.raw, 'timestamp') ?? ''
}

/** The records in which a literal may stand; all of them where there is none. */
async function candidatesOf({ library }: Context, logs: readonly RawLog[], rg: string, literal: string | undefined) {
  if (literal === undefined) return { candidates: allRecords(library.source, logs), isComplete: true }
  // ripgrep reads files, and what only the archive holds is none.
  const archived = logs.filter(({ entry }) => entry.gone)
  const byPath = new Map(logs.filter(({ entry }) => !entry.gone).map((log) => [log.entry.path, log]))
  const { lines, isComplete } = await linesWith(rg, literal, [...byPath.keys()])
  const { source } = library
  return { candidates: both(recordsAt(source, byPath, lines), allRecords(source, archived)), isComplete }
}

function* both<T>(first: Iterable<T>, second: Iterable<T>): Generator<T> {
  yield* first
  yield* second
}

function* allRecords(source: Context['library']['source'], logs: readonly RawLog[]) {
  for (const log of logs) for (const record of streamRecords(source, log.entry)) yield { log, record }
}

function* recordsAt(
  source: Context['library']['source'],
  byPath: ReadonlyMap<string, RawLog>,
  lines: readonly { readonly file: string; readonly line: number; readonly offset: number }[],
) {
  for (const { file, line, offset } of lines) {
    const log = byPath.get(file)
    if (!log) continue
    const page = readHead(source, log.entry, { records: 1, bytes: 1 }, offset)
    for (const record of page.records) yield { log, record: { ...record, place: { ...record.place, line } } }
  }
}

function rangesOf(text: string, needle: string): readonly Range[] {
  const ranges: Range[] = []
  for (let at = text.indexOf(needle); at !== -1 && ranges.length < 100; at = text.indexOf(needle, at + needle.length)) {
    ranges.push([at, at + needle.length])
  }
  return ranges
}
