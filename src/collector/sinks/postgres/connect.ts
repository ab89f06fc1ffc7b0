import type { Writable } from 'node:stream'
import postgres from 'postgres'
import type { Address } from './address.ts'

/** A pool of connections, and a transaction on one of them. */
export type Sql = postgres.Sql
export type Transaction = postgres.TransactionSql

/** How patient a connection is. */
export interface ConnectOptions {
  readonly connections?: number
  readonly statementTimeoutMs?: number
  /** Ends a connection that nothing was asked of for so long: thousands of collectors share one server. */
  readonly idleSeconds?: number
  /** What the server shows of it. */
  readonly name?: string
}

/** Opens nothing yet: the first question does. */
export function connect(address: Address, options: ConnectOptions = {}): Sql {
  // Notices hold words of what was stored.
  const given = { ...connectOptions(address, options), onnotice: () => {} }
  return postgres(given as postgres.Options<Record<string, never>>) as Sql
}

/** The options of the driver, in plain data. */
export function connectOptions(address: Address, options: ConnectOptions = {}): Readonly<Record<string, unknown>> {
  const { connections = 1, statementTimeoutMs = 120_000, idleSeconds = 20, name = 'annals' } = options
  return {
    host: address.host,
    port: address.port,
    // A unix socket is named by `path`, which the types of the package leave out of its options.
    ...(address.isSocket && { path: `${address.host}/.s.PGSQL.${address.port}` }),
    database: address.database,
    user: address.user,
    pass: address.password ?? '',
    ssl: address.ssl,
    max: connections,
    idle_timeout: idleSeconds,
    connect_timeout: 15,
    fetch_types: false,
    connection: {
      application_name: name,
      client_min_messages: 'warning',
      statement_timeout: statementTimeoutMs,
      lock_timeout: 30_000,
      idle_in_transaction_session_timeout: 60_000,
      TimeZone: 'UTC',
      temp_buffers: '32MB',
      // Compiling takes longer than what we ask.
      jit: 'off',
    },
  }
}

/**
 * Copies bytes in the binary format into a table. A server that refuses them after the last byte tells only the query, which
 * by then has long answered with its stream: hence the second ear.
 */
export async function copyIn(tx: Transaction, statement: string, chunks: Iterable<Buffer>): Promise<void> {
  const query = tx.unsafe(statement)
  const ear = query as unknown as { reject: (error: unknown) => void }
  const told = ear.reject
  let refuse: ((error: unknown) => void) | undefined
  ear.reject = (error) => {
    refuse?.(error)
    told(error)
  }
  const stream = await query.writable()
  await new Promise<void>((resolve, reject) => {
    refuse = reject
    stream.once('error', reject)
    stream.once('finish', resolve)
    // One after the other, so that the server works on a piece while the next is made.
    sendAll(stream, chunks).catch(reject)
  })
}

/** A piece is made when the one before has left: they may share their memory. A stream that failed says so itself. */
async function sendAll(stream: Writable, chunks: Iterable<Buffer>): Promise<void> {
  for (const chunk of chunks) await new Promise<void>((resolve) => stream.write(chunk, () => resolve()))
  stream.end()
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
