import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Failure } from '../core/failure.ts'
import type { SessionFiles } from '../disk/inventory.ts'
import type { Library } from '../disk/library.ts'
import { readLiveSessions } from '../disk/live.ts'
import { fileLibrary } from '../disk/one-file.ts'
import type { SourceEntry } from '../disk/source.ts'
import type { SessionInfo } from '../index/queries/session-info.ts'
import { keyOfFiles, listedSessions } from './families.ts'
import { goneSession } from './gone.ts'
import { type History, type HistoryOptions, historyOf } from './history.ts'

/** Who asks for a session, and from where. */
export interface Asking extends HistoryOptions {
  readonly now: Date
  readonly cwd: string
  /** The session that a hook or the environment names. */
  readonly currentSession: string | undefined
  /** A path counts only where it is a listed log. */
  readonly rootsOnly?: boolean | undefined
}

/** A session that was found, and the library that holds it. Its log is missing where only agents of it are left. */
export interface FoundSession {
  readonly library: Library
  readonly files: SessionFiles
  /** The agent, where one was named. */
  readonly agent: FoundAgent | null
}

/** An agent of a session; without a log of its own it lies in that of the session. */
export interface FoundAgent {
  readonly id: string
  readonly log: SourceEntry | undefined
}

/** Several sessions are called or begin like that. */
export class AmbiguousSession extends Failure {
  /** What was asked for. */
  readonly asked: string
  readonly matches: readonly { readonly id: string; readonly file: string | null }[]

  constructor(asked: string, matches: AmbiguousSession['matches'], message: string) {
    super('SESSION_AMBIGUOUS', message, { hint: waysToTell(matches) })
    this.asked = asked
    this.matches = matches
  }
}

/** Copies of one session, imported or in another root, have one id: only their paths differ. */
function waysToTell(matches: AmbiguousSession['matches']): string {
  const paths = matches.flatMap(({ file }) => file ?? [])
  const isOneId = new Set(matches.map(({ id }) => id)).size === 1
  return isOneId && paths.length > 0
    ? `They have the same id. Name the log: ${paths.join(' or ')}`
    : 'Give more of the id.'
}

/** Several agents begin like that. */
export class AmbiguousAgent extends Failure {
  /** What was asked for. */
  readonly asked: string
  readonly matches: readonly FoundSession[]

  constructor(asked: string, matches: readonly FoundSession[]) {
    const ids = matches.slice(0, 5).map(({ agent }) => `agent-${agent?.id}`)
    super('SESSION_AMBIGUOUS', `${matches.length} agents match "${asked}": ${ids.join(', ')}.`, {
      hint: 'Give more of the id.',
    })
    this.asked = asked
    this.matches = matches
  }
}

const SEE = 'Run `annals sessions` to see recent ones.'

/**
 * Finds the session that a person means: an id or the start of one, `last`, `current`, a slug, a title, or the path of a log; or an
 * agent and its session: `agent-` and an id or its start, or the path of its log. An id is looked up by file name first, then by
 * what the first records say.
 */
export async function findSession(context: Asking, name: string): Promise<FoundSession> {
  if (name === 'current') return findSession(context, currentSession(context))
  if (name === 'last') return found(context, await lastSession(context))
  if (/[\\/]|\.jsonl$/.test(name))
    return (await byPath(context, name)) ?? (await byTitle(context, name)) ?? noFile(context, name)
  if (name.startsWith('agent-'))
    return (await byAgent(context, name)) ?? (await byTitle(context, name)) ?? noAgent(name)
  const byName = (await byId(context, name)) ?? (await byTitle(context, name))
  if (byName) return byName
  const hint = SEE
  throw (
    (await goneSession(context, name)) ?? new Failure('SESSION_NOT_FOUND', `No session matches "${name}".`, { hint })
  )
}

function found({ library }: Asking, files: SessionFiles, agent: FoundAgent | null = null): FoundSession {
  return { library, files, agent }
}

