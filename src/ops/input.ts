import { Failure } from '../core/failure.ts'
import type { JsonValue } from '../core/json.ts'
import { nearest } from '../core/nearest.ts'
import type { Schema } from '../core/schema.ts'
import type { Command } from './op.ts'

/** A field of a command's input: what a flag, a query or a body may give for it. */
export interface Field {
  readonly name: string
  /** The one letter that a flag may be written with. */
  readonly short: string | undefined
  readonly kind: 'boolean' | 'integer' | 'number' | 'string' | 'choice'
  readonly isList: boolean
  readonly choices: readonly string[]
  readonly minimum: number
  readonly maximum: number
  readonly maxLength: number
  readonly minItems: number
  readonly description: string
}

/** The fields of a command's input. */
export function fieldsOf({ input }: Pick<Command, 'input'>): readonly Field[] {
  return Object.entries(input.properties).map(([name, schema]) => toField(name, schema))
}

/** The longest text of a field that says nothing about it. */
const MOST_CHARACTERS = 4096

function toField(name: string, schema: Schema): Field {
  const isList = schema.type === 'array'
  const one = isList ? (schema.items as Schema) : schema
  const choices = (one.anyOf ?? []).flatMap((option) => (typeof option.const === 'string' ? [option.const] : []))
  const { type } = one
  const kind = type === 'boolean' || type === 'integer' || type === 'number' ? type : 'string'
  return {
    name,
    short: schema.alias,
    kind: choices.length > 0 ? 'choice' : kind,
    isList,
    choices,
    minimum: one.minimum ?? Number.MIN_SAFE_INTEGER,
    maximum: one.maximum ?? Number.MAX_SAFE_INTEGER,
    maxLength: one.maxLength ?? MOST_CHARACTERS,
    minItems: schema.minItems ?? 0,
    description: schema.description ?? '',
  }
}

/** What a text says for a field. One that does not fit is told in a sentence, under the name it was given by. */
export function readText(field: Field, text: string, name = field.name): JsonValue {
  if (field.kind === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  const isNumber = (field.kind === 'integer' || field.kind === 'number') && /^-?\d{1,15}(\.\d{1,15})?$/.test(text)
  return checkValue(field, isNumber ? Number(text) : text, name)
}

/** The same for a value of JSON. */
export function checkValue(field: Field, value: JsonValue | undefined, name = field.name): JsonValue {
  const { kind, choices, minimum, maximum, maxLength } = field
  if (kind === 'boolean' && typeof value === 'boolean') return value
  if ((kind === 'integer' || kind === 'number') && typeof value === 'number') {
    const isKind = kind === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value)
    if (isKind && value >= minimum && value <= maximum) return value
  }
  const chosen =
    typeof value === 'string' ? choices.find((one) => one.toLowerCase() === value.toLowerCase()) : undefined
  if (kind === 'choice' && chosen !== undefined) return chosen
  if (kind === 'string' && typeof value === 'string' && value !== '' && !value.includes('\0')) {
    if (value.length <= maxLength) return value
    throw new Failure('USAGE', `${name} is too long: ${maxLength} characters at most.`)
  }
  throw wrongValue(field, value, name)
}

/** What a field takes, and what it was given instead. */
export function wrongValue(field: Field, value: JsonValue | undefined, name = field.name): Failure {
  const { kind, isList, choices, minimum, maximum } = field
  const least = minimum > Number.MIN_SAFE_INTEGER ? ` from ${minimum}` : ''
  const most = maximum < Number.MAX_SAFE_INTEGER ? ` to ${maximum}` : ''
  const takes = {
    boolean: 'true or false',
    integer: `a whole number${least}${most}`,
    number: `a number${least}${most}`,
    string: 'a text',
    choice: `one of ${choices.join(', ')}`,
  }[kind]
  const given = typeof value === 'string' || typeof value === 'number' ? `, not "${String(value).slice(0, 40)}"` : ''
  const meant = typeof value === 'string' ? nearest(value.toLowerCase(), choices) : undefined
  const hint = meant === undefined ? {} : { hint: `Did you mean ${meant}?` }
  return new Failure('USAGE', `${name} takes ${takes}${isList ? ', several times' : ''}${given}.`, hint)
}
