import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Failure } from '../../core/failure.ts'
import { asFailure, syncFolderSoon, writePrivateFileSoon } from '../../state/private-file.ts'
import type { TeamDocument, TeamRow } from '../row.ts'
import { type Batch, type Delivery, NOT_ITS_OWN, type Sink, SinkTrouble } from '../sink.ts'
import { tombstoneOf } from '../tombstone.ts'
import { Turns } from '../turns.ts'
import { documentToJson, MACHINE_ID } from '../wire.ts'
import { FolderJournal, markKey } from './folder-journal.ts'
import { mendManifests, writeManifest } from './folder-manifest.ts'
import { finishMerge, MERGE_LIMITS, type MergeLimits, type MergeScope, mergeParts } from './folder-merge.ts'
import { byDay, ENDINGS, encodePart, type PartFormat, packLines } from './folder-parts.ts'
import { MANY, removeSessions } from './folder-purge.ts'

/** How a folder is written. */
export interface FolderOptions {
  readonly format?: PartFormat
  /** Where parts of several machines are merged: the name of who does it. Without it each machine has its own. */
  readonly mergesAs?: string | undefined
  readonly limits?: Partial<MergeLimits>
}

/**
 * A folder of packed lines or columns, by day and machine, that any engine reads: `records/day=…/source=…/`. A machine writes
 * only files that bear its name, so that many can share the folder, also one that is synchronized. Parts are written aside,
 * the journal says that they count, then they take their places; a part that a crash left aside takes it on the next start.
 */
export function folderSink(folder: string, options: FolderOptions = {}): Sink {
  const { format = 'jsonl', mergesAs } = options
  const limits = { ...MERGE_LIMITS, ...options.limits }
  let smallBytes = 0
  let timer: NodeJS.Timeout | undefined
  const journals = new Map<string, FolderJournal>()
  // Several machines may come through one sink: while one waits for the disk, others are written, and the disk takes them together.
  const turns = new Turns()
  const saying = <T>(done: Promise<T>): Promise<T> =>
    done.catch((error: unknown) => {
      throw asTrouble(error, folder)
    })
  const own = join(folder, '_annals')
  const asideOf = (machine: string) => join(own, `${machine}.aside`)

  /** In turn only: whoever comes first brings to its end what a crash left. */
  async function journalOf(machine: string): Promise<FolderJournal> {
    const known = journals.get(machine)
    if (known) return known
    if (!MACHINE_ID.test(machine)) throw new Failure('BAD_INPUT', `"${machine}" is no name of a machine.`)
    await makeFolder(asideOf(machine))
    const journal = new FolderJournal(own, machine)
    const scopes = scopesOf([machine])
    for (const scope of scopes) finishMerge(scope)
    await settle(folder, asideOf(machine), journal.delivered.lastFiles)
    for (const { records, sources } of scopes) mendManifests(records, sources)
    journals.set(machine, journal)
    return journal
  }

  /** What is merged with what: all machines that came through here, or each with itself. */
  function scopesOf(machines: readonly string[]): readonly MergeScope[] {
    const records = join(folder, 'records')
    const all = new Set(machines.map((machine) => `source=${machine}`))
    if (mergesAs !== undefined) {
      const into = `source=${MANY}${mergesAs}`
      return [{ records, own: join(own, `${MANY}${mergesAs}.aside`), into, sources: all.add(into), limits }]
    }
    return [...all].map((into, at) => {
      return { records, own: asideOf(machines[at] as string), into, sources: new Set([into]), limits }
    })
  }

  async function mergeSmall(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    smallBytes = 0
    for (const scope of scopesOf([...journals.keys()])) await mergeParts(scope)
  }

  /** Notes that parts were added: they are merged when there are enough of them, or have been small long enough. */
  async function added(bytes: number): Promise<void> {
    smallBytes += bytes
    if (smallBytes >= limits.afterBytes) {
      smallBytes = 0
      return turns.all(mergeSmall)
    }
    if (bytes === 0 || timer) return
    timer = setTimeout(() => void turns.all(mergeSmall).catch(() => {}), limits.afterMs)
    timer.unref()
  }

  const ownOf = (machine: string) => `machine=${machine}`

  /** Tombstones of everybody and of a machine that it has not heeded yet. */
  async function dueOf(machine: string) {
    const { purged } = (await journalOf(machine)).delivered
    const all = [...tombstonesIn(folder, '')].filter((name) => !purged.has(name))
    const own = [...tombstonesIn(folder, ownOf(machine))].filter((name) => !purged.has(`${ownOf(machine)}/${name}`))
    return { all, own, isNone: all.length + own.length === 0 }
  }

  /**
   * Heeds the tombstones that are new to a machine: those of everybody in the whole folder, its own among its own parts. Says
   * whether it purged something that it never sent.
   */
  async function purge(machine: string): Promise<boolean> {
    const { all, own, isNone } = await dueOf(machine)
    if (isNone) return false
    if (all.length > 0) await removeSessions(folder, asideOf(machine), new Set(all))
    const met = own.length > 0 && (await removeSessions(folder, asideOf(machine), new Set(own), machine))
    const purged = [...all, ...own.map((name) => `${ownOf(machine)}/${name}`)]
    await (await journalOf(machine)).append({ purged })
    return met !== false && own.some((name) => !met.has(name))
  }

  /** The same, in turn; mostly there is nothing to do, and nobody has to wait. */
  async function heed(machine: string, tombstones: readonly string[], isOwn = false): Promise<boolean> {
    const place = async () => {
      for (const name of tombstones) await placeTombstone(folder, isOwn ? join(ownOf(machine), name) : name)
    }
    if (tombstones.length > 0) await turns.all(place)
    const { isNone } = await turns.one(machine, () => dueOf(machine))
    return isNone ? false : turns.all(() => purge(machine))
  }

  async function deliver(batch: Batch): Promise<Delivery> {
    const { id: machine } = batch.machine
    const hasForeign = await heed(machine, batch.tombstones, batch.isOwnPurge)
    const { bytes, ...done } = await turns.one(machine, async () => {
      const purged = new Set([...tombstonesIn(folder, ''), ...tombstonesIn(folder, ownOf(machine))])
      return write({ folder, aside: asideOf(machine), journal: await journalOf(machine), format, purged }, batch)
    })
    await added(bytes)
    return hasForeign ? { ...done, notices: [NOT_ITS_OWN] } : done
  }

  return {
    open: (machine) => saying(heed(machine.id, []).then(() => {})),
    marks: (machine) =>
      saying(turns.one(machine, async () => [...(await journalOf(machine)).delivered.marks.values()])),
    deliver: (batch) => saying(deliver(batch)),
    check: () =>
      saying(
        turns.one('', async () => writePrivateFileSoon(join(await makeFolder(own), 'check'), Buffer.from('ok\n'))),
      ),
    close: () => saying(turns.all(mergeSmall)),
  }
}

