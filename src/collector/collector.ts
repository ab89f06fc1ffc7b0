import { stringAt } from '../core/json.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import { Batching, tombstoneBatchId } from './batching.ts'
import type { CollectedFile } from './collected-files.ts'
import { type CollectorOptions, LIMITS, type Limits } from './collector-options.ts'
import { Delivering } from './delivering.ts'
import { signOf } from './documents.ts'
import { dueDocuments } from './due-documents.ts'
import { type Lag, Lags } from './lag.ts'
import { Listing } from './listing.ts'
import { ProjectFolders } from './project-folders.ts'
import { Quarantine } from './quarantine.ts'
import { type ReadingOptions, readPieces } from './reading.ts'
import { type Clock, realClock } from './retry.ts'
import { rowFileOf } from './row-file.ts'
import { SentDocuments } from './sent-documents.ts'
import type { Batch } from './sink.ts'
import type { CollectState, Tracked } from './state.ts'
import { type Followed, Tracking } from './tracking.ts'
import { Visits } from './visits.ts'

type Remembered = Pick<CollectState, 'tracked' | 'begun' | 'order' | 'visits'>

/** What was delivered, and what is left. */
export interface Collected {
  readonly records: number
  readonly bytes: number
  readonly batches: number
  readonly deadLetters: number
  readonly lagBytes: number
}

/**
 * Carries records from the logs to a sink: reads, masks, delivers, and only then moves on. The logs are the queue: what cannot
 * be delivered is read again later, so nothing is held but one batch.
 */
export class Collector {
  readonly #options: CollectorOptions
  readonly #limits: Limits
  readonly #clock: Clock
  readonly #tracking: Tracking
  readonly #visits: Visits
  readonly #folders: ProjectFolders
  readonly #delivering: Delivering
  readonly #stubs = new Map<string, string>()
  readonly #listing: Listing
  readonly #documents = new SentDocuments()
  readonly #lags = new Lags()
  readonly #quarantine: Quarantine
  #tombstones = new Set<string>()
  #batching: Batching
  #savedAt = Number.NEGATIVE_INFINITY
  #isChanged = false
  /** Whether the sink has what we think it has: a delivery that failed may have happened all the same. */
  #isSure = false

