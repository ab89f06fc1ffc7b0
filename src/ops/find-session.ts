import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Failure } from '../core/failure.ts'
import { titleOf } from '../core/title.ts'
import type { Agent } from '../disk/family.ts'
import type { SessionFiles } from '../disk/inventory.ts'
import type { Library } from '../disk/library.ts'
import { readLiveSessions } from '../disk/live.ts'
import { fileLibrary } from '../disk/one-file.ts'
import type { Context } from './op.ts'
import { knownSessions } from './session-list.ts'
import { newestFirst } from './sessions.ts'

/** A session that was found, and the library that holds it. */
export interface FoundSession {
  readonly library: Library
  readonly files: SessionFiles
}

const SEE = 'Run `annals sessions` to see recent ones.'

/**
 * Finds the session that a person means: an id or the start of one, `last`, `current`, a slug, a title, or the path of a
 * log. An id is looked up by file name first, then by what the first records say.
 */
export function findSession(context: Context, name: string): FoundSession {
  if (name === 'current') return findSession(context, currentSession(context))
  if (name === 'last') return found(context, lastSession(context))
  if (/[\\/]|\.jsonl$/.test(name)) return byPath(context, name)
  const matches = byId(context, name) ?? byWords(context, name)
  if (matches.length === 1) return found(context, matches[0] as SessionFiles)
  if (matches.length > 1) throw ambiguous(context, name, matches)
  throw new Failure('SESSION_NOT_FOUND', `No session is called or starts with "${name}".`, { hint: SEE })
}

/** Finds an agent by its id or the start of one, with or without `agent-` before it. */
export function findAgent(context: Context, name: string): { readonly session: FoundSession; readonly agent: Agent } {
  const id = name.replace(/^agent-/, '')
  const { library } = context
  const candidates = library
    .projects()
    .flatMap((project) =>
      project.sessions.filter((session) => library.agentFiles(session).some((agent) => agent.id.startsWith(id))),
    )
  const matches = candidates.flatMap((files) =>
    library
      .agents(files)
      .filter((agent) => agent.id.startsWith(id))
      .map((agent) => ({ session: { library, files }, agent })),
  )
  const exact = matches.filter((match) => match.agent.id === id)
  const [only, ...others] = exact.length > 0 ? exact : matches
  if (!only)
    throw new Failure('SESSION_NOT_FOUND', `No agent's id starts with "${id}".`, {
      hint: 'Run `annals agents` to see them.',
    })
  if (others.length > 0) {
    const ids = [only, ...others].slice(0, 5).map((match) => `agent-${match.agent.id}`)
    throw new Failure('SESSION_AMBIGUOUS', `${others.length + 1} agents start with "${id}": ${ids.join(', ')}.`, {
      hint: 'Give more of the id.',
    })
  }
  return only
}

function found(context: Context, files: SessionFiles): FoundSession {
  return { library: context.library, files }
}

function currentSession(context: Context): string {
  if (context.currentSession) return context.currentSession
  const live = context.library.roots
    .flatMap((root) => readLiveSessions(root).items)
    .filter((item) => item.alive && item.sessionId && item.cwd === context.cwd)
    .sort((a, b) => ((a.updatedAt ?? '') < (b.updatedAt ?? '') ? 1 : -1))
  if (live[0]?.sessionId) return live[0].sessionId
  const hint = 'It is known inside a hook (--hook), or while Claude Code runs in this folder. `last` is the newest one.'
  throw new Failure('SESSION_NOT_FOUND', 'There is no current session here.', { hint })
}

function lastSession(context: Context): SessionFiles {
  const [last] = knownSessions(context)
    .filter(({ info }) => info.kind === 'conversation')
    .sort((a, b) => newestFirst(a.info, b.info))
  if (last) return last.files
  throw new Failure('SESSION_NOT_FOUND', 'There is no session yet.', {
    hint: `Looked in ${context.library.roots.join(', ')}.`,
  })
}

function byId({ library }: Context, name: string): readonly SessionFiles[] | undefined {
  const sessions = library.sessions()
  const exact = sessions.filter((session) => session.id === name)
  if (exact.length > 0) return newestOf(exact)
  const started = sessions.filter((session) => session.id.startsWith(name))
  if (started.length > 0) return started
  if (!/^[0-9a-f-]{8,}$/.test(name)) return undefined
  const inside = sessions.filter(
    (session) => session.log && library.glance(session.log)?.facts.sessionIds.some((id) => id.startsWith(name)),
  )
  return inside.length > 0 ? inside : undefined
}

/** The same id in two roots or projects is one session that was copied or moved: the newest is meant. */
function newestOf(sessions: readonly SessionFiles[]): readonly SessionFiles[] {
  return sessions.toSorted((a, b) => (b.log?.modifiedAt ?? 0) - (a.log?.modifiedAt ?? 0)).slice(0, 1)
}

function byWords(context: Context, name: string): readonly SessionFiles[] {
  const known = knownSessions(context)
  const wanted = name.toLowerCase()
  const whole = known.filter(({ info }) => info.slug === name || info.title?.toLowerCase() === wanted)
  const matches = whole.length > 0 ? whole : known.filter(({ info }) => info.title?.toLowerCase().startsWith(wanted))
  return matches.map(({ files }) => files)
}

function byPath(context: Context, name: string): FoundSession {
  const path = resolve(context.cwd, name)
  const listed = context.library.sessions().find((session) => session.log?.path === path)
  if (listed) return found(context, listed)
  if (context.rootsOnly || !existsSync(path)) {
    throw new Failure('SESSION_NOT_FOUND', `There is no file ${path}.`, { hint: SEE })
  }
  const library = fileLibrary(path)
  const files = library.sessions()[0]
  if (!files)
    throw new Failure('SESSION_NOT_FOUND', `${path} is not a session log.`, { hint: 'A log is a *.jsonl file.' })
  return { library, files }
}

function ambiguous(context: Context, name: string, matches: readonly SessionFiles[]): Failure {
  const newest = matches.toSorted((a, b) => (b.log?.modifiedAt ?? 0) - (a.log?.modifiedAt ?? 0))
  const shown = newest.slice(0, 5).map((files) => {
    const facts = files.log && context.library.glance(files.log)?.facts
    const words = facts && titleOf(facts).text
    return `  ${files.id}${words ? `  ${words.slice(0, 60)}` : ''}`
  })
  const more = matches.length > shown.length ? [`  and ${matches.length - shown.length} more`] : []
  const message = [`${matches.length} sessions fit "${name}":`, ...shown, ...more].join('\n')
  return new Failure('SESSION_AMBIGUOUS', message, { hint: 'Give more of the id.' })
}
