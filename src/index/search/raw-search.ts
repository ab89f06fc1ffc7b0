import { Failure } from '../../core/failure.ts'
import { linePattern, queryMatcher } from '../../core/search/match.ts'
import type { Query } from '../../core/search/query.ts'
import type { LogPosition } from '../../disk/log-file.ts'
import { TextFrames } from '../../disk/match-texts.ts'
import { linesMatching, linesWith, type RipgrepLimits, requiredLiteral, ripgrepPath } from '../../disk/ripgrep.ts'
import type { Source, SourceEntry } from '../../disk/source.ts'
import { LINE_BYTES, type LineStart, readTexts, readTextsOf } from '../text.ts'
import { type Doc, docAt, docCount, type TextBatch, textOfDoc } from '../text-batch.ts'
import type { Candidate } from './candidates.ts'

/** What is looked for in the logs themselves: a text as it is, a pattern, or the words of a query. */
export type RawSought = { readonly exact: string } | { readonly regex: string } | { readonly query: Query }

/** The part of a log that is searched. */
export interface RawLog {
  readonly id: number
  readonly entry: SourceEntry
  readonly from: LogPosition
  readonly to: number
}

export interface RawOptions extends RipgrepLimits {
  /** An answer has the tool of its call, and is about the same file: for that, logs are read as a whole. */
  readonly hasTools?: boolean
}

/**
 * Finds records in the logs themselves. ripgrep narrows the lines down; what decides is the decoded text, so that quotes, line breaks
 * and other escapes are found as they are read, and never found where they are not.
 */
export async function searchLogs(
  source: Source,
  logs: readonly RawLog[],
  sought: RawSought,
  { hasTools = false, ...limits }: RawOptions = {},
): Promise<{ readonly candidates: readonly Candidate[]; readonly isComplete: boolean }> {
  const rg = ripgrepPath('rg') as string
  const { lines, isComplete } = await linesOf(rg, logs, sought)
  const decide = decider(rg, sought, limits)
  const candidates: Candidate[] = []
  const keep = (found: readonly Candidate[]) => {
    for (const one of found) candidates.push(one)
  }
  await decideInTurn(decide, candidateRecords(source, logs, lines, hasTools), keep)
  return { candidates, isComplete: isComplete && decide.isComplete() }
}

/** The records that ripgrep left over, log by log. */
function* candidateRecords(
  source: Source,
  logs: readonly RawLog[],
  lines: ReadonlyMap<string, readonly LineStart[]> | undefined,
  hasTools: boolean,
): Generator<ReadRecords> {
  for (const log of logs) {
    const only = lines?.get(log.entry.path)
    if (lines && isNarrowed(log) && !only) continue
    const isSparse = only !== undefined && only.length * LINE_BYTES < Math.max(log.to, WHOLE_BYTES)
    yield* isSparse && !hasTools ? recordsAt(source, log, only) : recordsOf(source, log, only)
  }
}

/** Decides about records while the next ones are read. Where a batch fails, this fails after all others have ended. */
async function decideInTurn(
  decide: Decider,
  records: Iterable<ReadRecords>,
  keep: (found: readonly Candidate[]) => void,
): Promise<void> {
  const pending: Promise<void>[] = []
  try {
    for (const read of records) {
      const decided = decide.take(read)?.then(keep)
      // Each is awaited in its turn below; one that fails before its turn is no unhandled rejection, which would end the process.
      decided?.catch(() => {})
      if (decided) pending.push(decided)
      if (pending.length > 1) await pending.shift()
    }
    await Promise.all(pending)
    keep(await decide.finish())
  } finally {
    await Promise.allSettled(pending)
  }
}

/** To read a log as a whole costs as much as this, however short it is. */
const WHOLE_BYTES = 256 * 1024

/** ripgrep reads whole files, and what only the archive holds is none. */
function isNarrowed({ entry, from }: RawLog): boolean {
  return !entry.gone && from.offset === 0
}

/** The lines in which something may be found, by file; `undefined` where that may be anywhere. */
async function linesOf(rg: string, logs: readonly RawLog[], sought: RawSought) {
  const files = logs.filter(isNarrowed).map(({ entry }) => entry.path)
  const literal = 'exact' in sought ? sought.exact : 'regex' in sought ? requiredLiteral(sought.regex) : undefined
  if (literal === '') throw new Failure('BAD_INPUT', 'There is nothing to search for.')
  const pattern = 'query' in sought ? linePattern(sought.query) : undefined
  if (literal === undefined && pattern === undefined) return { lines: undefined, isComplete: true }
  const found = await (literal === undefined
    ? linesMatching(rg, pattern as string, files)
    : linesWith(rg, literal, files))
  const lines = new Map<string, LineStart[]>()
  for (const one of found.lines) {
    const known = lines.get(one.file)
    if (known) known.push(one)
    else lines.set(one.file, [one])
  }
  return { lines, isComplete: found.isComplete }
}

