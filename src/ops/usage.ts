import { type Static, Type } from '../core/schema.ts'
import { boundText, DAY, inPeriod, openCalendar, periodStart } from '../core/usage/calendar.ts'
import { dayEnd, dayStart, nextDay } from '../core/usage/day-start.ts'
import { type Library, logsOf } from '../disk/library.ts'
import { watchLogs } from '../disk/watch.ts'
import type { Context } from '../history/context.ts'
import { historyOf } from '../history/history.ts'
import { inScope, isEverything } from '../history/scope.ts'
import { NullableString, nullable, scopeInput, timeInput, timezoneInput } from '../history/shapes.ts'
import { ledgerLines, unloggedOf } from '../history/usage/ledger.ts'
import { ReconcileShape, reconcile } from '../history/usage/reconcile.ts'
import { sumCosts } from '../history/usage/spending.ts'
import { limitOf, WarnShape, warningOf } from '../history/usage/spending-limit.ts'
import { type BilledSession, type BilledSpending, readUsage, sumBilled } from '../history/usage/usage.ts'
import { familyLabels } from '../history/usage/usage-family.ts'
import {
  blocksByResponse,
  type Grouping,
  GroupingShape,
  type Labels,
  PartsShape,
  SumShape,
  UsageRowShape,
  usageRows,
} from '../history/usage/usage-rows.ts'
import type { HistoryQueries } from '../index/queries/history-queries.ts'
import { QUARTER_MS } from '../index/queries/spending.ts'
import { defineOp } from './op.ts'

const CoverageShape = Type.Object({
  rowsRead: Type.Integer('Rows that carry usage'),
  duplicateRows: Type.Integer('Rows that repeat a response already counted'),
  crossFileCopies: Type.Integer('Copies of responses in further files'),
  placeholderResponses: Type.Integer('Responses known only by the first tokens of their stream'),
  syntheticRows: Type.Integer('Rows that Claude Code wrote itself; they cost nothing'),
  unpricedModels: Type.Array(Type.String(), 'Models without a known price; their cost is not in any total'),
})

const UsageInput = Type.Object({
  by: Type.Optional(GroupingShape),
  parts: Type.Optional(PartsShape),
  turns: Type.Optional(Type.Boolean('Also count turns, and what one costs')),
  ...scopeInput,
  ...timeInput,
  ...timezoneInput,
  all: Type.Optional(Type.Boolean('All time')),
  'or-latest': Type.Optional(
    Type.Boolean('Where the last 7 days are empty, the last 7 up to the day that is not; so in text anyway'),
  ),
  warn: Type.Optional(Type.String('Exit 1 when more than this was spent: 50/day, 200/week or 500/month')),
  follow: Type.Optional(Type.Boolean({ description: 'Keep showing it as logs change', alias: 'f' })),
  csv: Type.Optional(Type.Boolean('Print the rows as CSV')),
  reconcile: Type.Optional(Type.Boolean("Compare with Claude Code's own totals, and with ccusage if it is installed")),
})

const UsageShape = Type.Object({
  by: GroupingShape,
  timezone: Type.String(),
  since: nullable(Type.String('A day of the time zone, or a moment')),
  until: NullableString,
  period: Type.Object(
    { from: NullableString, to: nullable(Type.String('The moment after it')) },
    'The same as moments; null where it is open',
  ),
  isLatest: Type.Boolean('The last 7 days are empty: these are the last that are not'),
  warn: nullable(WarnShape),
  rows: Type.Array(UsageRowShape),
  total: Type.Object({
    ...SumShape.properties,
    abandoned: Type.Object(
      { responses: Type.Integer(), costUsd: nullable(Type.Number()) },
      'The part on branches that were abandoned',
    ),
    withUnloggedUsd: nullable(Type.Number('The cost with what no line shows')),
    cacheSavedUsd: nullable(Type.Number('How much more it would have cost without a cache')),
    turns: Type.Optional(Type.Integer('Turns that began in this time, where they were asked for')),
  }),
  unlogged: Type.Object(
    { costUsd: Type.Number(), reasons: Type.Array(Type.String()) },
    "In Claude Code's own totals, in no log line; reported with the last record of its session",
  ),
  coverage: CoverageShape,
  complete: Type.Boolean('false where logs could not be read'),
  behindBytes: Type.Integer('How large those are'),
  reconcile: nullable(ReconcileShape),
})

