import type { TeamDocument, TeamRow } from '../../row.ts'
import { type Batch, type DeadLetter, type Delivery, type Mark, NOT_ITS_OWN } from '../../sink.ts'
import { tombstoneOf } from '../../tombstone.ts'
import { cleanText } from './binary-copy.ts'
import { type Sql, type Transaction, unlessLost } from './connect.ts'
import { DELIVERY_LOCK, LOCK } from './migrate.ts'
import { addRows, makeStage, mergeRows, stageRows } from './stage.ts'
import { type StagedRow, stageRow } from './staged-row.ts'
import { isAboutRows, reasonOf } from './trouble.ts'

/** A row that no table takes, with what is kept of it. */
interface Dead extends DeadLetter {
  readonly row: TeamRow
}

/** Brings a batch into the tables in one transaction: tombstones, rows, documents, marks. */
export async function deliverBatch(sql: Sql, batch: Batch): Promise<Delivery> {
  return (await sql.begin((tx) => unlessLost(deliverWithin(tx, batch)))) as Delivery
}

async function deliverWithin(tx: Transaction, batch: Batch): Promise<Delivery> {
  const machine = batch.machine.id
  // Questions that need no answer of each other go out together: a store may be far away.
  const [, hasForeign, refused, reached] = await Promise.all([
    // Held until the end, shared with other deliveries: a purge and a migration wait for us, and we for them.
    tx.unsafe(`select pg_advisory_xact_lock_shared(${LOCK}, ${DELIVERY_LOCK})`),
    forget(tx, batch),
    refusedOf(tx, batch),
    reachedOf(tx, batch),
    tx`select annals.must_speak_for(${machine}, ${textArray(personsOf(batch))}::text[])`,
    batch.rows.length > 0 && makeStage(tx),
  ])
  const isTaken = ({ session }: { readonly session: string | null }) => session === null || !refused.has(session)
  const dead: Dead[] = []
  const rows = staged(batch.rows.filter(isTaken), dead)
  // What lies behind a mark was delivered before: an answer was lost, or a machine its state.
  const isNew = rows.every(({ row }) => row.offset >= (reached.get(fileKey(row)) ?? 0))
  const added = rows.length === 0 ? 0 : await putRows(tx, rows, isNew, dead)
  const lost = new Set(dead.map(({ row }) => row))
  const taken = lost.size === 0 ? rows : rows.filter(({ row }) => !lost.has(row))
  await Promise.all([
    putSessions(tx, machine, taken),
    added > 0 && bill(tx, machine, taken),
    ...batch.documents.filter(isTaken).map((document) => putDocument(tx, document)),
    putDead(tx, dead),
    putMarks(tx, machine, batch.marks),
  ])
  return {
    added,
    deadLetters: dead.map(({ row: _, ...letter }) => letter),
    refused: [...new Set(refused.values())],
    ...(hasForeign && { notices: [NOT_ITS_OWN] }),
  }
}

/** Takes what was purged out of the tables; says whether some of it is not the machine's own. */
async function forget(tx: Transaction, { machine, tombstones, isOwnPurge }: Batch): Promise<boolean> {
  if (tombstones.length === 0) return false
  const hashes = textArray(tombstones)
  if (isOwnPurge) return (await tx`select annals.forget_own(${machine.id}, ${hashes}::text[])`).length > 0
  await tx`select annals.forget(${hashes}::text[])`
  return false
}

/** Whose records a batch says to hold. */
function personsOf({ machine, rows, documents }: Batch): readonly (string | null)[] {
  return [...new Set([machine.user, ...rows.map(({ user }) => user), ...documents.map(({ user }) => user)])]
}

