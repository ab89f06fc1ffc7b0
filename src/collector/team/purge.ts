import { Failure } from '../../core/failure.ts'
import type { Context } from '../../history/context.ts'
import { troubleAsFailure } from '../sink.ts'
import { isClickHouseUrl } from '../sinks/clickhouse/address.ts'
import { clickHouseToPurge } from '../sinks/clickhouse/purge-store.ts'
import { postgresToPurge } from '../sinks/postgres/purge-store.ts'

/** A session, or all of a person. */
export type PurgedKind = 'session' | 'person'

/** A team store that can forget. */
export interface StoreToPurge {
  /** Its address, for people. */
  readonly shown: string
  /** Where copies of it lie that this does not reach. */
  readonly copies: string
  /** Sessions whose ids begin so, three at most. */
  sessionsFrom(start: string): Promise<readonly string[]>
  /** A person as the store names them; a sentence where it knows nobody of that name. */
  person(named: string): Promise<string>
  /** Deletes every row of every machine, and leaves tombstones that refuse what comes later. */
  forget(
    what: PurgedKind,
    name: string,
  ): Promise<Pick<TeamPurged, 'problems'> & { readonly removed: readonly string[] }>
  close(): Promise<void>
}

/** What a purge removed from a team store. */
export interface TeamPurged {
  readonly session: string
  readonly removed: readonly { readonly where: string; readonly what: string }[]
  readonly left: readonly string[]
  readonly problems: readonly { readonly file: string; readonly message: string }[]
}

const LEFT = [
  'The session on the machines themselves: run `annals purge` there, with --source for the files of the client.',
  'Sessions that readers fetched with --store: they lose it when they ask next.',
]
const WHOLE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Forgets a session, or a person, in a team store. */
export async function purgeTeam(
  context: Context,
  what: PurgedKind,
  named: string,
  isSure: boolean,
): Promise<TeamPurged> {
  const url = context.store?.url
  if (url === undefined) throw new Failure('USAGE', 'No team store was named.', { hint: 'Add --store postgres://…' })
  let store: StoreToPurge | undefined
  try {
    store = isClickHouseUrl(url) ? clickHouseToPurge(url, context.access) : postgresToPurge(url, context)
    const { shown, copies } = store
    const name = what === 'session' ? await whichSession(store, named) : await store.person(named)
    if (!isSure) await beSure(context, `forget ${what} ${name} in ${shown}`)
    const { removed, problems } = await store.forget(what, name)
    const later = what === 'session' ? 'later deliveries of it' : 'later deliveries of the same'
    return {
      session: name,
      removed: [...removed, later].map((one) => ({ where: shown, what: one })),
      left: [`${copies} hold it until they are rotated: ask whoever runs them.`, ...LEFT],
      problems,
    }
  } catch (error) {
    throw troubleAsFailure(error)
  } finally {
    await store?.close()
  }
}

async function beSure({ confirm }: Context, deed: string): Promise<void> {
  if (!confirm) throw new Failure('USAGE', `This would ${deed}, for everyone.`, { hint: 'Add --yes to do it.' })
  if (!(await confirm(`Really ${deed} for good, for everyone?`))) throw new Failure('CANNOT_RUN', 'Nothing was done.')
}

/** The session of a whole id or of its beginning. A whole id that nobody sent is taken too: it may come later. */
async function whichSession(store: StoreToPurge, named: string): Promise<string> {
  const ids = await store.sessionsFrom(named)
  if (ids.includes(named)) return named
  if (ids.length === 1) return ids[0] as string
  if (ids.length > 1) {
    throw new Failure('SESSION_AMBIGUOUS', `Several sessions in ${store.shown} start with "${named}".`, {
      hint: `Give more of it: ${ids.join(', ')}.`,
    })
  }
  if (WHOLE_ID.test(named)) return named
  throw new Failure('SESSION_NOT_FOUND', `No session in ${store.shown} starts with "${named}".`, {
    hint: 'Run `annals sessions --store …` to see them. One that has not come yet is named by its whole id.',
  })
}
