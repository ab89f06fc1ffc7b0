import { type Static, Type } from 'typebox'
import { preview } from '../core/content.ts'
import { Failure } from '../core/failure.ts'
import { type JsonObject, objectAt, stringAt } from '../core/json.ts'
import type { TreeNode } from '../core/node.ts'
import { commandText } from '../core/title.ts'
import { planOf } from '../core/tool-call.ts'
import type { Turn } from '../core/turns.ts'
import type { Conversation } from '../disk/conversation.ts'
import { placeAt } from '../disk/family.ts'
import { readRecordAt } from '../disk/log-file.ts'
import { AgentItem, agentItem } from './agents.ts'
import { defineOp } from './op.ts'
import { chosenBranch, costsOf, leafUuid, type OpenedSession, openSession, wholeView } from './open-session.ts'
import { SessionItem } from './session-item.ts'
import { listSessions } from './session-list.ts'
import { NullableNumber, NullableString, nullable } from './shapes.ts'
import { BranchShape, branchList } from './show.ts'
import { readRow, type ShownRows, shownRows } from './shown-rows.ts'
import type { View } from './turn-shape.ts'

const OutlineTurn = Type.Object({
  number: Type.Integer({ description: 'Counted from 1; 0 for what stands before the first prompt' }),
  row: Type.Integer({ description: 'The first of its rows' }),
  rows: Type.Integer(),
  prompt: nullable(
    Type.Object({
      kind: Type.String({ description: 'prompt, queued, command or bash' }),
      text: Type.String({ description: 'Its first words' }),
      uuid: Type.String(),
    }),
  ),
  startedAt: NullableString,
  durationMs: NullableNumber,
  costUsd: NullableNumber,
  toolCalls: Type.Integer(),
  errors: Type.Integer({ description: 'Tool calls and requests that failed' }),
})

const Mark = Type.Object({
  row: Type.Integer(),
  kind: Type.String({ description: 'prompt, error, compaction, agent, interrupt or plan' }),
  text: Type.String(),
  uuid: Type.String(),
})

export const outline = defineOp({
  name: 'outline',
  summary: 'Outline a session: its turns, and where something happened in it.',
  examples: ['annals outline last', 'annals outline 3f9a --branch 8c1d', 'annals outline agent-a1b2 --json'],
  input: Type.Object({
    session: Type.String({ description: 'An id or its start, last, current, a slug, a title, a path, or agent-<id>' }),
    branch: Type.Optional(Type.String({ description: 'A branch by the start of its leaf; else the active one' })),
  }),
  positional: ['session'],
  result: Type.Object({
    session: SessionItem,
    agent: nullable(AgentItem),
    branch: NullableString,
    branches: Type.Array(BranchShape),
    total: Type.Integer({ description: 'Rows of the branch that show something' }),
    sizeBytes: Type.Integer({ description: 'How much of the log was known' }),
    turns: Type.Array(OutlineTurn),
    marks: Type.Array(Mark),
    agents: Type.Array(AgentItem),
  }),
  run(context, input) {
    const opened = openSession(context, input.session)
    const { library, files, agent, family, conversation } = opened
    const { tree, entry } = conversation
    const [session] = listSessions({ ...context, library }, [{ ...files.project, sessions: [files] }], { full: true })
    if (!session) throw new Failure('SESSION_NOT_FOUND', `${opened.log.path} can no longer be read.`)
    const branch = chosenBranch(tree, input.branch)
    const shown = shownRows(conversation, branch)
    const costs = costsOf(context, opened)
    const view = wholeView(context, opened)
    return {
      session,
      agent: agent ? agentItem(agent, costs.ofAgent(agent)) : null,
      branch: leafUuid(tree, branch),
      branches: branchList(tree),
      total: shown.rows.length,
      sizeBytes: entry.sizeBytes,
      turns: shown.turns.map((_, at) => outlineTurn(conversation, shown, at, view)),
      marks: shown.rows.flatMap((_, row) => marksOf(opened, shown, row, view)),
      agents: family.filter((one) => one.class !== 'warmup').map((one) => agentItem(one, costs.ofAgent(one))),
    }
  },
})

