import type { OpResult } from '../api.ts'
import type { Hit } from './hit-words.ts'

type Answer = Pick<OpResult<'search'>, 'hits' | 'groups'>

/** A session in which something was found, with those of its hits that are shown. */
export interface HitGroup extends Readonly<OpResult<'search'>['groups'][number]> {
  readonly hits: readonly Hit[]
}

/** Every session with a hit that was fetched, in the order in which they came. */
export function groupsOf({ hits, groups }: Answer): readonly HitGroup[] {
  const fetched = new Map<string, Hit[]>()
  for (const hit of hits) {
    const own = fetched.get(hit.session)
    if (own) own.push(hit)
    else fetched.set(hit.session, [hit])
  }
  const known = new Map(groups.map((group) => [group.session, group]))
  return [...fetched].flatMap(([session, own]) => {
    const group = known.get(session)
    return group ? [{ ...group, hits: own }] : []
  })
}

/** What is shown stays where it is: what was found since stands behind it, in its session and below. */
export function addedTo(
  shown: readonly HitGroup[],
  found: readonly HitGroup[],
  perSession: number,
): readonly HitGroup[] {
  const news = new Map(found.map((group) => [group.session, group]))
  const kept = shown.map((group) => {
    const now = news.get(group.session)
    if (!now) return group
    news.delete(group.session)
    const has = new Set(group.hits.map(keyOf))
    const more = now.hits.filter((hit) => !has.has(keyOf(hit)))
    return { ...now, hits: [...group.hits, ...more].slice(0, Math.max(perSession, group.hits.length)) }
  })
  return [...kept, ...news.values()]
}

/** What tells a hit from all others. */
export function keyOf({ file, offset }: Hit): string {
  return `${file} ${offset}`
}
