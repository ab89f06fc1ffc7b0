import { Failure } from '../../../core/failure.ts'
import type { Context } from '../../../history/context.ts'
import type { PurgedKind, StoreToPurge } from '../../team/purge.ts'
import { tombstoneOf } from '../../tombstone.ts'
import { type ClickHouseAddress, readClickHouseAddress } from './address.ts'
import { type Connection, connect } from './connect.ts'
import { deletePerson, EVERYBODY, purgeSessions } from './purge.ts'

/** A ClickHouse that is to forget something. */
export function clickHouseToPurge(url: string, access: Context['access']): StoreToPurge {
  const address = readClickHouseAddress(url, { password: access?.clickhousePassword })
  const store = connect(address, { timeoutMs: 600_000 })
  return {
    shown: address.shown,
    copies: 'Backups of the team store and detached parts',
    sessionsFrom: (start) =>
      namesIn(
        store,
        `distinct session as name from session where session != '' and startsWith(session, {of:String}) limit 3`,
        start,
      ),
    person: async (named) => {
      const found = await namesIn(store, `person as name from session where person = {of:String} limit 1`, named)
      if (named !== '' && found.length > 0) return named
      throw new Failure('BAD_INPUT', `Nobody is called "${named}" in ${address.shown}.`, {
        hint: 'Where names leave hashed, give the hash: select distinct person from annals.session.',
      })
    },
    forget: async (what, name) => ({ removed: [await forget(store, address, what, name)], problems: [] }),
    close: () => store.close(),
  }
}

async function forget(store: Connection, address: ClickHouseAddress, what: PurgedKind, name: string): Promise<string> {
  const ofPerson = `distinct session as name from session where person = {of:String} and session != ''`
  const sessions = what === 'session' ? [name] : await namesIn(store, ofPerson, name)
  const [found] = await namesIn(store, `count() as name from record final where ${what} = {of:String}`, name)
  await purgeSessions(store, address, sessions.map(tombstoneOf), EVERYBODY)
  if (what === 'person') await deletePerson(store, address, name)
  return `${Number(found)} records of ${sessions.length} sessions, and all that was made of them`
}

async function namesIn(store: Connection, what: string, of: string): Promise<readonly string[]> {
  return (await store.ask(`select ${what}`, { of })).map(({ name }) => String(name))
}
