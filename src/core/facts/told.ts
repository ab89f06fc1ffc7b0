import { type JsonObject, objectAt, stringAt, textAt } from '../json.ts'
import type { LogRecord } from '../log/record.ts'
import { comparable, isoText, timeOf } from '../time.ts'
import { type ActiveTime, ActiveTimeFold } from './active-time.ts'
import { type AgentCall, AgentCallFold } from './agent-calls.ts'
import { EvidenceFold, HEAD_RECORDS, type LogEvidence, type RowEvidence } from './evidence.ts'
import type { RowFacts } from './row-facts.ts'
import { askedText, typedText } from './title.ts'

/** A title and the line it stands on. */
export interface TitleRow {
  readonly text: string
  readonly line: number
}

/** A title that names the leaf it is for, which is usually in another file. */
export interface SummaryRow extends TitleRow {
  readonly leafUuid: string
}

/** What a log says of itself, without its rows: plain data. */
export interface LogTold extends ToldFacts {
  /** The types of its records. */
  readonly types: readonly string[]
  /** What it tells of who made its responses. */
  readonly evidence: LogEvidence
  readonly active: ActiveTime
  /** Ids of the last requests that it names, whose answers may still come. */
  readonly requests: readonly string[]
  readonly agentCalls: readonly AgentCall[]
  /** The `sessionId`s of the first ten records. */
  readonly sessionIds: readonly string[]
  /** All git branches that its rows were made on, in the order of their first row. */
  readonly gitBranches: readonly string[]
  /** All names that the client made up for it. */
  readonly slugs: readonly string[]
  readonly summaries: readonly SummaryRow[]
  /** What explicit `last-prompt` records named since the last row. */
  readonly leaves: readonly string[]
  readonly records: number
}

/** Facts that a single record tells. */
export interface ToldFacts {
  readonly cwd: string | null
  /** Where the session went on, if it moved (`relocated`, worktrees). */
  readonly relocatedCwd: string | null
  readonly gitBranch: string | null
  readonly version: string | null
  readonly slug: string | null
  /** The times of the first and the last record that have one, by file order: rows in between may be stamped otherwise. */
  readonly firstAt: string | null
  readonly lastAt: string | null
  /** The first thing that was asked. */
  readonly asked: string | null
  /** The first command or bash input: all that some sessions have. */
  readonly typed: string | null
  readonly customTitle: TitleRow | null
  readonly aiTitle: TitleRow | null
  /** The tag that a person gave it; the newest holds. */
  readonly tag: string | null
  readonly continuedIn: string | null
  readonly forkedFrom: string | null
  /** The client's own running total of costs, as it last wrote it. */
  readonly costState: JsonObject | null
}

/** Gathers what a log says of itself, row by row; goes on from what it said up to a place. */
export class ToldFold {
  readonly #told: { -readonly [K in keyof ToldFacts]: ToldFacts[K] }
  readonly #types: Set<string>
  readonly #evidence: EvidenceFold
  readonly #active: ActiveTimeFold
  readonly #agentCalls: AgentCallFold
  readonly #sessionIds: Set<string>
  readonly #gitBranches: Set<string>
  readonly #slugs: Set<string>
  readonly #summaries: SummaryRow[]
  readonly #leaves: string[]
  #records: number
  #lastAt: number

  constructor(before?: LogTold) {
    this.#told = pick(before ?? NOTHING_TOLD)
    this.#types = new Set(before?.types)
    this.#evidence = new EvidenceFold(before?.evidence, before?.requests, before?.records)
    this.#active = new ActiveTimeFold(before?.active)
    this.#agentCalls = new AgentCallFold(before?.agentCalls)
    this.#sessionIds = new Set(before?.sessionIds)
    this.#gitBranches = new Set(before?.gitBranches)
    this.#slugs = new Set(before?.slugs)
    this.#summaries = [...(before?.summaries ?? [])]
    this.#leaves = [...(before?.leaves ?? [])]
    this.#records = before?.records ?? 0
    this.#lastAt = Date.parse(before?.lastAt ?? '')
  }

  addRecord(record: LogRecord, facts: RowFacts): void {
    if (facts.kind !== undefined) this.#agentCalls.add(record)
    this.addRow(facts)
    if (facts.kind === undefined) this.#addMetadata(record)
    else if (this.#told.asked === null && facts.node && !facts.isSidechain) {
      this.#told.asked = askedText(facts.node)
      this.#told.typed ??= typedText(facts.node)
    }
  }

