import { closeSync, openSync, readSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { FactsFold } from '../src/core/facts/facts.ts'
import { type RowFacts, rowFacts } from '../src/core/facts/row-facts.ts'
import { booleanAt, objectAt, stringAt, textAt } from '../src/core/json.ts'
import type { Place } from '../src/core/log/place.ts'
import { type LogRecord, readLine } from '../src/core/log/record.ts'
import { searchableText } from '../src/core/search/searchable.ts'
import { partsOf } from '../src/core/search/words.ts'
import * as at from '../src/core/skim/layout.ts'
import { type SkimBatch, skimLog } from '../src/core/skim/skim-log.ts'
import { SkimmedRow } from '../src/core/skim/skimmed-row.ts'
import type { Skimmer } from '../src/core/skim/skimmer.ts'
import { skimText } from '../src/core/skim/texts.ts'
import type { UsageRow } from '../src/core/usage/usage.ts'

/** What a comparison went over. */
export interface Compared {
  lines: number
  bytes: number
  left: number
  leftBytes: number
  /** Plain rows with text, and those of them whose text was left to the parser. */
  texts: number
  leftTexts: number
}

export function nothingCompared(): Compared {
  return { lines: 0, bytes: 0, left: 0, leftBytes: 0, texts: 0, leftTexts: 0 }
}

/** Compares a skim of a file with what the parser says of each of its lines. Throws with the first line that differs. */
export function compareFile(skimmer: Skimmer, path: string, counts: Compared): void {
  const fd = openSync(path, 'r')
  try {
    const read = (into: Uint8Array, position: number) => readSync(fd, into, 0, into.length, position)
    skimLog(skimmer, read, {
      rows: (batch) => compareRows(skimmer, batch, counts),
      oversize: () => {},
    })
  } finally {
    closeSync(fd)
  }
}

/** The same of bytes. */
export function compareBytes(skimmer: Skimmer, bytes: Uint8Array, counts: Compared): void {
  const read = (into: Uint8Array, position: number) => {
    const part = bytes.subarray(position, position + into.length)
    into.set(part)
    return part.length
  }
  skimLog(skimmer, read, { rows: (batch) => compareRows(skimmer, batch, counts), oversize: () => {} })
}

function compareRows(skimmer: Skimmer, { rows }: SkimBatch, counts: Compared): void {
  for (let row = 0; row < rows; row++) {
    const line = Uint8Array.from(skimmer.line(row))
    counts.lines++
    counts.bytes += line.length
    if (!skimmer.isPlain(row)) {
      counts.left++
      counts.leftBytes += line.length
      continue
    }
    const { value, diagnostics } = readLine(line, { file: '', line: 1, offset: 0, length: line.length })
    const [record, ...others] = value
    const isWhole = record !== undefined && record.place.length === line.length && !record.salvaged
    if (!isWhole || others.length > 0 || diagnostics.length > 0) fail(line, 'accepted', diagnostics, 'no diagnostic')
    else {
      expectSame(line, skimmedFacts(skimmer, row), parsedFacts(record))
      compareText(skimmer, row, line, record, counts)
    }
  }
}

function compareText(skimmer: Skimmer, row: number, line: Uint8Array, record: LogRecord, counts: Compared): void {
  const skimmed = skimText(skimmer, row)
  const parsed = searchableText(record)
  if (parsed) counts.texts++
  if (skimmed === 'left') {
    counts.leftTexts++
    return
  }
  if (!skimmed || !parsed) {
    if (skimmed || parsed) fail(line, 'text', skimmed?.kind, parsed?.kind)
    return
  }
  const { text, isCut, ...facts } = parsed
  const { text: bytes, role, kind, isError, tools, toolUseIds, files } = skimmed
  // As they reach SQLite: half a pair is U+FFFD there.
  const own = Buffer.from(text)
  if (isCut || !own.equals(bytes)) fail(line, 'text', Buffer.from(bytes).toString(), text)
  expectSame(line, { role, kind, isError, tools, toolUseIds, files }, facts)
  const madeParts = Buffer.from(skimmed.parts)
  if (!Buffer.from(partsOf(text)).equals(madeParts)) fail(line, 'parts', madeParts.toString(), partsOf(text))
}

function expectSame(line: Uint8Array, skimmed: object, parsed: object): void {
  if (isDeepStrictEqual(skimmed, parsed)) return
  for (const key of Object.keys({ ...skimmed, ...parsed })) {
    const [one, other] = [(skimmed as Record<string, unknown>)[key], (parsed as Record<string, unknown>)[key]]
    if (!isDeepStrictEqual(one, other)) fail(line, key, one, other)
  }
}

function fail(line: Uint8Array, what: string, skimmed: unknown, parsed: unknown): never {
  const [one, other] = [JSON.stringify(skimmed), JSON.stringify(parsed)]
  throw new Error(`${what}: the skim says ${one}, the parser ${other}, of the line\n${Buffer.from(line).toString()}`)
}

const PLACE: Place = { file: '', line: 1, offset: 0, length: 0 }

/** All facts of a row, made now. */
function factsOf(row: RowFacts): RowFacts {
  const { type, place, uuid, parent, key, parentKey, logicalParentKey, sessionId, timestamp, at, writtenAt } = row
  const { requestId, requestRef, parentToolUseId, hasText, cwd, gitBranch, version, slug, kind, isSidechain } = row
  const { messageId, model, forkedFrom, callCount, resultCount, toolUses, toolResults, node, offset } = row
  const usage = row.usage && usageOf(row.usage)
  return {
    ...{ type, place, uuid, parent, key, parentKey, logicalParentKey, sessionId, timestamp, at, writtenAt },
    ...{ requestId, requestRef, parentToolUseId, hasText, cwd, gitBranch, version, slug, kind, isSidechain },
    ...{ messageId, model, forkedFrom, callCount, resultCount, toolUses, toolResults, node, usage, offset },
  }
}

/** The fields of a usage row: that of a skim holds none of its own. */
function usageOf(row: UsageRow): UsageRow {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens, webSearches } = row
  const { messageId, requestId, model, timestamp, place, isFork, isSidechain, geo, speed, isPlaceholder } = row
  return {
    ...{ inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens, webSearches },
    ...{ messageId, requestId, model, timestamp, place, isFork, isSidechain, geo, speed, isPlaceholder },
  }
}

