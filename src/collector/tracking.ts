import { extname } from 'node:path'
import { type LookOptions, startCursor } from '../disk/cursor.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import { lookAll } from '../disk/survey.ts'
import { type Claim, latestClaims, orderOf } from './claims.ts'
import { findMoves } from './moves.ts'
import type { Names } from './names.ts'
import { placeAfter } from './row-place.ts'
import type { Seal } from './seal.ts'
import { SealedMarks } from './sealed-marks.ts'
import type { Mark } from './sink.ts'
import type { CollectState, Tracked } from './state.ts'

/** A log that is there now, and where its rows go. */
export interface Followed extends Tracked {
  readonly entry: SourceEntry
  /** There may be lines behind the cursor. */
  readonly isDue: boolean
  /** It lies elsewhere than when it was last delivered: the sink has to know, to find it without our memory. */
  readonly hasMoved: boolean
}

export interface SurveyOptions extends LookOptions {
  /** Whether all logs are listed: only then a log that is not listed is gone. */
  readonly isWhole?: boolean
}

/**
 * Which log is which, and how far each was delivered. The rows of a log keep the key under which they began, also when the log
 * moves; a log that was rewritten, or a new one in its place, begins a generation that the key never had. Logs that are there
 * at once never share a key, so that the newest generation of a key is what its log has become.
 */
export class Tracking {
  readonly #names: Names
  readonly #seal: Seal
  /** By path on this machine. */
  #tracked = new Map<string, Tracked>()
  /** Logs of which nothing was delivered yet, by path: where they lie is remembered before their first rows leave. */
  readonly #begun = new Map<string, Tracked>()
  #hasBegun = false
  /** Logs that are nowhere, and whose place another has. */
  #displaced: readonly Tracked[] = []
  /** What the sink has of logs that nothing is remembered of. */
  #sealed: SealedMarks
  readonly #generations = new Map<string, number>()
  /** Logs that lie elsewhere than the sink knows. */
  readonly #moved = new Set<string>()
  #order = 0

  constructor(names: Names, seal: Seal) {
    this.#names = names
    this.#seal = seal
    this.#sealed = new SealedMarks({ latest: new Map(), displaced: [] }, names, seal)
  }

  /** How many marks were made so far. */
  get order(): number {
    return this.#order
  }

