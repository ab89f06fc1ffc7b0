import type { Activity } from '../core/facts/activity.ts'
import { type Static, Type } from '../core/schema.ts'
import { SAMPLE_SIZE } from '../core/tools/tool-stats.ts'
import { inPeriod, openCalendar, openClock, zoneByIntl } from '../core/usage/calendar.ts'
import type { LocalTime } from '../core/usage/local-time.ts'
import { readStatsCache, type StatsCache } from '../disk/stats-cache.ts'
import type { Context } from '../history/context.ts'
import { knownSessions } from '../history/find.ts'
import { historyOf } from '../history/history.ts'
import { eventPlaces } from '../history/log-stats.ts'
import { logsOf } from '../history/scan.ts'
import { NullableNumber, NullableString, nullable, scopeInput, timeInput } from '../history/shapes.ts'
import { type CountedSession, StatsCount } from '../history/stats-count.ts'
import { NO_ACTIVITY } from '../index/queries/activity.ts'
import { defineOp } from './op.ts'

const SOURCES = {
  activity:
    'Prompts, responses and tool calls, copies once. Prompts of people only; responses and calls of agents too. A session is active on the days of its prompts and responses.',
  tools:
    'Tool calls and the rows that answer them, by id. Agents included; an error is a result marked as one, also a refusal by the person.',
  toolTimes: `What Claude Code noted, otherwise from call to answer, which may include the wait for a permission; medians are over at most ${SAMPLE_SIZE} calls a tool, chosen by id, always the same.`,
  resultBytes:
    'The text that the model was given, in UTF-8. Pictures, and what was too large for the log, are not in it.',
  models: 'Responses of all logs, by message id. The row with the most output tokens counts, as for usage.',
  sessions:
    'From the first own row of a session to its last, breaks included. Turns and calls as lists count them, without agents; for a period, its rows that are not marked as copies.',
  files: 'Calls of Read, Write and Edit that succeeded. What Bash did to files is in no row.',
  compactions: `Compact boundaries, each uuid once. The median is over at most ${SAMPLE_SIZE} of them, chosen by uuid.`,
  interruptions: 'Rows that say a person interrupted, each uuid once. Those of agents repeat them and are left out.',
  apiErrors: 'Answers that are errors of the API, each uuid once. Retries that went well are not in it.',
  totals: 'The same rows as the tables, all of them. What has no time is in here, but on no day.',
  clientCache:
    'stats-cache.json, as Claude Code counted. It lags by a day or more, counts in its own way and outlives the logs; ours are up to the same day.',
} as const

const SourcesShape = Type.Object(
  Object.fromEntries(Object.keys(SOURCES).map((name) => [name, Type.String()])) as {
    [Name in keyof typeof SOURCES]: ReturnType<typeof Type.String>
  },
  'Where each figure comes from',
)

const SessionShape = Type.Object({
  id: Type.String(),
  title: NullableString,
  turns: Type.Integer(),
  toolCalls: Type.Integer(),
  durationMs: Type.Number('From its first row to its last'),
  file: Type.String(),
})

const CountShape = Type.Object({ sessions: Type.Integer(), messages: Type.Integer(), toolCalls: Type.Integer() })

const ClientCacheShape = Type.Object({
  files: Type.Array(Type.String()),
  lastComputedDate: NullableString,
  firstSessionDate: NullableString,
  sessions: NullableNumber,
  messages: NullableNumber,
  toolCalls: NullableNumber,
  days: Type.Array(
    Type.Object({
      date: Type.String(),
      sessions: NullableNumber,
      messages: NullableNumber,
      toolCalls: NullableNumber,
    }),
    'Day by day, also where the logs are gone',
  ),
  hours: Type.Array(Type.Integer(), 'Sessions by the hour they began in, 24 numbers'),
  ours: Type.Object(CountShape.properties, {
    description: 'Our count up to the same day; messages are prompts and responses',
  }),
})

