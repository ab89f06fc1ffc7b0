import { promptWords } from '../core/facts/title.ts'
import { fieldAt, type JsonObject, objectAt, stringAt } from '../core/json.ts'
import { blocksOf, joinText, textOf, toBlocks, toolResultsOf, topContent } from '../core/log/content.ts'
import type { RowKind } from '../core/log/row-kind.ts'
import { type Static, Type } from '../core/schema.ts'
import { stringsIn } from '../core/strings-in.ts'
import type { TreeNode } from '../core/tree/node.ts'
import type { Turn } from '../core/tree/turns.ts'
import { windowOf } from '../core/usage/window.ts'
import { readRecordAt } from '../disk/log-file.ts'
import type { Source } from '../disk/source.ts'
import type { Conversation } from '../history/conversation.ts'
import { placeAt } from '../history/family.ts'
import { chosenBranch, leafUuid, openSession } from '../history/open.ts'
import { NullableNumber, NullableString } from '../history/shapes.ts'
import { type ShownRows, shownRows } from '../history/view/shown-rows.ts'
import { defineOp } from './op.ts'

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

const Sizes = Type.Object({
  turn: Type.Integer(),
  text: NullableString,
  prompts: Type.Integer('Bytes of what was typed, with the output of commands'),
  answers: Type.Integer(),
  thinking: Type.Integer(),
  toolInput: Type.Integer(),
  toolResults: Type.Integer(),
  attachments: Type.Integer('Bytes of what the client put beside it, summaries among it'),
})

export const context = defineOp({
  name: 'context',
  lists: 'points',
  effort: 'long',
  teamStore: 'read',
  summary: "Show what filled the model's window, turn by turn.",
  examples: ['annals context last', 'annals show last --context', 'annals context 3f9a --json'],
  input: Type.Object({
    session: Type.String('An id or its start, last, current, a slug, a title, a path, or agent-<id>'),
    branch: Type.Optional(Type.String('A branch by the start of its leaf; else the active one')),
  }),
  positional: ['session'],
  result: Type.Object({
    session: Type.String(),
    agent: NullableString,
    branch: NullableString,
    windowTokens: Type.Integer('How many tokens the window holds, as far as its model and what was in it tell'),
    total: Type.Integer('Rows of the branch that show something'),
    points: Type.Array(Point, { description: 'One for each response' }),
    compactions: Type.Array(CompactionPoint),
    sizes: Type.Array(Sizes, { description: 'Bytes of text for each turn' }),
  }),
  run(opening, input) {
    const opened = openSession(opening, input.session)
    const { conversation, library } = opened
    const branch = chosenBranch(conversation.tree, input.branch)
    const shown = shownRows(conversation, branch)
    const points = pointsOf(conversation, shown)
    const most = points.reduce((max, { windowTokens }) => Math.max(max, windowTokens), 0)
    return {
      session: opened.files.id,
      agent: opened.agent?.id ?? null,
      branch: leafUuid(conversation.tree, branch),
      total: shown.rows.length,
      points,
      windowTokens: windowOf(points.at(-1)?.model ?? null, most),
      compactions: compactionsOf(conversation, shown),
      sizes: shown.turns.map((turn) => sizesOf(library.source, conversation, turn)),
    }
  },
})

/** The responses in order, each on the first of its rows. */
function pointsOf(conversation: Conversation, shown: ShownRows): Static<typeof Point>[] {
  const seen = new Set<string>()
  return shown.rows.flatMap((index, row) => {
    const node = conversation.tree.nodes[index] as TreeNode
    if (node.messageId === null || seen.has(node.messageId)) return []
    seen.add(node.messageId)
    const { number } = shown.turns[shown.turnOf[row] as number] as Turn
    const usage = conversation.usage({ number, prompt: undefined, rows: [index] })
    if (usage.responses === 0) return []
    const { inputTokens, cacheReadTokens, outputTokens } = usage
    const cacheWriteTokens = usage.cacheWrite5mTokens + usage.cacheWrite1hTokens
    const windowTokens = inputTokens + cacheReadTokens + cacheWriteTokens
    const tokens = { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, windowTokens }
    return [{ ...at(node, row, number), model: node.model, ...tokens }]
  })
}

function compactionsOf({ tree }: Conversation, shown: ShownRows): Static<typeof CompactionPoint>[] {
  return shown.rows.flatMap((index, row) => {
    const node = tree.nodes[index] as TreeNode
    if (node.kind !== 'compact-boundary') return []
    const { number } = shown.turns[shown.turnOf[row] as number] as Turn
    const { trigger = null, preTokens = null, postTokens = null } = node.compaction ?? {}
    return [{ ...at(node, row, number), preTokens, postTokens, trigger }]
  })
}

function at({ uuid, timestamp }: TreeNode, row: number, turn: number) {
  return { row, turn, uuid, timestamp }
}

/** Reads the rows of a turn, those that show nothing as well: the model was given them all the same. */
function sizesOf(source: Source, { tree, entry }: Conversation, turn: Turn): Static<typeof Sizes> {
  const sizes = { prompts: 0, answers: 0, thinking: 0, toolInput: 0, toolResults: 0, attachments: 0 }
  for (const i of turn.prompt === undefined ? turn.rows : [turn.prompt, ...turn.rows]) {
    const node = tree.nodes[i] as TreeNode
    const raw = readRecordAt(source, entry, placeAt(entry, node))?.raw ?? {}
    for (const [kind, text] of contentOf(node.kind, raw)) sizes[kind] += Buffer.byteLength(text)
  }
  const asked = turn.prompt === undefined ? undefined : tree.nodes[turn.prompt]
  return { turn: turn.number, text: asked ? promptWords(asked) : null, ...sizes }
}

type Content = readonly [
  kind: 'prompts' | 'answers' | 'thinking' | 'toolInput' | 'toolResults' | 'attachments',
  text: string,
]

/** The texts of a row that the model was given or gave. */
function* contentOf(kind: RowKind, raw: JsonObject): Generator<Content> {
  const attachment = objectAt(raw, 'attachment')
  if (kind === 'response') yield* responseContent(raw)
  else if (kind === 'tool-result')
    for (const { content } of toolResultsOf(raw)) yield ['toolResults', joinText(content)]
  else if (kind === 'meta' || kind === 'compact-summary') yield ['attachments', textOf(raw)]
  else if (kind === 'attachment') {
    // What was made of it for the model, else what it holds. A snapshot is no message.
    const isMessage = stringAt(attachment, 'type') !== 'prompt_snapshot'
    const given = isMessage ? (fieldAt(raw, 'rendered') ?? fieldAt(attachment, 'content')) : undefined
    for (const text of stringsIn(given)) yield ['attachments', text]
  } else if (!ONLY_SHOWN.has(kind)) {
    yield ['prompts', textOf(raw) || topContent(raw) || joinText(toBlocks(fieldAt(attachment, 'prompt')))]
  }
}

/** What the client tells the person alone. */
const ONLY_SHOWN: ReadonlySet<RowKind> = new Set(['api-error', 'synthetic', 'compact-boundary', 'system', 'progress'])

function* responseContent(raw: JsonObject): Generator<Content> {
  for (const block of blocksOf(raw)) {
    const type = stringAt(block, 'type') ?? ''
    if (type === 'text') yield ['answers', stringAt(block, 'text') ?? '']
    else if (type === 'thinking') yield ['thinking', stringAt(block, 'thinking') ?? '']
    else if (type.endsWith('tool_use')) for (const text of stringsIn(block.input)) yield ['toolInput', text]
  }
}