  /** Begins with what the sink has. What is remembered here only helps to find the files that its marks mean. */
  begin(
    marks: readonly Mark[],
    remembered: Pick<CollectState, 'tracked' | 'begun' | 'order'>,
    entries: Iterable<SourceEntry>,
  ): void {
    const claims = latestClaims(marks, [...remembered.begun, ...remembered.tracked], this.#names, entries)
    this.#order = Math.max(this.#order, remembered.order)
    for (const mark of marks) {
      this.#note(mark)
      this.#order = Math.max(this.#order, orderOf(mark))
    }
    this.#tracked.clear()
    this.#begun.clear()
    for (const one of remembered.begun) this.#begun.set(one.cursor.path, one)
    this.#moved.clear()
    for (const [path, claim] of claims.latest) {
      const one = trackedBy(claim)
      if (one) this.#tracked.set(path, one)
      if (claim.isElsewhere) this.#moved.add(path)
    }
    this.#displaced = claims.displaced.flatMap((claim) => trackedBy(claim) ?? [])
    this.#sealed = new SealedMarks(claims, this.#names, this.#seal)
  }

  /** How far a log is delivered, as it leaves: a machine that lost its memory finds its place by it. */
  markOf({ file, generation, cursor }: Tracked, machine: string, root: string): Mark {
    const name = this.#names.file({ root, path: cursor.path })
    const offset = placeAfter(cursor.line)
    return { machine, file, generation, offset, cursor: this.#seal.close(cursor, name, this.#next()) }
  }

  /** All that is known, also of logs that are gone: they may return. */
  all(): readonly Tracked[] {
    return [...this.#tracked.values()]
  }

  /** Logs of which nothing was delivered when they were last seen. */
  begun(): readonly Tracked[] {
    return [...this.#begun.values()]
  }

  /** Whether more logs have begun since it was asked last: what a killed run had delivered of them is found by their paths. */
  takeHasBegun(): boolean {
    const taken = this.#hasBegun
    this.#hasBegun = false
    return taken
  }

  /** Looks at the logs of a source. */
  survey(listed: Source, { isWhole = true, ...options }: SurveyOptions = {}): readonly Followed[] {
    const entries = new Map(Array.from(listed.list(), (entry) => [entry.path, entry]))
    const source: Source = { list: () => entries.values(), read: (...at) => listed.read(...at) }
    const before = isWhole ? this.#afterMoves(entries, source, options) : this.#tracked
    const cursors = Array.from(before.values(), ({ cursor }) => cursor)
    const { looks } = lookAll(cursors, source, options)
    const after = new Map(before)
    const followed: Followed[] = []
    const fresh: SourceEntry[] = []
    const held = new Map<string, string>()
    const follow = (one: Tracked, entry: SourceEntry, isDue: boolean) => {
      // Of a log of which nothing was delivered there is nothing to remember but what lay there before it.
      if (one.cursor.offset > 0) after.set(entry.path, one)
      held.set(one.file, entry.path)
      followed.push({ ...one, entry, isDue, hasMoved: this.#moved.has(entry.path) })
    }
    if (!isWhole) for (const [path, { file }] of before) if (!entries.has(path)) held.set(file, path)
    const isGone = (path: string) => isWhole && !entries.has(path)
    const inodes = new Map(Array.from(entries.values(), ({ path, inode }) => [path, inode]))
    for (const [path, { entry, look, cursor }] of looks) {
      const known = look.kind === 'same' || look.kind === 'grown' ? before.get(path) : undefined
      const found = known ? undefined : this.#sealed.find(entry, source, inodes, isGone)
      if (known) follow({ ...known, cursor }, entry, look.kind === 'grown')
      else if (found) {
        const { file, generation, cursor: sealed } = found.claim.mark
        if (sealed?.path === this.#names.file(entry)) this.#moved.delete(path)
        else this.#moved.add(path)
        follow({ file, generation, cursor: found.cursor }, entry, entry.sizeBytes > found.cursor.offset)
      } else fresh.push(entry)
    }
    for (const entry of fresh) {
      this.#moved.delete(entry.path)
      const one = this.#begin(entry, before.get(entry.path) ?? this.#sealed.at(entry, isGone)?.mark, held)
      this.#remember(one)
      follow(one, entry, true)
    }
    this.#tracked = after
    for (const [path, one] of this.#begun) if (isGone(path) && !this.#isKnown(one)) this.#begun.delete(path)
    return followed
  }

  /** Notes what was delivered. */
  delivered(one: Tracked): void {
    this.#note(one)
    this.#moved.delete(one.cursor.path)
    this.#tracked.set(one.cursor.path, one)
    this.#begun.delete(one.cursor.path)
    this.#sealed.forget(one.cursor.path)
  }

  #afterMoves(entries: ReadonlyMap<string, SourceEntry>, source: Source, options: LookOptions) {
    const found = findMoves(this.#tracked.values(), this.#displaced, entries, source, options)
    for (const path of found.moved) this.#moved.add(path)
    this.#displaced = found.displaced
    return found.tracked
  }

  /** A log that begins: a generation of the key that its place had, or of its own name; of none that lives on elsewhere. */
  #begin(entry: SourceEntry, before: Pick<Tracked, 'file'> | undefined, held: ReadonlyMap<string, string>): Tracked {
    const isFree = (file: string) => (held.get(file) ?? entry.path) === entry.path
    const { root, path } = entry
    let file = before?.file ?? this.#names.file(entry)
    if (!isFree(file)) file = this.#names.file(entry)
    const ending = extname(path)
    for (let number = 2; !isFree(file); number++) {
      file = this.#names.file({ root, path: `${path.slice(0, path.length - ending.length)}~${number}${ending}` })
    }
    const generation = (this.#generations.get(file) ?? 0) + 1
    return { file, generation, cursor: startCursor(entry, generation) }
  }

  #remember(one: Tracked): void {
    const before = this.#begun.get(one.cursor.path)
    this.#hasBegun ||= before?.file !== one.file || before.generation !== one.generation
    this.#begun.set(one.cursor.path, one)
  }

  #isKnown({ file, generation }: Tracked): boolean {
    return generation <= (this.#generations.get(file) ?? 0)
  }

  #next(): number {
    this.#order += 1
    return this.#order
  }

  #note({ file, generation }: Pick<Tracked, 'file' | 'generation'>): void {
    this.#generations.set(file, Math.max(generation, this.#generations.get(file) ?? 0))
  }
}

/** The log that a claim means, where its cursor is remembered here. */
function trackedBy({ mark, own, path }: Claim): Tracked | undefined {
  const { file, generation } = mark
  return own && { file, generation, cursor: { ...own, path, generation } }
}