interface Place {
  readonly folder: string
  readonly aside: string
  readonly journal: FolderJournal
  readonly format: PartFormat
  readonly purged: ReadonlySet<string>
}

async function write(place: Place, batch: Batch): Promise<Delivery & { readonly bytes: number }> {
  const { folder, aside, journal, format, purged } = place
  const { marks, documents: known, batches } = journal.delivered
  if (batches.has(batch.id)) return { added: 0, deadLetters: [], refused: [], bytes: 0 }
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
  const put = async (below: string, bytes: Uint8Array): Promise<number> => {
    files.push(below)
    await writePrivateFileSoon(join(aside, flat(below)), bytes)
    return bytes.length
  }
  let bytes = 0
  const counts = new Map<string, number>()
  for (const [day, part] of byDay(rows)) {
    const below = `records/day=${day}/source=${batch.machine.id}/${name}${ENDINGS[format]}`
    bytes += await put(below, await encodePart(part, format))
    counts.set(below, part.length)
  }
  // A document has one file, which its newest content replaces.
  for (const document of documents) {
    const at = createHash('sha256').update(document.file).digest('hex').slice(0, 20)
    await put(
      `documents/machine=${batch.machine.id}/${at}${ENDINGS.jsonl}`,
      await packLines([documentToJson(document)]),
    )
  }
  if (files.length > 0) await syncFolderSoon(aside)
  await journal.append({ batch: batch.id, files, marks: batch.marks, documents: hashesOf(documents) })
  await settle(folder, aside, files, counts)
  return { added: rows.length, deadLetters: [], refused: [...refused], bytes }
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

function hashesOf(documents: readonly TeamDocument[]): Readonly<Record<string, string>> {
  return Object.fromEntries(documents.map(({ file, contentHash }) => [file, contentHash]))
}

/** Brings parts that count to their places, and removes what never came to count. */
async function settle(
  folder: string,
  aside: string,
  files: readonly string[],
  counts: ReadonlyMap<string, number> = new Map(),
): Promise<void> {
  const made = new Set<string>()
  for (const below of files) {
    const from = join(aside, flat(below))
    if (!existsSync(from)) continue
    const to = join(folder, below)
    await makeFolder(dirname(to))
    renameSync(from, to)
    made.add(dirname(to))
  }
  await Promise.all([...made].map(syncFolderSoon))
  for (const below of files.filter((one) => one.startsWith('records/'))) {
    const at = join(folder, dirname(below))
    const count = counts.get(below)
    if (made.has(at)) writeManifest(at, count === undefined ? {} : { [basename(below)]: count })
  }
  for (const left of readdirSync(aside)) rmSync(join(aside, left), { force: true })
}

function flat(below: string): string {
  return below.replaceAll('/', '~')
}

/** Makes a folder and all above it, and has each of them outlive a power cut. */
async function makeFolder(path: string): Promise<string> {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return path
  for (let at = path; at.length >= first.length; at = dirname(at)) await syncFolderSoon(dirname(at))
  return path
}

const TOMBSTONES = 'tombstones'

async function placeTombstone(folder: string, below: string): Promise<void> {
  if (!/^[0-9a-f]{64}$/.test(basename(below))) return
  const path = join(folder, TOMBSTONES, below)
  if (existsSync(path)) return
  await makeFolder(dirname(path))
  await writePrivateFileSoon(path, Buffer.from('A session was purged; nothing of it is taken again.\n'))
  await syncFolderSoon(dirname(path))
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
