import { Failure } from '../../../core/failure.ts'
import type { Context } from '../../../history/context.ts'
import { tombstoneOf } from '../../tombstone.ts'
import { asFailure } from '../postgres/store.ts'
import { type ClickHouseAddress, readClickHouseAddress } from './address.ts'
import { type Connection, connect } from './connect.ts'
import { deletePerson, EVERYBODY, purgeSessions } from './purge.ts'

/** What a purge did, for people. */
export interface StorePurged {
  readonly session: string
  readonly removed: readonly { readonly where: string; readonly what: string }[]
  readonly left: readonly string[]
  readonly problems: readonly { readonly file: string; readonly message: string }[]
}

const LEFT = [
  'Backups of the team store and detached parts hold it until they are rotated: ask whoever runs them.',
  'The session on the machines themselves: run `annals purge` there, with --source for the files of the client.',
  'Sessions that readers fetched with --store: they lose it when they ask next.',
]
const WHOLE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Forgets a session, or all of a person, in a ClickHouse: every row of every machine, with tombstones that refuse what comes later. */
export async function purgeClickHouse(
  { confirm, access }: Context,
  url: string,
  what: 'session' | 'person',
  named: string,
  isSure: boolean,
): Promise<StorePurged> {
  let store: Connection | undefined
  try {
    const address = readClickHouseAddress(url, { password: access?.clickhousePassword })
    store = connect(address, { timeoutMs: 600_000 })
    const name =
      what === 'session' ? await whichSession(store, named, address) : await whichPerson(store, named, address)
    const sentence = `forget ${what} ${name} in ${address.shown}`
    if (!isSure && !confirm) {
      throw new Failure('USAGE', `This would ${sentence}, for everyone.`, { hint: 'Add --yes to do it.' })
    }
    if (!isSure && !(await confirm?.(`Really ${sentence} for good, for everyone?`))) {
      throw new Failure('CANNOT_RUN', 'Nothing was done.')
    }
    const sessions = what === 'session' ? [name] : await sessionsOf(store, name)
    const count = await rowsOf(store, what, name)
    await purgeSessions(store, address, sessions.map(tombstoneOf), EVERYBODY)
    if (what === 'person') await deletePerson(store, address, name)
    const removed = [
      `${count} records of ${sessions.length} sessions, and all that was made of them`,
      'later deliveries of the same',
    ]
    return {
      session: name,
      removed: removed.map((one) => ({ where: address.shown, what: one })),
      left: LEFT,
      problems: [],
    }
  } catch (error) {
    throw asFailure(error)
  } finally {
    await store?.close()
  }
}

/** The session of a whole id or of its beginning. A whole id that nobody sent is taken too: it may come later. */
async function whichSession(store: Connection, named: string, { shown }: ClickHouseAddress): Promise<string> {
  const found = await store.ask(
    `select distinct session from session where session != '' and startsWith(session, {named:String}) limit 3`,
    { named },
  )
  const ids = found.map(({ session }) => String(session))
  if (ids.includes(named)) return named
  if (ids.length === 1) return ids[0] as string
  if (ids.length > 1) {
    throw new Failure('SESSION_AMBIGUOUS', `Several sessions in ${shown} start with "${named}".`, {
      hint: `Give more of it: ${ids.join(', ')}.`,
    })
  }
  if (WHOLE_ID.test(named)) return named
  throw new Failure('SESSION_NOT_FOUND', `No session in ${shown} starts with "${named}".`, {
    hint: 'Run `annals sessions --store …` to see them. One that has not come yet is named by its whole id.',
  })
}

/** A person as the store names them. */
async function whichPerson(store: Connection, named: string, { shown }: ClickHouseAddress): Promise<string> {
  const found = await store.ask(`select 1 from session where person = {named:String} and person != '' limit 1`, {
    named,
  })
  if (found.length > 0) return named
  throw new Failure('BAD_INPUT', `Nobody is called "${named}" in ${shown}.`, {
    hint: 'Where names leave hashed, give the hash: select distinct person from annals.session.',
  })
}

async function sessionsOf(store: Connection, person: string): Promise<readonly string[]> {
  const found = await store.ask(
    `select distinct session from session where person = {person:String} and session != ''`,
    { person },
  )
  return found.map(({ session }) => String(session))
}

async function rowsOf(store: Connection, what: 'session' | 'person', name: string): Promise<number> {
  const [found] = await store.ask(`select count() as n from record final where ${what} = {name:String}`, { name })
  return Number(found?.n ?? 0)
}
