import { parseJson } from '../../../core/json.ts'
import type { Columns, SqlValue } from '../../../index/driver.ts'
import { AskThread } from '../ask-thread.ts'
import { startThread } from '../started-thread.ts'
import { type AddressDefaults, readAddress } from './address.ts'
import { driverOptions, settingsFor } from './client-options.ts'
import { literal } from './pg-text.ts'
import { asTrouble } from './trouble.ts'

/** What a row of an answer holds. */
export type AnsweredRow = Readonly<Record<string, unknown>>

/** A query, its values, and settings that hold for this one alone. */
export interface PostgresQuestion {
  readonly text: string
  readonly values?: readonly unknown[]
  readonly settings?: Readonly<Record<string, string>>
  /** Asked on a second connection: it takes long, and what is asked after it does not wait for it. */
  readonly isBeside?: boolean
}

/** Asks a PostgreSQL, on the spot. */
export function postgresAsker(url: string, defaults: AddressDefaults = {}) {
  const address = readAddress(url, defaults)
  const always = `set local transaction_read_only = on; ${settingsFor(address)}`
  const thread = new AskThread<readonly AnsweredRow[]>({
    thread: startThread(new URL('./ask-postgres.mjs', import.meta.url)),
    data: { options: driverOptions(address) },
    shown: address.shown,
    trouble: (error) => asTrouble(error, address),
  })
  const ahead = new Map<string, () => readonly AnsweredRow[]>()
  const whole = (question: PostgresQuestion) => `${always}; ${written(question)}`
  const send = (question: PostgresQuestion) => {
    const text = whole(question)
    const sent = ahead.get(text)
    ahead.delete(text)
    return sent ?? thread.send({ text, isBeside: question.isBeside ?? false })
  }
  const sendAhead = (text: string) => {
    const asked = whole({ text })
    if (!ahead.has(asked)) ahead.set(asked, thread.send({ text: asked }))
  }
  const rows = (text: string, values: readonly unknown[] = [], settings: Readonly<Record<string, string>> = {}) =>
    send({ text, values, settings })()
  const sendJson = <T>(...[text, values, settings]: Parameters<typeof rows>) => {
    const answer = send({ text: asJson(text), ...(values && { values }), ...(settings && { settings }) })
    return () => parseJson(String(answer()[0]?.rows)) as unknown as readonly T[]
  }
  return {
    shown: address.shown,
    /** Sends a question, and gives what waits for all its rows. */
    send,
    rows,
    /** The same as one JSON text: the driver takes many times as long to hand over each value by itself. */
    json: <T>(...asked: Parameters<typeof rows>) => sendJson<T>(...asked)(),
    sendJson,
    /** The same column by column, which takes a third of the bytes and half of the server's time where there are many rows. */
    columns: (names: readonly string[], ...[text, ...rest]: Parameters<typeof rows>): Columns => {
      const [row] = rows(asColumns(names, text), ...rest)
      const lists = parseJson(String(row?.lists)) as unknown as readonly (readonly SqlValue[] | null)[]
      return Object.fromEntries(names.map((name, nth) => [name, lists[nth] ?? []]))
    },
    columnsAhead: (names: readonly string[], text: string) => sendAhead(asColumns(names, text)),
    /** Sends what will be asked in these words: it is answered while others get ready to ask. */
    rowsAhead: (text: string) => sendAhead(text),
    jsonAhead: (text: string) => sendAhead(asJson(text)),
    /** Lets go of what was sent ahead and not asked for; its answers are waited for, so that nobody keeps them. */
    forgetAhead: () => {
      for (const answer of ahead.values()) answer()
      ahead.clear()
    },
    close: () => thread.close(),
  }
}

function asColumns(names: readonly string[], text: string): string {
  return `select json_build_array(${names.map((name) => `json_agg(t."${name}")`).join()})::text as lists from (${text}) t`
}

function asJson(text: string): string {
  return `select coalesce(json_agg(t), '[]')::text as rows from (${text}) t`
}

/** One text with all values in it: only such a one takes settings and query there together. */
function written({ text, values = [], settings = {} }: PostgresQuestion): string {
  const set = Object.entries(settings).map(([name, value]) => `set local ${name} = ${literal(value)}; `)
  return set.join('') + text.replace(/\$(\d+)/g, (_, nth) => literal(values[Number(nth) - 1]))
}
