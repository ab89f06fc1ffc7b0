import { parseJson } from '../../../core/json.ts'
import { AskThread } from '../ask-thread.ts'
import { readClickHouseAddress } from './address.ts'
import { ASKING, clientOptions } from './client-options.ts'
import type { Asked, Found } from './connect.ts'
import { asTrouble } from './trouble.ts'

const PATIENCE_MS = 150_000

/** Asks a ClickHouse, on the spot. */
export function clickHouseAsker(url: string, given: { readonly password?: string | undefined }) {
  const address = readClickHouseAddress(url, given)
  const thread = new AskThread<string>({
    program: new URL('./ask-clickhouse.mjs', import.meta.url),
    data: { options: clientOptions(address, { timeoutMs: PATIENCE_MS, settings: ASKING }) },
    shown: address.shown,
    trouble: (error) => asTrouble(error, address),
  })
  return {
    shown: address.shown,
    rows: <T = Found>(sql: string, values: Asked = {}): T[] =>
      thread
        .ask({ sql, values })
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [parseJson(line) as T])),
    close: () => thread.close(),
  }
}
