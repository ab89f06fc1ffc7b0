import type { SourceEntry } from '../../disk/source.ts'
import type { KnownCall } from '../../index/queries/calls.ts'
import { familyKey } from '../../index/queries/family-key.ts'
import type { Context } from '../context.ts'
import { keyOfFiles, listedSessions } from '../families.ts'
import { historyOf } from '../history.ts'
import { type ListedSession, listSessions } from '../list.ts'
import type { ScopedProject } from '../scope.ts'
import { listTodos } from '../todos.ts'
import { sumCosts } from '../usage/spending.ts'
import { readUsage } from '../usage/usage.ts'
import { type Done, doneIn } from './done.ts'
import { lastAnswer } from './last-answer.ts'
import { activeWithin, isWithin, type Span } from './span.ts'

/** What was done in a session within some time. */
export interface RecapSession extends Done {
  readonly session: ListedSession
  readonly startedAt: string | null
  readonly endedAt: string | null
  readonly activeMs: number | null
  readonly turns: number
  readonly costUsd: number | null
  readonly openTodos: number
  readonly lastAnswer: string | null
}

/** The sessions in which something happened within some time, the earliest first. */
export async function recapSessions(
  context: Context,
  span: Span,
  fits: (project: ScopedProject) => boolean,
): Promise<readonly RecapSession[]> {
  const sessions = (await listSessions(context)).filter(
    (one) => fits(one.project) && mayBeIn(span, one) && (one.kind === 'conversation' || one.kind === 'gone'),
  )
  if (sessions.length === 0) return []
  const history = historyOf(context)
  const queries = await history.refresh('calls', context.progress)
  const { calls: spent } = await readUsage(history, { single: true, since: span.from })
  const turns = await queries.sessions.turns()
  const calls = await queries.calls.byLog({ since: span.from })
  const shell = await queries.calls.rows({ kinds: ['bash-input', 'bash-output'] })
  const logs = await logsByKey(context)
  const open = await openTodos(context)
  const { source } = context.library
  const written = sessions.flatMap(({ root, project, id }) => logs.get(familyKey(root, project.key, id)) ?? [])
  await history.fetchLogs(written)
  // A fork has the calls of its original too: they are told once, where they were made first.
  const seen = new Set<string>()
  const isOwn = ({ id, made, answer }: KnownCall) =>
    isWithin(span, made?.timeMs ?? answer?.timeMs ?? null) && !seen.has(id) && seen.add(id) !== undefined
  return sessions.toSorted(byStart).flatMap((session): readonly RecapSession[] => {
    const key = familyKey(session.root, session.project.key, session.id)
    const own = spent.filter((one) => one.session.key === key && isWithin(span, one.at))
    // What a fork copied was asked before it began.
    const since = { from: Math.max(span.from, Date.parse(session.createdAt ?? '') || 0), to: span.to }
    const started = (turns.get(session.file ?? '') ?? []).filter(({ startedAt }) =>
      isWithin(since, Date.parse(startedAt ?? '')),
    )
    if (own.length === 0 && started.length === 0) return []
    const entries = logs.get(key) ?? []
    const main = entries.find(({ path }) => path === session.file)
    const called = entries.map((entry) => ({
      entry,
      calls: (calls.get(entry.path) ?? []).filter(isOwn),
      shell: shell.get(entry.path) ?? [],
    }))
    const times = [...own.map(({ at }) => at), ...started.map((turn) => Date.parse(turn.startedAt ?? ''))]
    const isWhole = Date.parse(session.createdAt ?? '') >= span.from && Date.parse(session.updatedAt ?? '') < span.to
    const said = own.flatMap(({ call, isAgent, file }) => (call && !isAgent && file === session.file ? [call] : []))
    return [
      {
        session,
        startedAt: isoOf(Math.min(...times)),
        endedAt: isWhole ? session.updatedAt : isoOf(Math.max(...times)),
        activeMs: isWhole || !main ? session.activeMs : activeWithin(source, main, span),
        turns: isWhole && session.forkedFrom === null ? (session.counts?.turns ?? started.length) : started.length,
        costUsd: sumCosts(own),
        openTodos: open.get(session.id) ?? 0,
        lastAnswer: main ? lastAnswer(source, main, said) : null,
        ...doneIn(source, called, span),
      },
    ]
  })
}

/** A session can only have happened then if it had begun, and had not ended before. */
function mayBeIn({ from, to }: Span, { createdAt, updatedAt }: ListedSession): boolean {
  return !(Date.parse(createdAt ?? '') >= to) && !(Date.parse(updatedAt ?? '') < from)
}

function byStart(a: ListedSession, b: ListedSession): number {
  return (a.createdAt ?? '') < (b.createdAt ?? '') ? -1 : 1
}

function isoOf(ms: number): string | null {
  return Number.isFinite(ms) ? new Date(ms).toISOString() : null
}

/** The logs of each session: its own, and those of its agents. */
async function logsByKey(context: Context): Promise<ReadonlyMap<string, readonly SourceEntry[]>> {
  return new Map(
    (await listedSessions(historyOf(context))).map((files) => [
      keyOfFiles(files),
      [files.log, ...files.agents.map(({ log }) => log)].flatMap((log) => log ?? []),
    ]),
  )
}

/** How many todos are left in the newest list of each session, by its id. */
async function openTodos(context: Context): Promise<ReadonlyMap<string, number>> {
  const left = new Map<string, number>()
  for (const { session, agent, todos } of await listTodos(context, {})) {
    if (session === null || (agent ?? session) !== session || todos.length === 0 || left.has(session)) continue
    left.set(session, todos.filter(({ status }) => status !== 'completed' && status !== 'deleted').length)
  }
  return left
}