  /** Adds a row that bears neither a title, a leaf or the like, nor anything of agents: all that `needsRecord` does not ask for. */
  addRow(facts: RowFacts): void {
    const { sessionId, slug } = facts
    this.#types.add(facts.type)
    if (this.#records++ < HEAD_RECORDS && sessionId !== null) this.#sessionIds.add(sessionId)
    if (!Number.isNaN(facts.at)) {
      this.#told.firstAt ??= timeOf(facts.timestamp ?? '') ?? null
      this.#lastAt = facts.at
    }
    if (slug !== null) this.#slugs.add(slug)
    this.#evidence.add(facts)
    if (facts.kind === undefined) return
    this.#active.add(facts)
    const told = this.#told
    this.#leaves.length = 0
    told.cwd ??= facts.cwd
    told.forkedFrom ??= facts.forkedFrom
    const { gitBranch } = facts
    if (gitBranch !== null && gitBranch !== told.gitBranch) {
      told.gitBranch = gitBranch
      this.#gitBranches.add(gitBranch)
    }
    told.version = facts.version ?? told.version
    told.slug = slug ?? told.slug
  }

  /** Whether a row tells more than its facts: a call that starts an agent, or what was heard of one. */
  needsRecord(facts: RowFacts): boolean {
    return this.#agentCalls.isConcerned(facts)
  }

  /** How long was worked up to the last row. */
  get spentMs(): number {
    return this.#active.spentMs
  }

  /** What is known of a row that was just added. */
  evidenceOf(sessionId: string | null, requestRef: string | null): RowEvidence {
    return this.#evidence.ofRow(sessionId, requestRef)
  }

  told(): LogTold {
    const told = this.#told
    return {
      cwd: told.cwd,
      relocatedCwd: told.relocatedCwd,
      gitBranch: told.gitBranch,
      version: told.version,
      slug: told.slug,
      firstAt: told.firstAt,
      lastAt: Number.isNaN(this.#lastAt) ? null : isoText(comparable(this.#lastAt)),
      asked: told.asked,
      typed: told.typed,
      customTitle: told.customTitle,
      aiTitle: told.aiTitle,
      tag: told.tag,
      continuedIn: told.continuedIn,
      forkedFrom: told.forkedFrom,
      costState: told.costState,
      types: [...this.#types],
      evidence: this.#evidence.log(),
      active: this.#active.time,
      requests: this.#evidence.requests,
      agentCalls: this.#agentCalls.calls(),
      sessionIds: [...this.#sessionIds],
      gitBranches: [...this.#gitBranches],
      slugs: [...this.#slugs],
      summaries: this.#summaries,
      leaves: this.#leaves,
      records: this.#records,
    }
  }

  #addMetadata({ type, raw, place }: LogRecord): void {
    const told = this.#told
    if (type === 'summary') {
      const leafUuid = stringAt(raw, 'leafUuid')
      const text = textAt(raw, 'summary')
      if (leafUuid && text) this.#summaries.push({ text, leafUuid, line: place.line })
    } else if (type === 'custom-title') told.customTitle = titleAt(raw, 'customTitle', place.line)
    else if (type === 'ai-title') told.aiTitle = titleAt(raw, 'aiTitle', place.line)
    else if (type === 'tag') told.tag = textAt(raw, 'tag') ?? null
    else if (type === 'last-prompt') this.#addLastPrompt(raw)
    else if (type === 'continued-in') told.continuedIn = textAt(raw, 'continuedInSessionId') ?? null
    else if (type === 'cost-state') told.costState = raw
    else if (type === 'relocated') told.relocatedCwd = textAt(raw, 'relocatedCwd') ?? null
    else if (type === 'worktree-state') {
      const worktree = objectAt(raw, 'worktreeSession')
      told.relocatedCwd = textAt(worktree, 'worktreePath') ?? textAt(worktree, 'originalCwd') ?? told.relocatedCwd
    }
  }

  /** Rows that only say where the client is now are ignored by it. */
  #addLastPrompt(raw: JsonObject): void {
    const leaf = stringAt(raw, 'leafUuid')
    if (raw.explicit === true && leaf !== undefined) this.#leaves.push(leaf)
  }
}

const NOTHING_TOLD: ToldFacts = {
  cwd: null,
  relocatedCwd: null,
  gitBranch: null,
  version: null,
  slug: null,
  firstAt: null,
  lastAt: null,
  asked: null,
  typed: null,
  customTitle: null,
  aiTitle: null,
  tag: null,
  continuedIn: null,
  forkedFrom: null,
  costState: null,
}

/** Named one by one: spreading costs ten times as much, for every log. */
function pick(from: ToldFacts): ToldFacts {
  return {
    cwd: from.cwd,
    relocatedCwd: from.relocatedCwd,
    gitBranch: from.gitBranch,
    version: from.version,
    slug: from.slug,
    firstAt: from.firstAt,
    lastAt: from.lastAt,
    asked: from.asked,
    typed: from.typed,
    customTitle: from.customTitle,
    aiTitle: from.aiTitle,
    tag: from.tag,
    continuedIn: from.continuedIn,
    forkedFrom: from.forkedFrom,
    costState: from.costState,
  }
}

function titleAt(raw: JsonObject, key: string, line: number): TitleRow | null {
  const text = textAt(raw, key)
  return text === undefined ? null : { text, line }
}
