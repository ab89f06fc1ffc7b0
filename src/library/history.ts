import type { Place } from '../core/log/place.ts'
import { between, momentOf, untilMoment } from '../core/usage/moment.ts'
import type { Context } from '../history/context.ts'
import { undoEdit } from '../history/edits/undo-edit.ts'
import { findSession, newestFirst } from '../history/find.ts'
import { historyOf } from '../history/history.ts'
import { type ListedSession, listSessions } from '../history/list.ts'
import { inScope } from '../history/scope.ts'
import { type Hit, searchHistory, soughtBy } from '../history/search/search.ts'
import { isListed } from '../history/view/session-item.ts'
import { blameOf, type FileBlame } from './blame.ts'
import { type Edit, type EditOptions, toEdit } from './edits.ts'
import { foundSession, listedSession, type Session } from './session.ts'

/** Which sessions are meant; without bounds all conversations. */
export interface SessionFilter {
  /** `7d`, `24h`, a day or an ISO time. */
  readonly since?: string
  readonly until?: string
  /** A project by its path or the name of its folder. */
  readonly project?: string
  /** Projects in this folder or below it. */
  readonly under?: string
  /** Also logs that hold no conversation, and sessions whose logs are gone. */
  readonly all?: boolean
}

/** What is looked for, beside the words themselves. */
export interface SearchFilter extends Omit<SessionFilter, 'all'> {
  /** The text as it stands, or a regular expression, in place of words. */
  readonly as?: 'words' | 'exact' | 'regex'
  readonly session?: string
  readonly role?: string
  readonly kind?: string
  readonly tool?: string
  readonly model?: string
  /** A part of the path that a tool call is about. */
  readonly file?: string
  readonly error?: boolean
  readonly sort?: 'time' | 'relevance'
}

/** A record in which something was found. */
export interface SearchHit {
  readonly session: { readonly id: string; readonly project: { readonly key: string; readonly path: string | null } }
  readonly agent: string | null
  readonly uuid: string | null
  readonly role: string
  readonly kind: string
  readonly timestamp: string | null
  /** The text around it; `null` where the log has vanished. */
  readonly snippet: string | null
  /** Where in the snippet it was found, from and to. */
  readonly matches: readonly (readonly [number, number])[]
  readonly place: Place
}

/** Everything that Claude Code kept of a person's work, and annals of it. */
export interface History extends AsyncDisposable {
  readonly roots: readonly string[]
  /** The sessions, the newest first. */
  sessions(filter?: SessionFilter): AsyncIterable<Session>
  /** The session that is meant: an id or its start, `last`, a title, a slug, `agent-<id>`, or the path of a log. */
  session(name: string): Promise<Session>
  /** Records in which something is found, the newest first, as many as one takes. */
  search(text: string, filter?: SearchFilter): AsyncIterable<SearchHit>
  /** Takes back an edit, else the newest that was not: byte for byte. */
  undo(id?: string, options?: EditOptions): Promise<Edit>
  /** Which prompt wrote each line of a file, by its path. */
  blame(file: string): Promise<FileBlame>
  /** Looks at the disk again; what is asked later is up to date. */
  refresh(): void
  close(): Promise<void>
}

export function makeHistory(context: Context): History {
  const close = async () => {
    historyOf(context).close()
    context.library.close()
  }
  return {
    roots: context.library.roots,
    sessions: (filter) => sessionsOf(context, filter),
    session: async (name) => {
      return foundSession(context, await findSession(context, name))
    },
    search: (text, filter) => searchIn(context, text, filter),
    undo: async (id, options = {}) => toEdit(await undoEdit(context, id, options)),
    blame: (file) => blameOf(context, file),
    refresh: () => context.library.refresh(),
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function* sessionsOf(context: Context, filter: SessionFilter = {}): AsyncGenerator<Session> {
  const fits = inScope(filter, context.cwd)
  const isInTime = between(filter, context.now)
  const isMeant = (item: ListedSession) =>
    (filter.all === true || isListed(item)) && fits(item.project) && isInTime(item.updatedAt)
  for (const item of (await listSessions(context)).filter(isMeant).toSorted(newestFirst)) {
    yield listedSession(context, item)
  }
}

/** The first page; each further one is four times as long, and begins with the hits of the one before. */
const FIRST_PAGE = 50

async function* searchIn(context: Context, text: string, filter: SearchFilter = {}): AsyncGenerator<SearchHit> {
  const { since, until, project, under, as = 'words', sort = 'time', ...named } = filter
  const isScoped = project !== undefined || under !== undefined
  const request = {
    sought: soughtBy(text, as),
    filter: {
      ...named,
      ...(isScoped && { inProject: inScope({ project, under }, context.cwd) }),
      ...(since !== undefined && { sinceMs: momentOf(since, context.now).getTime() }),
      ...(until !== undefined && { untilMs: untilMoment(until, context.now).getTime() }),
    },
    sort,
    isUncounted: true,
    isIndexing: false,
    progress: context.progress,
  }
  let given = 0
  for (let limit = FIRST_PAGE; ; limit *= 4) {
    const { hits } = await searchHistory(historyOf(context), { ...request, limit })
    yield* hits.slice(given).map(toHit)
    if (hits.length < limit) return
    given = hits.length
  }
}

function toHit({ log, line, offset, length, uuid, role, kind, timeMs, snippet, matches }: Hit): SearchHit {
  return {
    session: { id: log.session, project: log.project },
    agent: log.agent,
    uuid,
    role,
    kind,
    timestamp: timeMs === null ? null : new Date(timeMs).toISOString(),
    snippet,
    matches,
    place: { file: log.path, line, offset, length },
  }
}
