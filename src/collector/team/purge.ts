import { Failure } from '../../core/failure.ts'
import type { Context } from '../../history/context.ts'
import { isClickHouseUrl } from '../sinks/clickhouse/address.ts'
import { purgeClickHouse } from '../sinks/clickhouse/purge-store.ts'
import { DELIVERY_LOCK, LOCK } from '../sinks/postgres/migrate.ts'
import { asFailure, withStore } from '../sinks/postgres/store.ts'
import { whichPerson } from './change.ts'

/** What a purge removed from a team store. */
export interface TeamPurged {
  readonly session: string
  readonly removed: readonly { readonly where: string; readonly what: string }[]
  readonly left: readonly string[]
  readonly problems: readonly { readonly file: string; readonly message: string }[]
}

const LEFT = [
  'Backups of the team store, its write-ahead log and its standbys hold it until they are rotated: ask whoever runs them.',
  'The session on the machines themselves: run `annals purge` there, with --source for the files of the client.',
  'Sessions that readers fetched with --store: they lose it when they ask next.',
]

/** Forgets a session, or a person, in a team store: every row of every machine, with tombstones that refuse what comes later. */
export async function purgeTeam(
  context: Context,
  what: 'session' | 'person',
  named: string,
  isSure: boolean,
): Promise<TeamPurged> {
  const { store, confirm } = context
  if (!store) throw new Failure('USAGE', 'No team store was named.', { hint: 'Add --store postgres://…' })
  if (isClickHouseUrl(store.url)) return await purgeClickHouse(context, store.url, what, named, isSure)
  try {
    return await withStore(
      store.url,
      async (sql, { shown }) => {
        const session =
          what === 'session' ? await whichSession(sql, named, shown) : await whichPerson(context, sql, named)
        if (!isSure) {
          if (!confirm) {
            throw new Failure('USAGE', `This would forget ${what} ${session} in ${shown}, for everyone.`, {
              hint: 'Add --yes to do it.',
            })
          }
          const question = `Forget ${what} ${session} in ${shown} for good, for everyone?`
          if (!(await confirm(question))) throw new Failure('CANNOT_RUN', 'Nothing was done.')
        }
        const gone = await sql.begin(async (tx) => {
          // Deliveries under way end first; those that come after find the tombstone.
          await tx.unsafe(`select pg_advisory_xact_lock(${LOCK}, ${DELIVERY_LOCK})`)
          return what === 'session'
            ? await tx`select what, place, rows from annals.purge(${session})`
            : await tx`select what, place, rows from annals.purge_person(${session})`
        })
        const problems: { file: string; message: string }[] = []
        for (const place of new Set(gone.map((row) => String(row.place)))) {
          const message = await rewrite(sql, place)
          if (message !== undefined) problems.push({ file: place, message })
        }
        const counts = new Map<string, number>()
        for (const { what, rows } of gone) counts.set(String(what), (counts.get(String(what)) ?? 0) + Number(rows))
        const removed = [...counts].map(([what, rows]) => ({ where: shown, what: `${rows} rows of ${what}` }))
        return {
          session,
          removed: [
            ...removed,
            { where: shown, what: what === 'session' ? 'later deliveries of it' : 'later deliveries of the same' },
          ],
          left: LEFT,
          problems,
        }
      },
      { ...context.access, statementTimeoutMs: 600_000 },
    )
  } catch (error) {
    throw asFailure(error)
  }
}

type Asked = Parameters<Parameters<typeof withStore>[1]>[0]

/** The session of a whole id or of its beginning. A whole id that nobody sent is taken too: it may come later. */
async function whichSession(sql: Asked, named: string, shown: string): Promise<string> {
  const found = await sql`select distinct session from annals.session
    where session <> '' and left(session, ${named.length}) = ${named} limit 3`
  const ids = found.map(({ session }) => String(session))
  if (ids.includes(named)) return named
  if (ids.length === 1) return ids[0] as string
  if (ids.length > 1) {
    throw new Failure('SESSION_AMBIGUOUS', `Several sessions in ${shown} start with "${named}".`, {
      hint: `Give more of it: ${ids.join(', ')}.`,
    })
  }
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(named)) return named
  throw new Failure('SESSION_NOT_FOUND', `No session in ${shown} starts with "${named}".`, {
    hint: 'Run `annals sessions --store …` to see them. One that has not come yet is named by its whole id.',
  })
}

/** A table that is larger is not locked for as long as it takes to write it anew. */
const MOST_REWRITTEN = 8 * 1024 ** 3

/**
 * Writes a table and its indexes anew, without what was deleted: a VACUUM alone leaves the bytes in its pages until something
 * else is written over them. Says what is left to do. A server only warns where it was not allowed.
 */
async function rewrite(sql: Asked, place: string): Promise<string | undefined> {
  const [it] = await sql`select pg_has_role(relowner, 'usage') as owned, pg_total_relation_size(oid) as bytes
    from pg_class where oid = ${place}::regclass`
  if (it?.owned !== true) return `Its pages keep the bytes until its owner runs VACUUM FULL ${place}.`
  const name = place.split('.').map((part) => `"${part.replaceAll('"', '')}"`)
  const isLarge = Number(it.bytes) > MOST_REWRITTEN
  await sql.unsafe(`vacuum (${isLarge ? '' : 'full, '}analyze) ${name.join('.')}`)
  return isLarge ? `It is large: its pages keep the bytes until VACUUM FULL ${place}, in a quiet hour.` : undefined
}
