import {
  nullable,
  type ObjectSchema,
  type OptionalSchema,
  type Properties,
  type Schema,
  Type,
  type UnionSchema,
} from '../schema.ts'

export { nullable }

// The leaves that nearly every field is made of, named so that a schema reads like the type it describes.

/** A string. */
export const string = Type.String()
/** A number. */
export const number = Type.Number()
/** True or false. */
export const boolean = Type.Boolean()
/** Anything: the client's business, or a shape we have not seen enough of. */
export const unknown = Type.Unknown()
/** A list of strings. */
export const strings = Type.Array(string)
/** A string, or null where the client has nothing to say. */
export const nullableString = nullable(string)
/** A number, or null where the client has nothing to say. */
export const nullableNumber = nullable(number)

/** An object used as a map: its keys are data, not fields. */
export function mapOf<T extends Schema>(value: T) {
  return Type.Record(value)
}

/** Fields that not every client version writes. */
export function optional<P extends Properties>(properties: P): { [K in keyof P]: OptionalSchema<P[K]> } {
  const entries = Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)])
  return Object.fromEntries(entries) as { [K in keyof P]: OptionalSchema<P[K]> }
}

/** An object of which we know some fields only: others are no drift. */
export function loose<P extends Properties>(properties: P): ObjectSchema<P> {
  return Type.Object(properties, { additionalProperties: true })
}

/** An object whose `type` says what it is. */
export function typed<T extends string, P extends Properties>(type: T, properties: P) {
  return Type.Object({ type: Type.Literal(type), ...properties })
}

/** Objects told apart by one field. A member without that field stands for objects that lack it. */
export function variants<M extends Schema[]>(propertyName: string, members: [...M]): UnionSchema<M> {
  return Type.Union(members, { discriminator: { propertyName } })
}
