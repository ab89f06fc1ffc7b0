import type { AgentItem, Branch, Outline } from '../types.ts'

/** A turn or an agent in the picture of a session. */
export interface TreeRow {
  readonly key: string
  readonly kind: 'turn' | 'agent' | 'step'
  readonly lane: number
  /** What a step was: a run of tools, tests, a commit, an error, a compaction. */
  readonly mark: string | undefined
  /** How deep an agent stands below the turn that started it; 0 for turns and their steps. */
  readonly depth: number
  readonly text: string
  readonly isActive: boolean
  /** Where a click leads. */
  readonly link: { readonly session: string; readonly branch: string | undefined; readonly at: string | undefined }
  readonly number: number | undefined
  readonly toolCalls: number
  readonly errors: number
  readonly costUsd: number | null
  readonly startedAt: string | null
}

/** A line from one row of the picture to another. */
interface TreeEdge {
  readonly from: number
  readonly to: number
  readonly isActive: boolean
}

/** The picture: its rows from top to bottom, the lines between them, and how many lanes it has. */
export interface TreePicture {
  readonly rows: readonly TreeRow[]
  readonly edges: readonly TreeEdge[]
  readonly lanes: number
}

/** A branch with the outline of its rows. */
interface OutlinedBranch {
  readonly branch: Branch
  readonly outline: Pick<Outline, 'turns' | 'marks'>
}

interface Turn {
  readonly key: string
  readonly parent: string | undefined
  readonly row: TreeRow
  readonly order: number
  readonly agents: readonly AgentItem[]
  readonly steps: readonly TreeRow[]
}

/** Lays a session out: turns that branches have in common stand once, each branch has a lane, steps and agents hang below turns. */
export function treePicture(
  session: string,
  branches: readonly OutlinedBranch[],
  agents: readonly AgentItem[],
): TreePicture {
  const turns = mergedTurns(session, branches, agents)
  const sorted = [...turns.values()].sort((a, b) => compare(a.row.startedAt, b.row.startedAt) || a.order - b.order)
  const rows: TreeRow[] = []
  const edges: TreeEdge[] = []
  const places = new Map<string, number>()
  const drawn = new Set<string>()
  const hang = (list: readonly AgentItem[], under: number, above: TreeRow, depth: number) => {
    for (const agent of list) {
      if (drawn.has(agent.id)) continue
      drawn.add(agent.id)
      const at = rows.push(agentRow(agent, above, depth)) - 1
      edges.push({ from: under, to: at, isActive: above.isActive })
      hang(
        agents.filter(({ parentAgent }) => parentAgent === agent.id),
        at,
        above,
        Math.min(depth + 1, DEEPEST),
      )
    }
  }
  for (const turn of sorted) {
    const at = rows.push(turn.row) - 1
    places.set(turn.key, at)
    const from = turn.parent === undefined ? undefined : places.get(turn.parent)
    if (from !== undefined) edges.push({ from, to: at, isActive: turn.row.isActive })
    for (const step of turn.steps) rows.push(step)
    hang(turn.agents, at, turn.row, 1)
  }
  const last = rows.at(-1)
  const loose = agents.filter(({ id, class: kind }) => !drawn.has(id) && kind !== 'warmup')
  for (const agent of loose) if (last) rows.push(agentRow(agent, { ...last, lane: 0, isActive: true }, 1))
  return { rows, edges, lanes: branches.length }
}

const DEEPEST = 6

function mergedTurns(
  session: string,
  branches: readonly OutlinedBranch[],
  agents: readonly AgentItem[],
): Map<string, Turn> {
  const turns = new Map<string, Turn>()
  // The active branch first: what is common to it and others is its own.
  const ordered = branches.toSorted((a, b) => Number(b.branch.active) - Number(a.branch.active))
  ordered.forEach(({ branch, outline }, lane) => {
    let parent: string | undefined
    const marksOf = marksByTurn(outline)
    for (const turn of outline.turns) {
      const key = turn.prompt?.uuid ?? `start of ${branch.leaf}`
      if (!turns.has(key) && (turn.prompt || turn.rows > 0)) {
        turns.set(key, {
          key,
          parent,
          order: turns.size,
          agents: agentsIn(marksOf.get(turn.number) ?? [], agents),
          steps: stepsIn(session, branch, lane, marksOf.get(turn.number) ?? []),
          row: {
            key,
            kind: 'turn',
            mark: undefined,
            lane,
            depth: 0,
            text: turn.prompt?.text ?? 'Before the first prompt',
            isActive: branch.active,
            link: { session, branch: branch.active ? undefined : branch.leaf, at: turn.prompt?.uuid },
            number: turn.number,
            toolCalls: turn.toolCalls,
            errors: turn.errors,
            costUsd: turn.costUsd,
            startedAt: turn.startedAt,
          },
        })
      }
      parent = key
    }
  })
  return turns
}

/** The marks of each turn; both stand in the order of their rows. */
function marksByTurn({ turns, marks }: Pick<Outline, 'turns' | 'marks'>): ReadonlyMap<number, Outline['marks']> {
  const byTurn = new Map<number, Outline['marks']>()
  let at = 0
  for (const mark of marks) {
    while (at < turns.length - 1 && mark.row >= (turns[at + 1]?.row ?? 0)) at++
    const number = turns[at]?.number ?? 0
    const own = byTurn.get(number)
    if (own) own.push(mark)
    else byTurn.set(number, [mark])
  }
  return byTurn
}

/** The agents that a turn started, as its marks name them. */
function agentsIn(marks: Outline['marks'], agents: readonly AgentItem[]): readonly AgentItem[] {
  if (agents.length === 0) return []
  const ids = new Set(marks.flatMap(({ agent }) => agent ?? []))
  return ids.size === 0 ? [] : agents.filter(({ id, parentAgent }) => parentAgent === null && ids.has(id))
}

const STEPS: ReadonlySet<string> = new Set(['step', 'test', 'commit', 'error', 'compaction', 'plan', 'interrupt'])

/** What happened in a turn, a row each. */
function stepsIn(session: string, { active, leaf }: Branch, lane: number, marks: Outline['marks']): readonly TreeRow[] {
  return marks.flatMap((mark, at) => {
    if (!STEPS.has(mark.kind)) return []
    const link = { session, branch: active ? undefined : leaf, at: mark.uuid }
    const facts = { toolCalls: mark.calls ?? 0, errors: 0, costUsd: null, startedAt: mark.timestamp }
    const key = `${leaf} ${mark.uuid} ${at}`
    const row = { key, kind: 'step' as const, mark: mark.kind, lane, depth: 0, text: mark.text, isActive: active }
    return [{ ...row, link, number: undefined, ...facts }]
  })
}

function agentRow(agent: AgentItem, { lane, isActive }: TreeRow, depth: number): TreeRow {
  return {
    key: `agent-${agent.id}`,
    kind: 'agent',
    mark: undefined,
    lane,
    depth,
    text: [agent.type ?? 'agent', agent.description ?? ''].filter((word) => word !== '').join(': '),
    isActive,
    link: { session: `agent-${agent.id}`, branch: undefined, at: undefined },
    number: undefined,
    toolCalls: agent.toolUses,
    errors: agent.failedAt === null ? 0 : 1,
    costUsd: agent.costUsd,
    startedAt: agent.startedAt,
  }
}

function compare(a: string | null, b: string | null): number {
  if (a === null || b === null) return 0
  return a < b ? -1 : a > b ? 1 : 0
}
