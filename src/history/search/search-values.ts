import { Failure } from '../../core/failure.ts'
import { nearest } from '../../core/nearest.ts'
import type { SearchFilter } from '../../index/search/searched-logs.ts'
import { type Asking, findSession } from '../find.ts'
import type { History } from '../history.ts'

/** Where a search is to look, and why that may be nowhere. */
export interface SearchedPlace {
  readonly filter: Pick<SearchFilter, 'session' | 'agent'>
  /** The name fits no session; the index may still know one that begins so and whose log has vanished. */
  readonly missing?: Failure
}

/** The session or the agent that a search is to look in. */
export async function searchedPlace(context: Asking, name: string | undefined): Promise<SearchedPlace> {
  if (name === undefined) return { filter: {} }
  try {
    const { files, agent } = await findSession(context, name)
    return { filter: { session: files.id, ...(agent && { agent: agent.id }) } }
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'SESSION_NOT_FOUND') throw error
    return { filter: { session: name }, missing: error }
  }
}

/** Refuses a tool that no log calls, with the one that was probably meant. */
export async function mustBeTool(history: History, name: string): Promise<void> {
  const known = await (await history.refresh()).search.tools()
  const isKnown = known.some((one) => one.toLowerCase() === name.toLowerCase())
  if (isKnown || known.length === 0) return
  const lower = new Map(known.map((one) => [one.toLowerCase(), one]))
  const meant = nearest(name.toLowerCase(), [...lower.keys()])
  const hint = `Tools that were called: ${known.slice(0, 12).join(', ')}${known.length > 12 ? ', …' : ''}.`
  const proposal = meant === undefined ? '' : ` Did you mean ${lower.get(meant)}?`
  throw new Failure('USAGE', `No tool "${name}" was ever called.${proposal}`, { hint })
}
