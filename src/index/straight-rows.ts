import { NO_KEY } from '../core/facts/row-key.ts'
import { type KnownRows, StraightFold, type StraightLog } from '../core/facts/straight.ts'
import { type JsonObject, parseJson } from '../core/json.ts'
import { advance, startCursor } from '../disk/cursor.ts'
import { foldLog, isResting } from '../disk/log-facts.ts'
import type { Source } from '../disk/source.ts'
import { factRow, promptKey, type RowsJob, shortCall, summaryRows } from './fact-row.ts'
import type { LogRows } from './log-rows.ts'

/** What an append needs of a log that was read before: kept in `carry`. */
interface Carry {
  readonly log: StraightLog
  readonly lines: number
}

/** What is known of a log that has grown. */
export interface KnownLog extends KnownRows {
  readonly carry: string
  readonly ledger: string | null
}

/** Reads a straight log, or what it has grown by; `undefined` when it is gone, or not straight. */
export function readStraightRows(source: Source, job: RowsJob, known?: KnownLog): LogRows | undefined {
  const { entry, cursor, agent } = job
  const before = known && readCarry(known)
  const fold = new StraightFold({ isAgent: agent !== null, before: before?.log, known })
  const from = before && { offset: cursor.offset, line: cursor.line, sum: cursor.prefixSum }
  const read = foldLog(source, entry, fold, from)
  const log = fold.log()
  if (!read || !fold.isStraight) return undefined
  const { evidence } = log.told
  // Whose copies a log's rows are depends on whose log it is.
  if (before && before.log.told.evidence.sessionId !== evidence.sessionId) return undefined
  const carried = new Set(before?.log.told.agentCalls.map(({ toolUseId }) => toolUseId))
  const calls = log.told.agentCalls.map((call) => shortCall(call, carried.has(call.toolUseId)))
  const lines = read.totals.lines + (before?.lines ?? 0)
  const offset = read.totals.bytes + (from?.offset ?? 0)
  const end = {
    offset,
    line: read.totals.endLine,
    prefixSum: read.sum,
    ends: before ? { tail: read.ends.tail } : read.ends,
  }
  const start = before ? cursor : startCursor(entry, cursor.generation, cursor.settled)
  const isWhole = read.totals.endOffset === offset
  const { from: turnsFrom, turns } = fold.turns()
  return {
    cursor: advance(start, source, entry, end),
    isAppend: before !== undefined,
    fact: factRow(log.told, {
      lines,
      interrupts: log.interrupts,
      models: log.models,
      synthetic: log.synthetic,
      branches: log.isSaid && agent === null ? 1 : 0,
      compactions: agent === null ? log.compactions : 0,
      allCompactions: log.compactions,
      counts: agent === null ? log.counts : NO_COUNTS,
      parentKey: log.parentElsewhere === NO_KEY ? null : log.parentElsewhere,
      agents: {
        calls: calls.map((call) => ({ ...call, turn: log.turnOfCall[call.toolUseId] ?? null })),
        inline: [],
        own: agent === null ? null : { id: agent, ...log.agent, prompt: promptKey(log.agent.prompt) },
      },
    }),
    namedSession: log.told.sessionIds[0] ?? null,
    slugs: log.told.slugs,
    summaries: summaryRows(log.told.summaries),
    rows: fold.rows.packed(),
    turnsFrom,
    turns: agent === null ? turns : [],
    responses: fold.responses.changed(evidence, entry.path),
    carry: isWhole && isCarryWorth(job) ? carryOf(log, calls, lines) : null,
  }
}

const NO_COUNTS = { rows: 0, prompts: 0, messages: 0, turns: 0, toolCalls: 0 }

/**
 * A log that has rested for days is read from its start when it grows after all, as most never do; and so is a short one when it grows
 * for the first time: to write down where its reading ended costs more than to read it again.
 */
function isCarryWorth({ entry, cursor }: RowsJob): boolean {
  return cursor.offset > 0 || (entry.sizeBytes > SHORT_BYTES && !isResting(entry))
}

const SHORT_BYTES = 128 * 1024

/** The client's own running total has a column of its own. */
function carryOf(log: StraightLog, agentCalls: StraightLog['told']['agentCalls'], lines: number): string {
  const carry: Carry = { log: { ...log, told: { ...log.told, agentCalls, costState: null } }, lines }
  return JSON.stringify(carry)
}

function readCarry({ carry, ledger }: KnownLog): Carry {
  const { log, lines } = parseJson(carry) as unknown as Carry
  const costState = ledger === null ? null : (parseJson(ledger) as JsonObject)
  return { log: { ...log, told: { ...log.told, costState } }, lines }
}
