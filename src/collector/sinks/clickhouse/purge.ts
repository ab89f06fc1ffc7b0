import type { Asked, Connection, Found } from './connect.ts'
import { logNumber } from './log-number.ts'
import { localName, onCluster, type Place } from './schema.ts'
import { TABLES } from './tables.ts'

/** Tables that hold something of a session. */
const OF_A_SESSION = ['record', 'response', 'tool_call', 'session', 'document', 'dead_letter'] as const
/** Tables that hold something of a log, by its number. */
const OF_A_LOG = ['held', 'holder', 'row_key', 'doc'] as const
/** Tables that name a person. */
const OF_A_PERSON = TABLES.filter(({ columns }) => /\bperson\b/.test(columns)).map(({ name }) => name)
/** How a session is remembered that was purged: `tombstoneOf`, said in SQL. */
const HASH = `lower(hex(SHA256(concat('annals purged\\n', session))))`
const AT_ONCE = 200

/** Whose purge it is: one machine's own, or everybody's. */
export const EVERYBODY = ''

/**
 * Takes sessions out of every table and remembers that they are gone; gives those of which there was nothing. Rows are hidden
 * when this ends, and leave the disk with the next merge, which is asked for.
 */
export async function purgeSessions(
  store: Connection,
  place: Place,
  tombstones: readonly string[],
  machine: string,
): Promise<readonly string[]> {
  if (tombstones.length === 0) return []
  // First: a delivery that is under way looks once more when its rows are there.
  await store.insert(
    'tombstone',
    tombstones.map((hash) => ({ hash, machine })),
  )
  const found = await heldSessions(store, tombstones, machine)
  await deleteSessions(
    store,
    place,
    found.map(({ session }) => String(session)),
    machine,
  )
  const held = new Set(found.map(({ hash }) => hash))
  return tombstones.filter((hash) => !held.has(hash))
}

/** Which of some sessions, named by their hashes, the store has something of. */
function heldSessions(store: Connection, hashes: readonly string[], machine: string): Promise<readonly Found[]> {
  const each = ['session', 'document', 'dead_letter'].map(
    (table) =>
      `select session from ${table} where session != '' and ({machine:String} = '' or machine = {machine:String})`,
  )
  return store.ask(
    `select session, ${HASH} as hash from (${each.join(' union distinct ')}) where hash in {hashes:Array(String)}`,
    { hashes, machine },
  )
}

/** Deletes sessions by their ids, whoever sent them or one machine's alone, and has their days summed again. */
export async function deleteSessions(
  store: Connection,
  place: Place,
  sessions: readonly string[],
  machine: string,
): Promise<void> {
  for (let at = 0; at < sessions.length; at += AT_ONCE) {
    const asked = { sessions: sessions.slice(at, at + AT_ONCE), machine }
    const which = `session in {sessions:Array(String)}${machine === EVERYBODY ? '' : ' and machine = {machine:String}'}`
    await store.run(
      `insert into touched (day) select distinct arrayJoin([toDate(at), toDate(at - toIntervalHour(1))]) from response where ${which}`,
      asked,
    )
    const files = await store.ask(`select distinct machine, file from session where ${which}`, asked)
    for (const table of OF_A_SESSION) await deleteFrom(store, place, table, which, asked)
    // What is known of these files as a whole is made again, of what they still hold.
    await forgetLogs(
      store,
      place,
      files.map((one) => logNumber(String(one.machine), String(one.file))),
    )
  }
}

/** Deletes every row that names a person, also those that are of no session. */
export async function deletePerson(store: Connection, place: Place, person: string): Promise<void> {
  for (const table of OF_A_PERSON) await deleteFrom(store, place, table, 'person = {person:String}', { person })
}

/** Deletes what is known of some logs. */
export async function forgetLogs(store: Connection, place: Place, logs: readonly number[]): Promise<void> {
  for (let at = 0; at < logs.length; at += AT_ONCE) {
    const asked = { logs: logs.slice(at, at + AT_ONCE) }
    for (const table of OF_A_LOG) await deleteFrom(store, place, table, 'log in {logs:Array(UInt64)}', asked)
    await deleteFrom(store, place, 'log', 'id in {logs:Array(UInt64)}', asked)
  }
}

async function deleteFrom(store: Connection, place: Place, table: string, which: string, asked: Asked): Promise<void> {
  const name = `${place.database}.${localName(table, place)}`
  const on = onCluster(place)
  await store.run(`delete from ${name}${on} where ${which}`, asked)
  await store.run(`alter table ${name}${on} apply deleted mask`, asked)
}
