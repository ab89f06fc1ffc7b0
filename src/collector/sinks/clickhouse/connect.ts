import {
  type ClickHouseClientConfigOptions,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
} from '@clickhouse/client'
import type { ClickHouseAddress } from './address.ts'
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

/** How long a question may take, and how soon one gives up. */
export interface ConnectOptions {
  readonly timeoutMs?: number
  readonly settings?: ClickHouseSettings
  /** Another database than the address names: that one may not be there yet. */
  readonly database?: string
}

/** What holds for every insert: all of it or nothing, told only when it is there, in as many months as it has. */
const INSERT: ClickHouseSettings = {
  deduplicate_blocks_in_dependent_materialized_views: 1,
  max_partitions_per_insert_block: '0',
  distributed_foreground_insert: 1,
  async_insert: 0,
  input_format_skip_unknown_fields: 0,
}

/** A name means a column wherever there is one, as everywhere else in SQL. */
export const ASKING: ClickHouseSettings = { prefer_column_name_to_alias: 1 }

/** How the driver is told to speak; plain data, that can go to another thread. */
export function clientOptions(address: ClickHouseAddress, options: ConnectOptions = {}): ClickHouseClientConfigOptions {
  const { url, user, password, ca } = address
  return {
    url,
    username: user,
    password,
    database: options.database ?? address.database,
    application: 'annals',
    request_timeout: options.timeoutMs ?? 60_000,
    // Between two machines of one network packing costs more than it saves; a day's text is not small, though.
    compression: { request: url.startsWith('https:'), response: false },
    // Names of many files do not fit into an address.
    use_multipart_params_auto: true,
    clickhouse_settings: { wait_end_of_query: 1, ...options.settings },
    // The driver would write errors, and with them addresses, to the screen by itself.
    log: { level: ClickHouseLogLevel.OFF },
    ...(ca && { tls: { ca_cert: ca } }),
  }
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
