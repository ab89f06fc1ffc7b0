/** A JSON Schema, as far as ours go, that knows the type of its values: `Static` gives it. */
export interface Schema<T = unknown> extends Keywords {
  readonly type?: string
  readonly const?: string | number | boolean
  readonly enum?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Properties
  readonly patternProperties?: Properties
  readonly required?: readonly string[]
  /** Never there: it carries the type. */
  readonly '~static'?: T
}

/** What may be said about any schema. */
export interface Keywords {
  readonly title?: string
  readonly description?: string
  readonly additionalProperties?: boolean
  readonly discriminator?: { readonly propertyName: string }
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minItems?: number
  readonly maxItems?: number
  /** The one letter that a flag may be written with. */
  readonly alias?: string
}

export interface ObjectSchema<P extends Properties = Properties> extends Schema<ObjectOf<P>> {
  readonly properties: P
}

export interface UnionSchema<S extends readonly Schema[] = readonly Schema[]> extends Schema<Static<S[number]>> {
  readonly anyOf: S
}

/** A property that may be missing. */
export type OptionalSchema<S extends Schema = Schema> = S & { readonly [OPTIONAL]: true }

export type Properties = Readonly<Record<string, Schema>>

/** The values that a schema describes. */
export type Static<S extends Schema> = S extends Schema<infer T> ? T : never

declare const OPTIONAL: unique symbol

type OptionalKeys<P> = { [K in keyof P]: P[K] extends { readonly [OPTIONAL]: true } ? K : never }[keyof P]

type ObjectOf<P extends Properties> = Flat<
  { -readonly [K in Exclude<keyof P, OptionalKeys<P>>]: Static<P[K]> } & {
    -readonly [K in OptionalKeys<P>]?: Static<P[K]>
  }
>

type Flat<T> = { [K in keyof T]: T[K] }

// Which properties may be missing is said by `required` of the object around them, so their own schemas do not say it.
const optional = new WeakSet<object>()

function object<P extends Properties>(properties: P, about?: About): ObjectSchema<P> {
  const required = Object.keys(properties).filter((key) => !optional.has(properties[key] as Schema))
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...keywordsOf(about) }
}

/** What is said about a schema: its description alone, or more. */
type About = string | Keywords

function keywordsOf(about: About = {}): Keywords {
  return typeof about === 'string' ? { description: about } : about
}

/**
 * Makes JSON Schemas whose values TypeScript knows. They are plain data: what is said about a command stands in its schema
 * alone, and help, flags, queries and documents are made from it.
 */
export const Type = {
  String: (about?: About): Schema<string> => ({ type: 'string', ...keywordsOf(about) }),
  Integer: (about?: About): Schema<number> => ({ type: 'integer', ...keywordsOf(about) }),
  Number: (about?: About): Schema<number> => ({ type: 'number', ...keywordsOf(about) }),
  Boolean: (about?: About): Schema<boolean> => ({ type: 'boolean', ...keywordsOf(about) }),
  Null: (about?: About): Schema<null> => ({ type: 'null', ...keywordsOf(about) }),
  Unknown: (about?: About): Schema<unknown> => keywordsOf(about),
  Literal: <const V extends string | number | boolean>(value: V, keywords: Keywords = {}): Schema<V> => ({
    type: typeof value,
    const: value,
    ...keywords,
  }),
  Enum: <const V extends string>(values: readonly V[], about?: About): Schema<V> => ({
    enum: values,
    ...keywordsOf(about),
  }),
  Array: <S extends Schema>(items: S, about?: About): Schema<Static<S>[]> => ({
    type: 'array',
    items,
    ...keywordsOf(about),
  }),
  /** An array that nobody writes to. */
  List: <S extends Schema>(items: S, about?: About): Schema<readonly Static<S>[]> => ({
    type: 'array',
    items,
    ...keywordsOf(about),
  }),
  /** An array in JSON. In the program it may be read from its source each time it is iterated, and is not held then. */
  Sequence: <S extends Schema>(items: S, about?: About): Schema<Iterable<Static<S>>> => ({
    type: 'array',
    items,
    ...keywordsOf(about),
  }),
  Pair: <S extends Schema>(items: S, about?: About): Schema<[Static<S>, Static<S>]> => ({
    type: 'array',
    items,
    minItems: 2,
    maxItems: 2,
    ...keywordsOf(about),
  }),
  /** Values by keys that are not known beforehand. */
  Record: <S extends Schema>(values: S, about?: About): Schema<Record<string, Static<S>>> => ({
    type: 'object',
    patternProperties: { '^.*$': values },
    ...keywordsOf(about),
  }),
  Union: <const S extends readonly Schema[]>(members: S, about?: About): UnionSchema<S> => ({
    anyOf: members,
    ...keywordsOf(about),
  }),
  /** One of some names. */
  Choice: <const V extends string>(values: readonly V[], about?: About): Schema<V> => ({
    anyOf: values.map((value) => ({ type: 'string', const: value })),
    ...keywordsOf(about),
  }),
  Object: object,
  /** The same object, of which anything may be missing. */
  Partial: <P extends Properties>(whole: ObjectSchema<P>): ObjectSchema<{ [K in keyof P]: OptionalSchema<P[K]> }> =>
    object(
      Object.fromEntries(Object.entries(whole.properties).map(([key, schema]) => [key, Type.Optional(schema)])) as {
        [K in keyof P]: OptionalSchema<P[K]>
      },
    ),
  /** May be missing from the object it stands in. */
  Optional: <S extends Schema>(schema: S): OptionalSchema<S> => {
    const copy = { ...schema }
    optional.add(copy)
    return copy as OptionalSchema<S>
  },
  /** A schema for values of a type that is known otherwise. */
  Unsafe: <T>(schema: Schema): Schema<T> => schema as Schema<T>,
} as const

/** A value, or `null` where it is not known. */
export function nullable<T extends Schema>(schema: T) {
  return Type.Union([schema, Type.Null()])
}