export const usage = defineOp({
  name: 'usage',
  group: 'Cost',
  lists: 'rows',
  effort: 'long',
  teamStore: 'read',
  summary: 'Show what was used, and its cost at API prices.',
  examples: [
    'annals usage',
    'annals usage --by session --since month',
    'annals usage --by model --all --csv',
    'annals usage --warn 50/day',
    'annals usage --follow',
    'annals usage --reconcile',
  ],
  input: UsageInput,
  positional: [],
  result: UsageShape,
  forPeople: ({ csv }) => (csv ? {} : { 'or-latest': true }),
  isTrouble: ({ warn }) => warn?.isOver === true,
  run: usageOf,
  async *follow(context, input, signal) {
    const { library } = context
    const start = performance.now()
    // The first result was made of the logs as the library listed them then.
    let seen = stateOf(library)
    let wake = () => {}
    const watching = watchLogs(library.roots, () => wake())
    signal.addEventListener('abort', () => wake())
    try {
      while (!signal.aborted) {
        const changed = new Promise<void>((resolve) => {
          wake = resolve
        })
        library.refresh()
        const state = stateOf(library)
        if (state !== seen) {
          seen = state
          // Weeks and days go by while one watches.
          const now = new Date(context.now.getTime() + performance.now() - start)
          yield await usageOf({ ...context, now }, input)
        }
        if (!signal.aborted) await changed
      }
    } finally {
      await watching.close()
    }
  },
})

/** A name for the state that the logs are in. */
function stateOf(library: Library): string {
  const logs = library.projects().flatMap(logsOf)
  return logs.map(({ path, sizeBytes, modifiedAt }) => `${path} ${sizeBytes} ${modifiedAt}`).join('\n')
}

type Input = Static<typeof UsageInput>

/** What was used; where nothing was in the last days and it is asked for, what was used in the last that have some. */
async function usageOf(context: Context, input: Input): Promise<Static<typeof UsageShape>> {
  const mayBeLatest = input['or-latest'] === true && isDefault(input)
  if (!mayBeLatest) return usageIn(context, input)
  const isLong = await isLongAgo(context, input)
  const result = isLong ? undefined : await usageIn(context, input)
  const latest = !result || result.rows.length === 0 ? await latestDays(context, input) : undefined
  if (latest) return Object.assign(await usageIn(context, { ...input, ...latest }), { isLatest: true })
  return result ?? usageIn(context, input)
}

/** Whether nothing at all was used in the last days: then nobody need look who did. */
async function isLongAgo(context: Context, { timezone }: Input): Promise<boolean> {
  const queries = await historyOf(context).refresh('facts', context.progress)
  const today = openCalendar(timezone, context.localZone).day(context.now.toISOString())
  const last = await queries.spending.lastSpentAt()
  const start = periodStart(nextDay(today, 1 - DAYS), context.now)
  return last !== undefined && start !== undefined && last + QUARTER_MS < start
}

async function usageIn(context: Context, input: Input): Promise<Static<typeof UsageShape>> {
  const calendar = openCalendar(input.timezone, context.localZone)
  const today = calendar.day(context.now.toISOString())
  const { by, ...period } = periodOf(input, today)
  const since = boundText(period.since, context.now, { today }) ?? undefined
  const until = boundText(period.until, context.now, { today, end: true }) ?? undefined
  const isInTime = inPeriod({ since, until }, calendar, context.now)
  const fits = scopeTest(input, context.cwd)
  const history = historyOf(context)
  const single = input.reconcile || SINGLE.has(by) || ![since, until].every((day) => day === undefined || DAY.test(day))
  // Where a block begins, and what a ledger covers, all calls decide.
  const start = input.reconcile || by === 'block' ? undefined : periodStart(since, context.now)
  const all = await readUsage(history, { single, since: start, progress: context.progress })
  const queries = await history.refresh()
  const calls = all.calls.filter(({ at, session }) => isInTime(at) && fits(session))
  const isMeant = (session: BilledSession) => isInTime(session.lastAt ?? '') && fits(session)
  const isLedgerMeant = (session: BilledSession) => input.reconcile || isMeant(session)
  const hasLedgers = all.sessions.some((session) => session.ledger !== null && isLedgerMeant(session))
  const ledgers = hasLedgers ? await ledgerLines(history, start === undefined ? all : await readUsage(history)) : []
  const lines = ledgers.filter(({ session }) => isMeant(session))
  const unlogged = unloggedOf(lines)
  const titles = await queries.sessions.titles(input.reconcile ? ledgers.map(({ session }) => session.key) : [])
  const total = sumBilled(calls)
  const abandoned = calls.filter((one) => one.isAbandoned)
  const synthetic = all.synthetic.filter(({ at, session }) => isInTime(at) && fits(session)).length
  return {
    by,
    timezone: calendar.timezone,
    since: since ?? null,
    until: until ?? null,
    period: {
      from: momentText(since, (day) => dayStart(day, calendar)),
      to: momentText(until, (day) => dayEnd(day, calendar)),
    },
    isLatest: false,
    warn: input.warn === undefined ? null : await warningOf(history, limitOf(input.warn), calendar, context.now),
    rows: await usageRows(by, calls, calendar, await labelsFor(by, queries, all.calls), input.parts),
    total: {
      ...total,
      abandoned: { responses: sumBilled(abandoned).responses, costUsd: sumCosts(abandoned) },
      withUnloggedUsd: total.costUsd === null ? null : total.costUsd + unlogged.costUsd,
      cacheSavedUsd: cacheSaved(calls),
      ...(input.turns && { turns: await turnsBegun(queries, calls, isInTime) }),
    },
    unlogged,
    coverage: { ...coverageOf(calls), syntheticRows: synthetic },
    complete: all.behindBytes === 0,
    behindBytes: all.behindBytes,
    reconcile: input.reconcile
      ? reconcile(context, { sessions: all.sessions, titles, all: all.calls, lines: ledgers, calendar })
      : null,
  }
}

