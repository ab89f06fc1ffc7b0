import { Failure } from '../core/failure.ts'
import { Type } from '../core/schema.ts'
import { comparable, isoText } from '../core/time.ts'
import { blocksOf, openCalendar, periodStart } from '../core/usage/calendar.ts'
import { windowOf } from '../core/usage/window.ts'
import type { SessionFiles } from '../disk/inventory.ts'
import type { Context } from '../history/context.ts'
import { keyOfFiles } from '../history/families.ts'
import { findSession } from '../history/find.ts'
import { type History, historyOf } from '../history/history.ts'
import { NullableString, nullable, timezoneInput } from '../history/shapes.ts'
import { limitOf, WarnShape, warningOf } from '../history/usage/spending-limit.ts'
import { type BilledSpending, readUsage, sumBilled } from '../history/usage/usage.ts'
import { SumShape } from '../history/usage/usage-rows.ts'
import { defineOp } from './op.ts'

const BlockShape = Type.Object(
  { startedAt: Type.String(), endsAt: Type.String(), leftMs: Type.Integer(), ...SumShape.properties },
  'The five hours that it is now',
)

export const statusline = defineOp({
  name: 'statusline',
  alsoIn: 'Cost',
  effort: 'instant',
  summary: 'Print one line for the status bar of Claude Code.',
  examples: [
    'annals statusline',
    'annals statusline --settings',
    "annals statusline --hook --template '{model} {context} · {today} today'",
  ],
  input: Type.Object({
    template: Type.Optional(
      Type.String('The text, with {model} {context} {session} {today} {block} {left} {title} {warn}'),
    ),
    warn: Type.Optional(Type.String('Warn when more than this was spent: 50/day, 200/week or 500/month')),
    settings: Type.Optional(Type.Boolean('Print the lines to add to settings.json; writes nothing')),
    ...timezoneInput,
  }),
  positional: [],
  result: Type.Object({
    timezone: Type.String(),
    today: SumShape,
    session: nullable(Type.Object({ id: Type.String(), title: NullableString, ...SumShape.properties })),
    model: nullable(Type.String('The model that answered last in the session')),
    context: nullable(
      Type.Object(
        { tokens: Type.Integer(), windowTokens: Type.Integer(), percent: Type.Integer() },
        'How full its window was then',
      ),
    ),
    block: nullable(BlockShape),
    warn: nullable(WarnShape),
    settings: nullable(Type.String('The lines for settings.json, where they were asked for')),
  }),
  async run(context, input) {
    const calendar = openCalendar(input.timezone, context.localZone)
    const settings = input.settings ? settingsOf(context) : null
    if (context.library.missing) {
      const nothing = { session: null, model: null, context: null, block: null, warn: null }
      return { timezone: calendar.timezone, today: sumBilled([]), ...nothing, settings }
    }
    const current = await currentSession(context)
    const now = context.now.getTime()
    const today = calendar.day(now)
    const since = Math.min(periodStart(today, context.now) ?? now, now - CHAIN_MS)
    const history = historyOf(context)
    const { calls } = await readUsage(history, { since, session: current?.id })
    const own = current && sumBilled(calls.filter((one) => one.session.id === current.id))
    const title = (current && (await titleOf(history, keyOfFiles(current)))) ?? null
    const queries = await history.refresh('as-is')
    const last = current?.log && (await queries.spending.lastResponse(current.log.path))
    const size = last ? windowOf(last.model, last.windowTokens) : 0
    return {
      timezone: calendar.timezone,
      today: sumBilled(calls.filter((one) => calendar.day(one.at) === today)),
      session: current && own ? { id: current.id, title, ...own } : null,
      model: last?.model ?? null,
      context: last
        ? { tokens: last.windowTokens, windowTokens: size, percent: Math.round((last.windowTokens / size) * 100) }
        : null,
      block: blockNow(calls, now),
      warn: input.warn === undefined ? null : await warningOf(history, limitOf(input.warn), calendar, context.now),
      settings,
    }
  },
})

/** Blocks follow each other until there is a pause of five hours: within a day there is one. */
const CHAIN_MS = 24 * 3_600_000
const BLOCK_MS = 5 * 3_600_000

function blockNow(calls: readonly BilledSpending[], now: number) {
  const recent = calls.filter(({ at }) => at >= now - CHAIN_MS && at <= now)
  const blocks = blocksOf(recent.map(({ at }) => at))
  const startedAt = blocks.at(-1)
  const leftMs = startedAt === undefined ? 0 : Date.parse(startedAt) + BLOCK_MS - now
  if (startedAt === undefined || leftMs <= 0) return null
  const endsAt = isoText(comparable(now + leftMs))
  return { startedAt, endsAt, leftMs, ...sumBilled(recent.filter((_, at) => blocks[at] === startedAt)) }
}

async function titleOf(history: History, key: string): Promise<string | null | undefined> {
  return (await (await history.refresh('as-is')).sessions.titles([key])).get(key)?.title
}

/** What Claude Code runs for its status line, as its settings say it. */
function settingsOf({ program = ['annals'] }: Context): string {
  const isInstalled = /[\\/]annals(?:\.cmd)?$/.test(program.at(-1) ?? '')
  const name = isInstalled ? 'annals' : program.map((part) => (/^[\w./:-]+$/.test(part) ? part : `"${part}"`)).join(' ')
  return JSON.stringify({ statusLine: { type: 'command', command: `${name} statusline --hook` } }, undefined, 2)
}

/** The session that is running here; else the one that was written last. */
async function currentSession(context: Context): Promise<SessionFiles | undefined> {
  try {
    const { files } = await findSession(context, 'current')
    const { library } = context
    return library.sessions().find((session) => session.log?.path === files.log?.path)
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure
    return context.library.sessions().toSorted((a, b) => (b.log?.modifiedAt ?? 0) - (a.log?.modifiedAt ?? 0))[0]
  }
}
