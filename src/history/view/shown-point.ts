import { Failure } from '../../core/failure.ts'
import { type Static, Type } from '../../core/schema.ts'
import type { TreeNode } from '../../core/tree/node.ts'
import type { Branch, Tree } from '../../core/tree/tree.ts'
import { placeAt } from '../family.ts'
import type { Asking } from '../find.ts'
import { leafUuid, type OpenedSession, openSession } from '../open.ts'
import { findPoint, isPoint, type Point } from '../point.ts'
import { NullableString, nullable, placeFields } from '../shapes.ts'

/** The row that was asked for: where a reader is to be opened. */
export const PointShape = Type.Object({
  turn: nullable(Type.Integer('The number of its turn, as shown')),
  uuid: NullableString,
  calls: Type.Array(Type.String(), 'The calls that it makes or answers'),
  ...placeFields,
})

/** A session that was opened at a point, or as a whole. */
export interface OpenedAt {
  readonly opened: OpenedSession
  readonly point: Static<typeof PointShape> | null
  /** The branch that holds the point, where the active one does not. */
  readonly branch: string | undefined
}

/** Opens a session, or the session or agent in which a point lies. */
export async function openAt(context: Asking, name: string): Promise<OpenedAt> {
  const point = isPoint(name) ? await pointOrNone(context, name) : undefined
  if (!point) return { opened: await openSession(context, name), point: null, branch: undefined }
  const opened = await ownerOf(context, point)
  const { tree } = opened.conversation
  if (!point.place) return { opened, point: null, branch: undefined }
  const index = firstOfTurn(opened, point, name) ?? tree.nodes.findIndex(({ offset }) => offset === point.place?.offset)
  const node = tree.nodes[index]
  const place = node ? placeAt(opened.conversation.entry, node) : point.place
  const holder = branchOf(tree, index)
  const turns = holder ? opened.conversation.turns(holder) : []
  const turn = turns.find(({ prompt, rows }) => prompt === index || rows.includes(index))
  return {
    opened,
    point: { turn: turn?.number ?? point.turn, uuid: node?.uuid ?? point.uuid, calls: callsOf(node), ...place },
    branch: holder && holder !== tree.active ? (leafUuid(tree, holder) ?? undefined) : undefined,
  }
}

/** A title may have a colon in it too. */
async function pointOrNone(context: Asking, name: string): Promise<Point | undefined> {
  try {
    return await findPoint(context, name)
  } catch (error) {
    if (error instanceof Failure && error.code === 'SESSION_NOT_FOUND') return undefined
    throw error
  }
}

/** A turn is read from its beginning, while what is asked about one is asked about its end. */
function firstOfTurn({ conversation }: OpenedSession, { turn }: Point, name: string): number | undefined {
  if (!/^[^\\/]*:\d{1,6}$/.test(name) || /\.jsonl:\d+$/.test(name)) return undefined
  const named = conversation.turns(conversation.tree.active).find(({ number }) => number === turn)
  return named?.prompt ?? named?.rows[0]
}

/** A row of an agent is read in the agent's own conversation. */
async function ownerOf(context: Asking, { opened, place }: Point): Promise<OpenedSession> {
  if (!place || place.file === opened.conversation.entry.path) return opened
  const agent = opened.family.find(({ entry }) => entry.path === place.file)
  return agent ? await openSession(context, `agent-${agent.id}`) : opened
}

function branchOf(tree: Tree, index: number): Branch | undefined {
  const holds = (branch: Branch | undefined) => branch?.rows.includes(index) ?? false
  return holds(tree.active) ? tree.active : tree.branches.findLast(holds)
}

function callsOf(node: TreeNode | undefined): string[] {
  return node ? [...node.toolUses, ...node.toolResults].map(({ id }) => id) : []
}
