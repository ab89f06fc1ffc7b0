import type { LogRecord } from '../log/record.ts'
import type { RowKind } from '../log/row-kind.ts'
import type { TurnName } from '../tree/turn-names.ts'
import type { Counts } from '../tree/turns.ts'
import type { UsageRow } from '../usage/usage.ts'
import { startsAgent } from './agent-calls.ts'
import type { RowEvidence } from './evidence.ts'
import type { ResponseRow } from './response-rows.ts'
import { type RowFacts, rowFacts } from './row-facts.ts'
import { NO_KEY } from './row-key.ts'
import { ACTIVE, OWN, RowTableFold } from './row-table.ts'
import { StraightResponses } from './straight-responses.ts'
import { type OpenTurns, StraightTurns } from './straight-turns.ts'
import { type LogTold, ToldFold } from './told.ts'

/** What a straight log comes to besides its rows: plain data, from which reading goes on when the log has grown. */
export interface StraightLog {
  readonly told: LogTold
  readonly counts: Counts
  readonly isSaid: boolean
  readonly compactions: number
  readonly interrupts: number
  readonly models: readonly string[]
  /** The times of rows that the client wrote itself, in an answer's place. */
  readonly synthetic: readonly string[]
  /** The key of the first row's parent, where that stands in another log. */
  readonly parentElsewhere: number
  readonly agent: StraightAgent
  /** The turns that calls stand in, by their ids. */
  readonly turnOfCall: Readonly<Record<string, number>>
  readonly tip: Tip
  readonly turns: OpenTurns
  /** The message that may still go on, with its calls, and the response that it is. */
  readonly lastMessage: string | null
  readonly lastCalls: readonly string[]
  readonly lastResponse: ResponseRow | null
}

/** What the log of an agent tells of it. */
export interface StraightAgent {
  readonly prompt: string | null
  readonly startedAt: string | null
  readonly hasUserRow: boolean
}

/** Where a straight log ends. */
interface Tip {
  readonly rows: number
  readonly key: number
  readonly kind: RowKind | null
  /** Whether a prompt may hang there: behind a row with a part of its own in the conversation, nothing hangs beside. */
  readonly isFree: boolean
  /** Where the last prompt stands: nothing may hang before it any more. */
  readonly promptOffset: number
}

/** Rows of a log that was read before. */
export interface KnownRows {
  /** Where the row with a key stands. */
  offsetOf(key: number): number | undefined
  hasMessage(id: string): boolean
}

const NOTHING_KNOWN: KnownRows = { offsetOf: () => undefined, hasMessage: () => false }

/**
 * Reads a log whose rows all continue what was said before: nobody went back, no row stands twice, no parent is missing. Most logs are
 * such, and give here, row by row, what their tree gives (`tree`, `turns`, `digest`), in a fraction of the time and memory. At the
 * first row that is not so, `isStraight` becomes false for good, and the tree has to be built.
 */
export class StraightFold {
  isStraight = true
  readonly responses: StraightResponses
  readonly rows = new RowTableFold()
  readonly #isAgent: boolean
  readonly #known: KnownRows
  readonly #told: ToldFold
  readonly #turns: StraightTurns
  readonly #models: Set<string>
  readonly #synthetic: string[]
  readonly #messages: Set<string>
  readonly #calls: Set<string>
  readonly #turnOfCall: Record<string, number>
  readonly #counts: { rows: number; responses: number; toolCalls: number }
  #lastMessage: string | null
  #lastCalls: string[]
  #isSaid: boolean
  #compactions: number
  #interrupts: number
  #parentElsewhere: number
  #agent: StraightAgent
  #tip: { -readonly [K in keyof Tip]: Tip[K] }