export const stats = defineOp({
  name: 'stats',
  alsoIn: 'Cost',
  effort: 'long',
  teamStore: 'read',
  summary: 'Count activity, tools, models, sessions and files.',
  examples: [
    'annals stats',
    'annals stats --here --since 30d',
    'annals stats --timezone Europe/Berlin --limit 20 --json',
  ],
  input: Type.Object({
    ...scopeInput,
    ...timeInput,
    timezone: Type.Optional(Type.String('The time zone of days and hours, such as Europe/Berlin (default: yours)')),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: 'At most this many rows in a table (default: 10)' })),
  }),
  positional: [],
  result: Type.Object({
    timeZone: Type.String(),
    activity: Type.Object({
      days: Type.Array(
        Type.Object({
          date: Type.String(),
          prompts: Type.Integer(),
          responses: Type.Integer(),
          toolCalls: Type.Integer(),
          sessions: Type.Integer(),
        }),
      ),
      hours: Type.Array(Type.Integer(), 'Prompts by hour, 24 numbers'),
      weekdays: Type.Array(Type.Integer(), 'Prompts by weekday, Monday first'),
    }),
    tools: Type.Array(
      Type.Object({
        name: Type.String(),
        calls: Type.Integer(),
        errors: Type.Integer(),
        errorRate: Type.Number('Errors per call, 0 to 1'),
        medianMs: NullableNumber,
        p95Ms: NullableNumber,
        resultBytes: Type.Integer(),
      }),
    ),
    models: Type.Array(Type.Object({ model: Type.String(), responses: Type.Integer(), outputTokens: Type.Number() })),
    sessions: Type.Array(SessionShape, 'Longest first'),
    files: Type.Array(
      Type.Object({
        path: Type.String(),
        edits: Type.Integer(),
        writes: Type.Integer(),
        reads: Type.Integer(),
        sessions: Type.Integer(),
      }),
      'Most often changed first',
    ),
    compactions: Type.Object({
      count: Type.Integer(),
      auto: Type.Integer(),
      manual: Type.Integer(),
      preTokensMedian: NullableNumber,
    }),
    interruptions: Type.Integer(),
    apiErrors: Type.Integer(),
    totals: Type.Object({
      sessions: Type.Integer(),
      agents: Type.Integer(),
      activeDays: Type.Integer(),
      prompts: Type.Integer(),
      responses: Type.Integer(),
      toolCalls: Type.Integer(),
      toolErrors: Type.Integer(),
      tools: Type.Integer(),
      files: Type.Integer(),
    }),
    clientCache: nullable(ClientCacheShape),
    sources: SourcesShape,
    total: Type.Integer('How many sessions are counted'),
  }),
  async run(context, input) {
    const timeZone = input.timezone ?? (context.localZone ?? zoneByIntl)()
    const clock = openClock(timeZone)
    const isIn = inPeriod(input, openCalendar(timeZone), context.now)
    const count = new StatsCount(clock, (timeMs) => isIn(timeMs ?? Number.NaN))
    const queries = await historyOf(context).refresh('calls', context.progress)
    const [activity, calls] = [await queries.calls.activity(), await queries.calls.byLog()]
    const logs = await logsOf(context, input)
    await historyOf(context).fetchRecords(
      logs.flatMap(({ entry }) => eventPlaces(entry.path, activity.get(entry.path))),
    )
    for (const log of logs) {
      const { path } = log.entry
      count.add(activity.get(path) ?? NO_ACTIVITY, calls.get(path) ?? [], log)
    }
    const limit = input.limit ?? 10
    const { activity: done, prompts, responses, models } = count.activity()
    const tools = count.tools.tools()
    const files = count.tools.files()
    const isAllTime = input.since === undefined && input.until === undefined
    const sessions = count.sessions()
    const isWhole = [input.project, input.under, input.here, input.since, input.until].every((one) => one === undefined)
    return {
      timeZone,
      activity: { days: [...done.days], hours: [...done.hours], weekdays: [...done.weekdays] },
      tools: tools.slice(0, limit),
      models: models.slice(0, limit),
      sessions: (await longest(context, sessions, isAllTime)).slice(0, limit),
      files: files.slice(0, limit),
      ...count.events(),
      totals: {
        sessions: sessions.length,
        agents: count.agents,
        activeDays: done.days.length,
        prompts,
        responses,
        toolCalls: tools.reduce((sum, tool) => sum + tool.calls, 0),
        toolErrors: tools.reduce((sum, tool) => sum + tool.errors, 0),
        tools: tools.length,
        files: files.length,
      },
      clientCache: isWhole ? clientCacheOf(context, done, sessions, clock) : null,
      sources: { ...SOURCES },
      total: sessions.length,
    }
  },
})

