import type { ClickHouseClientConfigOptions, ClickHouseSettings } from '@clickhouse/client'
import type { ClickHouseAddress } from './address.ts'

/** How long a question may take, and how soon one gives up. */
export interface ConnectOptions {
  readonly timeoutMs?: number
  readonly settings?: ClickHouseSettings
  /** Another database than the address names: that one may not be there yet. */
  readonly database?: string
}

/** A name means a column wherever there is one, as everywhere else in SQL. */
export const ASKING: ClickHouseSettings = { prefer_column_name_to_alias: 1 }

/** `ClickHouseLogLevel.OFF`; the driver itself is loaded by those alone who connect. */
const SILENT = 127

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
    log: { level: SILENT },
    ...(ca && { tls: { ca_cert: ca } }),
  }
}
