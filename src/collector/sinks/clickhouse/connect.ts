import { type ClickHouseSettings, createClient } from '@clickhouse/client'
import type { ClickHouseAddress } from './address.ts'
import { ASKING, type ConnectOptions, clientOptions } from './client-options.ts'
import { asTrouble } from './trouble.ts'

/** A value that a question carries; the server never sees it as SQL. */
export type Asked = Readonly<Record<string, string | number | readonly string[] | readonly number[]>>
export type Found = Readonly<Record<string, unknown>>

/** A ClickHouse that is asked and told. Whatever goes wrong is a `SinkTrouble` with a sentence. */
export interface Connection {
  ask(sql: string, values?: Asked): Promise<readonly Found[]>
  run(sql: string, values?: Asked): Promise<void>
  /** Adds rows at once. The same rows with the same token are taken once, however often they are sent. */
  insert(table: string, rows: readonly object[], token?: string): Promise<void>
  close(): Promise<void>
}

/** What holds for every insert: all of it or nothing, told only when it is there, in as many months as it has. */
const INSERT: ClickHouseSettings = {
  deduplicate_blocks_in_dependent_materialized_views: 1,
  max_partitions_per_insert_block: '0',
  distributed_foreground_insert: 1,
  async_insert: 0,
  input_format_skip_unknown_fields: 0,
}

/** Connects when it is first asked. */
export function connect(address: ClickHouseAddress, options: ConnectOptions = {}): Connection {
  const client = createClient(clientOptions(address, options))
  const saying = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw asTrouble(error, address)
    }
  }
  return {
    ask: (query, values) =>
      saying(async () => {
        const asked = { query, query_params: { ...values }, clickhouse_settings: ASKING }
        const answer = await client.query({ ...asked, format: 'JSONEachRow' })
        return await answer.json<Found>()
      }),
    run: (query, values) => saying(async () => void (await client.command({ query, query_params: { ...values } }))),
    insert: (table, values, token) =>
      saying(async () => {
        if (values.length === 0) return
        const clickhouse_settings = { ...INSERT, ...(token !== undefined && { insert_deduplication_token: token }) }
        await client.insert({ table, values, format: 'JSONEachRow', clickhouse_settings })
      }),
    close: () => client.close(),
  }
}