  constructor(options: CollectorOptions) {
    this.#options = options
    this.#limits = { ...LIMITS, ...options.limits }
    this.#clock = options.clock ?? realClock
    this.#quarantine = new Quarantine(this.#clock)
    this.#tracking = new Tracking(options.maker.names, options.maker.seal)
    this.#visits = new Visits(options.maker.seal)
    this.#batching = new Batching(options.machine, this.#tracking)
    this.#folders = new ProjectFolders(options.source)
    this.#listing = new Listing(options.source, options.choices)
    const { sink, state, attempts, onNotice, onBatch, onTrouble } = options
    const { stopMs } = this.#limits
    this.#delivering = new Delivering({
      sink,
      state,
      clock: this.#clock,
      stopMs,
      attempts,
      onNotice,
      onBatch,
      onTrouble,
    })
  }

  /** Opens the sink and asks it how far it has each log. */
  async start(signal?: AbortSignal): Promise<void> {
    const { state, destination } = this.#options
    const remembered = state.read(destination)
    this.#documents.begin(remembered.documents)
    this.#tombstones = new Set(remembered.tombstones)
    await this.#ask(remembered, signal)
  }

  async #ask(remembered: Remembered, signal: AbortSignal | undefined): Promise<void> {
    const { sink, machine, source } = this.#options
    const marks = await this.#delivering.untilDone(signal, async () => {
      await sink.open(machine)
      return sink.marks(machine.id)
    })
    // A sink that has nothing of us has no document either.
    if (marks.length === 0) this.#documents.begin(new Map())
    if (marks.length === 0) this.#tombstones.clear()
    this.#tracking.begin(this.#visits.begin(marks, remembered.visits), remembered, source.list())
    this.#isSure = true
  }

  /** Delivers all there is; with paths, only what they hold. */
  async pass(signal?: AbortSignal, only?: ReadonlySet<string>): Promise<Collected> {
    if (!this.#isSure) await this.#ask(this.#remembered(), signal)
    const some = only && this.#listing.some(only)
    const files = some ?? this.#listAll()
    this.#batching = new Batching(this.#options.machine, this.#tracking)
    this.#documents.lost()
    try {
      await this.#bury(signal)
      await this.#logs(files, !some, signal)
      await this.#wholes(files, signal)
      await this.#flush(signal)
    } finally {
      this.#save(true)
    }
    return this.collected()
  }

  collected(): Collected {
    return { ...this.#delivering.total, lagBytes: this.#lags.total() }
  }

  /** The name by which a file goes out. */
  nameOf(entry: Pick<SourceEntry, 'root' | 'path'>): string {
    return this.#options.maker.names.file(entry)
  }

  /** The logs that are behind. */
  lag(): readonly Lag[] {
    return this.#lags.all()
  }

  #listAll(): readonly CollectedFile[] {
    this.#lags.clear()
    return this.#listing.all()
  }

  /** Tombstones go first: what was purged here must go there before anything else comes. */
  async #bury(signal: AbortSignal | undefined): Promise<void> {
    const { tombstones, machine } = this.#options
    const due = (tombstones?.() ?? []).filter((one) => !this.#tombstones.has(one)).sort()
    if (due.length === 0) return
    const id = tombstoneBatchId(machine.id, due)
    await this.#deliver({ id, machine, rows: [], documents: [], marks: [], tombstones: due }, signal)
    for (const one of due) this.#tombstones.add(one)
    this.#isChanged = true
  }

  async #logs(files: readonly CollectedFile[], isWhole: boolean, signal: AbortSignal | undefined): Promise<void> {
    const { source, thorough = false } = this.#options
    const logs = files.filter(({ role }) => role !== 'document')
    const byPath = new Map(logs.map((file) => [file.entry.path, file]))
    const listed: Source = { list: () => logs.map(({ entry }) => entry), read: source.read.bind(source) }
    const followed = new Map(this.#tracking.survey(listed, { thorough, isWhole }).map((one) => [one.entry.path, one]))
    if (this.#tracking.takeHasBegun()) {
      this.#isChanged = true
      this.#save(true)
    }
    for (const [path, file] of byPath) {
      const one = followed.get(path)
      if (!one) continue
      this.#lags.remove(path)
      if (one.hasMoved) this.#batching.addRows([], one.cursor.line, one, one.entry.root)
      if (!one.isDue) continue
      const isRead = (thorough || !this.#quarantine.isResting(one.entry)) && !this.#isLeftOut(file)
      // What is left out is not behind; what cannot be read is.
      if (isRead || this.#quarantine.isResting(one.entry)) this.#lags.add(one)
      if (isRead) await this.#log(file, one, signal)
      if (signal?.aborted) return
    }
  }

  async #log(file: CollectedFile, one: Followed, signal: AbortSignal | undefined): Promise<void> {
    const { source, maker, reading, isIgnored } = this.#options
    const { entry } = one
    const isHistory = file.role === 'history'
    const rowFile = rowFileOf(maker, this.#folders, file, one)
    const options: ReadingOptions = {
      ...reading,
      ...(isHistory && { isLeftOut: ({ raw }) => isIgnored?.(stringAt(raw, 'project') ?? null) ?? false }),
    }
    let at: Tracked = one
    for (const { rows, cursor } of readPieces(maker, rowFile, source, entry, one.cursor, options)) {
      const isWhole = one.cursor.offset === 0 && cursor.offset >= entry.sizeBytes
      if (file.kind === 'agent' && isWhole && rows.length === 1 && rows[0]?.kind === 'warmup') {
        this.#stubs.set(entry.path, signOf(entry))
        this.#lags.remove(entry.path)
        return
      }
      const to = { file: one.file, generation: one.generation, cursor }
      this.#batching.addRows(rows, at.cursor.line, to, entry.root)
      at = to
      if (this.#isFull()) await this.#flush(signal)
      if (signal?.aborted) return
    }
    this.#quarantine.note(entry, at !== one)
  }

  #isFull(): boolean {
    return this.#batching.bytes >= this.#limits.batchBytes || this.#batching.count >= this.#limits.batchRows
  }

  #isLeftOut(file: CollectedFile): boolean {
    const { entry } = file
    if (this.#stubs.get(entry.path) === signOf(entry)) return true
    if (file.role === 'history') return false
    const { cwd, isClosed } = this.#folders.headOf(file)
    // Whose it is cannot be told: it waits.
    if (isClosed) this.#quarantine.note(entry, false)
    return isClosed || (this.#options.isIgnored?.(cwd) ?? false)
  }

  async #wholes(files: readonly CollectedFile[], signal: AbortSignal | undefined): Promise<void> {
    const { source, maker, isIgnored } = this.#options
    const listing = this.#listing
    const folders = this.#folders
    const due = { source, listing, folders, sent: this.#documents, quarantine: this.#quarantine, maker, isIgnored }
    for (const document of dueDocuments(files, due)) {
      this.#batching.addDocument(document)
      if (this.#isFull()) await this.#flush(signal)
      if (signal?.aborted) return
    }
  }

  async #flush(signal: AbortSignal | undefined): Promise<void> {
    if (this.#batching.isEmpty) return
    this.#options.beforeDelivery?.()
    if (signal?.aborted) return
    const { batch, tracked } = this.#batching.take()
    await this.#deliver(batch, signal)
    this.#documents.arrived()
    for (const one of tracked) {
      this.#tracking.delivered(one)
      this.#lags.arrived(one.cursor.path, one.cursor.offset)
    }
    this.#isChanged = true
    this.#save(false)
  }

  async #deliver(batch: Batch, signal: AbortSignal | undefined): Promise<void> {
    const visit = this.#visits.due(batch.machine.id)
    if (visit) {
      this.#isChanged = true
      this.#save(true)
    }
    this.#isSure = false
    await this.#delivering.deliver(visit ? { ...batch, marks: [...batch.marks, visit] } : batch, signal)
    this.#isSure = true
    this.#visits.arrived()
  }

  #remembered(): Remembered {
    const tracking = this.#tracking
    return { tracked: tracking.all(), begun: tracking.begun(), order: tracking.order, visits: this.#visits.tokens }
  }

  #save(isDue: boolean): void {
    const now = this.#clock.now()
    if (!this.#isChanged || (!isDue && Math.abs(now - this.#savedAt) < this.#limits.saveMs)) return
    const { state, destination, choices, machine } = this.#options
    state.write({
      destination,
      ...this.#remembered(),
      machine: machine.id,
      documents: this.#documents.all(),
      tombstones: [...this.#tombstones],
      savedAt: new Date().toISOString(),
      choices: { content: choices.content, user: choices.user, paths: choices.paths },
    })
    this.#savedAt = now
    this.#isChanged = false
  }
}
