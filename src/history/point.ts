import { Failure } from '../core/failure.ts'
import type { Place } from '../core/log/place.ts'
import type { TreeNode } from '../core/tree/node.ts'
import { sha256Of } from '../disk/checksums.ts'
import { readBytesAt, streamRecords } from '../disk/log-file.ts'
import type { SourceEntry } from '../disk/source.ts'
import { placeAt } from './family.ts'
import type { Asking } from './find.ts'
import { type OpenedSession, openSession } from './open.ts'

/** A point of a session: what stands up to there in its log, and in others what happened until then, has happened. */
export interface Point {
  /** The session that it lies in, or the agent that was named. */
  readonly opened: OpenedSession
  /** The number of its turn on the branch that the session would go on with; `null` where it has none there. */
  readonly turn: number | null
  /** The row that is meant: the one that was named, else the last of the turn; `null` before the first turn and at other records. */
  readonly uuid: string | null
  /** Where that row stands; `null` before the first turn. */
  readonly place: Place | null
  /** When all that belongs to it had happened: of a row that calls tools, when these had answered. */
  readonly timestamp: string | null
  /** The log, and the first byte of the last record that belongs to it; -1 before the first turn. */
  readonly file: string
  readonly offset: number
}

/**
 * Finds the point that a text names: `SESSION:TURN`, `SESSION:UUID` with 8 characters or more of a row's uuid (or the id of a
 * call), or `FILE:LINE` of a log. A citation, `SESSION:UUID@HASH`, is refused where the record is not the one that was cited.
 */
export async function findPoint(context: Asking, text: string): Promise<Point> {
  const colon = text.lastIndexOf(':')
  const [name, rest] = [text.slice(0, colon), text.slice(colon + 1)]
  if (colon < 1 || rest === '') {
    throw new Failure('BAD_INPUT', `"${text}" is not a point.`, { hint: `A point is ${FORMS}.` })
  }
  const opened = await openSession(context, name)
  if (isPath(name) && /^\d+$/.test(rest)) return lineEnd(opened, Number(rest))
  return pointIn(opened, rest)
}

/** Whether a text has the form of a point, whatever it names. */
export function isPoint(text: string): boolean {
  return /^.+:(?:\d{1,9}|[\w-]{8,}(?:@[0-9a-f]{8})?)$/s.test(text) && !/^\d{4}-\d\d(?:\D|$)/.test(text)
}

/** A point of a session that is opened: the number of a turn (0: before the first) stands for its end, a uuid for right after its row. */
export function pointIn(opened: OpenedSession, asked: string): Point {
  if (/^\d{1,6}$/.test(asked)) return turnEnd(opened, Number(asked))
  const [, name = asked, hash] = /^(.+)@([0-9a-f]{8})$/.exec(asked) ?? []
  const point = rowEnd(opened, name)
  if (hash !== undefined) refuseChanged(point, hash)
  return point
}

const FORMS = 'SESSION:TURN, SESSION:UUID (8 characters or more), or FILE:LINE of a log'

function isPath(name: string): boolean {
  return /[\\/]|\.jsonl$/.test(name)
}

function turnEnd(opened: OpenedSession, number: number): Point {
  const { conversation } = opened
  const file = conversation.entry.path
  const { nodes, active } = conversation.tree
  const turns = conversation.turns(active)
  if (number === 0) return { opened, turn: 0, uuid: null, place: null, timestamp: null, file, offset: -1 }
  const turn = turns.find((one) => one.number === number)
  if (!turn) {
    const last = turns.at(-1)?.number ?? 0
    throw new Failure('NOT_FOUND', `There is no turn ${number}: this session has ${last}.`, {
      hint: 'Run `annals show SESSION --outline` to see its turns.',
    })
  }
  const rows = turn.prompt === undefined ? turn.rows : [turn.prompt, ...turn.rows]
  // The branch may have been left and come back to: what stands furthest down is its end.
  const last = rows.map((row) => nodes[row] as TreeNode).reduce((a, b) => (b.offset > a.offset ? b : a))
  return { opened, turn: number, uuid: last.uuid, ...endAt(conversation.entry, last, last) }
}

function endAt(
  entry: SourceEntry,
  node: TreeNode,
  end: TreeNode,
): Pick<Point, 'place' | 'timestamp' | 'file' | 'offset'> {
  return { place: placeAt(entry, node), timestamp: end.timestamp, file: entry.path, offset: end.offset }
}

