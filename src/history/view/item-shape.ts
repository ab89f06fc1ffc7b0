import type { JsonObject } from '../../core/json.ts'
import { type Properties, type Static, Type } from '../../core/schema.ts'
import { itemSchema } from '../../core/tree/item-schema.ts'
import { NullableNumber, NullableString, nullable, PlaceShape, placeFields, UsageShape } from '../shapes.ts'

const rowFields = { uuid: Type.String(), timestamp: NullableString, ...placeFields }

const callFields = {
  agent: NullableString,
  agents: Type.Array(
    Type.Object({
      id: Type.String(),
      type: NullableString,
      description: NullableString,
      toolUses: Type.Integer(),
      usage: UsageShape,
      costUsd: NullableNumber,
      failed: NullableString,
    }),
  ),
  answer: Type.Optional(nullable(PlaceShape)),
}

/** An item with its row and its place: `kind` says which fields there are. Rows also tell where the answer to a call stands. */
export const ItemShape = itemSchema(rowFields, callFields)

/** A line of a log that is followed and that is no item: a prompt, and the answer to a call, come by themselves. */
function line<Kind extends string, P extends Properties>(kind: Kind, fields: P) {
  return Type.Object({ kind: Type.Literal(kind), ...rowFields, ...fields })
}

const text = Type.String()

/** Something that was written while a log is followed. */
export const FollowedShape = Type.Union([
  ItemShape,
  line('prompt', { text }),
  line('queued-prompt', { text }),
  line('warmup', { text }),
  line('result', {
    id: text,
    isError: Type.Boolean(),
    name: nullable(Type.String('The tool that was called; null where its call is not known')),
    input: nullable(Type.Unsafe<JsonObject>({ type: 'object', description: 'What it was called with' })),
    text: Type.String('What came back'),
  }),
])

export type FollowedItem = Static<typeof FollowedShape>
export type ShownItem = Static<typeof ItemShape>
export type ShownTool = Extract<ShownItem, { readonly kind: 'tool' }>
