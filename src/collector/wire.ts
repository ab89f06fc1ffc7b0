import {
  arrayAt,
  booleanAt,
  isObject,
  type JsonObject,
  type JsonValue,
  numberAt,
  objectAt,
  objectsAt,
  stringAt,
  stringsAt,
} from '../core/json.ts'
import { TOKEN_KEYS, type Tokens } from '../core/usage/usage.ts'
import { readCursor } from '../disk/cursor.ts'
import type { RowTool, TeamDocument, TeamRow } from './row.ts'
import type { Batch, DeadLetter, Delivery, Machine, Mark } from './sink.ts'

/**
 * A row as JSON: as it is, with its content as text. Contents are JSON lines, so they are always valid UTF-8. Field by field:
 * spreading so many fields is slow on Node 20.
 */
export function rowToJson(row: TeamRow): JsonObject {
  return {
    machine: row.machine,
    file: row.file,
    generation: row.generation,
    offset: row.offset,
    line: row.line,
    length: row.length,
    user: row.user,
    project: row.project,
    session: row.session,
    agent: row.agent,
    timestamp: row.timestamp,
    type: row.type,
    kind: row.kind,
    role: row.role,
    uuid: row.uuid,
    parentUuid: row.parentUuid,
    version: row.version,
    gitBranch: row.gitBranch,
    messageId: row.messageId,
    requestId: row.requestId,
    model: row.model,
    tokens: row.tokens && { ...row.tokens },
    tools: row.tools.map((tool) => ({ ...tool })),
    isError: row.isError,
    content: text(row.content),
    contentHash: row.contentHash,
  }
}

/** A document as JSON. Documents are text; what of them is not UTF-8 was replaced when they were read. */
export function documentToJson(document: TeamDocument): JsonObject {
  return { ...document, content: text(document.content) }
}

export function markToJson({ machine, file, generation, offset, cursor }: Mark): JsonObject {
  return { machine, file, generation, offset, cursor: cursor && { ...cursor } }
}

export function batchToJson({ id, machine, rows, documents, marks, tombstones }: Batch): JsonObject {
  return {
    id,
    machine: { ...machine },
    rows: rows.map(rowToJson),
    documents: documents.map(documentToJson),
    marks: marks.map(markToJson),
    tombstones,
  }
}

/** A batch as somebody else sent it; `undefined` where it is none. */
export function batchFromJson(value: JsonValue | undefined): Batch | undefined {
  const id = stringAt(value, 'id')
  const machine = machineFromJson(objectAt(value, 'machine'))
  if (id === undefined || machine === undefined) return undefined
  const rows = objectsAt(value, 'rows').map(rowFromJson)
  const documents = objectsAt(value, 'documents').map(documentFromJson)
  const marks = objectsAt(value, 'marks').map(markFromJson)
  const parts = [...rows, ...documents, ...marks]
  // A batch is of the machine that it names, and of no other.
  if (parts.some((part) => part?.machine !== machine.id)) return undefined
  return {
    id,
    machine,
    rows: rows.filter((row) => row !== undefined),
    documents: documents.filter((document) => document !== undefined),
    marks: marks.filter((mark) => mark !== undefined),
    tombstones: stringsAt(value, 'tombstones'),
  }
}

export function markFromJson(value: JsonObject): Mark | undefined {
  const origin = originFrom(value)
  return origin && { ...origin, cursor: readCursor(value.cursor) ?? null }
}

export function deliveryFromJson(value: unknown): Delivery | undefined {
  const added = numberAt(value, 'added')
  if (added === undefined) return undefined
  const deadLetters = objectsAt(value, 'deadLetters').flatMap((one): DeadLetter[] => {
    const origin = originFrom(one)
    return origin ? [{ ...origin, reason: stringAt(one, 'reason') ?? 'It was refused.' }] : []
  })
  const notices = stringsAt(value, 'notices')
  return { added, deadLetters, refused: stringsAt(value, 'refused'), ...(notices.length > 0 && { notices }) }
}

/** A machine as it makes itself known; `undefined` where its id is none. */
export function machineFromJson(value: JsonValue | undefined): Machine | undefined {
  const id = stringAt(value, 'id')
  if (id === undefined || !MACHINE_ID.test(id)) return undefined
  return { id, user: stringAt(value, 'user') ?? null, name: stringAt(value, 'name') ?? null }
}

/** Machine ids become names of files and columns, whoever sent them. */
export const MACHINE_ID = /^[0-9a-z][0-9a-z-]{7,63}$/

function originFrom(value: JsonObject) {
  const { machine, file, generation, offset } = value
  if (typeof machine !== 'string' || typeof file !== 'string') return undefined
  if (!isCount(generation) || !isCount(offset)) return undefined
  return { machine, file, generation, offset }
}

/** A row that was kept or sent as JSON; `undefined` for anything else. */
export function rowFromJson(value: JsonObject): TeamRow | undefined {
  const { machine, file, generation, offset, line, length, content } = value
  if (typeof machine !== 'string' || typeof file !== 'string' || typeof content !== 'string') return undefined
  if (!isCount(generation) || !isCount(offset) || !isCount(line) || !isCount(length)) return undefined
  return {
    machine,
    file,
    generation,
    offset,
    line,
    length,
    user: wordsOf(value.user),
    project: wordsOf(value.project),
    session: wordsOf(value.session),
    agent: wordsOf(value.agent),
    timestamp: wordsOf(value.timestamp),
    type: wordsOf(value.type) ?? 'unknown',
    kind: wordsOf(value.kind),
    role: wordsOf(value.role),
    uuid: wordsOf(value.uuid),
    parentUuid: wordsOf(value.parentUuid),
    version: wordsOf(value.version),
    gitBranch: wordsOf(value.gitBranch),
    messageId: wordsOf(value.messageId),
    requestId: wordsOf(value.requestId),
    model: wordsOf(value.model),
    tokens: tokensFrom(objectAt(value, 'tokens')),
    tools: arrayAt(value, 'tools').filter(isObject).map(toolFrom),
    isError: value.isError === true,
    content: Buffer.from(content),
    contentHash: wordsOf(value.contentHash) ?? '',
  }
}

function wordsOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null
}

function tokensFrom(value: JsonObject | undefined): Tokens | null {
  if (!value) return null
  const tokens: Partial<Record<keyof Tokens, number>> = {}
  for (const key of TOKEN_KEYS) tokens[key] = numberAt(value, key) ?? 0
  return tokens as Tokens
}

function toolFrom(value: JsonObject): RowTool {
  return {
    id: stringAt(value, 'id') ?? '',
    name: stringAt(value, 'name') ?? null,
    file: stringAt(value, 'file') ?? null,
    isResult: booleanAt(value, 'isResult') ?? false,
    isError: booleanAt(value, 'isError') ?? null,
  }
}

/** The same for a document. */
export function documentFromJson(value: JsonObject): TeamDocument | undefined {
  const machine = stringAt(value, 'machine')
  const file = stringAt(value, 'file')
  const content = stringAt(value, 'content')
  if (machine === undefined || file === undefined || content === undefined) return undefined
  return {
    machine,
    file,
    user: stringAt(value, 'user') ?? null,
    project: stringAt(value, 'project') ?? null,
    session: stringAt(value, 'session') ?? null,
    kind: stringAt(value, 'kind') ?? 'unknown',
    modifiedAt: stringAt(value, 'modifiedAt') ?? new Date(0).toISOString(),
    content: Buffer.from(content),
    contentHash: stringAt(value, 'contentHash') ?? '',
  }
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}
