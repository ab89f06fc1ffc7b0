import { parseJson } from '../../../core/json.ts'
import { AskThread } from '../ask-thread.ts'
import { type AddressDefaults, readAddress } from './address.ts'
import { driverOptions, settingsFor } from './connect.ts'
import { asTrouble } from './trouble.ts'

/** What a row of an answer holds. */
export type AnsweredRow = Readonly<Record<string, unknown>>

/** Asks a PostgreSQL, on the spot. */
export function postgresAsker(url: string, defaults: AddressDefaults = {}) {
  const address = readAddress(url, defaults)
  const thread = new AskThread<readonly AnsweredRow[]>({
    program: new URL('./ask-postgres.mjs', import.meta.url),
    data: { options: driverOptions(address), always: settingsFor(address) },
    shown: address.shown,
    trouble: (error) => asTrouble(error, address),
  })
  /** All rows of a query; settings hold for this one alone. */
  const rows = (
    text: string,
    values: readonly unknown[] = [],
    settings: Readonly<Record<string, string>> = {},
  ): readonly AnsweredRow[] => thread.ask({ text, values, settings })
  return {
    shown: address.shown,
    rows,
    /** The same as one JSON text: the driver takes many times as long to hand over each value by itself. */
    json: <T>(...[text, values, settings]: Parameters<typeof rows>): readonly T[] => {
      const [row] = rows(`select coalesce(json_agg(t), '[]')::text as rows from (${text}) t`, values, settings)
      return parseJson(String(row?.rows)) as unknown as T[]
    },
    close: () => thread.close(),
  }
}