interface RowsOfALog {
  readonly entry: SourceEntry
  readonly nodes: readonly TreeNode[]
}

/** The logs that a point may lie in: that of the session, and those of its agents. */
function logsOf({ conversation, family, agent }: OpenedSession): readonly RowsOfALog[] {
  const own = { entry: conversation.entry, nodes: conversation.tree.nodes }
  return agent ? [own] : [own, ...family]
}

function rowEnd(opened: OpenedSession, asked: string): Point {
  const found = logsOf(opened).flatMap(({ entry, nodes }) =>
    nodes.flatMap((node) => (isNamed(node, asked) ? [{ entry, nodes, node }] : [])),
  )
  const distinct = new Map(found.map((one) => [one.node.uuid, one]))
  const [only, ...others] = distinct.values()
  if (!only) {
    throw new Failure('NOT_FOUND', `No row of this session has the uuid or the call "${asked}".`, {
      hint: 'Give the number of a turn, or the start of a uuid as `annals tree <session>` shows it.',
    })
  }
  if (others.length > 0) {
    throw new Failure('NOT_FOUND', `${others.length + 1} rows of this session begin with "${asked}".`, {
      hint: 'Give more of the uuid.',
    })
  }
  return rowPoint(opened, only)
}

function rowPoint(opened: OpenedSession, { entry, nodes, node }: RowsOfALog & { readonly node: TreeNode }): Point {
  const turn = turnOf(opened, entry, node)
  return { opened, turn, uuid: node.uuid, ...endAt(entry, node, answeredBy(nodes, node)) }
}

/** The turn of a row; of an agent's row the one that its session was in then is not said here. */
function turnOf({ conversation }: OpenedSession, entry: SourceEntry, node: TreeNode): number | null {
  const { nodes, active } = conversation.tree
  if (entry.path !== conversation.entry.path) return null
  const isIn = (row: number | undefined) => row !== undefined && nodes[row]?.offset === node.offset
  return conversation.turns(active).find(({ prompt, rows }) => isIn(prompt) || rows.some(isIn))?.number ?? null
}

function isNamed({ uuid, toolUses }: TreeNode, asked: string): boolean {
  return uuid.startsWith(asked) || toolUses.some(({ id }) => id === asked)
}

/** The last row that answers the calls of a row; itself where it calls nothing. */
function answeredBy(nodes: readonly TreeNode[], node: TreeNode): TreeNode {
  const calls = new Set(node.toolUses.map(({ id }) => id))
  if (calls.size === 0) return node
  return nodes.findLast(({ toolResults }) => toolResults.some(({ id }) => calls.has(id))) ?? node
}

/** A line of the log that was named. One that is no row of the conversation is a point all the same. */
function lineEnd(opened: OpenedSession, line: number): Point {
  const { library, conversation } = opened
  const { entry, tree } = conversation
  const node = tree.nodes.find((one) => one.line === line)
  if (node) return rowPoint(opened, { entry, nodes: tree.nodes, node })
  const before = tree.nodes.findLast((one) => one.line < line)
  const from = before ? { offset: before.offset, line: before.line - 1 } : undefined
  for (const { place } of streamRecords(library.source, entry, from)) {
    if (place.line < line) continue
    if (place.line > line) break
    const turn = before ? turnOf(opened, entry, before) : null
    const timestamp = before?.timestamp ?? null
    return { opened, turn, uuid: null, place, timestamp, file: entry.path, offset: place.offset }
  }
  throw new Failure('NOT_FOUND', `${entry.path} has no record at line ${line}.`, {
    hint: 'Lines are counted from 1; `annals tree <session> --rows` shows them.',
  })
}

function refuseChanged({ opened, place }: Point, hash: string): void {
  const { library } = opened
  const entry = logsOf(opened).find((log) => log.entry.path === place?.file)?.entry
  const bytes = entry && place ? readBytesAt(library.source, entry, place) : undefined
  if (bytes && sha256Of(bytes).startsWith(hash)) return
  throw new Failure('NOT_FOUND', 'The record is not the one that was cited: its bytes have changed since.', {
    hint: 'Leave out the part after the @ to see the record that is there now.',
  })
}
