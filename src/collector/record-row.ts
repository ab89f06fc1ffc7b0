import { createHash } from 'node:crypto'
import { fieldAt, isObject, type JsonObject, numberAt, objectAt, stringAt, textAt } from '../core/json.ts'
import { jsonText } from '../core/json-text.ts'
import { toolResultsOf, toolUsesOf } from '../core/log/content.ts'
import type { Diagnostic } from '../core/log/diagnostic.ts'
import type { Place } from '../core/log/place.ts'
import type { LogRecord } from '../core/log/record.ts'
import { isTreeType, rowKind } from '../core/log/row-kind.ts'
import { fileOf } from '../core/tools/tool-call.ts'
import { type Tokens, usageRowOf } from '../core/usage/usage.ts'
import type { Redactor } from '../redact/redactor.ts'
import type { ContentChoice } from './choices.ts'
import { type ClientNames, clientNames } from './client-names.ts'
import type { Names } from './names.ts'
import { withoutPaths } from './path-mask.ts'
import type { RowTool, TeamRow } from './row.ts'
import type { Seal } from './seal.ts'
import { historySkeleton, type SkeletonOptions, skeletonOf } from './skeleton.ts'

/** How records become rows. */
export interface RowMaker {
  readonly machine: string
  readonly user: string | null
  readonly content: ContentChoice
  /** Whether paths leave as they are. */
  readonly realPaths: boolean
  readonly names: Names
  readonly clientNames: ClientNames
  /** Whether it may be told how long a record is. */
  readonly lengths: boolean
  readonly redactor: Redactor
  readonly seal: Seal
}

/** What all rows of a file share. */
export interface RowFile {
  /** Its key: the name under which its rows go. */
  readonly file: string
  readonly generation: number
  /** The log itself, or the history of prompts. */
  readonly kind: 'log' | 'history'
  readonly project: string | null
  readonly session: string | null
  readonly agent: string | null
}

/** The row of a record: what is known of it, and as much of it as may leave. */
export function rowOf(maker: RowMaker, file: RowFile, record: LogRecord): TeamRow {
  if (record.kind === 'oversize') {
    const hmac = maker.seal.of('line', record.hash)
    return rowFrom(maker, file, record.place, { type: 'oversize', ...lengthOf(maker, record.place), hmac }, null)
  }
  const { raw } = record
  const shown = shownOf(maker, file, raw)
  const kind = file.kind === 'log' && isTreeType(record.type) ? rowKind(raw, record.type) : null
  return { ...rowFrom(maker, file, record.place, shown, kind), ...factsOf(file, shown, record, kind) }
}

/** The row of bytes that no record owns: nothing is left out, but what they are can only be shown as text. */
export function damagedRow(maker: RowMaker, file: RowFile, { code, place }: Diagnostic, bytes: Uint8Array): TeamRow {
  const text = maker.content === 'all' ? { text: maker.redactor.text(decoder.decode(bytes)).text } : {}
  return rowFrom(maker, file, place, { type: 'damaged', code, ...lengthOf(maker, place), ...text }, code)
}

const decoder = new TextDecoder()

function lengthOf({ lengths }: RowMaker, { length }: Place): { readonly length?: number } {
  return lengths ? { length } : {}
}

/** The record as it leaves. What is scanned for secrets is what is written, so nothing hides in what a parser drops. */
function shownOf(
  { content, realPaths, names, clientNames, redactor }: RowMaker,
  file: RowFile,
  raw: JsonObject,
): JsonObject {
  const options: SkeletonOptions = {
    path: names.path,
    names: clientNames,
    prompt: content === 'prompts' ? (text) => (realPaths ? text : withoutPaths(text)) : undefined,
  }
  const chosen =
    content === 'all' ? raw : file.kind === 'history' ? historySkeleton(raw, options) : skeletonOf(raw, options)
  const { value } = redactor.value(chosen)
  return isObject(value) ? value : {}
}

function rowFrom(maker: RowMaker, file: RowFile, place: Place, shown: JsonObject, kind: string | null): TeamRow {
  const { machine, user } = maker
  return {
    machine,
    file: file.file,
    generation: file.generation,
    offset: place.offset,
    line: place.line,
    length: lengthOf(maker, place).length ?? 0,
    user,
    project: file.project,
    session: file.session,
    agent: file.agent,
    timestamp: null,
    type: stringAt(shown, 'type') ?? (file.kind === 'history' ? 'history' : 'unknown'),
    kind,
    role: null,
    uuid: null,
    parentUuid: null,
    version: null,
    gitBranch: null,
    messageId: null,
    requestId: null,
    model: null,
    tokens: null,
    tools: [],
    isError: false,
    content: Buffer.from(jsonText(shown)),
    contentHash: hashOf(file, place, shown),
  }
}

/** All from what leaves, so that a fact never says more than the content may. */
function factsOf(file: RowFile, shown: JsonObject, record: LogRecord, kind: string | null): Partial<TeamRow> {
  const message = objectAt(shown, 'message')
  const tools = kind === null ? [] : toolsOf(shown)
  return {
    timestamp: timeOf(shown),
    session: file.session ?? textAt(shown, 'sessionId') ?? null,
    agent: file.agent ?? textAt(shown, 'agentId') ?? null,
    role: textAt(message, 'role') ?? null,
    uuid: textAt(shown, 'uuid') ?? null,
    parentUuid: textAt(shown, 'parentUuid') ?? null,
    version: textAt(shown, 'version') ?? null,
    gitBranch: textAt(shown, 'gitBranch') ?? null,
    messageId: textAt(message, 'id') ?? null,
    requestId: textAt(shown, 'requestId') ?? null,
    model: textAt(message, 'model') ?? null,
    tokens: tokensOf(shown, record),
    tools,
    isError: kind === 'api-error' || tools.some((tool) => tool.isError === true),
  }
}

/** ISO and in UTC; the history of prompts has milliseconds. */
function timeOf(shown: JsonObject): string | null {
  const ms = numberAt(shown, 'timestamp') ?? Date.parse(stringAt(shown, 'timestamp') ?? '')
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : null
}

function tokensOf(shown: JsonObject, record: LogRecord): Tokens | null {
  if (record.kind === 'oversize') return null
  const usage = usageRowOf({ ...record, raw: shown })
  if (!usage) return null
  const { inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens, webSearches } = usage
  return { inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens, webSearches }
}

function toolsOf(shown: JsonObject): readonly RowTool[] {
  const calls = toolUsesOf(shown).map(({ id, name, input }) => {
    return { id, name, file: fileOf(input), isResult: false, isError: null }
  })
  const results = toolResultsOf(shown).map(({ toolUseId, isError }) => {
    return { id: toolUseId, name: null, file: null, isResult: true, isError }
  })
  return [...calls, ...results]
}

/**
 * Says that two rows are copies of one record. Of the facts alone, and without paths: the content may be masked differently on
 * two machines, and a hash of more than has left could be guessed at. A record without an id of its own is known by its place.
 */
function hashOf(file: RowFile, place: Place, shown: JsonObject): string {
  const facts = file.kind === 'history' ? historySkeleton(shown, NO_PATHS) : skeletonOf(shown, NO_PATHS)
  const hash = createHash('sha256').update(jsonText(facts))
  const name = file.agent ?? file.session ?? file.kind
  if (typeof fieldAt(shown, 'uuid') !== 'string') hash.update(`\0${name}\0${place.line}`)
  return hash.digest('hex')
}

const NO_PATHS: SkeletonOptions = {
  path: () => undefined,
  names: clientNames({ toolNames: false, agentTypes: false }),
}
