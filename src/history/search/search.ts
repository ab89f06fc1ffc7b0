import { Failure } from '../../core/failure.ts'
import { textAt } from '../../core/json.ts'
import { parseQuery, type Query, toFts } from '../../core/search/query.ts'
import { searchableText } from '../../core/search/searchable.ts'
import { makeSnippet, type Range } from '../../core/search/snippet.ts'
import { readRecordAt } from '../../disk/log-file.ts'
import { type ByteRanges, matchTexts, unitRanges } from '../../disk/match-texts.ts'
import { ripgrepPath } from '../../disk/ripgrep.ts'
import { unwordedBytes, unwordedLogs } from '../../index/ingest-text.ts'
import { areWorded } from '../../index/log-notes.ts'
import type { Candidate } from '../../index/search/candidates.ts'
import type { Found, Sought } from '../../index/search/matching-docs.ts'
import { type RawLog, type RawSought, searchLogs } from '../../index/search/raw-search.ts'
import type { SearchOptions, SearchResult } from '../../index/search/search.ts'
import { type SearchedLog, type SearchFilter, searchedLogs } from '../../index/search/searched-logs.ts'
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
  const { sought, filter, progress } = request
  await history.refresh((done, total) => progress(done, total, 'lists and sums'))
  const { docs, isComplete, behindBytes } = await soughtDocs(history, request)
  const { found, ...counted } = history.ask().search(docs, filter, request)
  const hits = await withSnippets(history, found, sought, docs.candidates ?? [])
  return { ...counted, hits, isComplete: isComplete && behindBytes === 0, behindBytes }
}

/** Words are found in the index as far as it goes; everything else in the logs themselves. */
async function soughtDocs(
  history: History,
  { sought, filter, limit, isIndexing, progress }: SearchRequest,
): Promise<{ readonly docs: Sought; readonly isComplete: boolean; readonly behindBytes: number }> {
  if ('query' in sought && history.elsewhere) {
    return { docs: { found: history.elsewhere.find(sought.query, filter, limit) }, isComplete: true, behindBytes: 0 }
  }
  if (!('query' in sought) || !history.isKept) {
    const logs = searchedLogs(history.tables(), filter)
    history.elsewhere?.bringHere(wholeLogs(history, logs).map(({ entry }) => entry))
    const { candidates, isComplete } = await searchLogs(
      history.library.source,
      wholeLogs(history, logs),
      sought,
      toolsIn(filter),
    )
    return { docs: { candidates }, isComplete, behindBytes: 0 }
  }
  const match = toFts(sought.query)
  if (!isIndexing) await history.refreshTexts((done, total) => progress(done, total, 'text'))
  if (areWorded(history.tables())) return { docs: { match }, isComplete: true, behindBytes: 0 }
  const behind = unwordedLogs(history.tables())
  const logs = searchedLogs(history.tables(), filter)
  const entries = history.library.entries()
  const rest = behind.flatMap(({ log: id, path, worded: offset, line, read: to }): readonly RawLog[] => {
    const entry = entries.get(path)
    return entry && logs.has(id) ? [{ id, entry, from: { offset, line }, to }] : []
  })
  const { candidates, isComplete } = await searchLogs(history.library.source, rest, sought, toolsIn(filter))
  return { docs: { match, candidates }, isComplete, behindBytes: unwordedBytes(behind) }
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
  const records = found.map(({ log, line, offset, length }) => {
    const entry = { root: log.root, path: log.path, sizeBytes: 0, modifiedAt: 0 }
    return log.state === 'lost' ? undefined : readRecordAt(source, entry, { file: log.path, line, offset, length })
  })
  const texts = records.map((record) => (record && searchableText(record)?.text) ?? '')
  const targets = await targetsIn(texts, sought, matchesOf(found, candidates))
  return found.map((one, i): Hit => {
    const record = records[i]
    const text = texts[i] as string
    const shown =
      text === '' ? { snippet: null, matches: [] } : makeSnippet(text, targets[i] as Query | readonly Range[])
    const who = record ? hitWords(record, one.kind, callFinder(history, one)) : null
    const leaf = record?.type === 'summary' ? (textAt(record.raw, 'leafUuid') ?? null) : null
    return Object.assign({ uuid: textAt(record?.raw, 'uuid') ?? null, who, leaf }, one, shown)
  })
}

/** Finds calls in the log of a hit; an index in memory may not know them. */
function callFinder(history: History, { log }: Found): FindCall {
  return (toolUseId) => {
    const place = history.ask().callPlace(log.path, toolUseId)
    const entry = { root: log.root, path: log.path, sizeBytes: 0, modifiedAt: 0 }
    return place && readRecordAt(history.library.source, entry, { file: log.path, ...place })?.raw
  }
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
