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
    | 'activeMs'
    | 'gitBranch'
    | 'costUsd'
    | 'inherited'
    | 'forkedFrom'
    | 'expiresAt'
    | 'kept'
    | 'starred'
    | 'tags'
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
  /** How many hits were asked for of sessions that were looked at. */
  readonly askedIn: ReadonlyMap<string, number>
  /** Every session that has one, also those whose hits are not among these. */
  readonly groups: readonly HitSession[]
  readonly total: number
  /** There are more than `total`: the rest is not counted. */
  readonly moreHits: boolean
  /** How much of the logs the index did not know yet. */
  readonly behindBytes: number
  /** The ids of the sessions that the filters leave; all where there are none. */
  readonly fitting: ReadonlySet<string> | undefined
  /** What is wrong with a filter. */
  readonly problem: string | undefined
}

/** What was found where nothing was. */
export function nothingFound(query: string, scope: Scope): Found {
  const nothing = { hits: [], askedIn: new Map(), groups: [], total: 0, moreHits: false, behindBytes: 0 }
  return { query, scope, ...nothing, fitting: undefined, problem: undefined }
}

/** A line of the list: a session and what was found in it, or one of these hits below it. */
export interface Row {
  readonly session: Listed
  readonly hits: readonly Hit[]
  /** Which of the hits the line is; `null` where it is the session. */
  readonly at: number | null
  /** How many hits the session has, those that are not at hand too. */
  readonly count: number
  /** How many originals it stands under, as a fork of theirs. */
  readonly depth: number
}

/** What a look into a log tells of a session. */
export interface Details {
  readonly firstPrompt: string | null
  readonly lastAnswer: string | null
}

/** By what a session is known while the picker is open: its log, or its id where that is gone. */
export function keyOf(session: Listed): string {
  return session.file ?? `${session.project.key}/${session.id}`
}

/** Hits beyond these are not on the screen. */
const MOST_SHOWN = 8

/** The hits that a look at a row shows. */
export function shownHits({ hits, at }: Row): readonly Hit[] {
  return at === null ? hits.slice(0, MOST_SHOWN) : hits.slice(at, at + 1)
}
