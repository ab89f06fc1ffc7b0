import { localName, onCluster, type Place } from './schema.ts'

/** Tables of which readers see rows, and by which of their columns it is said whose these are. */
const SEEN: ReadonlyMap<string, 'project' | 'projects'> = new Map([
  ['record', 'project'],
  ['response', 'project'],
  ['tool_call', 'project'],
  ['session', 'project'],
  ['document', 'project'],
  ['daily', 'project'],
  ['log', 'projects'],
  ['held', 'projects'],
  ['row_key', 'projects'],
  ['doc', 'projects'],
])
/** What a receiver adds to, looks at, and takes purged sessions out of. */
const FACTS = ['log', 'held', 'row_key', 'doc']
const ADDED = ['record', 'document', 'mark', 'dead_letter', 'machine', 'tombstone', 'touched', 'shared', ...FACTS]
const LOOKED_AT = ['record', 'mark', 'tombstone', 'session', 'document', 'dead_letter', 'response', 'holder', 'log']
const PURGED = ['record', 'response', 'tool_call', 'session', 'document', 'dead_letter', 'holder', ...FACTS]

/**
 * Who may do what: a receiver adds rows, a reader sees their own and those of projects that were granted, an administrator sees
 * all. Said by an administrator of the server, once. Of a cluster, users and roles have to be known to all servers.
 */
export function roleStatements(place: Place): readonly string[] {
  const { database } = place
  const on = onCluster(place)
  const named = (table: string) => [...new Set([table, localName(table, place)])].map((name) => `${database}.${name}`)
  const grant = (what: string, tables: readonly string[], role: string) =>
    tables.flatMap(named).map((table) => `grant${on} ${what} on ${table} to ${role}`)
  const policy = (name: string, table: string, using: string, to: string) =>
    named(table).map((full) => `create row policy if not exists ${name}${on} on ${full} using ${using} to ${to}`)
  return [
    ...['annals_receiver', 'annals_reader', 'annals_admin'].map((role) => `create role if not exists ${role}${on}`),
    ...grant('insert', ADDED, 'annals_receiver'),
    ...grant('select', LOOKED_AT, 'annals_receiver'),
    ...grant('alter delete, alter table', PURGED, 'annals_receiver'),
    ...grant('select', [...SEEN.keys(), 'shared', 'member', 'granted'], 'annals_reader'),
    `grant${on} select, insert, alter delete, alter table on ${database}.* to annals_admin`,
    ...[...SEEN].flatMap(([table, column]) => policy('annals_reads', table, seenBy(database, column), 'annals_reader')),
    ...['member', 'granted'].flatMap((table) => policy('annals_own', table, OWN, 'annals_reader')),
    ...[...SEEN.keys(), 'member', 'granted'].flatMap((table) =>
      policy('annals_all', table, '1', 'annals_receiver, annals_admin'),
    ),
    `create settings profile if not exists annals_reader${on} settings readonly = 2, max_execution_time = 60, max_memory_usage = 4000000000 to annals_reader`,
    `create quota if not exists annals_reader${on} keyed by user_name for interval 1 hour max queries = 5000, execution_time = 1800 to annals_reader`,
  ]
}

/** Rows that say what concerns whoever asks: by their name, or by a role they have. */
const OWN = `role = currentUser() or has(enabledRoles(), role)`

/** What a reader may see: rows of the person they are, and of projects that were granted; `*` is all of them. */
export function seenBy(database: string, column: 'project' | 'projects'): string {
  const granted = `(select project from ${database}.granted where ${OWN})`
  const inGranted =
    column === 'project'
      ? `(project != '' and project in ${granted})`
      : `(notEmpty(projects) and hasAll(${`(select groupArray(project) from ${database}.granted where ${OWN})`}, projects))`
  return `'*' in ${granted}
  or ${inGranted}
  or (person != '' and person in (select person from ${database}.member where ${OWN}))`
}
