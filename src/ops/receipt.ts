import type { OwnerRule } from '../core/facts/owner.ts'
import { Failure } from '../core/failure.ts'
import { type Static, Type } from '../core/schema.ts'
import { type Calendar, openCalendar } from '../core/usage/calendar.ts'
import { dayNamed, readPeriod } from '../core/usage/period.ts'
import { type DatedPrice, geoFactor, ratesFor } from '../core/usage/price.ts'
import type { UsageRow } from '../core/usage/usage.ts'
import type { SessionFiles } from '../disk/inventory.ts'
import type { Library } from '../disk/library.ts'
import type { Context } from '../history/context.ts'
import { keyOfFiles } from '../history/families.ts'
import { findSession } from '../history/find.ts'
import { type History, historyOf } from '../history/history.ts'
import { readSeenRows, type SeenRows } from '../history/seen-rows.ts'
import {
  NullableNumber,
  NullableString,
  nullable,
  placeFields,
  placeOf,
  timezoneInput,
  UsageShape,
} from '../history/shapes.ts'
import type { PriceBook } from '../history/usage/price-book.ts'
import { ModelSum, ReceiptSession, receiptModels, receiptSessions } from '../history/usage/receipt-groups.ts'
import { type BilledSpending, readUsage, sessionUsage, spentBy, sumBilled } from '../history/usage/usage.ts'
import { familyLabels } from '../history/usage/usage-family.ts'
import { SumShape } from '../history/usage/usage-rows.ts'
import { defineOp } from './op.ts'

const PriceShape = Type.Object(
  {
    input: Type.Number(),
    output: Type.Number(),
    cacheWrite5m: Type.Number(),
    cacheWrite1h: Type.Number(),
    cacheRead: Type.Number(),
    rate: Type.String('usual, fast or long'),
    factor: Type.Number('For where it was made: 1.1 in the US, else 1'),
    from: nullable(Type.String('The first day it holds for; null for always')),
    asOf: Type.String('When the source said so'),
    source: Type.String(),
  },
  'US dollars per million tokens',
)

const { responses: _, ...tokenFields } = UsageShape.properties

const ReceiptItem = Type.Object({
  messageId: Type.String(),
  requestId: NullableString,
  session: Type.String(),
  agent: nullable(Type.String('The agent whose log it is first in')),
  timestamp: NullableString,
  model: Type.String(),
  ...tokenFields,
  price: nullable(PriceShape),
  costUsd: NullableNumber,
  abandoned: Type.Boolean('It is on a branch that was abandoned'),
  estimated: Type.Boolean('Only the first tokens of its stream were written down'),
  rows: Type.Array(
    Type.Object({
      ...placeFields,
      outputTokens: Type.Number(),
      counted: Type.Boolean('The one row whose numbers count'),
      first: Type.Boolean('The row that says when, and in which session'),
      why: Type.String(),
    }),
  ),
})