/** Purged sessions of a batch, each with the name it is remembered by. */
async function refusedOf(tx: Transaction, batch: Batch): Promise<ReadonlyMap<string, string>> {
  const sessions = new Map<string, string>()
  for (const { session } of [...batch.rows, ...batch.documents]) {
    if (session !== null && !sessions.has(session)) sessions.set(session, tombstoneOf(session))
  }
  if (sessions.size === 0) return sessions
  const found = await tx`select refused_of as hash
    from annals.refused_of(${batch.machine.id}, ${textArray([...sessions.values()])}::text[])`
  const hashes = new Set(found.map(({ hash }) => String(hash)))
  return new Map([...sessions].filter(([, hash]) => hashes.has(hash)))
}

/** How far the store has the files of a batch. */
async function reachedOf(tx: Transaction, { machine, rows }: Batch): Promise<ReadonlyMap<string, number>> {
  const files = [...new Map(rows.map((row) => [fileKey(row), row])).values()].filter(isKeepable)
  if (files.length === 0) return new Map()
  const found = await tx`select file, generation, "offset" from annals.reached(${machine.id},
    ${textArray(files.map(({ file }) => file))}::text[], ${textArray(files.map(({ generation }) => String(generation)))}::int[])`
  return new Map(
    found.map(({ file, generation, offset }) => [
      fileKey({ file: String(file), generation: Number(generation) }),
      Number(offset),
    ]),
  )
}

function fileKey({ file, generation }: Pick<TeamRow, 'file' | 'generation'>): string {
  return `${generation} ${cleanText(file)}`
}

function staged(rows: readonly TeamRow[], dead: Dead[]): readonly StagedRow[] {
  return rows.flatMap((row) => {
    const made = stageRow(row)
    if (typeof made !== 'string') return [made]
    dead.push(deadLetter(row, made))
    return []
  })
}

/** Adds rows. Marks only say which way is short: that no row comes twice is up to the keys. */
async function putRows(tx: Transaction, rows: readonly StagedRow[], isNew: boolean, dead: Dead[]): Promise<number> {
  await stageRows(tx, rows)
  try {
    if (isNew) {
      await tx.savepoint((inner) => unlessLost(addRows(inner)))
      return rows.length
    }
  } catch (error) {
    if (!isAboutRows(error)) throw error
  }
  return await mergeStretch(tx, rows, 0, rows.length, dead)
}

/** Merges a stretch of rows. Where one of them is refused, the halves are tried, down to the row that is to blame. */
async function mergeStretch(
  tx: Transaction,
  rows: readonly StagedRow[],
  from: number,
  to: number,
  dead: Dead[],
): Promise<number> {
  try {
    return await tx.savepoint((inner) => unlessLost(mergeRows(inner, from, to)))
  } catch (error) {
    if (!isAboutRows(error)) throw error
    if (to - from === 1) {
      dead.push(deadLetter((rows[from] as StagedRow).row, reasonOf(error)))
      return 0
    }
  }
  const middle = Math.floor((from + to) / 2)
  const left = await mergeStretch(tx, rows, from, middle, dead)
  return left + (await mergeStretch(tx, rows, middle, to, dead))
}

function deadLetter(row: TeamRow, reason: string): Dead {
  const { machine, file, generation, offset } = row
  return { machine, file, generation, offset, reason, row }
}

/** The place itself may be what is wrong with a row; then it is told, but there is no key to keep anything under. */
function isKeepable({ file, generation, offset }: DeadLetterPlace): boolean {
  const isPlace = Number.isInteger(generation) && Math.abs(generation) < 0x7fff_ffff && Number.isSafeInteger(offset)
  return isPlace && Buffer.byteLength(file) <= 2_000
}

type DeadLetterPlace = Omit<DeadLetter, 'reason'>

const MOST_KEPT = 1024 * 1024

async function putDead(tx: Transaction, dead: readonly Dead[]): Promise<void> {
  for (const { machine, file, generation, offset, reason, row } of dead) {
    if (!isKeepable({ machine, file, generation, offset })) continue
    const content = row.content.length > MOST_KEPT ? null : Buffer.from(row.content)
    await tx`insert into annals.dead_letter (machine, file, generation, "offset", session, reason, content)
      values (${machine}, ${cleanText(file)}, ${generation}, ${offset}, ${row.session && cleanText(row.session)}, ${reason},
        ${content}) on conflict do nothing`
  }
}

