import type { Static } from '../../core/schema.ts'
import type { SessionItem } from '../../history/view/session-item.ts'
import type { search } from '../../ops/search.ts'

/** Whose sessions are shown: those of the repository one stands in, or all. */
export type Scope = 'here' | 'all'

/** A session as the picker lists it. */
export interface Listed
  extends Pick<
    SessionItem,
    | 'id'
    | 'file'
    | 'project'
    | 'title'
    | 'kind'
    | 'status'
    | 'createdAt'
    | 'updatedAt'
    | 'gitBranch'
    | 'costUsd'
    | 'inherited'
    | 'forkedFrom'
  > {
  /** Whether it belongs to the repository one stands in. */
  readonly isHere: boolean
  /** Whether only the archive still has its log. */
  readonly isArchived: boolean
}

/** A place that the search found. */
export type Hit = Static<typeof search.result>['hits'][number]

/** A session in which the search found something. */
export type HitSession = Static<typeof search.result>['groups'][number]

/** What the search found for a query. */
export interface Found {
  readonly query: string
  readonly scope: Scope
  /** Newest first, the first hundred of all, and those of sessions that were looked at. */
  readonly hits: readonly Hit[]
  /** The sessions whose own hits were asked for. */
  readonly askedIn: ReadonlySet<string>
  /** Every session that has one, also those whose hits are not among these. */
  readonly groups: readonly HitSession[]
  readonly total: number
  /** How much of the logs the index did not know yet. */
  readonly behindBytes: number
}

/** What was found where nothing was. */
export function nothingFound(query: string, scope: Scope): Found {
  return { query, scope, hits: [], askedIn: new Set(), groups: [], total: 0, behindBytes: 0 }
}

/** A line of the list: a session, and what was found in it. */
export interface Row {
  readonly session: Listed
  readonly hits: readonly Hit[]
  /** How many originals it stands under, as a fork of theirs. */
  readonly depth: number
}

/** Where a hit stands in its conversation, and which file it is about. */
export interface HitPlace {
  readonly turn: number | null
  /** The last row of the branch it is on, where that is not the active one. */
  readonly branch: string | null
  readonly about: string | null
}

/** What a look into a log tells of a session. */
export interface Details {
  readonly firstPrompt: string | null
  readonly lastAnswer: string | null
  /** One for each hit that was asked about. */
  readonly places: readonly HitPlace[]
}

/** By what a session is known while the picker is open: its log, or its id where that is gone. */
export function keyOf(session: Listed): string {
  return session.file ?? `${session.project.key}/${session.id}`
}

/** By what the details of a row are known: they depend on the session and on what was found in it. */
export function detailsKey({ session, hits }: Row): string {
  return [keyOf(session), ...hits.map((hit) => `${hit.file}:${hit.offset}`)].join('\n')
}
