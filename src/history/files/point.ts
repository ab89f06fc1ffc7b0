import { Failure } from '../../core/failure.ts'
import type { TreeNode } from '../../core/tree/node.ts'
import type { OpenedSession } from '../open.ts'
import type { TimedTouch } from './timeline.ts'

/** A point of a session: what stands up to there in its log, and in others what happened until then, has happened. */
export interface Point {
  readonly turn: number | null
  readonly uuid: string | null
  readonly timestamp: string | null
  readonly file: string
  readonly offset: number
}

/**
 * Finds the point that a person means: the number of a turn stands for its end (0 for before the first), the start of a
 * row's uuid for right after that row; after a row that calls tools, when these have answered. Nothing means the end.
 */
export function pointOf(opened: OpenedSession, asked: string | undefined): Point {
  const file = opened.conversation.entry.path
  if (asked === undefined || asked === 'end') {
    return { turn: null, uuid: null, timestamp: null, file, offset: Number.POSITIVE_INFINITY }
  }
  return /^\d{1,6}$/.test(asked) ? turnEnd(opened, Number(asked)) : rowEnd(opened, asked)
}

/** How many of the touches, which are in the order of time, had happened at a point. */
export function touchesUntil(touches: readonly TimedTouch[], { file, offset, timestamp }: Point): number {
  if (offset === Number.POSITIVE_INFINITY) return touches.length
  if (offset < 0) return 0
  const said = Date.parse(timestamp ?? '')
  const own = touches.filter(({ place }) => place.file === file && place.offset <= offset)
  const time = Math.max(
    own.at(-1)?.time ?? Number.NEGATIVE_INFINITY,
    Number.isNaN(said) ? Number.NEGATIVE_INFINITY : said,
  )
  return touches.filter((one) => (one.place.file === file ? one.place.offset <= offset : one.time <= time)).length
}

/** The number of the turn that a touch falls into, by the branch that the session would go on with. */
export function turnsOf(opened: OpenedSession): (touch: TimedTouch) => number | null {
  const { conversation } = opened
  const { nodes, active } = conversation.tree
  const starts = conversation.turns(active).flatMap(({ number, prompt }) => {
    const node = prompt === undefined ? undefined : nodes[prompt]
    return node ? [{ number, offset: node.offset, time: Date.parse(node.timestamp ?? '') }] : []
  })
  return ({ place, time }) => {
    const isOwn = place.file === conversation.entry.path
    return starts.findLast((turn) => (isOwn ? turn.offset <= place.offset : turn.time <= time))?.number ?? null
  }
}

function turnEnd({ conversation }: OpenedSession, number: number): Point {
  const file = conversation.entry.path
  const { nodes, active } = conversation.tree
  const turns = conversation.turns(active)
  if (number === 0) return { turn: 0, uuid: null, timestamp: null, file, offset: -1 }
  const turn = turns.find((one) => one.number === number)
  if (!turn) {
    const last = turns.at(-1)?.number ?? 0
    throw new Failure('NOT_FOUND', `There is no turn ${number}: this session has ${last}.`, {
      hint: 'Run `annals outline <session>` to see its turns.',
    })
  }
  const rows = turn.prompt === undefined ? turn.rows : [turn.prompt, ...turn.rows]
  // The branch may have been left and come back to: what stands furthest down is its end.
  const last = rows.map((row) => nodes[row] as TreeNode).reduce((a, b) => (b.offset > a.offset ? b : a))
  return { turn: number, uuid: last.uuid, timestamp: last.timestamp, file, offset: last.offset }
}

function rowEnd(opened: OpenedSession, asked: string): Point {
  const { conversation, family, agent } = opened
  const own = agent ? [] : [{ file: conversation.entry.path, nodes: conversation.tree.nodes }]
  const agents = family.map(({ entry, nodes }) => ({ file: entry.path, nodes }))
  const found = [...own, ...agents].flatMap(({ file, nodes }) =>
    nodes.flatMap((node) => (isNamed(node, asked) ? [{ file, nodes, node }] : [])),
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
  const end = answeredBy(only.nodes, only.node)
  return { turn: null, uuid: only.node.uuid, timestamp: end.timestamp, file: only.file, offset: end.offset }
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
