import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readClickHouseAddress } from '../../src/collector/sinks/clickhouse/address.ts'
import { type Connection, connect } from '../../src/collector/sinks/clickhouse/connect.ts'
import { documentFrom, rowFrom } from '../../src/collector/sinks/clickhouse/stored-row.ts'
import { clickhouseSink } from '../../src/collector/sinks/clickhouse.ts'
import type { SinkUnderTest } from '../collector/sink-contract.ts'

/** ClickHouse as a library, with the version that was looked at. Never a dependency: it has half a gigabyte. */
const CHDB = 'chdb@3.4.0'
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
  const door = flag.startsWith('clickhouse://') ? undefined : await openDoor(installed())
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

/** The folder that chdb is installed in. */
function installed(): string {
  const folder = join(tmpdir(), `annals-${CHDB.replace('@', '-')}`)
  if (existsSync(join(folder, 'node_modules', 'chdb', 'package.json'))) return folder
  console.log(`Installing ${CHDB} into ${folder} …`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', CHDB]
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error(`${CHDB} cannot be installed.`)
  return folder
}

/** The engine in a process of its own, and its HTTP interface. */
async function openDoor(folder: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const data = mkdtempSync(join(tmpdir(), 'annals-chdb-'))
  const script = fileURLToPath(new URL('clickhouse-door.mjs', import.meta.url))
  const child = spawn(process.execPath, [script, folder, data], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (bytes) => resolve(String(bytes).trim()))
    child.once('exit', () => reject(new Error('The engine did not start.')))
  })
  return {
    url: `clickhouse://127.0.0.1:${port}`,
    async close() {
      child.stdin.end()
      await ended
      rmSync(data, { recursive: true, force: true })
    },
  }
}
