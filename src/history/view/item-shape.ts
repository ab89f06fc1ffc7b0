import type { JsonObject } from '../../core/json.ts'
import { type Properties, type Static, Type } from '../../core/schema.ts'
import { NullableNumber, NullableString, nullable, PlaceShape, placeFields, UsageShape } from '../shapes.ts'

/** A list that nobody changes, as `core` has them. */
function list<P extends Properties>(fields: P) {
  return Type.List(Type.Object(fields))
}

function item<Kind extends string, P extends Properties>(kind: Kind, fields: P) {
  const base = { uuid: Type.String(), timestamp: NullableString, ...placeFields }
  return Type.Object({ kind: Type.Literal(kind), ...base, ...fields })
}

const text = Type.String()

const details = nullable(
  Type.Union([
    Type.Object({
      kind: Type.Literal('command'),
      stderr: NullableString,
      returnCodeInterpretation: NullableString,
      backgroundTaskId: NullableString,
    }),
    Type.Object({ kind: Type.Literal('answers'), answers: list({ question: text, answer: text }) }),
    Type.Object({ kind: Type.Literal('plan'), plan: text }),
    Type.Object({ kind: Type.Literal('links'), links: list({ title: NullableString, url: text }) }),
    Type.Object({ kind: Type.Literal('tasks'), tasks: list({ id: NullableString, subject: text, status: text }) }),
  ]),
)

const hunk = {
  oldStart: Type.Number(),
  oldLines: Type.Number(),
  newStart: Type.Number(),
  newLines: Type.Number(),
  lines: Type.List(text),
}

const toolFields = {
  messageId: NullableString,
  id: text,
  name: text,
  input: Type.Unsafe<JsonObject>({ type: 'object', description: 'As the model wrote it' }),
  runBy: Type.Choice(['client', 'api'], 'Claude Code, or the API itself'),
  outcome: Type.Choice(['done', 'failed', 'declined', 'interrupted', 'unanswered'], 'How it ended'),
  result: nullable(Type.String('The text that the model was given')),
  isError: nullable(Type.Boolean()),
  exitCode: NullableNumber,
  durationMs: NullableNumber,
  images: Type.Integer(),
  overflow: nullable(Type.String('The file that holds an output too large for the log')),
  patch: nullable(list(hunk)),
  details,
  agent: NullableString,
  agents: Type.Array(
    Type.Object({
      id: text,
      type: NullableString,
      description: NullableString,
      toolUses: Type.Integer(),
      usage: UsageShape,
      costUsd: NullableNumber,
      failed: NullableString,
    }),
  ),
}

const otherItems = [
  item('text', { messageId: NullableString, text }),
  item('thinking', { messageId: NullableString, text }),
  item('command', { name: text, args: text, expansion: NullableString, output: NullableString }),
  item('bash', { input: text, output: NullableString }),
  item('notification', { toolUseId: NullableString, status: NullableString, text }),
  item('compaction', {
    trigger: NullableString,
    preTokens: NullableNumber,
    postTokens: NullableNumber,
    summary: NullableString,
  }),
  item('interrupt', { text, duringTool: Type.Boolean() }),
  item('error', { text }),
  item('automated', { text }),
  item('attachment', { subtype: text, text, isHook: Type.Boolean(), isError: Type.Boolean() }),
  item('system', { subtype: text, text, isError: Type.Boolean() }),
] as const

const ToolItemShape = item('tool', toolFields)

/** Something in a turn: `kind` says which fields there are. */
export const ItemShape = Type.Union([...otherItems, ToolItemShape])

/** Something in a row: a call also has the place of its answer. */
export const RowItemShape = Type.Union([...otherItems, item('tool', { ...toolFields, answer: nullable(PlaceShape) })])

/** Something that was written while a log is followed: a prompt, and the answer to a call, come on their own. */
export const FollowedShape = Type.Union([
  ...otherItems,
  ToolItemShape,
  item('prompt', { text }),
  item('queued-prompt', { text }),
  item('warmup', { text }),
  item('result', {
    id: text,
    isError: Type.Boolean(),
    name: nullable(Type.String('The tool that was called; null where its call is not known')),
    input: nullable(Type.Unsafe<JsonObject>({ type: 'object', description: 'What it was called with' })),
    text: Type.String('What came back'),
  }),
])

export type FollowedItem = Static<typeof FollowedShape>
export type ShownItem = Static<typeof ItemShape>
export type ShownTool = Static<typeof ToolItemShape>