/** What a file holds of a session and a project. */
interface Span {
  readonly row: TeamRow
  agent: string | null
  first: number | null
  last: number | null
}

function isSameSpan(a: TeamRow, b: TeamRow): boolean {
  return a.file === b.file && a.generation === b.generation && a.session === b.session && a.project === b.project
}

/** Which sessions and projects a file holds, and from when to when. */
async function putSessions(tx: Transaction, machine: string, rows: readonly StagedRow[]): Promise<void> {
  const found = new Map<string, Span>()
  let seen: Span | undefined
  for (const { row, at } of rows) {
    // Rows of one file follow each other.
    if (!seen || !isSameSpan(seen.row, row)) {
      const key = JSON.stringify([row.file, row.generation, row.session, row.project])
      seen = found.get(key) ?? { row, agent: row.agent, first: at, last: at }
      found.set(key, seen)
    }
    if (seen.agent !== row.agent) seen.agent = null
    if (at !== null) {
      seen.first = Math.min(seen.first ?? at, at)
      seen.last = Math.max(seen.last ?? at, at)
    }
  }
  if (found.size === 0) return
  const all = [...found.values()]
  const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())
  await tx`select annals.put_sessions(${machine},
    ${textArray(all.map(({ row }) => row.file))}::text[], ${textArray(all.map(({ row }) => String(row.generation)))}::int[],
    ${textArray(all.map(({ row }) => row.session ?? ''))}::text[], ${textArray(all.map(({ row }) => row.project ?? ''))}::text[],
    ${textArray(all.map(({ agent }) => agent))}::text[], ${textArray(all.map(({ row }) => row.user))}::text[],
    ${textArray(all.map(({ first }) => time(first)))}::timestamptz[], ${textArray(all.map(({ last }) => time(last)))}::timestamptz[])`
}

/** Counts the responses that came, once over all machines. */
async function bill(tx: Transaction, machine: string, rows: readonly StagedRow[]): Promise<void> {
  const billed = rows.filter(({ row }) => row.tokens !== null && row.messageId !== null)
  if (billed.length === 0) return
  const messages = new Set(billed.map(({ row }) => row.messageId))
  const months = new Set(billed.map(({ month }) => new Date(month).toISOString().slice(0, 10)))
  await tx`select annals.bill_own(${machine}, ${textArray([...messages])}::text[], ${textArray([...months])}::date[])`
}

async function putDocument(tx: Transaction, document: TeamDocument): Promise<void> {
  const { machine, file, user, project, session, kind, modifiedAt, content, contentHash } = document
  const clean = (text: string | null) => text && cleanText(text)
  const modified = Number.isNaN(Date.parse(modifiedAt)) ? null : modifiedAt
  await tx`select annals.put_document(${machine}, ${cleanText(file)}, ${clean(user)}, ${clean(project)}, ${clean(session)},
    ${kind}, ${modified}::timestamptz, ${Buffer.from(content)}, ${contentHash})`
}

async function putMarks(tx: Transaction, machine: string, given: readonly Mark[]): Promise<void> {
  const marks = given.filter(isKeepable)
  if (marks.length === 0) return
  await tx`select annals.put_marks(${machine}, ${textArray(marks.map(({ file }) => file))}::text[],
    ${textArray(marks.map(({ generation }) => String(generation)))}::int[],
    ${textArray(marks.map(({ offset }) => String(offset)))}::bigint[],
    ${textArray(marks.map(({ cursor }) => cursor && JSON.stringify(cursor)))}::text[])`
}

/** A list as PostgreSQL writes it. */
export function textArray(values: readonly (string | null)[]): string {
  const items = values.map((value) =>
    value === null ? 'NULL' : `"${cleanText(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`,
  )
  return `{${items.join(',')}}`
}