export const receipt = defineOp({
  name: 'receipt',
  group: 'Cost',
  effort: 'long',
  teamStore: 'read',
  summary: 'Explain a cost: each response, its tokens, its price.',
  examples: [
    'annals receipt yesterday',
    'annals receipt last --lines',
    'annals receipt last:3',
    'annals receipt 2026-11-01..2026-11-11',
    'annals receipt msg_01ABC',
  ],
  input: Type.Object({
    what: Type.String(
      'A session, a turn of it (SESSION:TURN), agent-<id>, a day (2026-11-11, yesterday), FROM..TO or a message id',
    ),
    ...timezoneInput,
    lines: Type.Optional(Type.Boolean('List every response with its log lines, instead of sessions, turns and models')),
  }),
  positional: ['what'],
  result: Type.Object({
    kind: Type.String('session, turn, agent, day, period or message'),
    key: Type.String(),
    title: NullableString,
    timezone: Type.String(),
    models: Type.Array(ModelSum, 'The multiplication of the whole: by model and price'),
    sessions: Type.Array(ReceiptSession, 'Who made the number: sessions, their turns, the models of these'),
    items: Type.Array(ReceiptItem),
    total: SumShape,
    countedElsewhere: Type.Array(
      Type.Object({ messageId: Type.String(), session: Type.String(), costUsd: NullableNumber }),
      'Responses that the session also shows, and that count for the session they were copied from',
    ),
  }),
  async run(context, input) {
    const calendar = openCalendar(input.timezone, context.localZone)
    const { kind, key, title, library, isMeant, turn, file, files } = await meant(context, input.what, calendar)
    const history = historyOf({ ...context, library })
    const queries = await history.refresh('facts', context.progress)
    const all = files ? await sessionUsage(history, files) : (await readUsage(history, { single: true })).calls
    const { turnOf } = await familyLabels(queries.sessions, files)
    const calls = all.filter((one) => isMeant(one) && (turn === undefined || turnOf(one)?.key === turn))
    const held = file === undefined || !files ? [] : await inheritedCalls(history, files, file)
    const copies = held.filter((one) => !isMeant(one))
    if (calls.length === 0 && copies.length === 0) throw nothingFound(kind, input.what)
    const book = await history.prices()
    const seen = await readSeenRows(history, calls)
    const items = calls.map((one, at) => itemOf(one, seen[at] as SeenRows, book))
    const billed = calls.map((one, at) => ({ one, price: items[at]?.price ?? null }))
    const own = files ? [keyOfFiles(files)] : []
    const titles = await queries.sessions.titles([...own, ...calls.map(({ session }) => session.key)])
    const [first] = calls.length > 0 ? calls.map(({ session }) => session.key) : own
    return {
      kind,
      key,
      title: title ?? titles.get(first ?? '')?.title ?? null,
      timezone: calendar.timezone,
      models: receiptModels(billed),
      sessions: receiptSessions(billed, turnOf, titles),
      items,
      total: sumBilled(calls),
      countedElsewhere: copies.map(({ call, session, costUsd }) => {
        return { messageId: call?.messageId ?? '', session: session.id, costUsd }
      }),
    }
  },
})

/** The responses that a log holds and another log owns. */
async function inheritedCalls(
  history: History,
  { id }: SessionFiles,
  file: string,
): Promise<readonly BilledSpending[]> {
  const { spending } = await history.refresh()
  const logs = await spending.logs({ since: Number.MAX_SAFE_INTEGER, session: id })
  const inherited = await spending.inherited(logs.flatMap((log) => (log.path === file ? log.id : [])))
  if (inherited.length === 0) return []
  const keys = new Set(inherited.map(({ call }) => call?.key))
  const { calls } = await readUsage(history, { single: true })
  return calls.filter(({ call }) => call !== null && keys.has(call.key))
}

interface Meant {
  readonly kind: 'session' | 'turn' | 'agent' | 'day' | 'period' | 'message'
  readonly key: string
  readonly title: string | null
  readonly library: Library
  readonly isMeant: (one: BilledSpending) => boolean
  /** The only turn of it that is meant. */
  readonly turn?: string
  /** The log of the session that is meant: it may show what counts elsewhere. */
  readonly file?: string | undefined
  readonly files?: SessionFiles
}

