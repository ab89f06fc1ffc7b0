import { readClickHouseAddress } from '../../src/collector/sinks/clickhouse/address.ts'
import { type Connection, connect } from '../../src/collector/sinks/clickhouse/connect.ts'
import { documentFrom, rowFrom } from '../../src/collector/sinks/clickhouse/stored-row.ts'
import { clickhouseSink } from '../../src/collector/sinks/clickhouse.ts'
import type { SinkUnderTest } from '../collector/sink-contract.ts'
import { CHDB, installedChdb, openDoor } from './clickhouse-engine.mjs'

const flag = process.env.ANNALS_CLICKHOUSE ?? ''

/** Why tests that need the engine are skipped; `undefined` where they run. */
export const noClickHouse =
  flag === ''
    ? `ANNALS_CLICKHOUSE is not set: 1 installs ${CHDB} into the temporary folder, clickhouse://… names a server.`
    : undefined

if (noClickHouse !== undefined) console.log(`Tests with ClickHouse itself are skipped. ${noClickHouse}`)

/** An engine for the time of some tests. */
export interface Engine {
  /** The address of a database, which need not be there. */
  url(database: string): string
  /** Asks as somebody who may do all. */
  readonly store: Connection
  stop(): Promise<void>
}

/** Starts the engine, or connects to the server that the flag names. */
export async function startClickHouse(): Promise<Engine> {
  const door = flag.startsWith('clickhouse://') ? undefined : await openDoor(installedChdb())
  const base = door?.url ?? flag.replace(/\/*$/, '')
  const store = connect(readClickHouseAddress(`${base}/system`))
  return {
    url: (database) => `${base}/${database}`,
    store,
    async stop() {
      await store.close()
      await door?.close()
    },
  }
}

let databases = 0

/** A database for the time of a test. */
export function clickhousePlace(engine: Engine): SinkUnderTest & { readonly url: string; readonly database: string } {
  const database = `annals_${process.pid}_${++databases}`
  const url = engine.url(database)
  const all = (table: string) => engine.store.ask(`select * from ${database}.${table} final`)
  return {
    url,
    database,
    open: () => clickhouseSink(url),
    rows: async () => (await all('record')).map(rowFrom),
    documents: async () => (await all('document')).map(documentFrom),
    remove: () => engine.store.run(`drop database if exists ${database} sync`),
  }
}
