import type { Cursor } from '../disk/cursor.ts'
import type { SourceEntry } from '../disk/source.ts'
import type { Names } from './names.ts'
import { isAt } from './row-place.ts'
import type { Mark } from './sink.ts'
import type { Tracked } from './state.ts'

/** A mark of the sink, and the path on this machine that it means. */
export interface Claim {
  readonly mark: Mark
  readonly path: string
  /** The cursor as it is remembered here, where the memory is as far as the sink. */
  readonly own: Cursor | undefined
  /** The sink knows the log at another place than this. */
  readonly isElsewhere: boolean
}

/** What the marks of a sink mean on this machine. */
export interface Claims {
  /** By path. */
  readonly latest: ReadonlyMap<string, Claim>
  /** Logs that lay at a path before another did: they may lie elsewhere now, and the sink was not told yet. */
  readonly displaced: readonly Claim[]
}

/**
 * Which log the sink has for each path: the one that was marked last. Generations tell it only of one key: two logs that lay
 * at one path, one after the other, may have begun under different names.
 */
export function latestClaims(
  marks: readonly Mark[],
  remembered: readonly Tracked[],
  names: Names,
  entries: Iterable<SourceEntry>,
): Claims {
  const listed = Array.from(entries, (entry) => [names.file(entry), entry.path] as const)
  const paths = new Map(listed)
  const nameAt = new Map(listed.map(([name, path]) => [path, name]))
  const known = new Map(remembered.map((one) => [keyOf(one), one.cursor]))
  const latest = new Map<string, Claim>()
  const displaced: Claim[] = []
  for (const mark of marks) {
    const kept = known.get(keyOf(mark))
    const own = kept && isAt(kept, mark.offset) ? kept : undefined
    if (!mark.cursor && !own) continue
    const at = mark.cursor?.path ?? null
    const path = (at === null ? undefined : paths.get(at)) ?? kept?.path ?? `\0${at}`
    const claim = { mark, path, own, isElsewhere: at !== null && (nameAt.get(path) ?? at) !== at }
    const rival = latest.get(path)
    const [winner, loser] = rival && isLater(rival, claim) ? [rival, claim] : [claim, rival]
    latest.set(path, winner)
    if (loser && loser.mark.file !== winner.mark.file) displaced.push(loser)
  }
  return { latest, displaced }
}

/** When a mark was made, counted over all marks of the machine. */
export function orderOf({ cursor }: Mark): number {
  return cursor?.modifiedAt ?? 0
}

function isLater(one: Claim, other: Claim): boolean {
  const [a, b] = [orderOf(one.mark), orderOf(other.mark)]
  if (a !== b) return a > b
  if (one.mark.file === other.mark.file) return one.mark.generation > other.mark.generation
  return one.own !== undefined && other.own === undefined
}

function keyOf({ file, generation }: Pick<Tracked, 'file' | 'generation'>): string {
  return `${generation}\0${file}`
}