function currentSession(context: Asking): string {
  if (context.currentSession) return context.currentSession
  const live = context.library.roots
    .flatMap((root) => readLiveSessions(root).items)
    .filter((item) => item.alive && item.sessionId && item.cwd === context.cwd)
    .sort((a, b) => ((a.updatedAt ?? '') < (b.updatedAt ?? '') ? 1 : -1))
  if (live[0]?.sessionId) return live[0].sessionId
  const hint = 'It is known inside a hook (--hook), or while Claude Code runs in this folder. `last` is the newest one.'
  throw new Failure('SESSION_NOT_FOUND', 'There is no current session here.', { hint })
}

async function lastSession(context: Asking): Promise<SessionFiles> {
  const history = historyOf(context)
  const files = new Map((await listedSessions(history)).map((one) => [one.log?.path ?? '', one]))
  const [last] = (await conversationTimes(history)).filter(({ path }) => files.has(path)).sort(newestFirst)
  if (last) return files.get(last.path) as SessionFiles
  throw new Failure('SESSION_NOT_FOUND', 'There is no session yet.', {
    hint: `Looked in ${context.library.roots.join(', ')}.`,
  })
}

/** When each conversation was last written to. */
export async function conversationTimes(
  history: History,
): Promise<readonly { readonly id: string; readonly path: string; readonly updatedAt: string }[]> {
  const logs = await (await history.refresh()).sessions.logs()
  return logs
    .filter(({ agent, kind }) => agent === null && kind === 'conversation')
    .map(({ session: id, path, lastAt, writtenAt }) => {
      return { id, path, updatedAt: lastAt ?? new Date(writtenAt).toISOString() }
    })
}

/** The sessions whose own logs exist, with what is known of them. */
export async function knownSessions(
  context: HistoryOptions,
): Promise<readonly { readonly info: SessionInfo; readonly files: SessionFiles }[]> {
  const history = historyOf(context)
  const infos = await (await history.refresh()).sessions.infos()
  return (await listedSessions(history)).flatMap((files) => {
    const info = files.log && infos.get(keyOfFiles(files))
    return info ? [{ info, files }] : []
  })
}

/** The order of lists. */
export function newestFirst(a: Dated, b: Dated): number {
  return compare(b.updatedAt ?? '', a.updatedAt ?? '') || compare(a.id, b.id)
}

type Dated = Pick<SessionInfo, 'id' | 'updatedAt'>

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

async function byId(context: Asking, name: string): Promise<FoundSession | undefined> {
  const history = historyOf(context)
  const sessions = await listedSessions(history)
  const [exact] = newest(sessions.filter(({ id }) => id === name))
  // The same id in two roots or projects is one session that was copied or moved: the newest is meant.
  if (exact) return found(context, exact)
  const started = sessions.filter(({ id }) => id.startsWith(name))
  if (started.length > 0) return onlyOne(context, name, started)
  if (!/^[0-9a-f-]{8,}$/.test(name)) return undefined
  const named = await (await history.refresh()).sessions.naming(name)
  const inside = sessions.filter((files) => files.log && named.has(keyOfFiles(files)))
  return onlyOne(context, name, inside)
}

async function byTitle(context: Asking, name: string): Promise<FoundSession | undefined> {
  const known = await knownSessions(context)
  const wanted = folded(name)
  const queries = await historyOf(context).refresh()
  const slugs = new Map((await queries.sessions.logs()).map((log) => [log.path, log.slugs]))
  const isSlug = ({ file }: SessionInfo) => slugs.get(file ?? '')?.includes(name) === true
  const whole = known.filter(({ info }) => folded(info.title) === wanted || isSlug(info))
  const matches = whole.length > 0 ? whole : known.filter(({ info }) => folded(info.title).startsWith(wanted))
  return onlyOne(
    context,
    name,
    matches.map(({ files }) => files),
  )
}

/** A title for comparison: lower case, single spaces. */
function folded(title: string | null): string {
  return (title ?? '').toLowerCase().replace(/\s+/g, ' ').trim()
}

function newest(sessions: readonly SessionFiles[]): readonly SessionFiles[] {
  return sessions.toSorted((a, b) => (b.log?.modifiedAt ?? 0) - (a.log?.modifiedAt ?? 0))
}

