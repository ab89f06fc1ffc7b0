import type { Address } from './address.ts'

/** How patient a connection is. */
export interface ConnectOptions {
  readonly statementTimeoutMs?: number
  /** What the server shows of it. */
  readonly name?: string
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
