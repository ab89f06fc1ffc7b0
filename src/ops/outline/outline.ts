import { promptWords } from '../../core/facts/title.ts'
import { preview } from '../../core/log/content.ts'
import { type Static, Type } from '../../core/schema.ts'
import { meaningOf } from '../../core/tools/meaning-of.ts'
import { planTitle } from '../../core/tools/tool-words.ts'
import type { TreeNode } from '../../core/tree/node.ts'
import type { Branch } from '../../core/tree/tree.ts'
import type { Turn } from '../../core/tree/turns.ts'
import { rowsOfTurn, turnOfRow, type Walk } from '../../core/tree/walk.ts'
import { readLiveSessions } from '../../disk/live.ts'
import type { Context } from '../../history/context.ts'
import type { Conversation } from '../../history/conversation.ts'
import { sessionItem } from '../../history/list.ts'
import { chosenBranch, leafUuid, type OpenedSession, openSession } from '../../history/open.ts'
import { NullableNumber, NullableString, nullable } from '../../history/shapes.ts'
import { costsOf } from '../../history/usage/family-costs.ts'
import { AgentItem, agentItem } from '../../history/view/agent-item.ts'
import { BranchShape, branchList } from '../../history/view/branch-list.ts'
import { readRow } from '../../history/view/row-shape.ts'
import { SessionItem } from '../../history/view/session-item.ts'
import { commitsOfCall, type ShownStep, saidInRow, stepsOfTurn } from '../../history/view/steps.ts'
import type { View } from '../../history/view/turn-shape.ts'
import { wholeView } from '../../history/view/whole-view.ts'
import { readMarks } from '../../state/marks.ts'
import { defineOp } from '../op.ts'

const OutlineTurn = Type.Object({
  number: Type.Integer('Counted from 1; 0 for what comes before the first prompt'),
  row: Type.Integer('The first of its rows'),
  rows: Type.Integer(),
  prompt: nullable(
    Type.Object({
      kind: Type.String('prompt, queued, command or bash'),
      text: Type.String('Its first words'),
      uuid: Type.String(),
    }),
  ),
  startedAt: NullableString,
  durationMs: NullableNumber,
  costUsd: NullableNumber,
  toolCalls: Type.Integer(),
  errors: Type.Integer('Tool calls and requests that failed'),
})

const Mark = Type.Object({
  row: Type.Integer(),
  kind: Type.String('prompt, step, test, commit, error, compaction, agent, interrupt or plan'),
  text: Type.String('Of a step what was said before it, else what was done; of a test or an error the command or file'),
  uuid: Type.String(),
  timestamp: NullableString,
  calls: nullable(Type.Integer('Of a step: how many tools it called')),
  agent: Type.Union([Type.String(), Type.Null()], 'The id of the agent, for one that was started'),
})

type OutlineTurn = Static<typeof OutlineTurn>
type Mark = Static<typeof Mark>

export const outline = defineOp({
  name: 'outline',
  lists: 'turns',
  effort: 'long',
  teamStore: 'read',
  summary: 'Outline a session: its turns and landmarks.',
  examples: ['annals outline last', 'annals outline 3f9a --branch 8c1d', 'annals outline agent-a1b2 --json'],
  input: Type.Object({
    session: Type.String('An id or the start of one, last, current, a title, a log file or agent-<id>'),
    branch: Type.Optional(Type.String('A branch, by the start of its last uuid (default: the active one)')),
  }),
  positional: ['session'],
  result: Type.Object({
    session: SessionItem,
    agent: nullable(AgentItem),
    branch: NullableString,
    branches: Type.Array(BranchShape),
    total: Type.Integer('Rows of the branch that show something'),
    sizeBytes: Type.Integer('How much of the log was known'),
    turns: Type.Array(OutlineTurn),
    marks: Type.Array(Mark),
    agents: Type.Array(AgentItem),
  }),
  async run(context, input) {
    const opened = await openSession(context, input.session)
    const { agent, family, conversation } = opened
    const { tree, entry } = conversation
    const branch = chosenBranch(tree, input.branch)
    const costs = await costsOf(context, opened)
    const { total, turns, marks } = await drawn(context, opened, branch)
    return {
      session: await itemOf(context, opened),
      agent: agent ? agentItem(agent, costs.ofAgent(agent)) : null,
      branch: leafUuid(tree, branch),
      branches: branchList(tree),
      total,
      sizeBytes: entry.sizeBytes,
      turns: [...turns],
      marks: [...marks],
      agents: family.filter((one) => one.class !== 'warmup').map((one) => agentItem(one, costs.ofAgent(one))),
    }
  },
})

/** The turns and marks of a branch. */
interface Drawn {
  readonly total: number
  readonly turns: readonly OutlineTurn[]
  readonly marks: readonly Mark[]
}

/** What was made of an opened session: kept until its log or one of its agents changes. */
function made() {
  return { branches: new Map<Branch | undefined, Drawn>(), item: undefined as SessionItem | undefined }
}

async function drawn(context: Context, opened: OpenedSession, branch: Branch | undefined): Promise<Drawn> {
  const { conversation } = opened
  const { branches } = opened.derive(made)
  const before = branches.get(branch)
  if (before) return before
  const walk = conversation.walk(branch)
  const view = await wholeView(context, opened)
  const drawing = {
    total: walk.rows.length,
    turns: walk.turns.map((_, at) => outlineTurn(conversation, walk, at, view)),
    marks: walk.turns.flatMap((_, at) => marksOfTurn(opened, walk, at, view)),
  }
  branches.set(branch, drawing)
  return drawing
}

