import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Failure } from '../../core/failure.ts'
import { asFailure, syncFolder, writePrivateFile } from '../../state/private-file.ts'
import type { TeamDocument, TeamRow } from '../row.ts'
import { type Batch, type Delivery, type Machine, NOT_ITS_OWN, type Sink, SinkTrouble } from '../sink.ts'
import { tombstoneOf } from '../tombstone.ts'
import { documentToJson, MACHINE_ID } from '../wire.ts'
import { FolderJournal, markKey } from './folder-journal.ts'
import { ENDINGS, encodePart, type PartFormat, packLines } from './folder-parts.ts'
import { removeSessions } from './folder-purge.ts'

/** How a folder is written. */
export interface FolderOptions {
  readonly format?: PartFormat
}

/**
 * A folder of packed lines or columns, by day and machine, that any engine reads: `records/day=…/machine=…/`. A machine writes
 * only files that bear its name, so that many can share the folder, also one that is synchronized. Parts are written aside,
 * the journal says that they count, then they take their places; a part that a crash left aside takes it on the next start.
 */
export function folderSink(folder: string, { format = 'jsonl' }: FolderOptions = {}): Sink {
  const journals = new Map<string, FolderJournal>()
  // Several machines may come through one sink; each of them in its order.
  let queue: Promise<unknown> = Promise.resolve()
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const done = queue.then(work).catch((error: unknown) => {
      throw asTrouble(error, folder)
    })
    queue = done.catch(() => {})
    return done
  }
  const own = join(folder, '_annals')
  const asideOf = (machine: string) => join(own, `${machine}.aside`)

  function journalOf(machine: string): FolderJournal {
    const known = journals.get(machine)
    if (known) return known
    if (!MACHINE_ID.test(machine)) throw new Failure('BAD_INPUT', `"${machine}" is no name of a machine.`)
    makeFolder(asideOf(machine))
    const journal = new FolderJournal(own, machine)
    settle(folder, asideOf(machine), journal.delivered.lastFiles)
    journals.set(machine, journal)
    return journal
  }

  /** Heeds the tombstones that are new to a machine: those of everybody in the whole folder, its own among its own parts. */
  async function purge(machine: string, tombstones: readonly string[], isOwn = false): Promise<Purged> {
    const journal = journalOf(machine)
    const own = `machine=${machine}`
    for (const name of tombstones) placeTombstone(folder, isOwn ? join(own, name) : name)
    const all = tombstonesIn(folder, '')
    const ofMachine = tombstonesIn(folder, own)
    const isNew = (name: string) => !journal.delivered.purged.has(name)
    const due = [...all].filter(isNew)
    const ownDue = [...ofMachine].filter((name) => isNew(`${own}/${name}`))
    if (due.length > 0) await removeSessions(folder, asideOf(machine), new Set(due))
    const met = ownDue.length === 0 ? ofMachine : await removeSessions(folder, asideOf(machine), new Set(ownDue), own)
    if (due.length + ownDue.length > 0) journal.append({ purged: [...due, ...ownDue.map((name) => `${own}/${name}`)] })
    return { names: new Set([...all, ...ofMachine]), hasForeign: ownDue.some((name) => !met.has(name)) }
  }

  return {
    open: (machine) => inOrder(async () => void (await purge(machine.id, []))),
    marks: (machine) => inOrder(async () => [...journalOf(machine).delivered.marks.values()]),
    deliver: (batch) =>
      inOrder(async () => {
        const { id: machine } = batch.machine
        const journal = journalOf(machine)
        const { names: purged, hasForeign } = await purge(machine, batch.tombstones, batch.isOwnPurge)
        const done = await deliver({ folder, aside: asideOf(machine), journal, format, purged }, batch)
        return hasForeign ? { ...done, notices: [NOT_ITS_OWN] } : done
      }),
    close: () => queue.then(() => {}),
  }
}

interface Purged {
  readonly names: ReadonlySet<string>
  /** Whether the machine purged something that it never sent. */
  readonly hasForeign: boolean
}

interface Place {
  readonly folder: string
  readonly aside: string
  readonly journal: FolderJournal
  readonly format: PartFormat
  readonly purged: ReadonlySet<string>
}