  /** `before` is what the log came to up to here, `known` its rows. */
  constructor({ isAgent = false, before, known = NOTHING_KNOWN }: StraightOptions = {}) {
    this.#isAgent = isAgent
    this.#known = known
    this.#told = new ToldFold(before?.told)
    this.#turns = new StraightTurns(before?.turns)
    this.responses = new StraightResponses(before?.lastResponse)
    this.#models = new Set(before?.models)
    this.#synthetic = [...(before?.synthetic ?? [])]
    this.#lastMessage = before?.lastMessage ?? null
    this.#lastCalls = [...(before?.lastCalls ?? [])]
    this.#messages = new Set(this.#lastMessage === null ? [] : [this.#lastMessage])
    this.#calls = new Set(this.#lastCalls)
    this.#turnOfCall = { ...before?.turnOfCall }
    const { prompts = 0, rows = 0, messages = 0, toolCalls = 0 } = before?.counts ?? {}
    this.#counts = { rows, responses: messages - prompts, toolCalls }
    this.#isSaid = before?.isSaid ?? false
    this.#compactions = before?.compactions ?? 0
    this.#interrupts = before?.interrupts ?? 0
    this.#parentElsewhere = before?.parentElsewhere ?? NO_KEY
    this.#agent = before?.agent ?? { prompt: null, startedAt: null, hasUserRow: false }
    this.#tip = { ...(before?.tip ?? { rows: 0, key: NO_KEY, kind: null, isFree: true, promptOffset: -1 }) }
  }

  add(record: LogRecord): void {
    if (!this.isStraight) return
    const facts = rowFacts(record)
    this.#told.addRecord(record, facts)
    this.#addRow(facts)
  }

  /** Adds a plain row; those that `needsRecord` asks for come as records. */
  addRow(facts: RowFacts): void {
    if (!this.isStraight) return
    this.#told.addRow(facts)
    this.#addRow(facts)
  }

  /** What follows is of no use any more. */
  get isOver(): boolean {
    return !this.isStraight
  }

  needsRecord(facts: RowFacts): boolean {
    return this.isStraight && this.#told.needsRecord(facts)
  }

  /** What the log comes to, and the turns that it has beyond those that were told before. */
  log(): StraightLog {
    const told = this.#told.told()
    // A leaf that the client was told to go on from may be anywhere, and of two rows with one uuid the tree knows the first.
    if (told.leaves.length > 0 || (this.isStraight && this.rows.hasTwins)) this.isStraight = false
    const { prompts, started } = this.#turns
    const { rows, responses, toolCalls } = this.#counts
    const all = this.responses
    return {
      told,
      counts: { rows, prompts, messages: prompts + responses, turns: started, toolCalls },
      isSaid: this.#isSaid,
      compactions: this.#compactions,
      interrupts: this.#interrupts,
      models: [...this.#models],
      synthetic: this.#synthetic,
      parentElsewhere: this.#parentElsewhere,
      agent: this.#agent,
      turnOfCall: this.#turnOfCall,
      tip: this.#tip,
      turns: this.#turns.open(),
      lastMessage: this.#lastMessage,
      lastCalls: this.#lastCalls,
      // Only needed where the log is read on.
      get lastResponse() {
        return all.last()
      },
    }
  }

  /** The turns that were not told before, from the first that may have changed. */
  turns(): { readonly from: number; readonly turns: readonly TurnName[] } {
    return this.#turns.names()
  }

  #addRow(facts: RowFacts): void {
    const { kind } = facts
    if (kind === undefined) return
    this.isStraight = facts.isSidechain === this.#isAgent && this.#attach(facts, kind)
    if (!this.isStraight) return
    const isSaid = facts.type === 'user' || facts.type === 'assistant'
    this.#isSaid ||= isSaid
    if (isSaid && kind !== 'meta' && kind !== 'interrupt' && kind !== 'command') this.#counts.rows += 1
    if (kind === 'compact-boundary') this.#compactions += 1
    else if (kind === 'interrupt') this.#interrupts += 1
    const turn = this.#turns.add(kind, facts, this.#tip.kind)
    if (facts.type === 'assistant') this.#addAssistant(facts, kind, turn)
    if (this.#isAgent) this.#addAgent(facts)
    this.#tip.kind = kind
  }

  /** Whether a row continues the log. Rows that have no part of their own (attachments, progress) are looked through. */
  #attach(facts: RowFacts, kind: RowKind): boolean {
    const tip = this.#tip
    if (facts.key === NO_KEY) return false
    const parent = this.#parentOf(facts)
    if (parent === undefined) return false
    const isBehindTip = parent === tip.key
    const isPrompt = PROMPTS.has(kind)
    if (isPrompt && !(isBehindTip && tip.isFree)) return false
    if (isPrompt) tip.promptOffset = facts.offset
    const isFree = isPrompt || PARTS.has(kind) || (isBehindTip && tip.isFree)
    return this.#hang(facts.key, facts.offset, facts.at, facts.isSidechain || facts.forkedFrom !== null, isFree)
  }