/** The session as lists show it. Whether it is live, kept or starred may change while its files do not. */
async function itemOf(context: Context, { library, files, derive }: OpenedSession): Promise<SessionItem> {
  const kept = derive(made)
  const before = kept.item
  const item = before ?? (await sessionItem({ ...context, library }, files))
  kept.item = item
  if (!before) return item
  const isLive = readLiveSessions(files.root).items.some(({ alive, sessionId }) => alive && sessionId === files.id)
  const status = isLive ? 'live' : item.status === 'live' ? 'finished' : item.status
  const { starred = false, note = null } = readMarks(context.dataDir).get(files.id) ?? {}
  return { ...item, status, kept: files.log?.kept ?? false, starred, note }
}

function outlineTurn(conversation: Conversation, walk: Walk, at: number, view: View): OutlineTurn {
  const { nodes } = conversation.tree
  const turn = walk.turns[at] as Turn
  const row = walk.starts[at] as number
  const calls = new Set<string>()
  let errors = 0
  for (const i of turn.rows) {
    const { kind, toolUses } = nodes[i] as TreeNode
    if (kind === 'api-error') errors += 1
    for (const { id } of toolUses) calls.add(id || `row ${i}`)
  }
  for (const id of calls) if (conversation.derive(failedCalls).has(id)) errors += 1
  const asked = turn.prompt === undefined ? undefined : nodes[turn.prompt]
  return {
    number: turn.number,
    row,
    rows: rowsOfTurn(walk, at).to - row,
    prompt: asked ? { kind: promptKind(asked), text: preview(promptWords(asked), WORDS), uuid: asked.uuid } : null,
    startedAt: conversation.startedAt(turn),
    durationMs: conversation.durationMs(turn),
    costUsd: view.costs?.ofTurn(conversation, turn) ?? null,
    toolCalls: calls.size,
    errors,
  }
}

/** As much of a prompt as a map has room for. A long session has thousands. */
const WORDS = 120

function promptKind({ kind }: TreeNode): string {
  return kind === 'queued-prompt' ? 'queued' : kind === 'bash-input' ? 'bash' : kind === 'command' ? kind : 'prompt'
}

/** Turn by turn: the steps of a huge session weigh more than what is told of them. */
function marksOfTurn(opened: OpenedSession, walk: Walk, at: number, view: View): Mark[] {
  const steps = new Map(stepsOfTurn(opened.conversation, walk, at).map((step) => [step.row, step]))
  const { from, to } = rowsOfTurn(walk, at)
  const marks: Mark[] = []
  for (let row = from; row < to; row++) {
    marks.push(...marksOf(opened, walk, row, { view, step: steps.get(row) }))
  }
  return marks
}

/** What is known of a row before it is read: how it is walk, and the step that begins with it. */
interface Marking {
  readonly view: View
  readonly step: ShownStep | undefined
}

/** What happened on a row. */
function marksOf(opened: OpenedSession, walk: Walk, row: number, { view, step }: Marking): Mark[] {
  const { conversation } = opened
  const index = walk.rows[row] as number
  const node = conversation.tree.nodes[index] as TreeNode
  const { kind, uuid, timestamp } = node
  const turn = walk.turns[turnOfRow(walk, row)] as Turn
  const mark = (name: string, text: string, { calls = null, agent = null }: Partial<Mark> = {}): Mark => {
    return { row, kind: name, text: preview(text, WORDS), uuid, timestamp, calls, agent }
  }
  if (turn.prompt === index) return [mark('prompt', promptWords(node))]
  const itemsHere = () => readRow(conversation, walk, row, view).items
  if (kind === 'api-error' || kind === 'interrupt') {
    return itemsHere().flatMap((item) =>
      item.kind === 'error' || item.kind === 'interrupt' ? [mark(item.kind, item.text)] : [],
    )
  }
  if (kind === 'compact-boundary') return [mark('compaction', compactionWords(node))]
  const done = saidInRow(conversation, index).calls.flatMap(({ id, name, words, act }) => {
    const plans = PLANS.has(name) ? itemsHere().flatMap((item) => planIn(item, id)) : []
    const isFailed = conversation.derive(failedCalls).has(id)
    const commits = act === 'commit' && !isFailed ? commitsOfCall(conversation, node, id) : []
    return [
      ...plans.map((plan) => mark('plan', planTitle(plan))),
      ...(view.agentOf.get(id) ?? []).map(({ id: agent, type, description }) =>
        mark('agent', [type, description].filter((part) => part !== null).join(': '), { agent }),
      ),
      ...(act === 'test' && !isFailed ? [mark('test', words)] : []),
      ...commits.map(({ message, hash }) => mark('commit', message ?? hash ?? words)),
      ...(isFailed ? [mark('error', words)] : []),
    ]
  })
  // A single call without a word is told by its own mark, where it has one.
  const isTold = step === undefined || (!step.isSaid && step.calls.length === 1 && done.length > 0)
  return isTold ? done : [mark('step', step.words, { calls: step.calls.length }), ...done]
}

const PLANS: ReadonlySet<string> = new Set(['ExitPlanMode', 'exit_plan_mode'])

function compactionWords({ compaction }: TreeNode): string {
  const { trigger = null, preTokens = null, postTokens = null } = compaction ?? {}
  const sizes = [preTokens, postTokens].filter((tokens) => tokens !== null).join(' → ')
  return [trigger ?? '', sizes && `${sizes} tokens`].filter((words) => words !== '').join(', ')
}

function planIn(item: ReturnType<typeof readRow>['items'][number], id: string): readonly (string | null)[] {
  const meaning = item.kind === 'tool' && item.id === id ? meaningOf(item) : undefined
  return meaning?.kind === 'plan' ? [meaning.plan] : []
}

function failedCalls({ tree }: Conversation): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const { toolResults } of tree.nodes) for (const { id, isError } of toolResults) if (isError) ids.add(id)
  return ids
}
