import type { Static } from '../../core/schema.ts'
import type { SessionFiles } from '../../disk/inventory.ts'
import type { Context } from '../../history/context.ts'
import { type Conversation, openConversation } from '../../history/conversation.ts'
import { listSessions, rememberedSessions, sessionItem } from '../../history/list.ts'
import { inScope } from '../../history/scope.ts'
import type { SessionItem } from '../../history/view/session-item.ts'
import { rename } from '../../ops/edit/rename.ts'
import { star } from '../../ops/edit/star.ts'
import { exporting } from '../../ops/export.ts'
import { catchUp } from '../../ops/indexing.ts'
import { keep } from '../../ops/keep.ts'
import type { Details, Found, Listed, Scope } from './model.ts'
import { newestFirst } from './rows.ts'
import { searchSessions } from './search-sessions.ts'

/** What the picker asks of the logs. All of it may take a while, so it is asked of another thread. */
export interface Answers {
  list(request: null): Promise<readonly Listed[]>
  search(request: SearchRequest): Promise<Found>
  /** Brings the index further, for a moment; gives how many bytes it is behind. */
  index(request: null): number
  details(request: { readonly file: string }): Details | null
  price(request: { readonly file: string }): Promise<number | null>
  /** Writes a session down as markdown in this folder, without its secrets. */
  export(request: { readonly file: string }): Promise<Static<typeof exporting.result>>
  /** Keeps a session in the archive. */
  keep(request: { readonly file: string }): Promise<Static<typeof keep.result>>
  /** Gives a session a star, or takes it away. */
  star(request: { readonly file: string; readonly isStarred: boolean }): Promise<Static<typeof star.result>>
  /** Gives a session another title, in Claude Code too. */
  rename(request: { readonly file: string; readonly title: string }): Promise<Static<typeof rename.result>>
}

/** What is typed. With `session`, only what was found in this one, `most` of it. */
export interface SearchRequest {
  readonly query: string
  readonly scope: Scope
  readonly session?: string | undefined
  readonly most?: number | undefined
}

export function createAnswers(context: Context): Answers {
  const { library } = context
  const fresh = () => ({ ...context, now: new Date() })
  return {
    list: async () => {
      library.refresh()
      return listed(fresh(), await listSessions(fresh()))
    },
    search: (request) => searchSessions(fresh(), request),
    index: () => catchUp(context, CATCH_UP_MS).behindBytes,
    details: ({ file }) => detailsOf(fresh(), file),
    price: async ({ file }) => {
      const files = sessionAt(context, file)
      return files ? (await sessionItem(fresh(), files)).costUsd : null
    },
    export: async ({ file }) => exporting.run(fresh(), { sessions: [file], to: 'md' }),
    keep: async ({ file }) => keep.run(fresh(), { session: [file] }),
    star: async ({ file, isStarred }) => star.run(fresh(), { session: file, remove: !isStarred }),
    rename: async ({ file, title }) => rename.run(fresh(), { session: file, title, yes: true }),
  }
}

/**
 * The newest sessions of this repository, else of all, as the index knew them last: as many as a screen holds. What can be drawn
 * first; it reads no log.
 */
export async function newestPage(context: Context, most: number): Promise<readonly Listed[]> {
  const all = listed(context, await rememberedSessions(context))
  const here = all.filter((one) => one.isHere)
  return (here.length > 0 ? here : all).slice(0, most)
}

function listed(context: Context, items: readonly SessionItem[]): readonly Listed[] {
  const fits = inScope({ here: true }, context.cwd)
  const known = new Map<string | null, boolean>()
  const isHere = (item: SessionItem) => {
    const { path } = item.project
    const answer = known.get(path) ?? fits(item.project)
    known.set(path, answer)
    return answer
  }
  return items
    .filter((item) => item.kind === 'conversation' || item.kind === 'gone')
    .map((item) => toListed(item, { isHere: isHere(item), isArchived: item.kind === 'gone' && item.kept }))
    .sort(newestFirst)
}

function toListed(item: SessionItem, marks: Pick<Listed, 'isHere' | 'isArchived'>): Listed {
  const { id, file, project, title, kind, status, createdAt, updatedAt, activeMs, gitBranch } = item
  const { costUsd, inherited, forkedFrom, expiresAt, kept, starred, tags } = item
  const about = { id, file, project, title, kind, status, createdAt, updatedAt, activeMs, gitBranch }
  return { ...about, costUsd, inherited, forkedFrom, expiresAt, kept, starred, tags, ...marks }
}

/** How long someone who types meanwhile may have to wait for what is found. */
const CATCH_UP_MS = 1000

function sessionAt({ library }: Context, file: string): SessionFiles | undefined {
  return library.sessions().find((session) => session.log?.path === file)
}

function detailsOf(context: Context, file: string): Details | null {
  const { library } = context
  const log = sessionAt(context, file)?.log
  const known = log && library.facts(log)
  if (!log || !known) return null
  const conversation = openConversation(library.source, log, known)
  const turns = conversation.turns(conversation.tree.active)
  const first = turns.find((turn) => turn.prompt !== undefined)
  return {
    firstPrompt: (first && conversation.prompt(first)?.text) ?? null,
    lastAnswer: lastAnswer(conversation),
  }
}

/** How many rows are looked at from the end: an answer is near it, or there is none. */
const MOST_ROWS = 50

function lastAnswer(conversation: Conversation): string | null {
  const rows = conversation.tree.active?.rows ?? []
  const end = rows[rows.length - MOST_ROWS] ?? 0
  for (const turn of conversation.turns(conversation.tree.active).toReversed()) {
    for (const row of turn.rows.toReversed()) {
      if (row < end) return null
      const text = conversation.itemsAt(turn, row).findLast((item) => item.kind === 'text')
      if (text?.kind === 'text') return text.text
    }
  }
  return null
}
