import postgres from 'postgres'
import { Failure } from '../../../core/failure.ts'
import { parseJson } from '../../../core/json.ts'
import type { SqlValue } from '../../../index/driver.ts'
import { troubleAsFailure } from '../../sink.ts'
import type { Columns } from '../../team/store-reader.ts'
import { type AddressDefaults, readAddress } from './address.ts'
import { driverOptions, settingsFor } from './client-options.ts'
import { literal } from './pg-text.ts'
import { asTrouble } from './trouble.ts'

/** A row of an answer. */
export type AnsweredRow = Readonly<Record<string, unknown>>

/** A query, its values, and settings that hold for this query alone. */
type Question = readonly [
  text: string,
  values?: readonly unknown[] | undefined,
  settings?: Readonly<Record<string, string>> | undefined,
]

/** Longer than the server lets a statement run: then nobody is there. */
const PATIENCE_MS = 155_000

/** Asks a PostgreSQL, over one connection. Queries that are sent before earlier ones are answered do not wait for these to be sent. */
export function postgresAsker(url: string, defaults: AddressDefaults = {}) {
  const address = readAddress(url, defaults)
  const always = `set local transaction_read_only = on; ${settingsFor(address)}`
  // Connects with the first query. Notices hold words of what was stored.
  const given = { ...driverOptions(address), onnotice: () => {} }
  const sql = postgres(given as postgres.Options<Record<string, never>>)
  const rows = async (...question: Question): Promise<readonly AnsweredRow[]> => {
    try {
      // Several statements in one message are one transaction, and one round trip.
      const answers = sql.unsafe(`${always}; ${written(question)}`).simple()
      const answered = (await inTime(answers, address.shown)) as unknown as readonly AnsweredRow[][]
      return [...(answered.at(-1) ?? [])]
    } catch (error) {
      throw error instanceof Failure ? error : troubleAsFailure(asTrouble(error, address))
    }
  }
  return {
    shown: address.shown,
    rows,
    /** The same as one JSON text: the driver takes many times as long to return each value by itself. */
    json: async <T>(...[text, ...rest]: Question): Promise<readonly T[]> => {
      const [row] = await rows(`select coalesce(json_agg(t), '[]')::text as rows from (${text}) t`, ...rest)
      return parseJson(String(row?.rows)) as unknown as readonly T[]
    },
    /** The same column by column, which takes a third of the bytes and half of the server's time for many rows. */
    columns: async (names: readonly string[], ...[text, ...rest]: Question): Promise<Columns> => {
      const lists = names.map((name) => `json_agg(t."${name}")`).join()
      const [row] = await rows(`select json_build_array(${lists})::text as lists from (${text}) t`, ...rest)
      const columns = parseJson(String(row?.lists)) as unknown as readonly (readonly SqlValue[] | null)[]
      return Object.fromEntries(names.map((name, nth) => [name, columns[nth] ?? []]))
    },
    close: () => void sql.end({ timeout: 0 }).catch(() => {}),
  }
}

/** One text with all values in it: only such a text takes settings and a query together. */
function written([text, values = [], settings = {}]: Question): string {
  const set = Object.entries(settings).map(([name, value]) => `set local ${name} = ${literal(value)}; `)
  return set.join('') + text.replace(/\$(\d+)/g, (_, nth) => literal(values[Number(nth) - 1]))
}

async function inTime<T>(answer: PromiseLike<T>, shown: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    const late = new Failure('CANNOT_RUN', `The team store at ${shown} does not answer.`)
    timer = setTimeout(() => reject(late), PATIENCE_MS)
  })
  try {
    return await Promise.race([answer, tooLate])
  } finally {
    clearTimeout(timer)
  }
}