/** What the cache saved of what has a price. */
function cacheSaved(calls: readonly BilledSpending[]): number | null {
  const uncached = sumCosts(calls.map(({ uncachedUsd }) => ({ costUsd: uncachedUsd })))
  const cost = sumCosts(calls)
  return uncached === null || cost === null ? null : uncached - cost
}

/** How many turns began within a time, in the sessions that spent something. What a fork copied began once. */
async function turnsBegun(
  queries: HistoryQueries,
  calls: readonly BilledSpending[],
  isInTime: (at: string) => boolean,
): Promise<number> {
  const files = [...new Set(calls.filter(({ agent }) => agent === null).map(({ file }) => file))]
  const turns = [...(await queries.sessions.turns(files)).values()].flat()
  const begun = turns.filter(({ startedAt }) => isInTime(startedAt ?? ''))
  return new Set(begun.map(({ startedAt, label }) => `${startedAt} ${label ?? ''}`)).size
}

/** Groupings that sums of a quarter of an hour cannot tell. */
const SINGLE: ReadonlySet<Grouping> = new Set(['turn', 'agent', 'agent-type', 'block'])

async function labelsFor(by: Grouping, queries: HistoryQueries, all: readonly BilledSpending[]): Promise<Labels> {
  const titles: Labels['titles'] = (keys) => queries.sessions.titles(keys)
  if (by === 'block') return { titles, blocks: blocksByResponse(all) }
  const isFamily = by === 'turn' || by === 'agent' || by === 'agent-type'
  return { titles, ...(isFamily && (await familyLabels(queries.sessions))) }
}

/** Whether a session is meant, asked once for each. */
function scopeTest(input: Input, cwd: string): (session: BilledSession) => boolean {
  const fits = inScope(input, cwd)
  const known = new Map<BilledSession, boolean>()
  return (session) => {
    const isMeant = known.get(session) ?? fits(session.project)
    known.set(session, isMeant)
    return isMeant
  }
}

/** How many days are shown where nobody says which. */
const DAYS = 7

/** Whether nobody says which time is meant. What is set beside others is all there is. */
function isDefault({ since, until, all, reconcile: beside }: Input): boolean {
  return since === undefined && until === undefined && !all && !beside
}

/** The last days, whatever they are put together by, unless times are named or all is asked for. */
function periodOf(input: Input, today: string) {
  const { by = 'day', since, until } = input
  if (isDefault(input)) return { by, since: nextDay(today, 1 - DAYS), until: today }
  return { by, since, until }
}

/** The days up to the last on which something was used. */
async function latestDays(
  context: Context,
  input: Input,
): Promise<{ readonly since: string; readonly until: string } | undefined> {
  const queries = await historyOf(context).refresh()
  const last = isEverything(input) ? await queries.spending.lastSpentAt() : await lastUsedIn(context, input)
  if (last === undefined) return undefined
  const until = openCalendar(input.timezone, context.localZone).day(last)
  return { since: nextDay(until, 1 - DAYS), until }
}

async function lastUsedIn(context: Context, input: Input): Promise<number | undefined> {
  const fits = scopeTest(input, context.cwd)
  const { calls } = await readUsage(historyOf(context))
  return calls.findLast(({ at, session }) => !Number.isNaN(at) && fits(session))?.at
}

function momentText(bound: string | undefined, momentOfDay: (day: string) => number): string | null {
  if (bound === undefined) return null
  return DAY.test(bound) ? new Date(momentOfDay(bound)).toISOString() : bound
}

/** How the responses were arrived at, and what is known to be missing. */
export function coverageOf(calls: readonly BilledSpending[]): Omit<Static<typeof CoverageShape>, 'syntheticRows'> {
  const sum = (countOf: (one: BilledSpending) => number) => calls.reduce((total, one) => total + countOf(one), 0)
  const unpriced = calls.filter((one) => one.costUsd === null).map((one) => one.model)
  return {
    rowsRead: sum(({ rows }) => rows),
    duplicateRows: sum(({ rows, responses }) => rows - responses),
    crossFileCopies: sum(({ copies }) => copies),
    placeholderResponses: sum(({ placeholders }) => placeholders),
    unpricedModels: [...new Set(unpriced)].sort(),
  }
}
