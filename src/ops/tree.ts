import { Type } from '../core/schema.ts'
import { placeAt } from '../history/family.ts'
import { openSession } from '../history/open.ts'
import { NullableString, placeFields, placeOf } from '../history/shapes.ts'
import { BranchShape, branchList } from '../history/view/branch-list.ts'
import { defineOp } from './op.ts'

export const tree = defineOp({
  name: 'tree',
  lists: 'nodes',
  effort: 'long',
  teamStore: 'read',
  summary: 'Show the branches of a session, and every row in it.',
  examples: ['annals tree last', 'annals show last --tree', 'annals tree last --json'],
  input: Type.Object({
    session: Type.String('An id or the start of one, last, current, a title, a log file or agent-<id>'),
    rows: Type.Optional(Type.Boolean('List every row, not only the branches')),
  }),
  positional: ['session'],
  result: Type.Object({
    session: Type.String(),
    agent: Type.Optional(Type.String('The agent, where one was named')),
    nodes: Type.Array(
      Type.Object({
        uuid: Type.String(),
        parent: NullableString,
        logicalParent: NullableString,
        type: Type.String(),
        kind: Type.String(),
        sidechain: Type.Boolean(),
        attachedTo: NullableString,
        attachedBy: Type.String('root, parent, logical, continued, missing, cycle, replay or duplicate'),
        timestamp: NullableString,
        text: NullableString,
        ...placeFields,
      }),
    ),
    branches: Type.Array(BranchShape),
    sidechains: Type.Array(Type.Object({ root: Type.String(), rows: Type.Integer() })),
    unreachable: Type.Integer('Rows on no branch and in no sidechain: always 0'),
    diagnostics: Type.Array(
      Type.Object({ code: Type.String(), message: Type.String(), salvaged: Type.Boolean(), ...placeFields }),
    ),
  }),
  async run(context, input) {
    const { files, agent, known, conversation } = await openSession(context, input.session)
    const { tree: built, entry } = conversation
    const reached = new Set([...built.branches, ...built.sidechains].flatMap((part) => part.rows))
    const uuidOf = (i: number) => built.nodes[i]?.uuid ?? null
    return {
      session: files.id,
      ...(agent && { agent: agent.id }),
      nodes: built.nodes.flatMap((node, i) => ({
        uuid: node.uuid,
        parent: node.parent,
        logicalParent: node.logicalParent,
        type: node.type,
        kind: node.kind,
        sidechain: node.isSidechain,
        attachedTo: uuidOf(built.parents[i] as number),
        attachedBy: built.attachedBy[i] as string,
        timestamp: node.timestamp,
        text: node.preview,
        ...placeAt(entry, node),
      })),
      branches: branchList(built),
      sidechains: built.sidechains.map((chain) => ({ root: uuidOf(chain.root) ?? '', rows: chain.rows.length })),
      unreachable: built.nodes.length - reached.size,
      diagnostics: [...known.diagnostics, ...built.diagnostics].map(({ code, message, salvaged, place }) => ({
        code,
        message,
        salvaged,
        ...placeOf(place),
      })),
    }
  },
})
