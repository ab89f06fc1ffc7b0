import type { Context } from '../../../history/context.ts'
import { whichPerson } from '../../team/change.ts'
import type { StoreToPurge } from '../../team/purge.ts'
import { readAddress } from './address.ts'
import { connect, type Store } from './connect.ts'
import { DELIVERY_LOCK, LOCK } from './migrate.ts'
import { asTrouble } from './trouble.ts'

/** A PostgreSQL that is to forget something. */
export function postgresToPurge(url: string, context: Context): StoreToPurge {
  const address = readAddress(url, context.access)
  const store = connect(address, { statementTimeoutMs: 600_000 })
  const said = async <T>(asked: Promise<T>): Promise<T> => {
    return await asked.catch((error: unknown) => Promise.reject(asTrouble(error, address)))
  }
  return {
    shown: address.shown,
    copies: 'Backups of the team store, its write-ahead log and its standbys',
    sessionsFrom: async (start) => {
      const found = await said(
        store.ask(
          (tx) => tx`select distinct session from annals.session
            where session <> '' and left(session, ${start.length}) = ${start} limit 3`,
        ),
      )
      return found.map(({ session }) => String(session))
    },
    person: (named) => said(store.ask((tx) => whichPerson(context, tx, named))),
    forget: (what, name) => said(forget(store, what === 'session' ? 'annals.purge' : 'annals.purge_person', name)),
    close: () => store.close(),
  }
}

async function forget(store: Store, by: 'annals.purge' | 'annals.purge_person', name: string) {
  const gone = await store.ask(async (tx) => {
    // Deliveries under way end first; those that come after find the tombstone.
    await tx.unsafe(`select pg_advisory_xact_lock(${LOCK}, ${DELIVERY_LOCK})`)
    return await tx.unsafe(`select what, place, rows from ${by}($1)`, [name])
  })
  const problems: { file: string; message: string }[] = []
  for (const place of new Set(gone.map((row) => String(row.place)))) {
    const message = await rewrite(store, place)
    if (message !== undefined) problems.push({ file: place, message })
  }
  const counts = new Map<string, number>()
  for (const { what, rows } of gone) counts.set(String(what), (counts.get(String(what)) ?? 0) + Number(rows))
  return { removed: [...counts].map(([what, rows]) => `${rows} rows of ${what}`), problems }
}

/** A table that is larger is not locked for as long as it takes to write it anew. */
const MOST_REWRITTEN = 8 * 1024 ** 3

/**
 * Writes a table and its indexes anew, without what was deleted: a VACUUM alone leaves the bytes in its pages until something
 * else is written over them. Says what is left to do. A server only warns where it was not allowed.
 */
async function rewrite(store: Store, place: string): Promise<string | undefined> {
  const [it] = await store.ask(
    (tx) => tx`select pg_has_role(relowner, 'usage') as owned, pg_total_relation_size(oid) as bytes
      from pg_class where oid = ${place}::regclass`,
  )
  if (it?.owned !== true) return `Its pages keep the bytes until its owner runs VACUUM FULL ${place}.`
  const name = place.split('.').map((part) => `"${part.replaceAll('"', '')}"`)
  const isLarge = Number(it.bytes) > MOST_REWRITTEN
  await store.alone(`vacuum (${isLarge ? '' : 'full, '}analyze) ${name.join('.')}`)
  return isLarge ? `It is large: its pages keep the bytes until VACUUM FULL ${place}, in a quiet hour.` : undefined
}
