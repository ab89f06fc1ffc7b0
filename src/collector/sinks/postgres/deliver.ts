import type { TeamRow } from '../../row.ts'
import { type Batch, type DeadLetter, type Delivery, NOT_ITS_OWN } from '../../sink.ts'
import { tombstoneOf } from '../../tombstone.ts'
import type { Store, Transaction } from './connect.ts'
import { bytesParameter, cleanJson } from './pg-text.ts'
import { type StagedRow, stageRow } from './staged-row.ts'
import { isAboutRows, reasonOf } from './trouble.ts'

/** A row that no table takes. */
interface Dead extends DeadLetter {
  readonly row: TeamRow
}

/** What the store says of what it was told. */
interface Told {
  readonly added: number
  readonly refused: readonly string[]
  readonly isForeign: boolean
}

/** Brings a batch into the tables in one transaction: tombstones, rows, documents, marks. */
export async function deliverBatch(store: Store, batch: Batch): Promise<Delivery> {
  const dead: Dead[] = []
  const rows = batch.rows.flatMap((row) => {
    const made = stageRow(row)
    if (typeof made !== 'string') return [made]
    dead.push(deadLetter(row, made))
    return []
  })
  const told = await tellAll(store, batch, rows, dead)
  const refused = new Set(told.refused)
  return {
    added: told.added,
    deadLetters: dead.filter(({ row }) => !isOf(refused, row.session)).map(({ row: _, ...letter }) => letter),
    refused: told.refused,
    ...(told.isForeign && { notices: [NOT_ITS_OWN] }),
  }
}

function isOf(tombstones: ReadonlySet<string>, session: string | null): boolean {
  return tombstones.size > 0 && session !== null && tombstones.has(tombstoneOf(session))
}

/** Tells the store all at once, or where a row is refused, which is rare, stretch by stretch. */
async function tellAll(store: Store, batch: Batch, rows: readonly StagedRow[], dead: Dead[]): Promise<Told> {
  try {
    return await store.ask((tx) => tell(tx, batch, rows, dead))
  } catch (error) {
    if (!isAboutRows(error) || rows.length === 0) throw error
  }
  return await store.ask(async (tx) => {
    const added = await tellStretch(tx, { ...batch, documents: [], marks: [], tombstones: [] }, rows, dead)
    return { ...(await tell(tx, batch, [], dead)), added }
  })
}

/** Where one of some rows is refused, the halves are tried, down to the row that is to blame. */
async function tellStretch(tx: Transaction, batch: Batch, rows: readonly StagedRow[], dead: Dead[]): Promise<number> {
  try {
    return (await tx.savepoint((inner) => tell(inner, batch, rows, []))).added
  } catch (error) {
    if (!isAboutRows(error)) throw error
    if (rows.length === 1) {
      dead.push(deadLetter((rows[0] as StagedRow).row, reasonOf(error)))
      return 0
    }
  }
  const middle = Math.floor(rows.length / 2)
  const left = await tellStretch(tx, batch, rows.slice(0, middle), dead)
  return left + (await tellStretch(tx, batch, rows.slice(middle), dead))
}

async function tell(tx: Transaction, batch: Batch, rows: readonly StagedRow[], dead: readonly Dead[]): Promise<Told> {
  const { machine, documents, marks, tombstones, isOwnPurge = false } = batch
  const contents = new Contents()
  const given = rows.map((staged) => Object.assign(rowFields(staged), contents.add(staged.row.content)))
  const all = [...batch.rows, ...documents]
  const told = {
    machines: [...new Set(all.map((one) => one.machine))],
    persons: [...new Set([machine.user, ...all.map(({ user }) => user)])],
    sessions: [...new Set(all.flatMap(({ session }) => session ?? []))],
    tombstones,
    isOwnPurge,
    documents: documents.map(({ file, user, project, session, kind, modifiedAt, content, contentHash }) => ({
      ...{ file, person: user, project, session, kind, hash: contentHash },
      modified: Number.isNaN(Date.parse(modifiedAt)) ? null : modifiedAt,
      ...contents.add(content),
    })),
    dead: dead.filter(isKeepable).map(({ file, generation, offset, reason, row: { session, content } }) => ({
      ...{ file, generation, offset, session, reason },
      ...(content.length <= MOST_KEPT && contents.add(content)),
    })),
    marks: marks.filter(isKeepable).map(({ file, generation, offset, cursor }) => {
      return { file, generation, offset, cursor: cursor && JSON.stringify(cursor) }
    }),
  }
  const bytes = bytesParameter(contents.pieces)
  const sent = 'text' in bytes ? tx`convert_to(${bytes.text}::text, 'UTF8')` : tx`${bytes.hex}::text::bytea`
  const [row] =
    await tx`select annals.deliver(${machine.id}, ${cleanJson(told)}::text::json, ${cleanJson(given)}::text::json,
    ${sent}) as told`
  return row?.told as Told
}

/** The bytes that go along, one after the other. */
class Contents {
  readonly pieces: Uint8Array[] = []
  #start = 0

  add(content: Uint8Array): { readonly start: number; readonly size: number } {
    const start = this.#start
    this.pieces.push(content)
    this.#start += content.length
    return { start, size: content.length }
  }
}

/** Field by field: spreading so many is slow on Node 20. */
function rowFields({ row, at, month, isFork, isPlaceholder }: StagedRow): object {
  const { tokens, tools } = row
  const fields = {
    file: row.file,
    generation: row.generation,
    offset: row.offset,
    line: row.line,
    length: row.length,
    project: row.project,
    session: row.session,
    agent: row.agent,
    type: row.type,
    kind: row.kind,
    role: row.role,
    uuid: row.uuid,
    version: row.version,
    model: row.model,
    month: new Date(month).toISOString().slice(0, 10),
    person: row.user,
    at: at === null ? null : new Date(at).toISOString(),
    parent_uuid: row.parentUuid,
    git_branch: row.gitBranch,
    message_id: row.messageId,
    request_id: row.requestId,
    is_error: row.isError,
    content_hash: row.contentHash,
  }
  if (tokens) {
    Object.assign(fields, {
      input_tokens: tokens.inputTokens,
      output_tokens: tokens.outputTokens,
      cache_read_tokens: tokens.cacheReadTokens,
      cache_write_5m_tokens: tokens.cacheWrite5mTokens,
      cache_write_1h_tokens: tokens.cacheWrite1hTokens,
      web_searches: tokens.webSearches,
      is_fork: isFork,
      is_placeholder: isPlaceholder,
    })
  }
  if (tools.length > 0) {
    const told = tools.map(({ id, name, file, isResult, isError }) => {
      return { tool_id: id, name, path: file, is_result: isResult, is_error: isError }
    })
    Object.assign(fields, { tools: told })
  }
  return fields
}

function deadLetter(row: TeamRow, reason: string): Dead {
  const { machine, file, generation, offset } = row
  return { machine, file, generation, offset, reason, row }
}

/** The place itself may be what is wrong with a row; then it is told, but there is no key to keep anything under. */
function isKeepable({ file, generation, offset }: Pick<DeadLetter, 'file' | 'generation' | 'offset'>): boolean {
  const isPlace = Number.isInteger(generation) && Math.abs(generation) < 0x7fff_ffff && Number.isSafeInteger(offset)
  return isPlace && Buffer.byteLength(file) <= 2_000
}

const MOST_KEPT = 1024 * 1024
