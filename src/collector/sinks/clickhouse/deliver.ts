import { createHash } from 'node:crypto'
import type { TeamRow } from '../../row.ts'
import { type Batch, type DeadLetter, type Delivery, NOT_ITS_OWN } from '../../sink.ts'
import { tombstoneOf } from '../../tombstone.ts'
import type { Connection } from './connect.ts'
import { deleteSessions, EVERYBODY, purgeSessions } from './purge.ts'
import type { Place } from './schema.ts'
import { clean, storedDocument, storedMark, storedRow, whatIsWrong } from './stored-row.ts'

/**
 * Brings batches into the tables: purges, rows, documents, and marks last. Whatever breaks off between two of these is sent
 * again: the server knows the rows of the same batches by their token, and those of others by their keys.
 */
export async function deliverBatches(
  store: Connection,
  place: Place,
  batches: readonly Batch[],
): Promise<readonly Delivery[]> {
  const foreign = new Set<Batch>()
  for (const batch of batches) {
    const { tombstones, isOwnPurge, machine } = batch
    const unknown = await purgeSessions(store, place, tombstones, isOwnPurge ? machine.id : EVERYBODY)
    if (isOwnPurge && unknown.length > 0) foreign.add(batch)
  }
  const [buried, reached] = await Promise.all([buriedOf(store, batches), reachedOf(store, batches)])
  const parts = batches.map((batch) => partOf(batch, buried, reached))
  const token = tokenOf(batches)
  const rows = parts.flatMap((part) => part.rows)
  await store.insert('record', rows.map(storedRow), token)
  await store.insert('document', parts.flatMap((part) => part.documents).map(storedDocument), token)
  await store.insert('dead_letter', parts.flatMap((part) => part.dead).map(storedLetter), token)
  await removeLately(store, place, batches, rows)
  // Without a token: a mark may go to and fro, and the last that came stands.
  await store.insert(
    'mark',
    batches
      .flatMap(({ marks }) => marks)
      .filter(isPlace)
      .map(storedMark),
  )
  return parts.map(({ rows: taken, dead, refused }, at) => ({
    added: taken.length,
    deadLetters: dead.map(({ row: _, ...letter }) => letter),
    refused: [...refused],
    ...(foreign.has(batches[at] as Batch) && { notices: [NOT_ITS_OWN] }),
  }))
}

interface Dead extends DeadLetter {
  readonly row: TeamRow
}

interface Part {
  readonly rows: readonly TeamRow[]
  readonly documents: Batch['documents']
  readonly dead: readonly Dead[]
  readonly refused: ReadonlySet<string>
}

/** What of a batch is new and may be taken. */
function partOf(batch: Batch, buried: Buried, reached: ReadonlyMap<string, number>): Part {
  const refused = new Set<string>()
  const dead: Dead[] = []
  const isTaken = ({ session }: { readonly session: string | null }) => {
    if (session === null || !buried.has(batch.machine.id, session)) return true
    refused.add(tombstoneOf(session))
    return false
  }
  // Marks are written when all before them is there.
  const isNew = (row: TeamRow) => row.offset >= (reached.get(fileKey(row)) ?? 0)
  const rows = batch.rows.filter(isTaken).filter((row) => {
    const wrong = whatIsWrong(row)
    if (wrong === undefined) return isNew(row)
    const { machine, file, generation, offset } = row
    dead.push({ machine, file, generation, offset, reason: wrong, row })
    return false
  })
  return { rows, documents: batch.documents.filter(isTaken), dead, refused }
}

interface Buried {
  has(machine: string, session: string): boolean
}

/** Which sessions of some batches were purged, by everybody or by their own machine. */
async function buriedOf(store: Connection, batches: readonly Batch[]): Promise<Buried> {
  const hashes = new Map<string, string>()
  for (const { session } of batches.flatMap(({ rows, documents }) => [...rows, ...documents])) {
    if (session !== null && !hashes.has(session)) hashes.set(session, tombstoneOf(session))
  }
  if (hashes.size === 0) return { has: () => false }
  const found = await store.ask('select distinct hash, machine from tombstone where hash in {hashes:Array(String)}', {
    hashes: [...hashes.values()],
  })
  const gone = new Set(found.map(({ hash, machine }) => `${hash} ${machine}`))
  return {
    has: (machine, session) =>
      gone.has(`${hashes.get(session)} ${EVERYBODY}`) || gone.has(`${hashes.get(session)} ${machine}`),
  }
}

/** A purge that came while rows were on their way has not seen them: they go now. One that comes later sees them. */
async function removeLately(
  store: Connection,
  place: Place,
  batches: readonly Batch[],
  rows: readonly TeamRow[],
): Promise<void> {
  if (rows.length === 0) return
  const buried = await buriedOf(store, batches)
  const gone = new Map<string, Set<string>>()
  for (const { machine, session } of rows) {
    if (session === null || !buried.has(machine, session)) continue
    gone.set(machine, (gone.get(machine) ?? new Set()).add(session))
  }
  for (const [machine, sessions] of gone) await deleteSessions(store, place, [...sessions], machine)
}

/** How far the store has the files of some batches. */
async function reachedOf(store: Connection, batches: readonly Batch[]): Promise<ReadonlyMap<string, number>> {
  const rows = batches.flatMap((batch) => batch.rows)
  if (rows.length === 0) return new Map()
  const found = await store.ask(
    `select machine, file, generation, max(offset) as reached from mark
      where machine in {machines:Array(String)} and file in {files:Array(String)} group by machine, file, generation`,
    {
      machines: [...new Set(rows.map(({ machine }) => machine))],
      files: [...new Set(rows.map(({ file }) => clean(file)))],
    },
  )
  return new Map(
    found.map(({ machine, file, generation, reached }) => [
      fileKey({ machine: String(machine), file: String(file), generation: Number(generation) }),
      Number(reached),
    ]),
  )
}

function fileKey({ machine, file, generation }: Pick<TeamRow, 'machine' | 'file' | 'generation'>): string {
  return `${machine} ${generation} ${clean(file)}`
}

/** What the server knows the same delivery by, when it comes again. */
function tokenOf(batches: readonly Batch[]): string {
  const hash = createHash('sha256')
  for (const { id, machine } of batches) hash.update(`${machine.id}\0${id}\0`)
  return hash.digest('hex').slice(0, 32)
}

/** The place itself may be what is wrong with a row; then it is told, but there is no key to keep anything under. */
function isPlace({ generation, offset }: Pick<TeamRow, 'generation' | 'offset'>): boolean {
  return Number.isSafeInteger(offset) && offset >= 0 && Number.isInteger(generation) && generation >= 0
}

const MOST_KEPT = 1024 * 1024

function storedLetter({ machine, file, generation, offset, reason, row }: Dead): object {
  const content = row.content.length > MOST_KEPT ? '' : Buffer.from(row.content).toString('utf8')
  const at = isPlace(row) ? { generation, offset } : { generation: 0, offset: 0 }
  return { machine, file: clean(file), ...at, session: clean(row.session), reason, content }
}
