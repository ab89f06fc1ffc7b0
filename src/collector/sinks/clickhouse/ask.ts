import { createClient } from '@clickhouse/client'
import { parseJson } from '../../../core/json.ts'
import { troubleAsFailure } from '../../sink.ts'
import { readClickHouseAddress } from './address.ts'
import { ASKING, clientOptions } from './client-options.ts'
import type { Asked, Found } from './connect.ts'
import { asTrouble } from './trouble.ts'

const PATIENCE_MS = 150_000

/** Asks a ClickHouse. */
export function clickHouseAsker(url: string, given: { readonly password?: string | undefined }) {
  const address = readClickHouseAddress(url, given)
  const client = createClient(clientOptions(address, { timeoutMs: PATIENCE_MS, settings: ASKING }))
  return {
    shown: address.shown,
    rows: async <T = Found>(query: string, values: Asked = {}): Promise<T[]> => {
      try {
        const answer = await client.query({ query, format: 'JSONEachRow', query_params: { ...values } })
        return (await answer.text()).split('\n').flatMap((line) => (line === '' ? [] : [parseJson(line) as T]))
      } catch (error) {
        throw troubleAsFailure(asTrouble(error, address))
      }
    },
    close: () => void client.close(),
  }
}
