import { promptWords } from '../../core/facts/title.ts'
import { preview } from '../../core/log/content.ts'
import { type Static, Type } from '../../core/schema.ts'
import { meaningOf } from '../../core/tools/meaning-of.ts'
import { planTitle } from '../../core/tools/tool-words.ts'
import type { TreeNode } from '../../core/tree/node.ts'
import type { Branch } from '../../core/tree/tree.ts'
import type { Turn } from '../../core/tree/turns.ts'
import { readLiveSessions } from '../../disk/live.ts'
import type { Context } from '../../history/context.ts'
import type { Conversation } from '../../history/conversation.ts'
import type { Agent } from '../../history/family.ts'
import { sessionItem } from '../../history/list.ts'
import { chosenBranch, leafUuid, type OpenedSession, openSession } from '../../history/open.ts'
import { NullableNumber, NullableString, nullable } from '../../history/shapes.ts'
import { costsOf } from '../../history/usage/family-costs.ts'
import { AgentItem, agentItem } from '../../history/view/agent-item.ts'
import { BranchShape, branchList } from '../../history/view/branch-list.ts'
import { SessionItem } from '../../history/view/session-item.ts'
import { readRow, type ShownRows, shownRows } from '../../history/view/shown-rows.ts'
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

/** Made once for each branch, as long as neither the log nor its agents change. */
const known = new WeakMap<readonly Agent[], Map<Branch | undefined, Drawn>>()

async function drawn(context: Context, opened: OpenedSession, branch: Branch | undefined): Promise<Drawn> {
  const { family, conversation } = opened
  const branches = known.get(family) ?? new Map<Branch | undefined, Drawn>()
  known.set(family, branches)
  const before = branches.get(branch)
  if (before) return before
  const shown = shownRows(conversation, branch)
  const view = await wholeView(context, opened)
  const made = {
    total: shown.rows.length,
    turns: shown.turns.map((_, at) => outlineTurn(conversation, shown, at, view)),
    marks: shown.turns.flatMap((_, at) => marksOfTurn(opened, shown, at, view)),
  }
  branches.set(branch, made)
  return made
}

const items = new WeakMap<readonly Agent[], SessionItem>()

/** The session as lists show it. Whether it is live, kept or starred may change while its files do not. */
async function itemOf(context: Context, { library, files, family }: OpenedSession): Promise<SessionItem> {
  const before = items.get(family)
  const made = before ?? (await sessionItem({ ...context, library }, files))
  items.set(family, made)
  if (!before) return made
  const isLive = readLiveSessions(files.root).items.some(({ alive, sessionId }) => alive && sessionId === files.id)
  const status = isLive ? 'live' : made.status === 'live' ? 'finished' : made.status
  const { starred = false, note = null } = readMarks(context.dataDir).get(files.id) ?? {}
  return { ...made, status, kept: files.log?.kept ?? false, starred, note }
}

function outlineTurn(conversation: Conversation, shown: ShownRows, at: number, view: View): OutlineTurn {
  const { nodes } = conversation.tree
  const turn = shown.turns[at] as Turn
  const row = shown.starts[at] as number
  const calls = new Set<string>()
  let errors = 0
  for (const i of turn.rows) {
    const { kind, toolUses } = nodes[i] as TreeNode
    if (kind === 'api-error') errors += 1
    for (const { id } of toolUses) calls.add(id || `row ${i}`)
  }
  for (const id of calls) if (failedCalls(conversation).has(id)) errors += 1
  const asked = turn.prompt === undefined ? undefined : nodes[turn.prompt]
  return {
    number: turn.number,
    row,
    rows: (shown.starts[at + 1] ?? shown.rows.length) - row,
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
function marksOfTurn(opened: OpenedSession, shown: ShownRows, at: number, view: View): Mark[] {
  const steps = new Map(stepsOfTurn(opened.conversation, shown, at).map((step) => [step.row, step]))
  const end = shown.starts[at + 1] ?? shown.rows.length
  const marks: Mark[] = []
  for (let row = shown.starts[at] as number; row < end; row++) {
    marks.push(...marksOf(opened, shown, row, { view, step: steps.get(row) }))
  }
  return marks
}

/** What is known of a row before it is read: how it is shown, and the step that begins with it. */
interface Marking {
  readonly view: View
  readonly step: ShownStep | undefined
}

/** What happened on a row. */
function marksOf(opened: OpenedSession, shown: ShownRows, row: number, { view, step }: Marking): Mark[] {
  const { conversation } = opened
  const index = shown.rows[row] as number
  const node = conversation.tree.nodes[index] as TreeNode
  const { kind, uuid, timestamp } = node
  const turn = shown.turns[shown.turnOf[row] as number] as Turn
  const mark = (name: string, text: string, { calls = null, agent = null }: Partial<Mark> = {}): Mark => {
    return { row, kind: name, text: preview(text, WORDS), uuid, timestamp, calls, agent }
  }
  if (turn.prompt === index) return [mark('prompt', promptWords(node))]
  const itemsHere = () => readRow(conversation, shown, row, view).items
  if (kind === 'api-error' || kind === 'interrupt') {
    return itemsHere().flatMap((item) =>
      item.kind === 'error' || item.kind === 'interrupt' ? [mark(item.kind, item.text)] : [],
    )
  }
  if (kind === 'compact-boundary') return [mark('compaction', compactionWords(node))]
  const done = saidInRow(conversation, index).calls.flatMap(({ id, name, words, act }) => {
    const plans = PLANS.has(name) ? itemsHere().flatMap((item) => planIn(item, id)) : []
    const isFailed = failedCalls(conversation).has(id)
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

const failures = new WeakMap<Conversation, ReadonlySet<string>>()

function failedCalls(conversation: Conversation): ReadonlySet<string> {
  const known = failures.get(conversation)
  if (known) return known
  const ids = new Set<string>()
  for (const { toolResults } of conversation.tree.nodes) {
    for (const { id, isError } of toolResults) if (isError) ids.add(id)
  }
  failures.set(conversation, ids)
  return ids
}
