import { type Cursor, type LookOptions, lookAll, startCursor } from '../disk/cursor.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import type { Names } from './names.ts'
import type { Mark } from './sink.ts'
import type { Tracked } from './state.ts'

/** A log that is there now, and where its rows go. */
export interface Followed extends Tracked {
  readonly entry: SourceEntry
  /** There may be lines behind the cursor. */
  readonly isDue: boolean
  /** It lies elsewhere than when it was last delivered: the sink has to know, to find it without our memory. */
  readonly hasMoved: boolean
}

/**
 * Which log is which, and how far each was delivered. The rows of a log keep the key under which they began, also when the log
 * moves; a log that was rewritten, or a new one under an old name, begins a generation that the name never had.
 */
export class Tracking {
  /** By path on this machine. */
  #tracked = new Map<string, Tracked>()
  readonly #generations = new Map<string, number>()
  /** Logs that lie elsewhere than the sink knows. */
  readonly #moved = new Set<string>()

  /** Begins with what the sink has. What is remembered here only helps to find the files that its marks mean. */
  begin(marks: readonly Mark[], remembered: readonly Tracked[], names: Names, entries: Iterable<SourceEntry>): void {
    const listed = Array.from(entries, (entry) => [names.file(entry), entry.path] as const)
    const paths = new Map(listed)
    const nameAt = new Map(listed.map(([name, path]) => [path, name]))
    const known = new Map(remembered.map((one) => [keyOf(one), one]))
    const newest = new Map<string, { readonly mark: Mark; readonly cursor: Cursor }>()
    for (const mark of marks) {
      this.#note(mark)
      const own = known.get(keyOf(mark))
      const isOwn = own?.cursor.offset === mark.offset
      if (!mark.cursor && !isOwn) continue
      const at = mark.cursor?.path ?? ''
      const path = (isOwn ? own?.cursor.path : undefined) ?? paths.get(at) ?? own?.cursor.path ?? `\0${at}`
      const cursor = isOwn ? (own as Tracked).cursor : { ...(mark.cursor as Cursor), path }
      if ((nameAt.get(path) ?? at) !== at) this.#moved.add(path)
      const rival = newest.get(path)
      if (!rival || rival.mark.generation < mark.generation) newest.set(path, { mark, cursor })
    }
    this.#tracked = new Map(
      Array.from(newest, ([path, { mark, cursor }]) => [
        path,
        { file: mark.file, generation: mark.generation, cursor: { ...cursor, generation: mark.generation } },
      ]),
    )
  }

  /** All that is known, also of logs that are gone: they may return. */
  all(): readonly Tracked[] {
    return [...this.#tracked.values()]
  }

  /** A known log as it is now, without looking at any other. */
  at(path: string): Tracked | undefined {
    return this.#tracked.get(path)
  }

  /** Looks at all logs of a source. */
  survey(source: Source, names: Names, options: LookOptions = {}): readonly Followed[] {
    const before = this.#tracked
    const { looks, gone } = lookAll(
      Array.from(before.values(), ({ cursor }) => cursor),
      source,
      options,
    )
    const after = new Map<string, Tracked>()
    for (const { path } of gone) {
      const one = before.get(path)
      if (one) after.set(path, one)
    }
    const followed: Followed[] = []
    for (const [path, { entry, look, cursor }] of looks) {
      const from = look.kind === 'moved' ? look.from : path
      const known = look.kind === 'new' || look.kind === 'new-generation' ? undefined : before.get(from)
      const one = known ? { ...known, cursor } : this.#fresh(entry, names)
      const isDue = look.kind === 'moved' ? look.grown : look.kind !== 'same'
      // Of a log of which nothing was delivered there is nothing to remember but what lay there before it.
      const kept = one.cursor.offset > 0 ? one : before.get(path)
      if (kept) after.set(path, kept)
      if (look.kind === 'moved') this.#moved.add(path)
      if (!known) this.#moved.delete(path)
      followed.push({ ...one, entry, isDue, hasMoved: this.#moved.has(path) })
    }
    this.#tracked = after
    return followed
  }

  /** Notes what was delivered. */
  delivered(one: Tracked): void {
    this.#note(one)
    this.#moved.delete(one.cursor.path)
    this.#tracked.set(one.cursor.path, one)
  }

  #fresh(entry: SourceEntry, names: Names): Tracked {
    const file = names.file(entry)
    const generation = (this.#generations.get(file) ?? 0) + 1
    return { file, generation, cursor: startCursor(entry, generation) }
  }

  #note({ file, generation }: Pick<Tracked, 'file' | 'generation'>): void {
    this.#generations.set(file, Math.max(generation, this.#generations.get(file) ?? 0))
  }
}

function keyOf({ file, generation }: Pick<Tracked, 'file' | 'generation'>): string {
  return `${generation}\0${file}`
}
