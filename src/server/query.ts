import { Failure } from '../core/failure.ts'
import type { JsonObject, JsonValue } from '../core/json.ts'
import { checkValue, type Field, fieldsOf, readText, wrongValue } from '../ops/input.ts'
import type { Command } from '../ops/op.ts'

/** What is asked for by a route: a name for its errors, and the fields it takes. */
export type Asking = Pick<Command, 'name' | 'input'>

const MOST_ITEMS = 100

/** Reads an input from a query: every field by its name, lists repeated. What does not fit is told in a sentence. */
export function readQuery(asking: Asking, query: URLSearchParams): Record<string, unknown> {
  return readInput(asking, [...new Set(query.keys())], (field, name) => {
    const values = query.getAll(name)
    if (!field.isList && values.length > 1) throw usage(`${name} is given ${values.length} times; it takes one value.`)
    return values.map((value) => readText(field, value))
  })
}

/** The same from a JSON object. */
export function readBody(asking: Asking, body: JsonObject): Record<string, unknown> {
  return readInput(asking, Object.keys(body), (field, name) => {
    const value = body[name]
    if (field.isList !== Array.isArray(value)) throw wrongValue(field, value)
    return (Array.isArray(value) ? value : [value]).map((one) => checkValue(field, one))
  })
}

function readInput(
  { name: asked, input }: Asking,
  names: readonly string[],
  read: (field: Field, name: string) => readonly JsonValue[],
): Record<string, unknown> {
  const fields = new Map(fieldsOf({ input }).map((field) => [field.name, field]))
  const given = names.map((name) => {
    const field = fields.get(name)
    if (!field) {
      const hint = fields.size === 0 ? `${asked} takes none.` : `${asked} takes ${[...fields.keys()].join(', ')}.`
      throw new Failure('USAGE', `There is no input "${name.slice(0, 40)}".`, { hint })
    }
    const values = read(field, name)
    if (values.length < field.minItems) throw usage(`${name} needs a value.`)
    if (values.length > MOST_ITEMS) throw usage(`${name} has too many values: ${MOST_ITEMS} at most.`)
    return [name, field.isList ? values : values[0]]
  })
  const missing = input.required?.find((name) => !names.includes(name))
  if (missing !== undefined) throw usage(`${asked} needs ${missing}.`)
  return Object.fromEntries(given)
}

function usage(message: string): Failure {
  return new Failure('USAGE', message)
}
