import { type Static, Type } from 'typebox'
import { Failure } from '../core/failure.ts'
import type { OwnerRule } from '../core/owner.ts'
import { geoFactor, ratesFor } from '../core/price.ts'
import type { UsageRow } from '../core/usage.ts'
import type { Library } from '../disk/library.ts'
import { type Calendar, DAY, openCalendar } from './calendar.ts'
import { findSession } from './find-session.ts'
import { type Context, defineOp } from './op.ts'
import { NullableNumber, NullableString, nullable, placeFields, placeOf, UsageShape } from './shapes.ts'
import { timezoneInput } from './usage.ts'
import { type Priced, priceAll, sumBilled } from './usage-price.ts'
import { readUsage } from './usage-reading.ts'
import { SumShape } from './usage-rows.ts'

const PriceShape = Type.Object(
  {
    input: Type.Number(),
    output: Type.Number(),
    cacheWrite5m: Type.Number(),
    cacheWrite1h: Type.Number(),
    cacheRead: Type.Number(),
    rate: Type.String({ description: 'usual, fast or long' }),
    factor: Type.Number({ description: 'For where it was made: 1.1 in the US, else 1' }),
    from: nullable(Type.String({ description: 'The first day it holds for; null for always' })),
    asOf: Type.String({ description: 'When the source said so' }),
    source: Type.String(),
  },
  { description: 'US dollars per million tokens' },
)

const { responses: _, ...tokenFields } = UsageShape.properties

const ReceiptItem = Type.Object({
  messageId: Type.String(),
  requestId: NullableString,
  session: Type.String(),
  agent: nullable(Type.String({ description: 'The agent whose log it is first in' })),
  timestamp: NullableString,
  model: Type.String(),
  ...tokenFields,
  price: nullable(PriceShape),
  costUsd: NullableNumber,
  abandoned: Type.Boolean({ description: 'It is on a branch that was abandoned' }),
  estimated: Type.Boolean({ description: 'Only the first tokens of its stream were written down' }),
  rows: Type.Array(
    Type.Object({
      ...placeFields,
      outputTokens: Type.Number(),
      counted: Type.Boolean({ description: 'The one row whose numbers count' }),
      first: Type.Boolean({ description: 'The row that says when, and in which session' }),
      why: Type.String(),
    }),
  ),
})

export const receipt = defineOp({
  name: 'receipt',
  summary: 'Show which lines made a number: every response, the row that counts, the copies that do not, the price.',
  examples: ['annals receipt last', 'annals receipt 2026-11-11', 'annals receipt msg_01ABC'],
  input: Type.Object({
    what: Type.String({ description: 'A session, a day (2026-11-11) or a message id' }),
    ...timezoneInput,
  }),
  positional: ['what'],
  result: Type.Object({
    kind: Type.String({ description: 'session, day or message' }),
    key: Type.String(),
    title: NullableString,
    timezone: Type.String(),
    items: Type.Array(ReceiptItem),
    total: SumShape,
    countedElsewhere: Type.Array(
      Type.Object({ messageId: Type.String(), session: Type.String(), costUsd: NullableNumber }),
      { description: 'Responses that the session also shows, and that count for the session they were copied from' },
    ),
  }),
  async run(context, input) {
    const calendar = openCalendar(input.timezone)
    const { kind, key, title, library, isMeant, isCopied } = meant(context, input.what, calendar)
    const reading = readUsage(context, library, { everyRow: true })
    const { rowsOf, sessions } = reading
    const all = await priceAll(context, reading)
    const priced = all.filter(isMeant)
    const copies = all.filter((one) => kind === 'session' && !isMeant(one) && isCopied(rowsOf(one.response)))
    if (priced.length === 0 && copies.length === 0) throw nothingFound(kind, input.what)
    return {
      kind,
      key,
      title: title ?? sessions.find(({ id }) => id === (priced[0]?.log.session.id ?? key))?.title ?? null,
      timezone: calendar.timezone,
      items: priced.map((one) => itemOf(one, rowsOf(one.response))),
      total: sumBilled(priced),
      countedElsewhere: copies.map(({ response, log, costUsd }) => {
        return { messageId: response.messageId, session: log.session.id, costUsd }
      }),
    }
  },
})

interface Meant {
  readonly kind: 'session' | 'day' | 'message'
  readonly key: string
  readonly title: string | null
  readonly library: Library
  readonly isMeant: (one: Priced) => boolean
  /** It is shown where one looked, though it counts elsewhere. */
  readonly isCopied: (rows: readonly UsageRow[]) => boolean
}