/** All that is known of a plain row from the skim. */
function skimmedFacts(skimmer: Skimmer, row: number) {
  return {
    ...factsOf(new SkimmedRow(skimmer).set(row, PLACE.file, PLACE.line, PLACE.offset)),
    others: NO_OTHERS,
    isMeta: skimmer.has(row, at.IS_META),
    isCompactSummary: skimmer.has(row, at.IS_COMPACT_SUMMARY),
    id: skimmer.id(row, at.ID) ?? null,
    toolUseId: skimmer.id(row, at.TOOL_USE_ID) ?? null,
    dataAgent: skimmer.name(row, at.DATA_AGENT) || null,
    tier: skimmer.name(row, at.SERVICE_TIER) || null,
    role: skimmer.name(row, at.ROLE) || null,
    hasMessage: skimmer.has(row, at.HAS_MESSAGE),
    isTextContent: skimmer.has(row, at.IS_TEXT_CONTENT),
  }
}

/** The same from the record, by the functions that read facts of one. */
function parsedFacts(record: LogRecord): ReturnType<typeof skimmedFacts> {
  const { raw } = record
  const fold = new FactsFold()
  fold.add(record)
  const { relocatedCwd, asked, customTitle, aiTitle, summaries, leaf, continuedIn, costState } = fold.facts()
  const message = objectAt(raw, 'message')
  return {
    ...factsOf(rowFacts({ ...record, place: { ...PLACE, length: record.place.length } } as LogRecord)),
    others: { relocatedCwd, asked, customTitle, aiTitle, summaries, leaf, continuedIn, costState },
    isMeta: booleanAt(raw, 'isMeta') ?? false,
    isCompactSummary: booleanAt(raw, 'isCompactSummary') ?? false,
    id: stringAt(raw, 'id') ?? null,
    toolUseId: stringAt(raw, 'toolUseID') ?? stringAt(objectAt(raw, 'attachment'), 'toolUseID') ?? null,
    dataAgent: textAt(objectAt(raw, 'data'), 'agentId') ?? null,
    tier: textAt(objectAt(message, 'usage'), 'service_tier') ?? null,
    role: textAt(message, 'role') ?? null,
    hasMessage: message !== undefined,
    isTextContent: stringAt(message, 'content') !== undefined,
  } as ReturnType<typeof skimmedFacts>
}

/** Facts that only rows bear which are left to the parser. */
const NO_OTHERS = {
  relocatedCwd: null,
  asked: null,
  customTitle: null,
  aiTitle: null,
  summaries: [],
  leaf: null,
  continuedIn: null,
  costState: null,
}
