import { type Activity, ActivityFold, AskedFold } from '../core/activity.ts'
import type { LocalTime } from '../core/local-time.ts'
import { timeOf } from '../core/time.ts'
import { Sample, ToolStatsFold } from '../core/tool-stats.ts'
import type { Response, UsedRow } from '../core/usage.ts'
import { UsageFold } from '../core/usage-fold.ts'
import type { SessionFiles } from '../disk/inventory.ts'
import { type LogStats, OWN, type ResponseRow, SAID, type StatEvent, type StatRows, TURN } from './log-stats.ts'
import type { ScannedLog } from './scan.ts'

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

/** Counts for `stats` what the logs came to, all of them together. */
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

  /** Takes in what one log came to. */
  add({ rows, asked, events, tools, responses, evidence }: LogStats, log: ScannedLog): void {
    const { session, agent, entry } = log
    const key = `${session.project.dir}/${session.id}`
    this.#sessionOf.set(entry.path, key)
    this.tools.add(tools, key)
    for (const row of responses) this.#usage.add(toUsedRow(row, entry.path), evidence)
    for (const event of events) this.#addEvent(event, agent)
    const wanted = rows.times.map((at, row) => (this.#isWanted(at) ? (rows.marks[row] as number) : 0))
    const said = wanted.some((mark) => (mark & SAID) !== 0)
    if (agent !== null) this.agents += Number(said)
    else {
      for (const one of asked) this.#asked.add(one, key, entry.path)
      if (said) this.#sessions.push(sessionOf(log, rows, wanted))
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

  sessions(): readonly CountedSession[] {
    return this.#sessions
  }

  events() {
    const { compactions, auto, manual, interruptions, apiErrors } = this.#events
    return {
      compactions: { count: compactions, auto, manual, preTokensMedian: this.#preTokens.quantile(0.5) },
      interruptions,
      apiErrors,
    }
  }

  #addEvent({ key, kind, at, isSidechain, trigger, preTokens }: StatEvent, agent: string | null): void {
    if (this.#seen.has(key) || !this.#isWanted(at)) return
    this.#seen.add(key)
    if (kind === 'api-error') this.#events.apiErrors += 1
    // Who interrupts a session interrupts its agents, and each of their logs says so.
    else if (kind === 'interrupt') this.#events.interruptions += Number(agent === null && !isSidechain)
    else {
      this.#events.compactions += 1
      if (trigger === 'auto' || trigger === 'manual') this.#events[trigger] += 1
      if (preTokens !== null) this.#preTokens.add(key, preTokens)
    }
  }
}

/** What a session's own rows amount to; `marks` are 0 for rows outside of the period. */
function sessionOf({ session, entry }: ScannedLog, rows: StatRows, marks: readonly number[]): CountedSession {
  const has = (row: number, mark: number) => ((marks[row] as number) & mark) !== 0
  let startedAt: string | null = null
  let endedAt: string | null = null
  for (const [row, at] of rows.times.entries()) {
    if (at === null || !has(row, OWN)) continue
    if (startedAt === null || at < startedAt) startedAt = at
    if (endedAt === null || at > endedAt) endedAt = at
  }
  return {
    id: session.id,
    file: entry.path,
    files: session,
    startedAt,
    turns: marks.filter((mark) => (mark & TURN) !== 0).length,
    toolCalls: rows.calls.filter((holders) => holders.some((row) => has(row, OWN))).length,
    durationMs: Date.parse(endedAt ?? '') - Date.parse(startedAt ?? '') || 0,
  }
}

/** The row as usage has it, as far as it was kept: the other tokens are no part of these figures. */
function toUsedRow(row: ResponseRow, file: string): UsedRow {
  const { messageId, requestId, model, timestamp, outputTokens, isFork, isPlaceholder, offset, evidence } = row
  return {
    inputTokens: 0,
    outputTokens,
    cacheReadTokens: 0,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    webSearches: 0,
    messageId,
    requestId,
    model,
    timestamp,
    place: { file, line: 0, offset, length: 0 },
    isFork,
    isSidechain: false,
    geo: null,
    speed: null,
    isPlaceholder,
    node: -1,
    evidence,
  }
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
