import { type Static, Type } from '../core/schema.ts'
import { type Calendar, openCalendar } from '../core/usage/calendar.ts'
import { dayEnd, dayStart } from '../core/usage/day-start.ts'
import { readPeriod } from '../core/usage/period.ts'
import { readLiveSessions } from '../disk/live.ts'
import type { Context } from '../history/context.ts'
import { historyOf } from '../history/history.ts'
import { type RecapSession, recapSessions } from '../history/recap/recap.ts'
import type { Span } from '../history/recap/span.ts'
import { inScope } from '../history/scope.ts'
import { NullableNumber, NullableString, nullable, scopeInput, timezoneInput } from '../history/shapes.ts'
import { sumCosts } from '../history/usage/spending.ts'
import { defineOp } from './op.ts'

const SessionShape = Type.Object({
  id: Type.String(),
  title: NullableString,
  startedAt: nullable(Type.String('When it first happened within the period')),
  endedAt: NullableString,
  activeMs: nullable(Type.Integer('How long was worked on it within the period, pauses left out')),
  turns: Type.Integer(),
  costUsd: NullableNumber,
  files: Type.Array(
    Type.Object({ path: Type.String(), added: Type.Integer('Lines'), removed: Type.Integer('Lines') }),
    'Files that were changed',
  ),
  commits: Type.Array(
    Type.Object({ hash: NullableString, branch: NullableString, message: NullableString }),
    'Commits that were made; the hash is as git printed it',
  ),
  failures: Type.Integer('Calls of tools that failed'),
  openTodos: Type.Integer('Todos that are left in its newest list'),
  lastAnswer: nullable(Type.String('What was answered last')),
  gitBranch: NullableString,
  models: nullable(Type.Array(Type.String())),
  status: Type.String('live, finished or unknown'),
})

const LiveShape = Type.Object({
  pid: Type.Integer(),
  session: NullableString,
  title: NullableString,
  path: nullable(Type.String('The folder that it runs in')),
  status: nullable(Type.String('busy, or idle: it waits for you')),
  since: nullable(Type.String('Since when, if Claude Code says so; otherwise when it was started')),
})

const Result = Type.Object({
  from: Type.String(),
  to: Type.String('The moment after the period'),
  timezone: Type.String(),
  live: Type.Array(LiveShape, 'What runs or waits now'),
  total: Type.Object({
    sessions: Type.Integer(),
    turns: Type.Integer(),
    activeMs: Type.Integer(),
    costUsd: NullableNumber,
    files: Type.Integer('Different files that were changed'),
    commits: Type.Integer(),
    failures: Type.Integer(),
    openTodos: Type.Integer(),
  }),
  projects: Type.Array(
    Type.Object({
      key: Type.String(),
      path: NullableString,
      costUsd: NullableNumber,
      sessions: Type.Array(SessionShape),
    }),
    'The one that was worked on last first; its sessions in the order of time',
  ),
})

export const recap = defineOp({
  name: 'recap',
  group: 'Read',
  effort: 'long',
  teamStore: 'read',
  summary: 'Sum up today, or any period, by project.',
  examples: ['annals recap', 'annals recap yesterday', 'annals recap last week --markdown > week.md'],
  input: Type.Object({
    period: Type.Optional(
      Type.Array(Type.String(), 'today (default), yesterday, monday, week, last week, 7d, 2026-11 or 2026-11-01'),
    ),
    ...scopeInput,
    ...timezoneInput,
    markdown: Type.Optional(Type.Boolean('Print a note in Markdown')),
  }),
  positional: ['period'],
  result: Result,
  isTrouble: ({ total, live }) => total.sessions === 0 && live.length === 0,
  async run(context, input) {
    const calendar = openCalendar(input.timezone)
    const span = spanOf(input.period?.join(' ') ?? 'today', calendar, context.now)
    const fits = inScope(input, context.cwd)
    const found = await recapSessions(context, span, fits)
    return {
      from: new Date(span.from).toISOString(),
      to: new Date(span.to).toISOString(),
      timezone: calendar.timezone,
      live: await liveNow(context),
      total: totalOf(found),
      projects: byProject(found),
    }
  },
})

/** What a person calls a period, as moments: days begin and end where the calendar says. */
function spanOf(text: string, calendar: Calendar, now: Date): Span {
  const { first, last } = readPeriod(text, now, calendar.day(now.getTime()))
  return {
    from: first.isDay ? dayStart(first.text, calendar) : Date.parse(first.text),
    to: last.isDay ? dayEnd(last.text, calendar) : Date.parse(last.text),
  }
}

async function liveNow(context: Context): Promise<Static<typeof LiveShape>[]> {
  const { library } = context
  const alive = library.roots.flatMap((root) => readLiveSessions(root).items.filter((item) => item.alive))
  if (alive.length === 0) return []
  const queries = await historyOf(context).refresh()
  const infos = await queries.sessions.infos(alive.flatMap(({ sessionId }) => sessionId ?? []))
  const titles = new Map([...infos.values()].map(({ id, title }) => [id, title]))
  return alive.map(({ pid, sessionId, cwd, status, startedAt, updatedAt, name }) => ({
    pid,
    session: sessionId,
    title: titles.get(sessionId ?? '') ?? name,
    path: cwd,
    status,
    since: updatedAt ?? startedAt,
  }))
}

function totalOf(found: readonly RecapSession[]): Static<typeof Result>['total'] {
  const sum = (amount: (one: RecapSession) => number) => found.reduce((total, one) => total + amount(one), 0)
  return {
    sessions: found.length,
    turns: sum(({ turns }) => turns),
    activeMs: sum(({ activeMs }) => activeMs ?? 0),
    costUsd: sumCosts(found),
    files: new Set(found.flatMap(({ files }) => files.map(({ path }) => path))).size,
    commits: sum(({ commits }) => commits.length),
    failures: sum(({ failures }) => failures),
    openTodos: sum(({ openTodos }) => openTodos),
  }
}

function byProject(found: readonly RecapSession[]): Static<typeof Result>['projects'] {
  const projects = new Map<string, RecapSession[]>()
  for (const one of found) {
    const name = one.session.project.path ?? one.session.project.key
    projects.set(name, [...(projects.get(name) ?? []), one])
  }
  const lastOf = (own: readonly RecapSession[]) =>
    own.reduce((last, { endedAt }) => ((endedAt ?? '') > last ? (endedAt ?? '') : last), '')
  return [...projects.values()]
    .sort((a, b) => (lastOf(a) < lastOf(b) ? 1 : -1))
    .map((own) => {
      const { key, path } = (own[0] as RecapSession).session.project
      const sessions = own.toSorted((a, b) => ((a.startedAt ?? '') < (b.startedAt ?? '') ? -1 : 1)).map(toSession)
      return { key, path, costUsd: sumCosts(own), sessions }
    })
}

function toSession({ session, ...done }: RecapSession): Static<typeof SessionShape> {
  const { id, title, gitBranch, models, status } = session
  return { id, title, ...done, files: [...done.files], commits: [...done.commits], gitBranch, models, status }
}
