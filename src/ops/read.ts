import { Failure } from '../core/failure.ts'
import { Type } from '../core/schema.ts'
import type { TreeNode } from '../core/tree/node.ts'
import type { Branch, Tree } from '../core/tree/tree.ts'
import type { Context } from '../history/context.ts'
import { chosenBranch, leafUuid, type OpenedSession, openSession } from '../history/open.ts'
import { NullableString, nullable } from '../history/shapes.ts'
import { MOST_ROWS, pageOfRows, USUAL_ROWS } from '../history/view/page.ts'
import { readTail } from '../history/view/read-tail.ts'
import { RowShape, readRow, showingRow } from '../history/view/row-shape.ts'
import { wholeView } from '../history/view/whole-view.ts'
import { defineOp } from './op.ts'

export const read = defineOp({
  name: 'read',
  lists: 'rows',
  teamStore: 'read',
  summary: 'Read a page of a session, row by row.',
  examples: ['annals read last', 'annals read last --from -20', 'annals read 3f9a --around 8c1d2e3f --count 10'],
  input: Type.Object({
    session: Type.String('An id or the start of one, last, current, a title, a log file or agent-<id>'),
    branch: Type.Optional(Type.String('A branch, by the start of its last uuid (default: the active one)')),
    from: Type.Optional(Type.Integer('The first row, counted from 0; negative numbers count from the end')),
    count: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MOST_ROWS,
        description: `How many rows (${USUAL_ROWS}, at most ${MOST_ROWS})`,
      }),
    ),
    around: Type.Optional(Type.String('The page that holds this row: its uuid, or the id of a tool call')),
    thinking: Type.Optional(Type.Boolean('Also what the model thought: yes, unless it is false')),
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Only what was written from this byte on: quick on a growing log',
      }),
    ),
    line: Type.Optional(
      Type.Integer({ minimum: 1, description: 'With --offset: the number of the line that begins there' }),
    ),
  }),
  positional: ['session'],
  result: Type.Object({
    session: Type.String(),
    agent: NullableString,
    cwd: NullableString,
    branch: NullableString,
    from: Type.Integer(),
    total: Type.Integer('Rows of the branch that show something'),
    at: nullable(Type.Integer('The row that shows what `around` named')),
    sizeBytes: Type.Integer('How much of the log was known'),
    goesOn: Type.Boolean('With --offset: whether all rows hang under the first; else always'),
    rows: Type.Array(RowShape),
  }),
  async run(context, input) {
    if (input.offset !== undefined) return readEnd(context, input.session, input.offset, input.line ?? 1)
    const opened = await openSession(context, input.session)
    const { conversation } = opened
    const { tree } = conversation
    const index = input.around === undefined ? undefined : rowNamed(opened, input.around)
    const branch = index === undefined ? chosenBranch(tree, input.branch) : branchWith(tree, index, input.branch)
    const walk = conversation.walk(branch)
    const at = index === undefined ? null : (showingRow(conversation, walk, index) ?? null)
    const { from, to } = pageOfRows(walk, { from: input.from, count: input.count, at })
    const view = await wholeView(context, opened, { thinking: input.thinking ?? true })
    return {
      session: opened.files.id,
      agent: opened.agent?.id ?? null,
      cwd: opened.known.facts.cwd,
      branch: leafUuid(tree, branch),
      from,
      total: walk.rows.length,
      at,
      sizeBytes: conversation.entry.sizeBytes,
      goesOn: true,
      rows: Array.from({ length: to - from }, (_, i) => readRow(conversation, walk, from + i, view)),
    }
  },
})

/** The rows at the end of a log. Who knows the rows before them knows their numbers. */
async function readEnd(context: Context, name: string, offset: number, line: number) {
  // A position is told by the lines before it.
  const { session, agent, conversation, walk, view, endOffset, goesOn } = await readTail(context, name, {
    offset,
    line: line - 1,
  })
  const { tree } = conversation
  return {
    session,
    agent,
    cwd: null,
    branch: leafUuid(tree, tree.active),
    from: 0,
    total: walk.rows.length,
    at: null,
    sizeBytes: endOffset,
    goesOn,
    rows: walk.rows.slice(0, MOST_ROWS).map((_, row) => readRow(conversation, walk, row, view)),
  }
}

/** The row that a uuid or the start of one names, or a tool call's id: its index in the tree. */
function rowNamed({ conversation, family, agent }: OpenedSession, name: string): number {
  const found = new Set<string>()
  let started: number | undefined
  let index = 0
  for (const node of conversation.tree.nodes) {
    const isHere = agent !== undefined || !node.isSidechain
    if (isHere && (node.uuid === name || node.toolUses.some(({ id }) => id === name))) return index
    if (isHere && node.uuid.startsWith(name)) {
      started ??= index
      found.add(node.uuid)
    }
    index++
  }
  if (started !== undefined && found.size === 1) return started
  if (found.size > 1) throw new Failure('NOT_FOUND', `The uuids of ${found.size} rows start with "${name}".`)
  const owner = agent ? undefined : family.find((one) => hasRow(one.nodes, name))
  const hint = owner ? `Its agent has it: annals read agent-${owner.id} --around ${name}` : undefined
  throw new Failure('NOT_FOUND', `No row here is called "${name}".`, hint === undefined ? {} : { hint })
}

function hasRow(nodes: Iterable<TreeNode>, uuid: string): boolean {
  for (const node of nodes) if (node.uuid === uuid) return true
  return false
}

/** The branch that was named, else the active one, else the last one written that holds the row. */
function branchWith(tree: Tree, index: number, wanted: string | undefined): Branch | undefined {
  const holds = (branch: Branch | undefined) => branch?.rows.includes(index) ?? false
  const named = chosenBranch(tree, wanted)
  const holder = holds(named) ? named : tree.branches.findLast(holds)
  if (holder && (holder === named || wanted === undefined)) return holder
  const { uuid } = tree.nodes[index] as TreeNode
  const hint = holder ? `It is on the branch that ends at ${leafUuid(tree, holder)}.` : 'It is in no conversation.'
  throw new Failure('NOT_FOUND', `The row ${uuid} is not on this branch.`, { hint })
}
