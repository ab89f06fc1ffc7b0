import type { TitleFrom } from '../core/facts/title.ts'
import type { Counts } from '../core/tree/turns.ts'

/** What is known of a session without reading its log, as every list shows it. What only its log could tell is `null` where that is gone. */
export interface SessionInfo {
  readonly id: string
  readonly root: string
  readonly file: string | null
  readonly project: { readonly key: string; readonly path: string | null }
  readonly title: string | null
  readonly titleFrom: TitleFrom
  readonly slug: string | null
  /** What Claude Code tagged it with: one at most. */
  readonly tags: readonly string[]
  /** What annals keeps beside it: a star and a note of the person's own. */
  readonly starred: boolean
  readonly note: string | null
  /** `conversation`; else `summary-only`, `snapshot-only`, `metadata-only`, `empty`, `unknown` or `gone`. */
  readonly kind: string
  readonly status: 'live' | 'finished' | 'unknown'
  /** Of a fork, its first own row. */
  readonly createdAt: string | null
  readonly updatedAt: string | null
  /** How long was worked on it, pauses left out, and from its first row to its last, in milliseconds. */
  readonly activeMs: number | null
  readonly wallMs: number | null
  readonly sizeBytes: number | null
  readonly lines: number | null
  readonly counts: Counts | null
  /** Prompts and responses; of a deleted log, what Claude Code noted. */
  readonly messageCount: number | null
  readonly branches: number | null
  readonly compactions: number | null
  readonly agents:
    | readonly {
        readonly id: string
        readonly class: string
        readonly type: string | null
        readonly description: string | null
      }[]
    | null
  readonly models: readonly string[] | null
  readonly gitBranch: string | null
  /** The version of the client that wrote it last. */
  readonly version: string | null
  readonly forkedFrom: string | null
  readonly continues: string | null
  readonly continuedIn: string | null
  /** With its agents, each response once, in US dollars; `null` where no price is known. */
  readonly costUsd: number | null
  readonly ownCostUsd: number | null
  /** Responses that nobody knows the price of: they are in no cost. */
  readonly unpriced: number | null
  /** What its copied rows cost in the sessions that they come from. */
  readonly inherited: { readonly responses: number; readonly costUsd: number | null } | null
  /** When Claude Code deletes its log. */
  readonly expiresAt: string | null
  /** It is in the archive. */
  readonly kept: boolean
}