  /** Makes a row the tip, unless one with its uuid was there when the log was read before. */
  #hang(key: number, offset: number, at: number, isCopy: boolean, isFree: boolean): boolean {
    const tip = this.#tip
    if (this.#known.offsetOf(key) !== undefined) return false
    tip.isFree = isFree
    tip.key = key
    tip.rows += 1
    this.rows.add(key, offset, at, this.#told.spentMs, isCopy ? ACTIVE : ACTIVE | OWN)
    return true
  }

  /** The key of the row that a row hangs under, `NO_KEY` for the first; `undefined` where only a tree can tell. */
  #parentOf(facts: RowFacts): number | undefined {
    const tip = this.#tip
    const { parentKey, logicalParentKey } = facts
    if (tip.rows === 0) {
      if (!facts.isSidechain) this.#parentElsewhere = parentKey
      return NO_KEY
    }
    const named = parentKey === NO_KEY ? logicalParentKey : parentKey
    if (named === tip.key) return named
    if (named === NO_KEY) return facts.type === 'user' || facts.type === 'assistant' ? undefined : tip.key
    const offset = this.rows.offsetOf(named) ?? this.#known.offsetOf(named)
    return offset !== undefined && offset >= tip.promptOffset ? named : undefined
  }

  #addAssistant(facts: RowFacts, kind: RowKind, turn: number): void {
    const { toolUses, offset, messageId, model, usage } = facts
    if (model === '<synthetic>') this.#synthetic.push(facts.timestamp ?? '')
    this.#addMessage(messageId, model, kind)
    for (const { id, name } of toolUses) {
      if (!this.#isAgent) this.#countCall(id, offset)
      if (startsAgent(name)) this.#turnOfCall[id] ??= turn
    }
    if (usage) this.#bill(usage, this.#told.evidenceOf(facts.sessionId, facts.requestRef), facts.at, turn)
  }

  #addMessage(id: string | null, model: string | null, kind: RowKind): void {
    const isNew = id === null || !this.#messages.has(id)
    if (id !== null && isNew) {
      if (this.#known.hasMessage(id)) this.isStraight = false
      this.#messages.add(id)
      this.#lastMessage = id
      this.#lastCalls = []
    }
    if (this.#isAgent || kind !== 'response') return
    if (isNew) this.#counts.responses += 1
    if (model !== null) this.#models.add(model)
  }

  #bill(usage: UsageRow, evidence: RowEvidence, at: number, turn: number): void {
    if (!this.responses.add(usage, evidence, at, turn)) this.isStraight = false
  }

  /** What has no id stands for itself: all calls of a row together. */
  #countCall(id: string, offset: number): void {
    const name = id || `row at ${offset}`
    if (this.#calls.has(name)) return
    this.#calls.add(name)
    this.#lastCalls.push(name)
    this.#counts.toolCalls += 1
  }

  #addAgent(facts: RowFacts): void {
    const { prompt, startedAt, hasUserRow } = this.#agent
    const isUser = facts.type === 'user'
    if (this.#tip.rows > 1 && (!isUser || (hasUserRow && prompt !== null))) return
    this.#agent = {
      prompt: prompt ?? (isUser ? (facts.node?.preview ?? null) : null),
      startedAt: this.#tip.rows === 1 ? facts.timestamp : startedAt,
      hasUserRow: hasUserRow || isUser,
    }
  }
}

export interface StraightOptions {
  readonly isAgent?: boolean
  readonly before?: StraightLog | undefined
  readonly known?: KnownRows | undefined
}

/** Rows that a branch can begin with. */
const PROMPTS: ReadonlySet<RowKind> = new Set(['prompt', 'command', 'bash-input', 'warmup'])

/** Other rows that have a part of their own in the conversation: beside them, nothing behind them is a branch. */
const PARTS: ReadonlySet<RowKind> = new Set([
  'response',
  'api-error',
  'synthetic',
  'tool-result',
  'compact-boundary',
  'compact-summary',
  'notification',
  'automated',
])
