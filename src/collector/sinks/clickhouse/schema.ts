import { DERIVED, dailySums } from './derived.ts'
import { TABLES, type Table } from './tables.ts'

/** Where the tables are made: in which database, and on which cluster. */
export interface Place {
  readonly database: string
  readonly cluster?: string | undefined
}

/** Raised when the tables change; a store says which it has in the comment of `record`. */
export const SCHEMA = 1
export const COMMENT = /^annals (\d+)$/

/** How long a server knows a batch again. Behind that, keys still make one row of two. */
const KNOWN_BATCHES = 10_000
const KNOWN_SECONDS = 7 * 24 * 3600

/** Everything that must be there, in order. Made where it is missing, so that it can be said again. */
export function schemaStatements(place: Place): readonly string[] {
  const on = onCluster(place)
  const { database } = place
  return [
    `create database if not exists ${database}${on}`,
    ...TABLES.flatMap((table) => tableStatements(table, place)),
    ...DERIVED.map(({ name, from, to, select, rest }) => {
      const [source, target] = [from, to].map((table) => `${database}.${localName(table, place)}`)
      return `create materialized view if not exists ${database}.${name}${on} to ${target} as\nselect ${select}\nfrom ${source} ${rest}`
    }),
    // Of a cluster, one server makes the sums, for all.
    `create materialized view if not exists ${database}.daily_of_response refresh every 10 minute append to ${database}.daily as
${dailySums(database)}`,
  ]
}

/** What rows are written to and deleted from: of a cluster's tables that are spread, the part of each server. */
export function localName(name: string, { cluster }: Place): string {
  const isSpread = TABLES.find((table) => table.name === name)?.spread !== undefined
  return cluster !== undefined && isSpread ? `${name}_local` : name
}

export function onCluster({ cluster }: Place): string {
  return cluster === undefined ? '' : ` on cluster '${cluster}'`
}

function tableStatements(table: Table, place: Place): readonly string[] {
  const { database, cluster } = place
  const { name, columns, order, month, forgets, spread } = table
  const local = localName(name, place)
  const made = [
    `create table if not exists ${database}.${local}${onCluster(place)} (\n  ${columns}\n)`,
    `engine = ${engineOf(table, place)}`,
    ...(month === undefined ? [] : [`partition by ${month}`]),
    `order by (${order})`,
    ...(forgets === undefined ? [] : [`ttl ${forgets}`]),
    `settings ${settingsOf(place)}`,
    `comment 'annals ${SCHEMA}'`,
  ].join('\n')
  if (cluster === undefined || spread === undefined) return [made]
  const over = `create table if not exists ${database}.${name}${onCluster(place)} as ${database}.${local}
engine = Distributed('${cluster}', '${database}', '${local}', ${spread})
comment 'annals ${SCHEMA}'`
  return [made, over]
}

/** On a cluster every shard has its rows on several servers; what is not spread has all servers for its copies. */
function engineOf({ name, engine, newest, spread }: Table, { database, cluster }: Place): string {
  const rest = newest === undefined ? [] : [newest]
  if (cluster === undefined) return rest.length === 0 ? engine : `${engine}(${rest})`
  const [path, replica] =
    spread === undefined
      ? [`/clickhouse/tables/${database}/${name}`, '{shard}-{replica}']
      : [`/clickhouse/tables/{shard}/${database}/${name}`, '{replica}']
  return `Replicated${engine}(${[`'${path}'`, `'${replica}'`, ...rest].join(', ')})`
}

function settingsOf({ cluster }: Place): string {
  return cluster === undefined
    ? `non_replicated_deduplication_window = ${KNOWN_BATCHES}`
    : `replicated_deduplication_window = ${KNOWN_BATCHES}, replicated_deduplication_window_seconds = ${KNOWN_SECONDS}`
}
