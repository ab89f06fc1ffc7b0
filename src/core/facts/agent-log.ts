import { preview } from '../log/content.ts'
import type { TreeNode } from '../tree/node.ts'
import type { UsageRow, UsageTotal } from '../usage/usage.ts'
import { UsageFold } from '../usage/usage-fold.ts'
import type { AgentReport } from './agent-calls.ts'

/** What the rows of an agent tell about it. */
export interface AgentRows {
  readonly hasUserRow: boolean
  /** The row that asked, and the row with the last answer. */
  readonly promptRow: TreeNode | undefined
  readonly answerRow: TreeNode | undefined
  readonly models: readonly string[]
  readonly usage: UsageTotal
  readonly startedAt: string | null
  readonly endedAt: string | null
}

/** Looks at the rows of an agent: all rows of its own log, or those of a sidechain inside another log. */
export function agentRows(nodes: readonly TreeNode[], usage: readonly UsageRow[]): AgentRows {
  const fold = new UsageFold()
  for (const row of usage) fold.add(row)
  return {
    hasUserRow: nodes.some((node) => node.type === 'user'),
    promptRow: nodes.find((node) => node.type === 'user' && node.preview !== null),
    answerRow: nodes.findLast((node) => node.kind === 'response' && node.toolUses.length === 0),
    models: [...new Set(nodes.flatMap((node) => (node.kind === 'response' && node.model ? [node.model] : [])))],
    usage: fold.total(),
    startedAt: nodes[0]?.timestamp ?? null,
    endedAt: nodes.findLast((node) => node.timestamp !== null)?.timestamp ?? null,
  }
}

/** Where and how an agent failed: its last words were an error or an interruption, or its caller was told so. */
export function failureOf(
  nodes: readonly TreeNode[],
  report: AgentReport | undefined,
): { readonly node: TreeNode; readonly reason: string } | undefined {
  const last = nodes.findLast((node) => node.type === 'user' || node.type === 'assistant')
  if (!last) return undefined
  if (last.kind === 'api-error') return { node: last, reason: 'The API answered with an error.' }
  if (last.kind === 'interrupt') return { node: last, reason: 'It was interrupted.' }
  if (report?.isError) return { node: last, reason: `Its caller was told: ${preview(report.result ?? 'nothing')}` }
  if (report?.status && /^(failed|error|killed|cancelled)$/.test(report.status)) {
    return { node: last, reason: `Its status is ${report.status}.` }
  }
  return undefined
}
