import { ActivityFold, AskedFold } from '../core/facts/activity.ts'
import { OWN } from '../core/facts/row-table.ts'
import { isoText } from '../core/time.ts'
import { Sample, ToolStatsFold } from '../core/tools/tool-stats.ts'
import type { LocalTime } from '../core/usage/local-time.ts'
import type { HeldResponse, LogActivity } from '../index/queries/activity.ts'
import type { KnownCall } from '../index/queries/calls.ts'
import { askedOf, eventsOf, type StatEvent, toolEventsOf } from './log-stats.ts'
import type { ScannedLog } from './scan.ts'

/** What a session's own log amounts to. */
export interface CountedSession {
  readonly id: string
  readonly file: string
  readonly startedAt: string | null
  readonly turns: number
  readonly toolCalls: number
  readonly durationMs: number
}

/** Counts for `stats` what the logs came to, all of them together. */
export class StatsCount {
  readonly tools: ToolStatsFold
  agents = 0
  readonly #isWanted: (timeMs: number | null) => boolean
  readonly #activity: ActivityFold
  readonly #asked = new AskedFold()
  readonly #responses: HeldResponse[] = []
  readonly #sessions: CountedSession[] = []
  readonly #seen = new Set<string>()
  readonly #preTokens = new Sample()
  readonly #events = { compactions: 0, auto: 0, manual: 0, interruptions: 0, apiErrors: 0 }

  constructor(clock: (moment: string | number) => LocalTime, isWanted: (timeMs: number | null) => boolean) {
    this.#isWanted = isWanted
    this.#activity = new ActivityFold(clock)
    this.tools = new ToolStatsFold({ isWanted, onCall: (atMs) => this.#activity.add('toolCalls', atMs) })
  }

  /** Takes in what one log came to. */
  add(activity: LogActivity, calls: readonly KnownCall[], log: ScannedLog): void {
    const { session, agent, entry } = log
    const key = `${session.project.dir}/${session.id}`
    this.tools.add(toolEventsOf(calls, entry.path), key)
    for (const response of activity.responses) {
      if (!response.isOwned || !this.#isWanted(response.timeMs)) continue
      this.#responses.push(response)
      this.#activity.add('responses', response.timeMs, key)
    }
    for (const event of eventsOf(activity, log)) this.#addEvent(event)
    if (agent !== null) this.agents += Number(this.#isSaid(activity, calls))
    else {
      const { asked, turnsMs } = askedOf(activity, calls)
      for (const one of asked) this.#asked.add(one, key, entry.path)
      if (this.#isSaid(activity, calls)) this.#sessions.push(this.#sessionOf(activity, calls, turnsMs, log))
    }
  }

  /** What was done, and when: to be asked for once, after the last log. */
  activity() {
    const asked = this.#asked.all().filter(({ at }) => this.#isWanted(msOf(at)))
    for (const { at, session } of asked) this.#activity.add('prompts', at, session)
    const activity = this.#activity.activity()
    const responses = this.#responses.length
    return { activity, prompts: asked.length, responses, models: modelsOf(this.#responses) }
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

  #addEvent({ key, kind, timeMs, trigger, preTokens }: StatEvent): void {
    if (this.#seen.has(key) || !this.#isWanted(timeMs)) return
    this.#seen.add(key)
    if (kind === 'api-error') this.#events.apiErrors += 1
    else if (kind === 'interrupt') this.#events.interruptions += 1
    else {
      this.#events.compactions += 1
      if (trigger === 'auto' || trigger === 'manual') this.#events[trigger] += 1
      if (preTokens !== null) this.#preTokens.add(key, preTokens)
    }
  }

  /** Whether somebody said something in the period, or a tool answered. */
  #isSaid({ spoken, responses }: LogActivity, calls: readonly KnownCall[]): boolean {
    return (
      responses.some(({ timeMs }) => this.#isWanted(timeMs)) ||
      spoken.some(({ kind, time }) => kind !== 'compact-boundary' && this.#isWanted(time)) ||
      calls.some(({ made, answer }) => [made, answer].some((one) => one && this.#isWanted(one.timeMs)))
    )
  }

  /** What a session's own rows in the period amount to. */
  #sessionOf(
    { rows }: LogActivity,
    calls: readonly KnownCall[],
    turnsMs: readonly (number | null)[],
    { session, entry }: ScannedLog,
  ): CountedSession {
    let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    const own = new Set<number>()
    for (const { offsets, times, flags } of rows) {
      for (const [row, time] of times.entries()) {
        if (((flags[row] as number) & OWN) === 0 || !this.#isWanted(time)) continue
        own.add(offsets[row] as number)
        if (time < first) first = time
        if (time > last) last = time
      }
    }
    return {
      id: session.id,
      file: entry.path,
      startedAt: last < first ? null : isoText(first),
      turns: turnsMs.filter((timeMs) => this.#isWanted(timeMs)).length,
      toolCalls: calls.filter(({ made }) => made && own.has(made.offset)).length,
      durationMs: Math.max(0, last - first),
    }
  }
}

function msOf(at: string | null): number | null {
  return at === null ? null : Date.parse(at)
}

/** The models that answered, the most busy first. */
function modelsOf(responses: readonly HeldResponse[]) {
  const models = new Map<string, { responses: number; outputTokens: number }>()
  for (const { model: name, outputTokens } of responses) {
    const model = models.get(name) ?? { responses: 0, outputTokens: 0 }
    models.set(name, model)
    model.responses += 1
    model.outputTokens += outputTokens
  }
  const figures = [...models].map(([model, sums]) => ({ model, ...sums }))
  return figures.sort((a, b) => b.responses - a.responses || (a.model < b.model ? -1 : 1))
}
