import postgres from 'postgres'
import type { Address } from './address.ts'

/** A transaction of a store. */
export type Transaction = postgres.TransactionSql

/** How patient a connection is. */
export interface ConnectOptions {
  readonly statementTimeoutMs?: number
  /** What the server shows of it. */
  readonly name?: string
}

/**
 * A way to a store. All that is asked is asked in transactions, and what is set holds for one of them: between us and the server
 * a pooler may give each to another connection.
 */
export interface Store {
  ask<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Whether somebody answers. */
  reach(): Promise<void>
  /** Runs what no transaction may hold. */
  alone(text: string): Promise<void>
  close(seconds?: number): Promise<void>
}

/** Opens nothing yet: the first question does. */
export function connect(address: Address, options: ConnectOptions = {}): Store {
  // Notices hold words of what was stored.
  const given = { ...driverOptions(address, options), onnotice: () => {} }
  const sql = postgres(given as postgres.Options<Record<string, never>>)
  const settings = settingsFor(address, options)
  return {
    ask: async <T>(work: (tx: Transaction) => Promise<T>) => {
      const set = async (tx: Transaction) => {
        await tx.unsafe(settings)
        return await work(tx)
      }
      return (await sql.begin((tx) => unlessLost(set(tx)))) as T
    },
    reach: async () => void (await sql.unsafe('select 1')),
    alone: async (text) => void (await sql.unsafe(text)),
    close: (seconds = 5) => sql.end({ timeout: seconds }),
  }
}

/** The options of the driver, in plain data. Nothing that a pooler would have to remember: no settings, no named statements. */
export function driverOptions(address: Address, { name = 'annals' }: ConnectOptions = {}) {
  return {
    host: address.host,
    port: address.port,
    // A unix socket is named by `path`, which the types of the package leave out of its options.
    ...(address.isSocket && { path: `${address.host}/.s.PGSQL.${address.port}` }),
    database: address.database,
    user: address.user,
    pass: address.password ?? '',
    ssl: address.ssl,
    max: 1,
    // Thousands of collectors share one server.
    idle_timeout: 20,
    connect_timeout: 15,
    fetch_types: false,
    prepare: false,
    connection: { application_name: name, TimeZone: 'UTC' },
  }
}

/** What holds for each transaction: who acts, and how long they wait. */
export function settingsFor({ role }: Address, { statementTimeoutMs = 120_000 }: ConnectOptions = {}): string {
  const settings = {
    client_min_messages: 'warning',
    statement_timeout: statementTimeoutMs,
    lock_timeout: 30_000,
    idle_in_transaction_session_timeout: 60_000,
    // Compiling takes longer than what we ask.
    jit: 'off',
  }
  const lines = Object.entries(settings).map(([name, value]) => `set local ${name} = ${value}`)
  return [...lines, ...(role === undefined ? [] : [`set local role "${role.replaceAll('"', '""')}"`])].join('; ')
}

/** Whether an error says that the connection itself is gone. */
export function isLost(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^(CONNECTION_(CLOSED|ENDED|DESTROYED)|ECONNRESET|EPIPE)$/.test(code)
}

/**
 * Work within a transaction. Where the connection is gone the driver would still send a rollback, into nothing, and bring the
 * process down; so such work never ends, and it is the transaction that fails, because its connection has closed.
 */
export async function unlessLost<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (isLost(error)) return await new Promise<never>(() => {})
    throw error
  }
}
