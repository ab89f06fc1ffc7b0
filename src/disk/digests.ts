import { digestOf, type LogDigest } from '../core/digest.ts'
import { look } from './cursor.ts'
import { type FactsCache, type FactsJob, MOST_ROWS, type PackedLog } from './facts-cache.ts'
import { glanceFacts } from './glance.ts'
import { packDigest, packShelf, unpackDigest, unpackShelf } from './kept-facts.ts'
import type { KnownLogs } from './known-logs.ts'
import type { KnownFacts } from './log-facts.ts'
import { type Rest, stampOf } from './rest.ts'
import type { Source, SourceEntry } from './source.ts'
import { onAllCores, threadScript, WORTH_BYTES } from './threads.ts'

/** A digest and the state of the log it was made from. */
interface MadeDigest {
  readonly entry: SourceEntry
  readonly digest: LogDigest
}

/** What the digests of a library stand on. */
export interface DigestParts {
  readonly source: Source
  readonly cache: FactsCache | undefined
  readonly rest: Rest
  readonly known: KnownLogs
  /** All logs there are. */
  readonly logs: () => readonly SourceEntry[]
}

/** So many logs are opened one by one as fast as all at once. */
const FEW = 50
const SHELF = 'heads of digests'

/** What lists and sums need to know of every log: kept from an earlier run, or made from its facts. */
export class Digests {
  readonly #parts: DigestParts
  /** Digests that were asked for: small, and asked for again by the sums after the lists. */
  readonly #made = new Map<string, MadeDigest>()
  readonly #glances = new Map<string, MadeDigest>()
  #hasShelf = false
  #isLookedFor = false

  constructor(parts: DigestParts) {
    this.#parts = parts
  }

  digest(entry: SourceEntry): LogDigest | undefined {
    const { known, cache } = this.#parts
    const open = known.opened(entry)
    // Opening what is kept of a huge log would take as much memory again as its rows, which are there.
    if (open && isHuge(open)) return digestOf(open.facts, open.totals)
    const kept = this.kept(entry)
    if (kept) return kept
    const read = known.factsOnce(entry, isHuge)
    // Where anything is kept, reading the log has made its digest.
    const madeNow = cache && this.kept(entry)
    if (madeNow || !read) return madeNow
    const digest = small(digestOf(read.facts, read.totals), entry)
    this.#made.set(entry.path, { entry, digest })
    return digest
  }

  /** The same, if it need not be made. */
  kept(entry: SourceEntry): LogDigest | undefined {
    const { source, cache, rest } = this.#parts
    this.#openShelf()
    const made = this.#made.get(entry.path)
    if (made && rest.isSame(made.entry, entry)) return made.digest
    const kept = cache?.digest(entry.path)
    if (!kept || look(kept.cursor, source, entry).kind !== 'same') return undefined
    if (rest.isSettled(entry) && !kept.cursor.settled) cache?.settle({ ...kept.cursor, settled: true })
    // That of a huge log is let go after use: it is opened again faster than another place for it is found.
    if ((kept.digest.whole?.lines ?? 0) <= MOST_ROWS) this.#made.set(entry.path, { entry, digest: kept.digest })
    return kept.digest
  }

  /** A digest of what head and tail tell, for lists that read only what they must. */
  glance(entry: SourceEntry): LogDigest | undefined {
    const made = this.#glances.get(entry.path)
    if (made && this.#parts.rest.isSame(made.entry, entry)) return made.digest
    const known = glanceFacts(this.#parts.source, entry)
    const digest = known && digestOf(known.facts, known.totals)
    if (digest) this.#glances.set(entry.path, { entry, digest })
    return digest
  }

  /** Makes those that are not kept, on all cores, where that is more than a little work. */
  async warmUp(progress: (doneBytes: number, totalBytes: number) => void): Promise<void> {
    const script = threadScript('facts-worker')
    const cold = this.#parts.logs().filter((entry) => !entry.gone && !this.#canGoOn(entry))
    const total = cold.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    if (!script || total < WORTH_BYTES || cold.length < 2) return
    let done = 0
    // The largest first, so that no thread is left alone with one at the end.
    const jobs = cold.sort((a, b) => b.sizeBytes - a.sizeBytes)
    const isKept = this.#parts.cache !== undefined
    const asked = jobs.map((entry) => ({ entry, isKept }))
    await onAllCores<FactsJob, PackedLog | undefined>(script, asked, ({ entry }, packed): undefined => {
      if (packed) {
        this.#parts.known.keep(entry, packed)
        this.#made.set(entry.path, { entry, digest: unpackDigest(packed.digest, entry.path) })
      }
      done += entry.sizeBytes
      progress(done, total)
    })
  }

  /**
   * Keeps the heads of all digests together, for lists: opening thousands one by one takes longer than all the rest. To be
   * called when all were asked for; does nothing where that was done and no log has come to rest since.
   */
  shelve(): void {
    const { cache, rest, logs } = this.#parts
    const settled = logs().filter((entry) => rest.isSettled(entry))
    if (!cache || settled.length < FEW || this.#hasShelf) return
    const known = settled.map((entry) => this.#made.get(entry.path))
    if (!known.every((made) => made !== undefined)) return
    cache.rememberBytes(SHELF, stampOf(settled), packShelf(known.map(({ digest }) => digest)))
    this.#hasShelf = true
  }

  #openShelf(): void {
    if (this.#isLookedFor) return
    this.#isLookedFor = true
    const { cache, rest, logs } = this.#parts
    const settled = cache ? logs().filter((entry) => rest.isSettled(entry)) : []
    const bytes = settled.length < FEW ? undefined : cache?.recallBytes(SHELF, stampOf(settled))
    if (!bytes) return
    this.#hasShelf = true
    const bodyOf = (entry: SourceEntry) => () => cache?.digest(entry.path)?.digest ?? this.#anew(entry)
    for (const [at, digest] of unpackShelf(bytes, settled.map(bodyOf)).entries()) {
      const entry = settled[at] as SourceEntry
      this.#made.set(entry.path, { entry, digest })
    }
  }

  #anew(entry: SourceEntry): LogDigest | undefined {
    const known = this.#parts.known.facts(entry)
    return known && small(digestOf(known.facts, known.totals), entry)
  }

  /** Whether a log's digest is kept, or needs only what was added to the log. */
  #canGoOn(entry: SourceEntry): boolean {
    if (this.kept(entry)) return true
    const kept = this.#parts.cache?.digest(entry.path)
    return kept !== undefined && look(kept.cursor, this.#parts.source, entry).kind === 'grown'
  }
}

function isHuge({ facts }: KnownFacts): boolean {
  return facts.nodes.length > MOST_ROWS
}

/** The digest without the rows that it was made of: so it can be held for every log there is. */
function small(digest: LogDigest, { path }: SourceEntry): LogDigest {
  return unpackDigest(packDigest(digest, { compress: false }), path)
}
