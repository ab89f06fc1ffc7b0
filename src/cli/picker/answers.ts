import type { Static } from '../../core/schema.ts'
import { searchableText } from '../../core/search/searchable.ts'
import type { Tree } from '../../core/tree/tree.ts'
import { cutTurns } from '../../core/tree/turns.ts'
import type { SessionFiles } from '../../disk/inventory.ts'
import { readRecordAt } from '../../disk/log-file.ts'
import type { Context } from '../../history/context.ts'
import { type Conversation, openConversation } from '../../history/conversation.ts'
import { listSessions, rememberedSessions, sessionItem } from '../../history/list.ts'
import { inScope } from '../../history/scope.ts'
import type { SessionItem } from '../../history/view/session-item.ts'
import { exporting } from '../../ops/export.ts'
import { catchUp } from '../../ops/indexing.ts'
import { keep } from '../../ops/keep.ts'
import type { Details, Found, Hit, HitPlace, Listed, Scope } from './model.ts'
import { newestFirst } from './rows.ts'
import { searchSessions } from './search-sessions.ts'

/** What the picker asks of the logs. All of it may take a while, so it is asked of another thread. */
export interface Answers {
  list(request: null): Promise<readonly Listed[]>
  search(request: SearchRequest): Promise<Found>
  /** Brings the index further, for a moment; gives how many bytes it is behind. */
  index(request: null): number
  details(request: { readonly file: string; readonly hits: readonly Hit[] }): Details | null
  price(request: { readonly file: string }): Promise<number | null>
  /** Writes a session down as markdown in this folder, without its secrets. */
  export(request: { readonly file: string }): Promise<Static<typeof exporting.result>>
  /** Keeps a session in the archive. */
  keep(request: { readonly file: string }): Promise<Static<typeof keep.result>>
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
    details: ({ file, hits }) => detailsOf(fresh(), file, hits),
    price: async ({ file }) => {
      const files = sessionAt(context, file)
      return files ? (await sessionItem(fresh(), files)).costUsd : null
    },
    export: async ({ file }) => exporting.run(fresh(), { sessions: [file], to: 'md' }),
    keep: async ({ file }) => keep.run(fresh(), { session: [file] }),
  }
}

/**
 * The newest sessions of this repository, else of all, as the index knew them last: as many as a screen holds. What can be drawn
 * first; it reads no log.
 */
export function newestPage(context: Context, most: number): readonly Listed[] {
  const all = listed(context, rememberedSessions(context))
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
  const { id, file, project, title, kind, status, createdAt, updatedAt, gitBranch } = item
  const { costUsd, inherited, forkedFrom, expiresAt, kept } = item
  const about = { id, file, project, title, kind, status, createdAt, updatedAt, gitBranch }
  return { ...about, costUsd, inherited, forkedFrom, expiresAt, kept, ...marks }
}

/** How long someone who types meanwhile may have to wait for what is found. */
const CATCH_UP_MS = 1000

function sessionAt({ library }: Context, file: string): SessionFiles | undefined {
  return library.sessions().find((session) => session.log?.path === file)
}

function detailsOf(context: Context, file: string, hits: readonly Hit[]): Details | null {
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
    places: hits.map((hit) => placeOf(context, conversation, hit)),
  }
}

/** How many rows are looked at from the end: an answer is near it, or there is none. */
const MOST_ROWS = 50

function lastAnswer(conversation: Conversation): string | null {
  const rows = conversation.tree.active?.rows ?? []
  for (const row of rows.slice(-MOST_ROWS).reverse()) {
    const items = conversation.items({ number: 0, prompt: undefined, rows: [row] })
    const text = items.findLast((item) => item.kind === 'text')
    if (text?.kind === 'text') return text.text
  }
  return null
}

function placeOf({ library }: Context, { entry, tree }: Conversation, hit: Hit): HitPlace {
  const { file, line, offset, length } = hit
  const source = { root: entry.root, path: file, sizeBytes: 0, modifiedAt: 0 }
  const record = hit.snippet === null ? undefined : readRecordAt(library.source, source, { file, line, offset, length })
  const about = (record && searchableText(record)?.files[0]) ?? null
  return { ...(file === entry.path ? turnOf(tree, offset) : NO_TURN), about }
}

const NO_TURN = { turn: null, branch: null }

/** The turn that a row is in, on the branch that one reads, else on the first that has it. */
function turnOf(tree: Tree, offset: number): { readonly turn: number | null; readonly branch: string | null } {
  for (const branch of tree.active ? [tree.active, ...tree.branches] : tree.branches) {
    const row = branch.rows.find((i) => tree.nodes[i]?.offset === offset)
    if (row === undefined) continue
    const turn = cutTurns(tree, branch.rows).find(({ prompt, rows }) => prompt === row || rows.includes(row))
    const leaf = branch === tree.active ? null : (tree.nodes[branch.leaf]?.uuid ?? null)
    return { turn: turn?.number ?? null, branch: leaf }
  }
  return NO_TURN
}
