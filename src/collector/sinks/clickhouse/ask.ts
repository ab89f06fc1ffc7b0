import { parseJson } from '../../../core/json.ts'
import { AskThread } from '../ask-thread.ts'
import { startThread } from '../started-thread.ts'
import { readClickHouseAddress } from './address.ts'
import { ASKING, clientOptions } from './client-options.ts'
import type { Asked, Found } from './connect.ts'
import { asTrouble } from './trouble.ts'

const PATIENCE_MS = 150_000

/** Asks a ClickHouse, on the spot. */
export function clickHouseAsker(url: string, given: { readonly password?: string | undefined }) {
  const address = readClickHouseAddress(url, given)
  const thread = new AskThread<string>({
    thread: startThread(new URL('./ask-clickhouse.mjs', import.meta.url)),
    data: { options: clientOptions(address, { timeoutMs: PATIENCE_MS, settings: ASKING }) },
    shown: address.shown,
    trouble: (error) => asTrouble(error, address),
  })
  const send = <T = Found>(sql: string, values: Asked = {}): (() => T[]) => {
    const answer = thread.send({ sql, values })
    return () =>
      answer()
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [parseJson(line) as T]))
  }
  return {
    shown: address.shown,
    /** Sends a question, and gives what waits for all its rows. */
    send,
    rows: <T = Found>(sql: string, values: Asked = {}): T[] => send<T>(sql, values)(),
    close: () => thread.close(),
  }
}
