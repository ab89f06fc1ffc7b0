import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SourceEntry } from '../../disk/source.ts'
import type { Batch } from '../sink.ts'
import { placeOfTeamFile } from '../team/place.ts'

/** A file of a machine whose rows go further than what is known of it. */
export interface UnreadFile {
  readonly file: string
  readonly generation: number
  readonly project: string | null
  /** Set where all of the file is one session's, or one agent's. */
  readonly session: string | null
  readonly agent: string | null
}

/** A record as a store has it. */
export interface StoredRecord {
  readonly offset: number
  readonly type: string
  readonly content: Uint8Array
}

/** A file read back from a store: it lies in a folder for the time of the work. */
export interface ReadBack {
  /** As its machine has it below its home, for readers. */
  readonly place: string
  /** `undefined` where it is no log of a session. */
  readonly log: SourceEntry | undefined
  readonly bytes: number
  /** Where each record begins, here and in the file that it came from. */
  readonly offsets: readonly number[]
}

/** A store that is told what is in the files that it has. */
export interface FactStore<U extends UnreadFile> {
  unread(machine: string): Promise<readonly U[]>
  /** Records behind an offset, in order; fewer than asked for at the end. */
  records(machine: string, file: U, after: number, most: number): Promise<readonly StoredRecord[]>
  /** Takes what is in a file; it may wait for more, until it is told that there is none. */
  put(machine: string, file: U, copy: ReadBack): Promise<void>
  flush?(): Promise<void>
  /** Lets go of what it held for the work, however that ended. */
  release?(): Promise<void>
}

const ROWS_AT_ONCE = 500
/** A file that came in more rows at once is still growing; how long the end may wait for what is left. */
const SMALL_BATCH = 200
const LAST_MS = 600_000
/** Reading begins when nothing has come for so long, and where something always comes, after so long. */
const QUIET_MS = 400
const MOST_WAIT_MS = 5_000
/** A file is read again only after so many times as long as reading it took: one that grows costs a part of a core at most. */
const REST = 10
const NEW_LINE = Buffer.from('\n')

/**
 * Says what is in the files that machines have delivered: reads them back as they lie in the store, and has put beside them what
 * lists, sums and search ask. So nothing that is known says more than the records do. What is left undone, the next one finds.
 */
export class FactMaker<U extends UnreadFile> {
  readonly #store: FactStore<U>
  /** Machines of which something came, with files that grow. */
  readonly #due = new Map<string, ReadonlySet<string>>()
  readonly #known = new Set<string>()
  readonly #restsUntil = new Map<string, number>()
  #making: Promise<void> | undefined
  #notedAt = 0
  #isEnding = false

  constructor(store: FactStore<U>) {
    this.#store = store
  }

  /** What an earlier run left unread of a machine is read in the end. */
  know(machine: string): void {
    this.#known.add(machine)
  }

  /** Takes note of a delivery, and begins to read what has come to rest. */
  note({ machine, rows }: Batch): void {
    this.know(machine.id)
    this.#notedAt = performance.now()
    this.#due.set(machine.id, new Set(rows.length > SMALL_BATCH ? rows.map(({ file }) => file) : []))
    this.#making ??= this.#makeDue().finally(() => {
      this.#making = undefined
    })
  }

  /** Reads what is left, for a while. */
  async finish(): Promise<void> {
    this.#due.clear()
    this.#isEnding = true
    await Promise.race([this.#making, sleep(LAST_MS, undefined, { ref: false })])
    this.#restsUntil.clear()
    const end = performance.now() + LAST_MS
    for (const machine of this.#known) await this.#make(machine, new Set(), end).catch(() => {})
  }

  /** Reading shares a thread and a server with deliveries, so these go first. */
  async #quiet(): Promise<void> {
    const begun = performance.now()
    const isComing = () => performance.now() < Math.min(this.#notedAt + QUIET_MS, begun + MOST_WAIT_MS)
    // Nothing else may keep the process running: a sleep that does not would end it here.
    while (!this.#isEnding && isComing()) await sleep(QUIET_MS / 8)
  }

  async #makeDue(): Promise<void> {
    await this.#quiet()
    for (const [machine, growing] of this.#due) {
      this.#due.delete(machine)
      // What goes wrong here is tried again with the next delivery.
      await this.#make(machine, growing).catch(() => {})
    }
  }

  async #make(machine: string, growing: ReadonlySet<string>, end = Number.POSITIVE_INFINITY): Promise<void> {
    try {
      for (const one of await this.#store.unread(machine)) {
        const start = performance.now()
        if (start > end) break
        const key = `${machine} ${one.file}`
        if (growing.has(one.file) || (this.#restsUntil.get(key) ?? 0) > start) continue
        await makeFactsOf(this.#store, machine, one)
        const now = performance.now()
        this.#restsUntil.set(key, now + REST * (now - start))
      }
      await this.#store.flush?.()
    } finally {
      await this.#store.release?.()
    }
  }
}

/** Reads one file back and has the store told what is in it. */
async function makeFactsOf<U extends UnreadFile>(store: FactStore<U>, machine: string, file: U): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-facts-'))
  try {
    const copy = await readBack(store, machine, file, folder)
    if (copy) await store.put(machine, file, copy)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function readBack<U extends UnreadFile>(
  store: FactStore<U>,
  machine: string,
  file: U,
  folder: string,
): Promise<ReadBack | undefined> {
  const page = (after: number) => store.records(machine, file, after, ROWS_AT_ONCE)
  const records = await page(-1)
  const isHistory = records[0]?.type === 'history'
  const place = records.length > 0 ? placeOfTeamFile({ machine, ...file, isHistory }) : undefined
  if (place === undefined) return undefined
  const path = join(folder, place)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const { offsets, bytes } = await writeRecords(path, records, page)
  const [owner = '', root = ''] = place.split('/')
  const log = { root: join(folder, owner, root), path, sizeBytes: bytes, modifiedAt: statSync(path).mtimeMs }
  return { place, log: isHistory ? undefined : log, bytes, offsets }
}

async function writeRecords(
  path: string,
  first: readonly StoredRecord[],
  page: (after: number) => Promise<readonly StoredRecord[]>,
) {
  const offsets: number[] = []
  let bytes = 0
  const fd = openSync(path, 'wx', 0o600)
  try {
    for (let records = first; ; records = await page(offsets.at(-1) as number)) {
      for (const { offset, content } of records) {
        offsets.push(bytes, offset)
        bytes += writeSync(fd, content) + writeSync(fd, NEW_LINE)
      }
      if (records.length < ROWS_AT_ONCE) return { offsets, bytes }
    }
  } finally {
    closeSync(fd)
  }
}
