import { type Static, Type } from '../../core/schema.ts'
import type { TreeNode } from '../../core/tree/node.ts'
import type { Turn } from '../../core/tree/turns.ts'
import { turnOfRow, type Walk } from '../../core/tree/walk.ts'
import { CONTEXT_TOKEN_BYTES } from '../../core/usage/token-bytes.ts'
import { windowOf } from '../../core/usage/window.ts'
import type { Conversation } from '../../history/conversation.ts'
import { chosenBranch, leafUuid, openSession } from '../../history/open.ts'
import { NullableNumber, NullableString, nullable } from '../../history/shapes.ts'
import { openPriceBook } from '../../history/usage/price-book.ts'
import { filledWindow, HeldShape, heldTokens, SizesShape, SourceShape } from '../../history/view/filled-window.ts'
import { LostCacheShape, lostCaches } from '../../history/view/lost-caches.ts'
import { requestShape } from '../../history/view/request-shape.ts'
import { defineOp } from '../op.ts'

const Point = Type.Object({
  row: Type.Integer(),
  turn: Type.Integer(),
  uuid: Type.String(),
  timestamp: NullableString,
  model: NullableString,
  inputTokens: Type.Number(),
  cacheReadTokens: Type.Number(),
  cacheWriteTokens: Type.Number(),
  outputTokens: Type.Number(),
  windowTokens: Type.Number('All that went in: input, cache read and cache written'),
  held: HeldShape,
})

const CompactionPoint = Type.Object({
  row: Type.Integer(),
  turn: Type.Integer(),
  uuid: Type.String(),
  timestamp: NullableString,
  preTokens: NullableNumber,
  postTokens: NullableNumber,
  trigger: NullableString,
})

export const context = defineOp({
  name: 'context',
  lists: 'points',
  effort: 'long',
  teamStore: 'read',
  summary: 'Show what filled the context window, turn by turn.',
  examples: ['annals context last', 'annals show last --context', 'annals context 3f9a --json'],
  input: Type.Object({
    session: Type.String('An id or the start of one, last, current, a title, a log file or agent-<id>'),
    branch: Type.Optional(Type.String('A branch, by the start of its last uuid (default: the active one)')),
  }),
  positional: ['session'],
  result: Type.Object({
    session: Type.String(),
    agent: NullableString,
    branch: NullableString,
    windowTokens: Type.Integer('How many tokens the window holds, as far as its model and content show'),
    total: Type.Integer('Rows of the branch that show something'),
    points: Type.Array(Point, { description: 'One for each response' }),
    compactions: Type.Array(CompactionPoint),
    sizes: Type.Array(SizesShape, { description: 'Bytes of text for each turn, and for each step of it' }),
    sources: Type.Array(SourceShape, { description: 'Where they came from: files, tools, skills; the largest first' }),
    lostCaches: Type.Array(LostCacheShape, { description: 'Responses that read again what the cache had held' }),
    request: nullable(
      Type.Object({
        systemBytes: Type.Integer(),
        toolsBytes: Type.Integer(),
        tools: Type.Integer(),
      }),
    ),
    bytesPerToken: Type.Number('What a token is taken for where tokens are estimated'),
  }),
  async run(opening, input) {
    const opened = await openSession(opening, input.session)
    const { conversation, library } = opened
    const branch = chosenBranch(conversation.tree, input.branch)
    const walk = conversation.walk(branch)
    const responses = pointsOf(conversation, walk)
    const { sizes, sources, before } = filledWindow(opened, walk)
    const [first] = responses
    const system = first ? heldTokens(before.get(first.messageId), first.point.windowTokens, null).system : null
    const points = responses.map(({ point, messageId }) => ({
      ...point,
      held: heldTokens(before.get(messageId), point.windowTokens, system),
    }))
    const compactions = compactionsOf(conversation, walk)
    const models = new Set(points.flatMap(({ model }) => model ?? []))
    const most = points.reduce((max, { windowTokens }) => Math.max(max, windowTokens), 0)
    return {
      session: opened.files.id,
      agent: opened.agent?.id ?? null,
      branch: leafUuid(conversation.tree, branch),
      total: walk.rows.length,
      points,
      windowTokens: windowOf(points.at(-1)?.model ?? null, most),
      compactions,
      sizes: [...sizes],
      sources: [...sources],
      lostCaches: lostCaches(
        points,
        compactions.map(({ row }) => row),
        await openPriceBook(opening, models),
      ),
      request: requestShape(library.source, conversation.entry) ?? null,
      bytesPerToken: CONTEXT_TOKEN_BYTES,
    }
  },
})

/** The responses in order, each on the first of its rows. */
function pointsOf(conversation: Conversation, walk: Walk) {
  const seen = new Set<string>()
  return walk.rows.flatMap((index, row) => {
    const node = conversation.tree.nodes[index] as TreeNode
    if (node.messageId === null || seen.has(node.messageId)) return []
    seen.add(node.messageId)
    const { number } = walk.turns[turnOfRow(walk, row)] as Turn
    const usage = conversation.usageOf([node.messageId])
    if (usage.responses === 0) return []
    const { inputTokens, cacheReadTokens, outputTokens } = usage
    const cacheWriteTokens = usage.cacheWrite5mTokens + usage.cacheWrite1hTokens
    const windowTokens = inputTokens + cacheReadTokens + cacheWriteTokens
    const tokens = { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, windowTokens }
    return [{ messageId: node.messageId, point: { ...at(node, row, number), model: node.model, ...tokens } }]
  })
}

function compactionsOf({ tree }: Conversation, walk: Walk): Static<typeof CompactionPoint>[] {
  return walk.rows.flatMap((index, row) => {
    const node = tree.nodes[index] as TreeNode
    if (node.kind !== 'compact-boundary') return []
    const { number } = walk.turns[turnOfRow(walk, row)] as Turn
    const { trigger = null, preTokens = null, postTokens = null } = node.compaction ?? {}
    return [{ ...at(node, row, number), preTokens, postTokens, trigger }]
  })
}

function at({ uuid, timestamp }: TreeNode, row: number, turn: number) {
  return { row, turn, uuid, timestamp }
}
