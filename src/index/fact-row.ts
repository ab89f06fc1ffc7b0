import type { AgentCall } from '../core/facts/agent-calls.ts'
import { logKind } from '../core/facts/facts.ts'
import { textKey } from '../core/facts/row-key.ts'
import type { LogTold, SummaryRow } from '../core/facts/told.ts'
import { preview } from '../core/log/content.ts'
import { isRecordType } from '../core/log/record-types.ts'
import type { Counts } from '../core/tree/turns.ts'
import type { Cursor } from '../disk/cursor.ts'
import type { SourceEntry } from '../disk/source.ts'
import type { AgentParts, FactRow, LogRows } from './log-rows.ts'

/** A log to read, as a thread is asked for it. */
export interface RowsJob {
  readonly entry: SourceEntry
  readonly cursor: Cursor
  /** The agent whose log it is; `null` for a session's own. */
  readonly agent: string | null
}

/** What a log comes to as a whole. */
interface WholeLog {
  readonly lines: number
  readonly counts: Counts
  readonly branches: number
  readonly compactions: number
  readonly allCompactions: number
  readonly interrupts: number
  readonly models: readonly string[]
  readonly synthetic: readonly string[]
  /** The key of its first row's parent, where that stands in another log. */
  readonly parentKey: number | null
  readonly agents: AgentParts
}

/** The row of `fact` of a log. */
export function factRow(told: LogTold, whole: WholeLog): FactRow {
  const { counts } = whole
  return {
    kind: logKind(told.types, isRecordType),
    lines: whole.lines,
    rows: counts.rows,
    prompts: counts.prompts,
    messages: counts.messages,
    turns: counts.turns,
    tool_calls: counts.toolCalls,
    branches: whole.branches,
    compactions: whole.compactions,
    all_compactions: whole.allCompactions,
    interrupts: whole.interrupts,
    cwd: told.cwd,
    relocated_cwd: told.relocatedCwd,
    git_branch: told.gitBranch,
    git_branches: JSON.stringify(told.gitBranches),
    version: told.version,
    slug: told.slug,
    custom_title: told.customTitle?.text ?? null,
    tag: told.tag,
    ai_title: told.aiTitle?.text ?? null,
    asked: told.asked ?? told.typed,
    first_at: told.firstAt,
    last_at: told.lastAt,
    ended: told.evidence.endedAt,
    active_ms: told.active.spentMs,
    head: told.evidence.head,
    own_id: told.evidence.sessionId,
    inner_ids: JSON.stringify(told.sessionIds),
    models: JSON.stringify(whole.models),
    continued_in: told.continuedIn,
    forked_from: told.forkedFrom,
    parent_key: whole.parentKey,
    ledger: told.costState && JSON.stringify(told.costState),
    synthetic: JSON.stringify(whole.synthetic),
    agents: JSON.stringify(whole.agents),
  }
}

/** The rows of `summary` of a log. */
export function summaryRows(summaries: readonly SummaryRow[]): LogRows['summaries'] {
  return summaries.map(({ leafUuid, line, text }) => ({ leaf: textKey(leafUuid), line, text }))
}

/** A call without what lists do not show; the log that it stands in may move. One that was carried over has the key of its prompt already. */
export function shortCall(call: AgentCall, isCarried = false): AgentCall {
  const prompt = isCarried ? call.prompt : promptKey(call.prompt)
  return { ...call, place: { ...call.place, file: '' }, prompt, reported: { ...call.reported, result: null } }
}

/** Prompts of agents are only compared: what they say need not be kept. */
export function promptKey(prompt: string | null): string | null {
  return prompt === null || prompt === 'Warmup' ? prompt : textKey(preview(prompt)).toString(16)
}
