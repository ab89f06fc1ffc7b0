import { type Activity, ActivityFold, AskedFold, askedIn, mainRows, mainTurns } from '../core/activity.ts'
import type { LocalTime } from '../core/local-time.ts'
import { nodeOf, type TreeNode } from '../core/node.ts'
import { NodeTable } from '../core/node-table.ts'
import { timeOf } from '../core/time.ts'
import { Sample, ToolStatsFold } from '../core/tool-stats.ts'
import { buildTree, type Tree } from '../core/tree.ts'
import { type Response, UsageFold, usageRowOf } from '../core/usage.ts'
import type { SessionFiles } from '../disk/inventory.ts'
import type { LogScan, ScannedLog } from './scan.ts'

/** What a session's own log amounts to. */
export interface CountedSession {
  readonly id: string
  readonly file: string
  readonly files: SessionFiles
  readonly startedAt: string | null
  readonly turns: number
  readonly toolCalls: number
  readonly durationMs: number
}

/** How much a model answered. */
export interface ModelFigures {
  readonly model: string
  readonly responses: number
  readonly outputTokens: number
}

/** Counts for `stats` while the logs are read, once. Of rows it keeps ids, times and numbers, never a text. */
export class StatsCount {
  readonly tools: ToolStatsFold
  agents = 0
  readonly #isWanted: (at: string | null) => boolean
  readonly #activity: ActivityFold
  readonly #asked = new AskedFold()
  readonly #usage = new UsageFold()
  readonly #sessionOf = new Map<string, string>()
  readonly #sessions: CountedSession[] = []
  readonly #seen = new Set<string>()
  readonly #preTokens = new Sample()
  readonly #events = { compactions: 0, auto: 0, manual: 0, interruptions: 0, apiErrors: 0 }

  constructor(clock: (iso: string) => LocalTime, isWanted: (at: string | null) => boolean) {
    this.#isWanted = isWanted
    this.#activity = new ActivityFold(clock)
    this.tools = new ToolStatsFold({ isWanted, onCall: (at) => this.#activity.add('toolCalls', at) })
  }

  /** Reads one log along with others. */
  scan(log: ScannedLog): LogScan {
    const { session, entry } = log
    const key = `${session.project.dir}/${session.id}`
    const nodes = new NodeTable()
    this.#sessionOf.set(entry.path, key)
    return {
      record: (record) => {
        this.tools.add(record, key)
        const usage = usageRowOf(record)
        if (usage) this.#usage.add(usage)
        const node = nodeOf(record)
        if (node) nodes.add(node)
      },
      end: () => {
        const said = nodes.some((node) => isSaid(node) && this.#isWanted(timeOfNode(node)))
        for (const node of nodes) this.#addEvent(node, log)
        if (log.agent !== null) this.agents += Number(said)
        else this.#addSession(log, buildTree(nodes), key, said)
      },
    }
  }

  /** What was done, and when: to be asked for once, after the last log. */
  activity(): {
    readonly activity: Activity
    readonly prompts: number
    readonly responses: number
    readonly models: readonly ModelFigures[]
  } {
    const asked = this.#asked.all().filter(({ at }) => this.#isWanted(at))
    for (const { at, session } of asked) this.#activity.add('prompts', at, session)
    const responses = this.#usage.responses().filter(({ first }) => this.#isWanted(timeOf(first.timestamp) ?? null))
    for (const { first } of responses) {
      this.#activity.add('responses', timeOf(first.timestamp) ?? null, this.#sessionOf.get(first.place.file))
    }
    const activity = this.#activity.activity()
    return { activity, prompts: asked.length, responses: responses.length, models: modelsOf(responses) }
  }

  /** Longest first. */
  sessions(): readonly CountedSession[] {
    return this.#sessions.toSorted(
      (a, b) => b.durationMs - a.durationMs || b.turns - a.turns || (a.file < b.file ? -1 : 1),
    )
  }

  events() {
    const { compactions, auto, manual, interruptions, apiErrors } = this.#events
    return {
      compactions: { count: compactions, auto, manual, preTokensMedian: this.#preTokens.quantile(0.5) },
      interruptions,
      apiErrors,
    }
  }

  #addEvent(node: TreeNode, { agent, entry }: ScannedLog): void {
    const { kind, compaction } = node
    if (kind !== 'compact-boundary' && kind !== 'interrupt' && kind !== 'api-error') return
    const key = node.uuid || `${entry.path}:${node.offset}`
    if (this.#seen.has(key) || !this.#isWanted(timeOfNode(node))) return
    this.#seen.add(key)
    if (kind === 'api-error') this.#events.apiErrors += 1
    // Who interrupts a session interrupts its agents, and each of their logs says so.
    else if (kind === 'interrupt') this.#events.interruptions += Number(agent === null && !node.isSidechain)
    else {
      this.#events.compactions += 1
      if (compaction?.trigger === 'auto' || compaction?.trigger === 'manual') this.#events[compaction.trigger] += 1
      if (typeof compaction?.preTokens === 'number') this.#preTokens.add(key, compaction.preTokens)
    }
  }

  #addSession({ session, entry }: ScannedLog, tree: Tree, key: string, said: boolean): void {
    const turns = mainTurns(tree)
    for (const asked of askedIn(tree, turns)) this.#asked.add(asked, key, entry.path)
    if (!said) return
    const wanted = (i: number) => {
      const node = tree.nodes.at(i) as TreeNode
      return node.forkedFrom === null && this.#isWanted(timeOfNode(node))
    }
    const rows = mainRows(tree).filter(wanted)
    const times = rows.flatMap((i) => timeOfNode(tree.nodes.at(i) as TreeNode) ?? []).sort()
    const [startedAt = null] = times
    this.#sessions.push({
      id: session.id,
      file: entry.path,
      files: session,
      startedAt,
      turns: turns.filter(({ prompt }) => wanted(prompt as number)).length,
      toolCalls: new Set(rows.flatMap((i) => (tree.nodes.at(i) as TreeNode).toolUses.map(({ id }) => id || `row ${i}`)))
        .size,
      durationMs: startedAt === null ? 0 : Date.parse(times.at(-1) as string) - Date.parse(startedAt),
    })
  }
}

function isSaid({ type }: TreeNode): boolean {
  return type === 'user' || type === 'assistant'
}

function timeOfNode({ timestamp }: TreeNode): string | null {
  return timestamp === null ? null : (timeOf(timestamp) ?? null)
}

/** The models that answered, the most busy first. */
function modelsOf(responses: readonly Response[]): readonly ModelFigures[] {
  const models = new Map<string, { responses: number; outputTokens: number }>()
  for (const { kept } of responses) {
    const model = models.get(kept.model) ?? { responses: 0, outputTokens: 0 }
    models.set(kept.model, model)
    model.responses += 1
    model.outputTokens += kept.outputTokens
  }
  const figures = [...models].map(([model, sums]) => ({ model, ...sums }))
  return figures.sort((a, b) => b.responses - a.responses || (a.model < b.model ? -1 : 1))
}
