import { Failure } from '../core/failure.ts'
import type { JsonObject, JsonValue } from '../core/json.ts'
import type { Schema } from '../core/schema.ts'
import type { Command } from '../ops/op.ts'

/** What is asked for by a route: a name for its errors, and the fields it takes. */
export type Asking = Pick<Command, 'name' | 'input'>

/** The longest text of a field. */
const MOST_CHARACTERS = 4096
const MOST_ITEMS = 100

/** Reads an input from a query: every field by its name, lists repeated. What does not fit is told in a sentence. */
export function readQuery(asking: Asking, query: URLSearchParams): Record<string, unknown> {
  const given = new Map<string, string[]>()
  for (const [name, value] of query) given.set(name, [...(given.get(name) ?? []), value])
  const input: Record<string, unknown> = {}
  for (const [name, values] of given) {
    const field = fieldOf(asking, name)
    if (!field.isList && values.length > 1) throw usage(`${name} is given ${values.length} times; it takes one value.`)
    const read = values.map((value) => checked(field, name, fromText(field, name, value)))
    input[name] = field.isList ? listOf(field, name, read) : read[0]
  }
  return complete(asking, input)
}

/** The same from a JSON object. */
export function readBody(asking: Asking, body: JsonObject): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(body)) {
    const field = fieldOf(asking, name)
    if (field.isList !== Array.isArray(value)) throw wrong(field, name)
    const values: readonly (JsonValue | undefined)[] = Array.isArray(value) ? value : [value]
    const read = values.map((one) => checked(field, name, one))
    input[name] = field.isList ? listOf(field, name, read) : read[0]
  }
  return complete(asking, input)
}

interface Field {
  readonly kind: 'boolean' | 'integer' | 'number' | 'string' | 'choice'
  readonly isList: boolean
  readonly choices: readonly string[]
  readonly minimum: number
  readonly maximum: number
  readonly minItems: number
}

function fieldOf({ name: asked, input: { properties } }: Asking, name: string): Field {
  if (Object.hasOwn(properties, name)) return toField(properties[name] as Schema)
  const names = Object.keys(properties)
  const hint = names.length === 0 ? `${asked} takes none.` : `${asked} takes ${names.join(', ')}.`
  throw new Failure('USAGE', `There is no input "${name.slice(0, 40)}".`, { hint })
}

function toField(shape: Schema): Field {
  const isList = shape.type === 'array'
  const named = isList ? (shape.items as Schema) : shape
  // A number that may also be written as a text is a number here.
  const one = named.anyOf?.find(({ type }) => type === 'integer' || type === 'number') ?? named
  const choices = (one.anyOf ?? []).flatMap((option) => (typeof option.const === 'string' ? [option.const] : []))
  const { type } = one
  const kind = type === 'boolean' || type === 'integer' || type === 'number' ? type : 'string'
  return {
    kind: choices.length > 0 ? 'choice' : kind,
    isList,
    choices,
    minimum: one.minimum ?? Number.MIN_SAFE_INTEGER,
    maximum: one.maximum ?? Number.MAX_SAFE_INTEGER,
    minItems: shape.minItems ?? 0,
  }
}

function fromText(field: Field, name: string, text: string): JsonValue {
  if (field.kind === 'boolean') {
    if (text === 'true' || text === 'false') return text === 'true'
    throw wrong(field, name)
  }
  if (field.kind === 'string' || field.kind === 'choice') return text
  if (/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text)
  throw wrong(field, name)
}

function checked(field: Field, name: string, value: JsonValue | undefined): JsonValue {
  const { kind, choices, minimum, maximum } = field
  if (kind === 'boolean' && typeof value === 'boolean') return value
  if ((kind === 'integer' || kind === 'number') && typeof value === 'number') {
    const isKind = kind === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value)
    if (isKind && value >= minimum && value <= maximum) return value
  }
  if (kind === 'choice' && typeof value === 'string' && choices.includes(value)) return value
  if (kind === 'string' && typeof value === 'string' && value !== '' && !value.includes('\0')) {
    if (value.length <= MOST_CHARACTERS) return value
    throw usage(`${name} is too long: ${MOST_CHARACTERS} characters at most.`)
  }
  throw wrong(field, name)
}

function listOf({ minItems }: Field, name: string, values: readonly JsonValue[]): readonly JsonValue[] {
  if (values.length < minItems) throw usage(`${name} needs a value.`)
  if (values.length > MOST_ITEMS) throw usage(`${name} has too many values: ${MOST_ITEMS} at most.`)
  return values
}

function complete(asking: Asking, input: Record<string, unknown>): Record<string, unknown> {
  const { required = [] } = asking.input as { readonly required?: readonly string[] }
  const missing = required.find((name) => !Object.hasOwn(input, name))
  if (missing !== undefined) throw usage(`${asking.name} needs ${missing}.`)
  return input
}

function wrong({ kind, isList, choices, minimum, maximum }: Field, name: string): Failure {
  const least = minimum > Number.MIN_SAFE_INTEGER ? ` from ${minimum}` : ''
  const most = maximum < Number.MAX_SAFE_INTEGER ? ` to ${maximum}` : ''
  const takes = {
    boolean: 'true or false',
    integer: `a whole number${least}${most}`,
    number: `a number${least}${most}`,
    string: 'a text',
    choice: `one of ${choices.join(', ')}`,
  }[kind]
  return usage(`${name} takes ${takes}${isList ? ', several times' : ''}.`)
}

function usage(message: string): Failure {
  return new Failure('USAGE', message)
}