async function onlyOne(
  context: Asking,
  name: string,
  matches: readonly SessionFiles[],
): Promise<FoundSession | undefined> {
  const [only, ...others] = newest(matches)
  if (!only || others.length === 0) return only && found(context, only)
  const first = [only, ...others].slice(0, 5)
  const titles = await (await historyOf(context).refresh()).sessions.titles(first.map(keyOfFiles))
  const shown = first.map((files) => {
    const words = titles.get(keyOfFiles(files))?.title
    return `  ${files.id}${words ? `  ${words.slice(0, 60)}` : ''}`
  })
  const more = matches.length > shown.length ? [`  and ${matches.length - shown.length} more`] : []
  const message = [`${matches.length} sessions match "${name}":`, ...shown, ...more].join('\n')
  throw new AmbiguousSession(
    name,
    newest(matches).map((files) => ({ id: files.id, file: files.log?.path ?? null })),
    message,
  )
}

/** A log that is listed, or one that lies anywhere. */
async function byPath(context: Asking, name: string): Promise<FoundSession | undefined> {
  const path = resolve(context.cwd, name)
  const isElsewhere = !context.rootsOnly && existsSync(path)
  const listed = isElsewhere && !context.library.holds(path) ? undefined : await atPath(context, path)
  if (listed || !isElsewhere) return listed
  const library = fileLibrary(path)
  // What is known of it is not worth keeping.
  const elsewhere = await atPath({ ...context, library, cacheDir: undefined }, path)
  if (elsewhere) return elsewhere
  throw new Failure('SESSION_NOT_FOUND', `${path} is not a session log.`, { hint: 'A log is a *.jsonl file.' })
}

async function atPath(context: Asking, path: string): Promise<FoundSession | undefined> {
  for (const files of await listedSessions(historyOf(context))) {
    if (files.log?.path === path) return found(context, files)
    const agent = files.agents.find(({ log }) => log?.path === path)
    if (agent) return found(context, files, agent)
  }
  return undefined
}

function noFile(context: Asking, name: string): never {
  throw new Failure('SESSION_NOT_FOUND', `There is no file ${resolve(context.cwd, name)}.`, { hint: SEE })
}

/** An agent with a log of its own, else one inside the log of its session. */
async function byAgent(context: Asking, name: string): Promise<FoundSession | undefined> {
  const id = name.replace(/^agent-/, '')
  const own = (await listedSessions(historyOf(context))).flatMap((files) =>
    files.agents.flatMap((agent) => (agent.log && agent.id.startsWith(id) ? [found(context, files, agent)] : [])),
  )
  return oneAgent(own, id, true) ?? oneAgent([...own, ...(await agentsInside(context, id))], id, false)
}

async function agentsInside(context: Asking, id: string): Promise<readonly FoundSession[]> {
  return (await knownSessions(context)).flatMap(({ info, files }) =>
    info.agents.flatMap((agent) =>
      agent.file === null && agent.id.startsWith(id) ? [found(context, files, { id: agent.id, log: undefined })] : [],
    ),
  )
}

/** A session that was copied took its agents along: the newest is meant. */
function oneAgent(matches: readonly FoundSession[], id: string, isWhole: boolean): FoundSession | undefined {
  const timeOf = ({ files, agent }: FoundSession) => files.log?.modifiedAt ?? agent?.log?.modifiedAt ?? 0
  const byAgentId = new Map<string, FoundSession>()
  for (const match of matches.toSorted((a, b) => timeOf(a) - timeOf(b))) byAgentId.set(match.agent?.id ?? '', match)
  const exact = byAgentId.get(id)
  if (exact || isWhole) return exact
  const [only, ...others] = byAgentId.values()
  if (others.length === 0) return only
  throw new AmbiguousAgent(`agent-${id}`, [...byAgentId.values()].reverse())
}

function noAgent(name: string): never {
  const message = `No agent's id starts with "${name.replace(/^agent-/, '')}".`
  throw new Failure('SESSION_NOT_FOUND', message, { hint: 'Run `annals agents` to see them.' })
}
