import { Failure } from '../../core/failure.ts'
import { textAt } from '../../core/json.ts'
import { toolResultsOf } from '../../core/log/content.ts'
import type { LogRecord } from '../../core/log/record.ts'
import { parseQuery, type Query, toFts } from '../../core/search/query.ts'
import { searchableText } from '../../core/search/searchable.ts'
import { makeSnippet, type Range } from '../../core/search/snippet.ts'
import { readRecordAt } from '../../disk/log-file.ts'
import { type ByteRanges, matchTexts, unitRanges } from '../../disk/match-texts.ts'
import { ripgrepPath } from '../../disk/ripgrep.ts'
import type { SourceEntry } from '../../disk/source.ts'
import type { HistoryQueries, Sought } from '../../index/queries/history-queries.ts'
import { unindexedBytes } from '../../index/queries/unindexed-logs.ts'
import type { Candidate } from '../../index/search/candidates.ts'
import type { Found } from '../../index/search/matching-docs.ts'
import { type RawLog, type RawSought, searchLogs } from '../../index/search/raw-search.ts'
import type { SearchOptions, SearchResult } from '../../index/search/search.ts'
import type { SearchedLog, SearchFilter } from '../../index/search/searched-logs.ts'
import type { History } from '../history.ts'
import { type FindCall, hitWords } from './hit-words.ts'

/** What is asked: words, or a text or pattern that is found in the logs themselves. */
export interface SearchRequest extends SearchOptions {
  readonly sought: RawSought
  readonly filter: SearchFilter
  /** The words are brought up to date elsewhere: what they do not know is looked through here. */
  readonly isIndexing: boolean
  readonly progress: (doneBytes: number, totalBytes: number, stage?: string) => void
}

/** What a text is looked for as: its words, itself, or the pattern that it is. */
export function soughtBy(text: string, as: 'words' | 'exact' | 'regex'): RawSought {
  if (as === 'exact') return { exact: text }
  if (as === 'regex') return { regex: text }
  const query = parseQuery(text)
  if (toFts(query) !== undefined) return { query }
  const hint = 'Give at least one word to find; -word only excludes.'
  throw new Failure('BAD_INPUT', 'There is nothing to search for.', { hint })
}

/** A record that was found, with the piece of its text that shows why. */
export interface Hit extends Found {
  readonly uuid: string | null
  /** Who says it, see `hitWords`; `null` where its log has vanished. */
  readonly who: string | null
  /** The row that a summary sums up to, in another log as a rule. */
  readonly leaf: string | null
  /** `null` where its log has vanished. */
  readonly snippet: string | null
  readonly matches: readonly Range[]
}

export interface SearchAnswer extends Omit<SearchResult, 'found'> {
  readonly hits: readonly Hit[]
  /** Everything was looked at, and the index knows it all. */
  readonly isComplete: boolean
  /** Bytes of logs whose words the index does not know. They were looked through. */
  readonly behindBytes: number
}

/** Finds records in all sessions. */
export async function searchHistory(history: History, request: SearchRequest): Promise<SearchAnswer> {
  const { sought, filter, isIndexing, progress } = request
  const isInIndex = 'query' in sought && history.hasTextIndex && !isIndexing
  const queries = await history.refresh(isInIndex ? 'text' : 'facts', progress)
  const { docs, isComplete, behindBytes } = await soughtDocs(history, queries, request)
  const { found, ...counted } = await queries.search.docs(docs, filter, request)
  const hits = await withSnippets(history, found, sought, docs.candidates ?? [])
  return { ...counted, hits, isComplete: isComplete && behindBytes === 0, behindBytes }
}

/** Words are found in the index as far as it goes; everything else in the logs themselves. */
async function soughtDocs(
  history: History,
  queries: HistoryQueries,
  { sought, filter }: SearchRequest,
): Promise<{ readonly docs: Sought; readonly isComplete: boolean; readonly behindBytes: number }> {
  if (!('query' in sought) || !history.hasTextIndex) {
    const logs = wholeLogs(history, await queries.search.logs(filter))
    await history.fetchLogs(logs.map(({ entry }) => entry))
    const { candidates, isComplete } = await searchLogs(history.library.source, logs, sought, toolsIn(filter))
    return { docs: { candidates }, isComplete, behindBytes: 0 }
  }
  const behind = await queries.search.unindexed()
  if (behind.length === 0) return { docs: { query: sought.query }, isComplete: true, behindBytes: 0 }
  const logs = await queries.search.logs(filter)
  const entries = history.library.entries()
  const rest = behind.flatMap(({ log: id, path, indexed: offset, line, read: to }): readonly RawLog[] => {
    const entry = entries.get(path)
    return entry && logs.has(id) ? [{ id, entry, from: { offset, line }, to }] : []
  })
  const { candidates, isComplete } = await searchLogs(history.library.source, rest, sought, toolsIn(filter))
  return { docs: { query: sought.query, candidates }, isComplete, behindBytes: unindexedBytes(behind) }
}

