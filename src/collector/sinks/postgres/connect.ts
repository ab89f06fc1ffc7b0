import postgres from 'postgres'
import type { Address } from './address.ts'
import { type ConnectOptions, driverOptions, settingsFor } from './client-options.ts'

/** A transaction of a store. */
export type Transaction = postgres.TransactionSql

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
