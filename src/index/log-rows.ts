import type { AgentCall } from '../core/facts/agent-calls.ts'
import type { ResponseRows } from '../core/facts/response-rows.ts'
import type { TurnName } from '../core/tree/turn-names.ts'
import type { Cursor } from '../disk/cursor.ts'
import type { SqlValue } from './driver.ts'

/** Everything that the tables hold of one log, made from its bytes alone: plain data, so that a thread can make it. */
export interface LogRows {
  readonly cursor: Cursor
  /** The log has grown: these rows are added to those that are there. Otherwise they take their place. */
  readonly isAppend: boolean
  readonly fact: FactRow
  /** The `sessionId` that its first record names, by which flat logs of agents are known. */
  readonly namedSession: string | null
  readonly slugs: readonly string[]
  readonly summaries: readonly { readonly leaf: number; readonly line: number; readonly text: string }[]
  /** The rows of its tree, packed (`core/row-table`). */
  readonly rows: Float64Array<ArrayBuffer>
  /** The turns from an index on; those from there that were known before are gone. */
  readonly turnsFrom: number
  readonly turns: readonly TurnName[]
  readonly responses: ResponseRows
  /** What reading on from its end needs; `null` where it has to be read from its start again. */
  readonly carry: string | null
}

/** The columns of `fact`. */
export const FACT_COLUMNS = [
  'kind',
  'lines',
  'rows',
  'prompts',
  'messages',
  'turns',
  'tool_calls',
  'branches',
  'compactions',
  'all_compactions',
  'interrupts',
  'cwd',
  'relocated_cwd',
  'git_branch',
  'git_branches',
  'version',
  'slug',
  'custom_title',
  'tag',
  'ai_title',
  'asked',
  'first_at',
  'last_at',
  'ended',
  'active_ms',
  'head',
  'own_id',
  'inner_ids',
  'models',
  'continued_in',
  'forked_from',
  'parent_key',
  'ledger',
  'synthetic',
  'agents',
] as const

export type FactRow = Readonly<Record<(typeof FACT_COLUMNS)[number], SqlValue>>

/** What linking agents to their calls needs of a log. */
export interface AgentParts {
  readonly calls: readonly TurnedCall[]
  /** Agents that lie in the log itself. */
  readonly inline: readonly InlinePart[]
  /** The log as an agent's own; `null` for a session's log. */
  readonly own: UnlinkedPart | null
}

/** A call that started an agent, with the number of the turn that it stands in. */
export interface TurnedCall extends AgentCall {
  readonly turn: number | null
}

/** An agent inside the log of its session, with the offsets of its responses. */
export interface InlinePart extends UnlinkedPart {
  readonly responses: readonly number[]
}

/** What is known of an agent before it is linked to the call that started it. */
export interface UnlinkedPart {
  readonly id: string
  readonly prompt: string | null
  readonly startedAt: string | null
  readonly hasUserRow: boolean
}