function toolsIn({ tool, file }: SearchFilter): { readonly hasTools: boolean } {
  return { hasTools: tool !== undefined || file !== undefined }
}

function wholeLogs(history: History, logs: ReadonlyMap<number, SearchedLog>): readonly RawLog[] {
  const entries = history.library.entries()
  return [...logs.values()].flatMap(({ id, path, read: to }) => {
    const entry = entries.get(path)
    return entry ? [{ id, entry, from: { offset: 0, line: 0 }, to }] : []
  })
}

/** The index holds no text: what was found is read back from the log. */
async function withSnippets(
  history: History,
  found: readonly Found[],
  sought: RawSought,
  candidates: readonly Candidate[],
): Promise<readonly Hit[]> {
  const { source } = history.library
  await history.fetchRecords(found.map(({ log, offset }) => ({ path: log.path, offset })))
  const records = found.map(({ log, line, offset, length }) => {
    return log.state === 'lost'
      ? undefined
      : readRecordAt(source, entryOf(log), { file: log.path, line, offset, length })
  })
  const callOf = await readCalls(history, found, records)
  const texts = records.map((record) => (record && searchableText(record)?.text) ?? '')
  const targets = await targetsIn(texts, sought, matchesOf(found, candidates))
  return found.map((one, i): Hit => {
    const record = records[i]
    const text = texts[i] as string
    const shown =
      text === '' ? { snippet: null, matches: [] } : makeSnippet(text, targets[i] as Query | readonly Range[])
    const who = record ? hitWords(record, one.kind, callOf(one.log.path)) : null
    const leaf = record?.type === 'summary' ? (textAt(record.raw, 'leafUuid') ?? null) : null
    return Object.assign({ uuid: textAt(record?.raw, 'uuid') ?? null, who, leaf }, one, shown)
  })
}

function entryOf({ root, path }: SearchedLog): SourceEntry {
  return { root, path, sizeBytes: 0, modifiedAt: 0 }
}

/** Reads the calls that found tool results answer. An index in memory may not know them. */
async function readCalls(
  history: History,
  found: readonly Found[],
  records: readonly (LogRecord | undefined)[],
): Promise<(path: string) => FindCall> {
  const names = found.flatMap(({ log, kind }, i) => {
    const [answer] = kind === 'tool-result' ? toolResultsOf(records[i]?.raw ?? {}) : []
    return answer?.toolUseId ? [{ log, path: log.path, toolUseId: answer.toolUseId }] : []
  })
  if (names.length === 0) return () => () => undefined
  const places = await (await history.refresh('as-is')).calls.places(names)
  const made = names.flatMap((name, i) => (places[i] ? [{ ...name, place: places[i] }] : []))
  await history.fetchRecords(made.map(({ path, place }) => ({ path, offset: place.offset })))
  const calls = new Map(
    made.map(({ log, path, toolUseId, place }) => [
      `${path}\0${toolUseId}`,
      readRecordAt(history.library.source, entryOf(log), { file: path, ...place })?.raw,
    ]),
  )
  return (path) => (toolUseId) => calls.get(`${path}\0${toolUseId}`)
}

/** Where a pattern matches in what was found, as far as that is known. */
function matchesOf(found: readonly Found[], candidates: readonly Candidate[]): readonly (ByteRanges | undefined)[] {
  const keyOf = (log: number, offset: number) => `${log}:${offset}`
  const known = new Map(candidates.map(({ log, doc, matches }) => [matches && keyOf(log, doc.offset), matches]))
  return found.map(({ log, offset }) => known.get(keyOf(log.id, offset)))
}

/** What is marked in each of some texts. */
async function targetsIn(
  texts: readonly string[],
  sought: RawSought,
  matches: readonly (ByteRanges | undefined)[],
): Promise<readonly (Query | readonly Range[])[]> {
  if ('query' in sought) return texts.map(() => sought.query)
  if ('exact' in sought) return texts.map((text) => rangesOf(text, sought.exact))
  const known = texts.map((text, i) => matches[i] && unitRanges(text, matches[i]))
  if (known.every((ranges) => ranges !== undefined)) return known
  return (await matchTexts(ripgrepPath('rg') as string, sought.regex, texts)).ranges
}

/** So many matches are marked in one snippet at most. */
const MOST_RANGES = 100

function rangesOf(text: string, needle: string): readonly Range[] {
  const ranges: Range[] = []
  for (
    let at = text.indexOf(needle);
    at !== -1 && ranges.length < MOST_RANGES;
    at = text.indexOf(needle, at + needle.length)
  ) {
    ranges.push([at, at + needle.length])
  }
  return ranges
}