/** Records of one log with their text. */
interface ReadRecords {
  readonly log: number
  readonly batch: TextBatch
  readonly docs: readonly Doc[]
}

/** The records in some lines of a log, few of them at a time. */
function* recordsAt(source: Source, log: RawLog, lines: readonly LineStart[]): Generator<ReadRecords> {
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
    const batch = readTextsOf(source, log, lines.slice(at, at + LINES_AT_ONCE))
    if (!batch) return
    const docs = Array.from({ length: docCount(batch) }, (_, i) => docAt(batch, i))
    if (docs.length > 0) yield { log: log.id, batch, docs }
  }
}

const LINES_AT_ONCE = 256

/** The records of a log, or of some of its lines, stretch by stretch, with the tools that they are about. */
function* recordsOf(source: Source, log: RawLog, lines: readonly LineStart[] | undefined): Generator<ReadRecords> {
  const only = lines && new Set(lines.map(({ offset }) => offset))
  const calls = new Map<string, { readonly tool: string; readonly path: string | null }>()
  for (let { from } = log; ; ) {
    const batch = readTexts(source, { entry: log.entry, from, to: log.to }, only ? { only } : {})
    if (!batch) return
    const answered = new Map<number, string>()
    for (const one of batch.calls) {
      if (one.what === 'answer') answered.set(one.doc, answered.get(one.doc) ?? one.id)
      else if (!calls.has(one.id)) calls.set(one.id, one)
    }
    const docs = Array.from({ length: docCount(batch) }, (_, i): Doc => {
      const doc = docAt(batch, i)
      const call = calls.get(answered.get(i) ?? '')
      return call ? Object.assign({}, doc, { tool: doc.tool ?? call.tool, target: doc.target ?? call.path }) : doc
    })
    if (docs.length > 0) yield { log: log.id, batch, docs }
    if (batch.isEnd) return
    from = batch.end
  }
}

/** Decides about records by their text: at once, or when there are enough of them for a process. */
interface Decider {
  take(read: ReadRecords): Promise<readonly Candidate[]> | undefined
  finish(): Promise<readonly Candidate[]>
  /** Whether all texts were looked at: ripgrep has limits. */
  isComplete(): boolean
}

function decider(rg: string, sought: RawSought, limits: RipgrepLimits): Decider {
  return 'regex' in sought ? patternDecider(rg, sought.regex, limits) : textDecider(textTest(sought))
}

function textTest(sought: { readonly exact: string } | { readonly query: Query }): (text: Uint8Array) => boolean {
  if ('exact' in sought) {
    const needle = Buffer.from(sought.exact)
    return (text) => Buffer.from(text.buffer, text.byteOffset, text.length).includes(needle)
  }
  const matches = queryMatcher(sought.query)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return (text) => matches(decoder.decode(text))
}

function textDecider(isMeant: (text: Uint8Array) => boolean): Decider {
  return {
    take: async ({ log, batch, docs }) =>
      docs.flatMap((doc, i) => (isMeant(textOfDoc(batch, i)) ? [{ log, doc }] : [])),
    finish: async () => [],
    isComplete: () => true,
  }
}

/** How many texts are matched in one go: as many as are worth a process. */
const FRAMES_BYTES = 16 * 1024 * 1024

/** Where so many matches are known, no more are: what is shown is then looked at again. */
const MOST_NOTED = 50_000

function patternDecider(rg: string, pattern: string, limits: RipgrepLimits): Decider {
  let areAllDecided = true
  let noted = 0
  const noteMatches = (candidate: Candidate, matches: readonly number[]): Candidate => {
    noted += matches.length
    return noted > MOST_NOTED ? candidate : { matches, log: candidate.log, doc: candidate.doc }
  }
  let frames = new TextFrames()
  let framed: Candidate[] = []
  const flush = async (): Promise<readonly Candidate[]> => {
    const [texts, about] = [frames, framed]
    // Where there was enough for one process, there is as a rule for the next.
    frames = new TextFrames(Math.ceil(1.25 * texts.length))
    framed = []
    const { found, isComplete } = await texts.matching(rg, pattern, limits)
    areAllDecided &&= isComplete
    return [...found].map(([i, matches]) => noteMatches(about[i] as Candidate, matches))
  }
  return {
    take({ log, batch, docs }) {
      docs.forEach((doc, i) => {
        frames.add(textOfDoc(batch, i))
        framed.push({ log, doc })
      })
      return frames.length < FRAMES_BYTES ? undefined : flush()
    },
    finish: flush,
    isComplete: () => areAllDecided,
  }
}