async function meant(context: Context, what: string, calendar: Calendar): Promise<Meant> {
  const { library } = context
  const day = dayNamed(what, context.now, calendar.day(context.now.getTime()))
  if (day !== undefined) {
    return { kind: 'day', key: day, title: day, library, isMeant: (one) => calendar.day(one.at) === day }
  }
  const [, from, to] = /^([\d-]{10}[\dT:.Z]*)\.\.([\d-]{10}[\dT:.Z]*)$/.exec(what) ?? []
  if (from !== undefined && to !== undefined) {
    return { kind: 'period', key: what, title: what, library, isMeant: isBetween(from, to, calendar, context.now) }
  }
  const isCalled = (one: BilledSpending) => one.call?.messageId === what
  if (/^msg_/.test(what)) {
    const isMeant = (one: BilledSpending) => one.call?.messageId.startsWith(what) === true
    return { kind: 'message', key: what, title: null, library, isMeant }
  }
  const [, session = what, turn] = /^(.*(?<!\.jsonl)):(\d+)$/.exec(what) ?? []
  try {
    const found = await findSession(context, session)
    const { library, files, agent } = found
    const isMeant = await spentBy(historyOf({ ...context, library }), found)
    if (turn !== undefined && !agent) return { kind: 'turn', key: files.id, title: null, library, isMeant, turn, files }
    const file = (agent?.log ?? files.log)?.path
    if (agent) return { kind: 'agent', key: agent.id, title: null, library, isMeant, file, files }
    return { kind: 'session', key: files.id, title: null, library, isMeant, file, files }
  } catch (failure) {
    // Ids of messages have another form behind some gateways; they are looked up when no session has that name.
    const isNoSession = failure instanceof Failure && failure.code === 'SESSION_NOT_FOUND'
    const known = isNoSession && (await readUsage(historyOf(context), { single: true })).calls.some(isCalled)
    if (!known) throw failure
    return { kind: 'message', key: what, title: null, library, isMeant: isCalled }
  }
}

/** Days have an end of their own; a moment is the first that is not meant any more. What is neither is refused. */
function isBetween(from: string, to: string, calendar: Calendar, now: Date): (one: BilledSpending) => boolean {
  for (const bound of [from, to]) readPeriod(bound, now)
  const isDays = from.length === 10 && to.length === 10
  if (isDays) return ({ at }) => calendar.day(at) >= from && calendar.day(at) <= to
  const [start, end] = [Date.parse(from), Date.parse(to)]
  return ({ at }) => at >= start && at < end
}

function nothingFound(kind: Meant['kind'], what: string): Failure {
  const hint = 'Run `annals usage --by day` to see when something was used.'
  const message = kind === 'message' ? `No response has the id ${what}.` : `No usage for ${what}.`
  return new Failure('NOT_FOUND', message, { hint })
}

function itemOf(one: BilledSpending, seen: SeenRows, book: PriceBook): Static<typeof ReceiptItem> {
  const { kept, first, rows } = seen
  const timestamp = Number.isNaN(one.at) ? null : new Date(one.at).toISOString()
  const price = book.priceOf(kept?.model ?? one.model, timestamp ?? '')
  return {
    messageId: one.call?.messageId ?? '',
    requestId: one.call?.requestId ?? null,
    session: one.session.id,
    agent: one.agent,
    timestamp,
    model: one.model,
    ...one.used,
    price: price && kept ? priceOf(kept, price) : null,
    costUsd: one.costUsd,
    abandoned: one.isAbandoned,
    estimated: one.placeholders > 0,
    rows: rows.map((row) => ({
      ...placeOf(row.place),
      outputTokens: row.outputTokens,
      counted: isSame(row, kept),
      first: isSame(row, first),
      why: whyOf(row, seen),
    })),
  }
}

function priceOf(kept: UsageRow, price: DatedPrice): Static<typeof PriceShape> {
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

function isSame(a: UsageRow, b: UsageRow | undefined): boolean {
  return b !== undefined && a.place.file === b.place.file && a.place.offset === b.place.offset
}

const WHY_COPY: Readonly<Record<OwnerRule, string>> = {
  marked: 'a copy that names another session',
  made: 'a copy: another log sent the request',
  written: 'a copy: another log wrote it earlier',
  named: 'a copy: it is in the log of its session',
  rest: 'a copy in another file',
}

/** Why a row counts, or why it does not. */
function whyOf(row: UsageRow, { kept, first, rows, ruleOf }: SeenRows): string {
  if (isSame(row, kept)) {
    if (rows.length === 1) return 'the only row'
    const isLargest = rows.some((other) => other.outputTokens < row.outputTokens)
    return isLargest ? 'it has the most output tokens' : 'all rows say the same; this is the first that does'
  }
  if (row.isFork) return 'a copy that a fork made'
  if (row.place.file !== first?.place.file) return WHY_COPY[ruleOf(row.place.file)]
  if (row.outputTokens < (kept?.outputTokens ?? 0)) return 'written before the answer was complete'
  return 'another part of the same answer'
}
