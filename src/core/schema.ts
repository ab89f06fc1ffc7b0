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

function object<P extends Properties>(properties: P, keywords: Keywords = {}): ObjectSchema<P> {
  const required = Object.keys(properties).filter((key) => !optional.has(properties[key] as Schema))
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...keywords }
}

/**
 * Makes JSON Schemas whose values TypeScript knows. They are plain data: what is said about a command stands in its schema
 * alone, and help, flags, queries and documents are made from it.
 */
export const Type = {
  String: (keywords: Keywords = {}): Schema<string> => ({ type: 'string', ...keywords }),
  Integer: (keywords: Keywords = {}): Schema<number> => ({ type: 'integer', ...keywords }),
  Number: (keywords: Keywords = {}): Schema<number> => ({ type: 'number', ...keywords }),
  Boolean: (keywords: Keywords = {}): Schema<boolean> => ({ type: 'boolean', ...keywords }),
  Null: (keywords: Keywords = {}): Schema<null> => ({ type: 'null', ...keywords }),
  Unknown: (keywords: Keywords = {}): Schema<unknown> => ({ ...keywords }),
  Literal: <const V extends string | number | boolean>(value: V, keywords: Keywords = {}): Schema<V> => ({
    type: typeof value,
    const: value,
    ...keywords,
  }),
  Enum: <const V extends string>(values: readonly V[], keywords: Keywords = {}): Schema<V> => ({
    enum: values,
    ...keywords,
  }),
  Array: <S extends Schema>(items: S, keywords: Keywords = {}): Schema<Static<S>[]> => ({
    type: 'array',
    items,
    ...keywords,
  }),
  /** An array that nobody writes to. */
  List: <S extends Schema>(items: S, keywords: Keywords = {}): Schema<readonly Static<S>[]> => ({
    type: 'array',
    items,
    ...keywords,
  }),
  Pair: <S extends Schema>(items: S, keywords: Keywords = {}): Schema<[Static<S>, Static<S>]> => ({
    type: 'array',
    items,
    minItems: 2,
    maxItems: 2,
    ...keywords,
  }),
  /** Values by keys that are not known beforehand. */
  Record: <S extends Schema>(values: S, keywords: Keywords = {}): Schema<Record<string, Static<S>>> => ({
    type: 'object',
    patternProperties: { '^.*$': values },
    ...keywords,
  }),
  Union: <const S extends readonly Schema[]>(members: S, keywords: Keywords = {}): UnionSchema<S> => ({
    anyOf: members,
    ...keywords,
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
