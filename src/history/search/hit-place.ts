import { turnAt } from '../../core/facts/agent-turn.ts'
import { familyKey } from '../../index/queries/family-key.ts'
import type { History } from '../history.ts'
import type { Hit } from './search.ts'

/** Where a hit leads: the conversation that it belongs to, and the point in it. */
export interface HitPlace {
  readonly session: string
  readonly title: string | null
  /** The number of its turn, as far as times tell. */
  readonly turn: number | null
  /** What `show` opens: `SESSION:UUID`, else `SESSION:TURN` or `FILE:LINE`. */
  readonly point: string
}

/** Says where hits lead. A summary leads to the conversation that it sums up. */
export async function hitPlaces(history: History, hits: readonly Hit[]): Promise<readonly HitPlace[]> {
  if (hits.length === 0) return []
  const queries = (await history.refresh('as-is')).sessions
  const summarized = await queries.ofRows(hits.flatMap(({ leaf }) => leaf ?? []))
  const meant = hits.map((hit) => {
    const summed = hit.leaf === null ? undefined : summarized.get(hit.leaf)
    const { root, project, session } = summed ?? {
      root: hit.log.root,
      project: hit.log.project.key,
      session: hit.log.session,
    }
    return { hit, summed, key: familyKey(root, project, session), session }
  })
  const titles = await queries.titles(meant.map(({ key }) => key))
  const turns = await queries.turns([...titles.values()].map(({ file }) => file))
  return meant.map(({ hit, summed, key, session }) => {
    const known = titles.get(key)
    const own = turns.get(known?.file ?? '') ?? []
    const at = hit.timeMs === null ? undefined : turnAt(own, hit.timeMs)
    const turn = at === undefined ? null : numberOf(own[at]?.key)
    const uuid = summed ? hit.leaf : hit.uuid
    // A title has no time: it leads to where the conversation begins.
    const rest = uuid?.slice(0, UUID_START) ?? turn ?? (own.length > 0 ? 1 : null)
    const point = rest === null ? `${hit.log.path}:${hit.line}` : `${session}:${rest}`
    return { session, title: known?.title ?? null, turn, point }
  })
}

/** So much of a uuid tells it from all others of a session. */
const UUID_START = 8

/** A turn of an abandoned branch has the branch behind its number. */
function numberOf(key: string | undefined): number | null {
  const number = Number.parseInt(key ?? '', 10)
  return Number.isNaN(number) ? null : number
}