function outlineTurn(conversation: Conversation, shown: ShownRows, at: number, view: View): Static<typeof OutlineTurn> {
  const { nodes } = conversation.tree
  const turn = shown.turns[at] as Turn
  const row = shown.starts[at] as number
  const calls = new Set<string>()
  const messages = new Set<string>()
  let errors = 0
  for (const i of turn.rows) {
    const node = nodes.at(i) as TreeNode
    for (const use of node.toolUses) calls.add(use.id || `row ${i}`)
    if (node.messageId !== null) messages.add(node.messageId)
    if (node.kind === 'api-error') errors += 1
  }
  for (const id of calls) if (failedCalls(conversation).has(id)) errors += 1
  const started = [...calls].flatMap((id) => view.agentOf.get(id) ?? [])
  const asked = turn.prompt === undefined ? undefined : nodes.at(turn.prompt)
  return {
    number: turn.number,
    row,
    rows: (shown.starts[at + 1] ?? shown.rows.length) - row,
    prompt: asked ? { kind: promptKind(asked), text: promptWords(asked), uuid: asked.uuid } : null,
    startedAt: conversation.startedAt(turn),
    durationMs: conversation.durationMs(turn),
    costUsd: view.costs?.ofTurn(messages, started) ?? null,
    toolCalls: calls.size,
    errors,
  }
}

function promptKind({ kind }: TreeNode): string {
  return kind === 'queued-prompt' ? 'queued' : kind === 'bash-input' ? 'bash' : kind === 'command' ? kind : 'prompt'
}

/** The first words of a prompt, as they were typed. */
export function promptWords(node: TreeNode): string {
  return commandText(node) ?? (node.preview ?? '').replace(/^<bash-input>|<\/bash-input>$/g, '').trim()
}

/** What happened on a row. Only rows whose words are not known otherwise are read. */
function marksOf(opened: OpenedSession, shown: ShownRows, row: number, view: View): Static<typeof Mark>[] {
  const { conversation } = opened
  const node = conversation.tree.nodes.at(shown.rows[row] as number) as TreeNode
  const turn = shown.turns[shown.turnOf[row] as number] as Turn
  const mark = (kind: string, text: string) => ({ row, kind, text: preview(text), uuid: node.uuid })
  if (turn.prompt === shown.rows[row]) return [mark('prompt', promptWords(node))]
  const itemsHere = () => readRow(conversation, shown, row, view).items
  if (node.kind === 'api-error') return [mark('error', stringAt(itemsHere()[0], 'text') ?? '')]
  if (node.kind === 'interrupt') return [mark('interrupt', stringAt(itemsHere()[0], 'text') ?? '')]
  if (node.kind === 'compact-boundary') return [mark('compaction', compactionWords(node))]
  return node.toolUses.flatMap(({ id, name }) => {
    const plan = PLANS.has(name) ? itemsHere().find((item) => stringAt(item, 'id') === id) : undefined
    const input = objectAt(plan, 'input')
    return [
      ...(input ? [mark('plan', planTitle(planOf(input, answerTo(opened, turn, id))))] : []),
      ...(view.agentOf.get(id) ?? []).map(({ type, description }) =>
        mark('agent', [type, description].filter((words) => words !== null).join(': ')),
      ),
      ...(failedCalls(conversation).has(id) ? [mark('error', name)] : []),
    ]
  })
}

const PLANS: ReadonlySet<string> = new Set(['ExitPlanMode', 'exit_plan_mode'])

function compactionWords({ compaction }: TreeNode): string {
  const { trigger = null, preTokens = null, postTokens = null } = compaction ?? {}
  const sizes = [preTokens, postTokens].filter((tokens) => tokens !== null).join(' → ')
  return [trigger ?? '', sizes && `${sizes} tokens`].filter((words) => words !== '').join(', ')
}

function planTitle(plan: string | null): string {
  const line = plan?.split('\n').find((one) => one.trim() !== '')
  return line?.replace(/^#+\s*/, '').trim() ?? ''
}

/** The row that answers a call of a turn. */
function answerTo({ library, conversation }: OpenedSession, turn: Turn, id: string): JsonObject | undefined {
  const { tree, entry } = conversation
  const nodes = turn.rows.map((i) => tree.nodes.at(i) as TreeNode)
  const node = nodes.find(({ toolResults }) => toolResults.some((result) => result.id === id))
  return node && readRecordAt(library.source, entry, placeAt(entry, node))?.raw
}

const failures = new WeakMap<Conversation, ReadonlySet<string>>()

function failedCalls(conversation: Conversation): ReadonlySet<string> {
  const known = failures.get(conversation)
  if (known) return known
  const ids = new Set<string>()
  for (const node of conversation.tree.nodes) {
    for (const { id, isError } of node.toolResults) if (isError) ids.add(id)
  }
  failures.set(conversation, ids)
  return ids
}
