import { type Asked, type AskingRow, askedIn, mainTurns } from '../core/facts/activity.ts'
import { NO_KEY } from '../core/facts/row-key.ts'
import type { RowKind } from '../core/log/row-kind.ts'
import { isoText } from '../core/time.ts'
import type { ToolEvent } from '../core/tools/tool-stats.ts'
import { nodeOf } from '../core/tree/node.ts'
import type { TurnTree } from '../core/tree/turns.ts'
import { readRecordAt } from '../disk/log-file.ts'
import { type LogActivity, NO_ACTIVITY, type PlacedRow } from '../index/queries/activity.ts'
import type { KnownCall } from '../index/queries/calls.ts'
import { offsetOfRow } from '../index/row-tables.ts'
import type { RecordPlace } from './remote-history.ts'
import { placesIn, type ScannedLog } from './scan.ts'

/** Something that happened to a session. */
export interface StatEvent {
  /** The row's uuid, or its place. */
  readonly key: string
  readonly kind: 'compact-boundary' | 'interrupt' | 'api-error'
  readonly timeMs: number | null
  readonly trigger: string | null
  readonly preTokens: number | null
}

/** What a person asked for in a log, and when its turns began; those that are copies are asked for, but begin nothing here. */
export function askedOf(
  activity: LogActivity,
  calls: readonly KnownCall[],
): {
  readonly asked: readonly Asked[]
  readonly turnsMs: readonly (number | null)[]
} {
  const tree = turnTree(activity, calls)
  const turns = mainTurns(tree)
  const prompts = turns.map(({ prompt }) => tree.nodes[prompt as number] as AskingRow)
  const own = prompts.filter(({ forkedFrom }) => forkedFrom === null)
  const turnsMs = own.map(({ timestamp }) => (timestamp === null ? null : Date.parse(timestamp)))
  return { asked: askedIn(tree, turns), turnsMs }
}

/** As much of the tree of a log as turns are cut by. The first row stands for all answers of tools. */
function turnTree({ spoken, responses, rows: tables }: LogActivity, calls: readonly KnownCall[]): TurnTree<AskingRow> {
  const seen = new Set<number>()
  const answers = new Set(calls.map(({ answer }) => answer?.offset))
  const isByModel = ({ kind, parent }: PlacedRow) =>
    kind === 'command' && answers.has(offsetOfRow(tables, parent ?? NO_KEY) ?? -1)
  const rows = spoken
    .filter(({ key }) => key === null || (!seen.has(key) && seen.add(key)))
    .map((row) => ({ offset: row.offset, parent: isByModel(row) ? 0 : -1, node: spokenNode(row) }))
  const held = responses.map(({ offset, messageId, isSidechain }) => {
    return { offset, parent: -1, node: { ...NO_NODE, kind: 'response' as const, messageId, isSidechain } }
  })
  const all = [...rows, ...held].sort((a, b) => a.offset - b.offset)
  return {
    nodes: [{ ...NO_NODE, kind: 'tool-result', isSidechain: true }, ...all.map(({ node }) => node)],
    parents: [-1, ...all.map(({ parent }) => parent)],
    attachedBy: ['root', ...all.map(() => 'parent' as const)],
  }
}

const NO_NODE: Omit<AskingRow, 'kind'> = {
  uuid: '',
  command: null,
  isSidechain: false,
  timestamp: null,
  messageId: null,
  forkedFrom: null,
}

function spokenNode({ kind, key, time, isSidechain, isFork, isCustom }: PlacedRow): AskingRow {
  return {
    uuid: key === null ? '' : String(key),
    kind: kind as RowKind,
    command: { name: '', args: '', isCustom },
    isSidechain,
    timestamp: time === null ? null : isoText(time),
    messageId: null,
    forkedFrom: isFork ? 'another' : null,
  }
}

/** What happened in a log. Who interrupts a session interrupts its agents, and each of their logs says so: theirs are left out. */
export function eventsOf({ spoken }: LogActivity, log: ScannedLog): readonly StatEvent[] {
  return spoken.flatMap((row): readonly StatEvent[] => {
    const { kind, key, offset, time: timeMs } = row
    const name = key === null ? `${log.entry.path}:${offset}` : String(key)
    const event = { key: name, timeMs, trigger: null, preTokens: null }
    if (kind === 'api-error') return [{ ...event, kind }]
    if (kind === 'interrupt') return log.agent === null && !row.isSidechain ? [{ ...event, kind }] : []
    return kind === 'compact-boundary' ? [{ ...event, kind, ...compactionAt(row, log) }] : []
  })
}

/** The rows that `eventsOf` reads. */
export function eventPlaces(path: string, { spoken } = NO_ACTIVITY): readonly RecordPlace[] {
  return placesIn(
    path,
    spoken.filter(({ kind }) => kind === 'compact-boundary'),
  )
}

/** What the client noted of a compaction stands in the log alone. */
function compactionAt({ line, offset, length }: PlacedRow, { library, entry }: ScannedLog) {
  const record = readRecordAt(library.source, entry, { file: entry.path, line, offset, length })
  const { trigger = null, preTokens = null } = (record && nodeOf(record)?.compaction) ?? {}
  return { trigger, preTokens }
}

/** The calls of a log and their answers, in file order. */
export function toolEventsOf(calls: readonly KnownCall[], file: string): readonly ToolEvent[] {
  const events = calls.flatMap(({ id: named, tool, path, made, answer }) => {
    const id = named.startsWith(':') ? `${file}${named}` : named
    const call = made ? [{ offset: made.offset, event: { id, name: tool, atMs: made.timeMs, path } }] : []
    if (!answer) return call
    const { isError, resultBytes, tookMs: notedMs, timeMs: atMs } = answer
    return [...call, { offset: answer.offset, event: { id, isError, resultBytes, notedMs, atMs } }]
  })
  return events.sort((a, b) => a.offset - b.offset).map(({ event }) => event)
}