function meant(context: Context, what: string, calendar: Calendar): Meant {
  const { library } = context
  const never = () => false
  if (DAY.test(what)) {
    return {
      kind: 'day',
      key: what,
      title: what,
      library,
      isMeant: (one) => calendar.day(one.at) === what,
      isCopied: never,
    }
  }
  if (/^msg_/.test(what)) {
    const isMeant = (one: Priced) => one.response.messageId.startsWith(what)
    return { kind: 'message', key: what, title: null, library, isMeant, isCopied: never }
  }
  try {
    const { library, files } = findSession(context, what)
    const isCopied = (rows: readonly UsageRow[]) => rows.some((row) => row.place.file === files.log?.path)
    const isMeant = (one: Priced) => one.session.id === files.id
    return { kind: 'session', key: files.id, title: null, library, isMeant, isCopied }
  } catch (failure) {
    // Ids of messages have another form behind some gateways; they are looked up when no session has that name.
    const isNoSession = failure instanceof Failure && failure.code === 'SESSION_NOT_FOUND'
    const known = isNoSession && readUsage(context, library).counted.some((one) => one.messageId === what)
    if (!known) throw failure
    const isMeant = (one: Priced) => one.response.messageId === what
    return { kind: 'message', key: what, title: null, library, isMeant, isCopied: never }
  }
}

function nothingFound(kind: Meant['kind'], what: string): Failure {
  const hint = 'Run `annals usage --by day` to see when something was used.'
  const message = kind === 'message' ? `No response has the id ${what}.` : `Nothing was used in ${what}.`
  return new Failure('NOT_FOUND', message, { hint })
}

const WHY_COPY: Readonly<Record<OwnerRule, string>> = {
  marked: 'a copy that names another session',
  made: 'a copy: another log sent the request',
  written: 'a copy: another log wrote it earlier',
  named: 'a copy: it is in the log of its session',
  rest: 'a copy in another file',
}

function itemOf(one: Priced, rows: readonly UsageRow[]): Static<typeof ReceiptItem> {
  const { response, log, price, costUsd } = one
  const { kept, first } = response
  return {
    messageId: response.messageId,
    requestId: response.requestId,
    session: log.session.id,
    agent: log.agent,
    timestamp: Number.isNaN(one.at) ? null : new Date(one.at).toISOString(),
    model: one.model,
    inputTokens: kept.inputTokens,
    outputTokens: kept.outputTokens,
    cacheReadTokens: kept.cacheReadTokens,
    cacheWrite5mTokens: kept.cacheWrite5mTokens,
    cacheWrite1hTokens: kept.cacheWrite1hTokens,
    webSearches: kept.webSearches,
    price: price ? priceOf(kept, price) : null,
    costUsd,
    abandoned: one.isAbandoned,
    estimated: kept.isPlaceholder,
    rows: rows.map((row) => ({
      ...placeOf(row.place),
      outputTokens: row.outputTokens,
      counted: isSame(row, kept),
      first: isSame(row, first),
      why: whyOf(row, response, rows),
    })),
  }
}

function priceOf(kept: UsageRow, price: NonNullable<Priced['price']>): Static<typeof PriceShape> {
  const rates = ratesFor(kept, price)
  const { input, output, cacheWrite5m, cacheWrite1h, cacheRead } = rates
  return {
    input,
    output,
    cacheWrite5m,
    cacheWrite1h,
    cacheRead,
    rate: rates === price.fast ? 'fast' : rates === price.long ? 'long' : 'usual',
    factor: geoFactor(kept.geo),
    from: price.from,
    asOf: price.asOf,
    source: price.source,
  }
}

function isSame(a: UsageRow, b: UsageRow): boolean {
  return a.place.file === b.place.file && a.place.offset === b.place.offset
}

/** Why a row counts, or why it does not. */
function whyOf(row: UsageRow, { kept, first, copies }: Priced['response'], rows: readonly UsageRow[]): string {
  if (isSame(row, kept)) {
    if (rows.length === 1) return 'the only row'
    const isLargest = rows.some((other) => other.outputTokens < row.outputTokens)
    return isLargest ? 'it has the most output tokens' : 'all rows say the same; this is the first that does'
  }
  if (row.isFork) return 'a copy that a fork made'
  if (row.place.file !== first.place.file) {
    return WHY_COPY[copies.find((copy) => copy.first.table.file === row.place.file)?.rule ?? 'rest']
  }
  if (row.outputTokens < kept.outputTokens) return 'written before the answer was complete'
  return 'another part of the same answer'
}
