import { parseJson } from '../../../core/json.ts'
import { readCursor } from '../../../disk/cursor.ts'
import type { TeamDocument, TeamRow } from '../../row.ts'
import type { Machine, Mark } from '../../sink.ts'
import type { Found } from './connect.ts'

const EARLIEST = Date.UTC(1970, 0, 1, 0, 0, 1)
const LATEST = Date.UTC(2200, 0)
const PLACEHOLDER_TOKENS = 8
/** Outside of strings only: within one, a quote has a backslash before it. Contents are written without blanks. */
const FORKED = '"forkedFrom":{'
const STOPPED = '"stop_reason":"'

/** A row as its table holds it: what is not known is empty, and a time that no table can hold is none. */
export function storedRow(row: TeamRow): object {
  const { tokens, tools } = row
  const content = text(row.content)
  return {
    machine: row.machine,
    file: clean(row.file),
    generation: row.generation,
    offset: row.offset,
    line: row.line,
    length: row.length,
    person: clean(row.user),
    project: clean(row.project),
    session: clean(row.session),
    agent: clean(row.agent),
    at: timeOf(row.timestamp),
    type: clean(row.type),
    kind: clean(row.kind),
    role: clean(row.role),
    uuid: clean(row.uuid),
    parent_uuid: clean(row.parentUuid),
    version: clean(row.version),
    git_branch: clean(row.gitBranch),
    message_id: clean(row.messageId),
    request_id: clean(row.requestId),
    model: clean(row.model),
    has_tokens: tokens !== null,
    input_tokens: tokens?.inputTokens ?? 0,
    output_tokens: tokens?.outputTokens ?? 0,
    cache_read_tokens: tokens?.cacheReadTokens ?? 0,
    cache_write_5m_tokens: tokens?.cacheWrite5mTokens ?? 0,
    cache_write_1h_tokens: tokens?.cacheWrite1hTokens ?? 0,
    web_searches: tokens?.webSearches ?? 0,
    is_fork: tokens !== null && content.includes(FORKED),
    is_placeholder: tokens !== null && tokens.outputTokens <= PLACEHOLDER_TOKENS && !content.includes(STOPPED),
    tools: tools.map(({ id, name, file, isResult, isError }) => ({
      id: clean(id),
      name: clean(name),
      file: clean(file),
      is_result: isResult,
      is_error: isError === null ? UNKNOWN : Number(isError),
    })),
    is_error: row.isError,
    content,
    content_hash: row.contentHash,
  }
}

const UNKNOWN = -1

/** Why no table could ever take a row; `undefined` where one can. */
export function whatIsWrong({ generation, offset, line, length, tokens }: TeamRow): string | undefined {
  const isPlace = [offset, line, length].every((it) => Number.isSafeInteger(it) && it >= 0)
  if (!isPlace || !Number.isInteger(generation) || generation < 0 || generation > 0xffff_ffff) {
    return 'Its place is no place in a file.'
  }
  const isCounted = tokens === null || Object.values(tokens).every((it) => Number.isSafeInteger(it))
  return isCounted ? undefined : 'Its token counts are not whole numbers.'
}

/** A stored row as it came. */
export function rowFrom(found: Found): TeamRow {
  const words = (key: string) => (found[key] === '' ? null : String(found[key]))
  const number = (key: string) => Number(found[key])
  const tokens = {
    inputTokens: number('input_tokens'),
    outputTokens: number('output_tokens'),
    cacheReadTokens: number('cache_read_tokens'),
    cacheWrite5mTokens: number('cache_write_5m_tokens'),
    cacheWrite1hTokens: number('cache_write_1h_tokens'),
    webSearches: number('web_searches'),
  }
  return {
    machine: String(found.machine),
    file: String(found.file),
    generation: number('generation'),
    offset: number('offset'),
    line: number('line'),
    length: number('length'),
    user: words('person'),
    project: words('project'),
    session: words('session'),
    agent: words('agent'),
    timestamp: timeFrom(found.at),
    type: String(found.type),
    kind: words('kind'),
    role: words('role'),
    uuid: words('uuid'),
    parentUuid: words('parent_uuid'),
    version: words('version'),
    gitBranch: words('git_branch'),
    messageId: words('message_id'),
    requestId: words('request_id'),
    model: words('model'),
    tokens: found.has_tokens === true ? tokens : null,
    tools: (found.tools as readonly Found[]).map((tool) => ({
      id: String(tool.id),
      name: tool.name === '' ? null : String(tool.name),
      file: tool.file === '' ? null : String(tool.file),
      isResult: tool.is_result === true,
      isError: Number(tool.is_error) === UNKNOWN ? null : Number(tool.is_error) === 1,
    })),
    isError: found.is_error === true,
    content: Buffer.from(String(found.content)),
    contentHash: String(found.content_hash),
  }
}

export function storedDocument(document: TeamDocument): object {
  return {
    machine: document.machine,
    file: clean(document.file),
    person: clean(document.user),
    project: clean(document.project),
    session: clean(document.session),
    kind: clean(document.kind),
    modified_at: timeOf(document.modifiedAt),
    content: text(document.content),
    content_hash: document.contentHash,
  }
}

export function documentFrom(found: Found): TeamDocument {
  const words = (key: string) => (found[key] === '' ? null : String(found[key]))
  return {
    machine: String(found.machine),
    user: words('person'),
    project: words('project'),
    session: words('session'),
    file: String(found.file),
    kind: String(found.kind),
    modifiedAt: timeFrom(found.modified_at) ?? new Date(0).toISOString(),
    content: Buffer.from(String(found.content)),
    contentHash: String(found.content_hash),
  }
}

export function storedMark({ machine, file, generation, offset, cursor }: Mark): object {
  return {
    machine,
    file: clean(file),
    generation,
    offset,
    cursor: cursor === null ? '' : clean(JSON.stringify(cursor)),
  }
}

export function markFrom(found: Found): Mark {
  const cursor = found.cursor === '' ? undefined : parseJson(String(found.cursor))
  return {
    machine: String(found.machine),
    file: String(found.file),
    generation: Number(found.generation),
    offset: Number(found.offset),
    cursor: readCursor(cursor) ?? null,
  }
}

export function storedMachine({ id, user, name }: Machine): object {
  return { id, person: clean(user), name: clean(name) }
}

/** Strings of JSON hold whole characters only. */
export function clean(value: string | null): string {
  return value === null ? '' : value.replace(/\p{Surrogate}/gu, '\ufffd')
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

/** Milliseconds since 1970, which is what a table takes for a time; 0 is none. */
function timeOf(iso: string | null): number {
  const ms = iso === null ? Number.NaN : Date.parse(iso)
  return ms >= EARLIEST && ms < LATEST ? ms : 0
}

/** `2026-11-14 10:00:00.000`, in UTC. */
function timeFrom(value: unknown): string | null {
  const time = `${String(value).replace(' ', 'T')}Z`
  return time.startsWith('1970-01-01T00:00:00.000') ? null : time
}