/** The longest first, as lists of sessions know them; of a period, what lies in it. */
async function longest(
  context: Context,
  sessions: readonly CountedSession[],
  isAllTime: boolean,
): Promise<readonly Static<typeof SessionShape>[]> {
  const infos = new Map((await knownSessions(context)).map(({ info }) => [info.file, info]))
  const shown = sessions.map(({ id, file, ...counted }) => {
    const info = infos.get(file)
    const { turns, toolCalls } = (isAllTime && info?.counts) || counted
    const durationMs = (isAllTime ? info?.wallMs : null) ?? counted.durationMs
    return { id, title: info?.title ?? null, turns, toolCalls, durationMs, file }
  })
  return shown.sort((a, b) => b.durationMs - a.durationMs || b.turns - a.turns || (a.file < b.file ? -1 : 1))
}

/** What the clients of all roots counted, together. */
function clientCacheOf(
  { library, warn }: Context,
  { days }: Activity,
  sessions: readonly CountedSession[],
  clock: (iso: string) => LocalTime,
): Static<typeof ClientCacheShape> | null {
  const caches = library.roots.flatMap((root) => {
    const { stats, warnings } = readStatsCache(root)
    for (const warning of warnings) warn(warning)
    return stats ? [stats] : []
  })
  if (caches.length === 0) return null
  const last =
    caches
      .flatMap(({ lastComputedDate }) => lastComputedDate ?? [])
      .sort()
      .at(-1) ?? null
  const isTold = (date: string) => last === null || date <= last
  const told = days.filter(({ date }) => isTold(date))
  return {
    files: caches.map(({ file }) => file),
    lastComputedDate: last,
    firstSessionDate: caches.flatMap(({ firstSessionDate }) => firstSessionDate ?? []).sort()[0] ?? null,
    sessions: sumOf(caches.map(({ totalSessions }) => totalSessions)),
    messages: sumOf(caches.map(({ totalMessages }) => totalMessages)),
    toolCalls: sumOf(caches.flatMap(({ dailyActivity }) => dailyActivity.map((day) => day.toolCallCount))),
    days: daysOf(caches),
    hours: hoursOf(caches),
    ours: {
      sessions: sessions.filter(({ startedAt }) => startedAt === null || isTold(clock(startedAt).date)).length,
      messages: told.reduce((sum, day) => sum + day.prompts + day.responses, 0),
      toolCalls: told.reduce((sum, day) => sum + day.toolCalls, 0),
    },
  }
}

/** The days of all clients together, in order. */
function daysOf(caches: readonly StatsCache[]): Static<typeof ClientCacheShape>['days'] {
  const days = caches.flatMap(({ dailyActivity }) => dailyActivity)
  const dates = [...new Set(days.map(({ date }) => date))].sort()
  return dates.map((date) => {
    const own = days.filter((day) => day.date === date)
    return {
      date,
      sessions: sumOf(own.map((day) => day.sessionCount)),
      messages: sumOf(own.map((day) => day.messageCount)),
      toolCalls: sumOf(own.map((day) => day.toolCallCount)),
    }
  })
}

function hoursOf(caches: readonly StatsCache[]): number[] {
  const hours = new Array<number>(24).fill(0)
  for (const { hour, count } of caches.flatMap(({ hourCounts }) => hourCounts)) {
    if (hour < hours.length) hours[hour] = (hours[hour] as number) + count
  }
  return hours
}

/** The sum of what is known; `null` where nothing is. */
function sumOf(numbers: readonly (number | null)[]): number | null {
  const known = numbers.filter((one) => one !== null)
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0)
}