async function deliver({ folder, aside, journal, format, purged }: Place, batch: Batch): Promise<Delivery> {
  const { marks, documents: known, batches } = journal.delivered
  if (batches.has(batch.id)) return { added: 0, deadLetters: [], refused: [] }
  const refused = new Set<string>()
  const isPurged = purgedTest(purged, refused)
  const isNew = ({ file, generation, offset }: TeamRow) =>
    offset >= (marks.get(markKey({ file, generation }))?.offset ?? 0)
  const rows = batch.rows.filter((row) => isNew(row) && !isPurged(row.session))
  const documents = batch.documents.filter(
    ({ file, contentHash, session }) => known.get(file) !== contentHash && !isPurged(session),
  )
  const name = createHash('sha256').update(`${batch.machine.id}\0${batch.id}`).digest('hex').slice(0, 20)
  const files: string[] = []
  const put = (below: string, bytes: Uint8Array) => {
    writePrivateFile(join(aside, flat(below)), bytes)
    files.push(below)
  }
  for (const [day, part] of byDay(rows)) {
    put(`records/day=${day}/${partOf(batch.machine, name)}${ENDINGS[format]}`, await encodePart(part, format))
  }
  // A document has one file, which its newest content replaces.
  for (const document of documents) {
    const at = createHash('sha256').update(document.file).digest('hex').slice(0, 20)
    put(`documents/${partOf(batch.machine, at)}${ENDINGS.jsonl}`, await packLines([documentToJson(document)]))
  }
  if (files.length > 0) syncFolder(aside)
  journal.append({ batch: batch.id, files, marks: batch.marks, documents: hashesOf(documents) })
  settle(folder, aside, files)
  return { added: rows.length, deadLetters: [], refused: [...refused] }
}

/** Whether a session was purged; notes which were met. */
function purgedTest(purged: ReadonlySet<string>, met: Set<string>): (session: string | null) => boolean {
  const known = new Map<string, boolean>()
  return (session) => {
    if (session === null || purged.size === 0) return false
    const name = tombstoneOf(session)
    const isPurged = known.get(session) ?? purged.has(name)
    known.set(session, isPurged)
    if (isPurged) met.add(name)
    return isPurged
  }
}

function partOf(machine: Machine, name: string): string {
  return `machine=${machine.id}/${name}`
}

/** Rows by the day of their time. One without takes that of the row before it, so that a log stays together. */
function byDay(rows: readonly TeamRow[]): ReadonlyMap<string, TeamRow[]> {
  const days = new Map<string, TeamRow[]>()
  const first = rows.find(({ timestamp }) => timestamp !== null)?.timestamp ?? UNDATED
  const last = new Map<string, string>()
  for (const row of rows) {
    const day = (row.timestamp ?? last.get(row.file) ?? first).slice(0, 10)
    last.set(row.file, day)
    // Years beyond four digits are no day that an engine knows.
    const name = /^\d{4}-\d\d-\d\d$/.test(day) ? day : UNDATED
    const part = days.get(name) ?? []
    part.push(row)
    days.set(name, part)
  }
  return days
}

const UNDATED = '1970-01-01'

function hashesOf(documents: readonly TeamDocument[]): Readonly<Record<string, string>> {
  return Object.fromEntries(documents.map(({ file, contentHash }) => [file, contentHash]))
}

/** Brings parts that count to their places, and removes what never came to count. */
function settle(folder: string, aside: string, files: readonly string[]): void {
  const made = new Set<string>()
  for (const below of files) {
    const from = join(aside, flat(below))
    if (!existsSync(from)) continue
    const to = join(folder, below)
    makeFolder(dirname(to))
    renameSync(from, to)
    made.add(dirname(to))
  }
  for (const one of made) syncFolder(one)
  for (const left of readdirSync(aside)) rmSync(join(aside, left), { force: true })
}

function flat(below: string): string {
  return below.replaceAll('/', '~')
}

/** Makes a folder and all above it, and has each of them outlive a power cut. */
function makeFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let at = path; at.length >= first.length; at = dirname(at)) syncFolder(dirname(at))
}

const TOMBSTONES = 'tombstones'

function placeTombstone(folder: string, below: string): void {
  if (!/^[0-9a-f]{64}$/.test(basename(below))) return
  const path = join(folder, TOMBSTONES, below)
  if (existsSync(path)) return
  makeFolder(dirname(path))
  writePrivateFile(path, Buffer.from('A session was purged; nothing of it is taken again.\n'))
  syncFolder(dirname(path))
}

function tombstonesIn(folder: string, below: string): ReadonlySet<string> {
  const path = join(folder, TOMBSTONES, below)
  return new Set(existsSync(path) ? readdirSync(path).filter((name) => /^[0-9a-f]{64}$/.test(name)) : [])
}

/** A full disk passes when somebody makes room; a folder that may not be written does not. */
function asTrouble(error: unknown, folder: string): unknown {
  const failure = asFailure(error, folder, 'The folder')
  if (!(failure instanceof Failure)) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return new SinkTrouble(failure.message, {
    passes: code === 'ENOSPC' || code === 'EDQUOT' || code === 'EIO',
    hint: 'Nothing is lost: the logs are read again from where the folder ends.',
    cause: error,
  })
}
