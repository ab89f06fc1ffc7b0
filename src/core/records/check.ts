import { isObject, type JsonObject, type JsonValue } from '../json.ts'
import type { Properties, Schema } from '../schema.ts'
import { toolInputs } from './tool-inputs.ts'

/** How a record can differ from the format we know. */
export type DriftKind = 'UNKNOWN_TYPE' | 'NEW_FIELD' | 'TYPE_MISMATCH' | 'MISSING_FIELD'

/** Takes one difference and the path at which it was found; of types that differ also which. */
type Report = (kind: DriftKind, path: string, detail?: string) => void

/** Compares a value with the schema it was made from. It goes no deeper than the schema does, however deep the value. */
export type Check = (value: JsonValue | undefined, report: Report) => void

/** Makes the check of a record or document. Paths are fixed here, so that checking builds no strings unless it reports. */
export function compileCheck(schema: Schema, name: string): Check {
  return compile(schema, schema.discriminator ? name : '')
}

const tools = new Map<string, Schema>(Object.entries(toolInputs))

function compile(schema: Schema, path: string): Check {
  if (schema.discriminator && schema.anyOf) return variantCheck(schema.discriminator.propertyName, schema.anyOf, path)
  if (schema.anyOf) return unionCheck(schema.anyOf, path)
  if (schema.type === 'array') return arrayCheck(schema, path)
  if (schema.type === 'object') {
    if (schema.patternProperties) return mapCheck(schema.patternProperties, path)
    return schema.properties?.type?.const === 'tool_use' ? toolUseCheck(schema, path) : objectCheck(schema, path)
  }
  const type = schema.enum ? 'string' : schema.type
  if (type === undefined) return anything
  return (value, report) => {
    if (typeof value !== type) mismatch(report, path, [type], value)
  }
}

function mismatch(report: Report, path: string, expected: Iterable<string>, value: JsonValue | undefined): void {
  report('TYPE_MISMATCH', path, `expected ${[...expected].join(' or ')}, found ${typeOf(value)}`)
}

function typeOf(value: JsonValue | undefined): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}

function anything(): void {}

function objectCheck(schema: Schema, path: string): Check {
  const fields = new Map(
    Object.entries(schema.properties ?? {}).map(([name, field]) => [name, compile(field, join(path, name))]),
  )
  const required = (schema.required ?? []).map((name) => ({ name, path: join(path, name) }))
  const isOpen = schema.additionalProperties === true
  return (value, report) => {
    if (!isObject(value)) return mismatch(report, path, ['object'], value)
    for (const name of Object.keys(value)) {
      const check = fields.get(name)
      if (check) check(value[name], report)
      else if (!isOpen) report('NEW_FIELD', join(path, clip(name)))
    }
    for (const field of required) if (!Object.hasOwn(value, field.name)) report('MISSING_FIELD', field.path)
  }
}

function mapCheck(patterns: Properties, path: string): Check {
  const check = compile(Object.values(patterns)[0] ?? {}, join(path, '*'))
  return (value, report) => {
    if (!isObject(value)) return mismatch(report, path, ['object'], value)
    if (check !== anything) for (const name of Object.keys(value)) check(value[name], report)
  }
}

function arrayCheck(schema: Schema, path: string): Check {
  const check = compile(schema.items ?? {}, `${path}[]`)
  return (value, report) => {
    if (!Array.isArray(value)) return mismatch(report, path, ['array'], value)
    if (check !== anything) for (const item of value) check(item, report)
  }
}

/** A value that may be of several types. Several objects without a discriminator are told apart by their fields. */
function unionCheck(members: readonly Schema[], path: string): Check {
  const all = members.flatMap((member) => (member.anyOf && !member.discriminator ? member.anyOf : [member]))
  const leaves = new Set(all.map((member) => member.type ?? 'object'))
  const list = all.find((member) => member.type === 'array')
  const objects = all.filter((member) => member.type === 'object' || member.discriminator)
  const ofList = list && compile(list, path)
  const ofObject = objects.length > 1 ? shapeCheck(objects, path) : objects[0] && compile(objects[0], path)
  return (value, report) => {
    const check = Array.isArray(value) ? ofList : isObject(value) ? ofObject : undefined
    if (check) check(value, report)
    else if (!leaves.has(typeOf(value))) mismatch(report, path, leaves, value)
  }
}

/** Picks the member by the value of one field; that of an unknown variant is not looked into. */
function variantCheck(key: string, members: readonly Schema[], path: string): Check {
  const schemas = new Map<string | undefined, Schema>()
  for (const member of members) {
    const field = member.properties?.[key]
    for (const name of field?.enum ?? [field?.const]) schemas.set(typeof name === 'string' ? name : undefined, member)
  }
  const checks = new Map<string | undefined, Check>()
  return (value, report) => {
    if (!isObject(value)) return mismatch(report, path, ['object'], value)
    const name = Object.hasOwn(value, key) ? value[key] : undefined
    if (name !== undefined && typeof name !== 'string') return mismatch(report, join(path, key), ['string'], name)
    let check = checks.get(name)
    if (!check) {
      const schema = schemas.get(name)
      if (schema) check = compile(schema, name === undefined ? path : variantPath(path, name))
      else if (name === undefined) return report('MISSING_FIELD', join(path, key))
      else return report('UNKNOWN_TYPE', `${join(path, key)}=${clip(name)}`)
      checks.set(name, check)
    }
    check(value, report)
  }
}

/** A tool call: the tool's name decides what the input is. Tools we do not know are told, but for those of other servers, and free in theirs. */
function toolUseCheck(schema: Schema, path: string): Check {
  const checks = new Map<string, Check>()
  const other = objectCheck(schema, path)
  return (value, report) => {
    const name = isObject(value) ? value.name : undefined
    const input = typeof name === 'string' ? tools.get(name) : undefined
    if (typeof name === 'string' && !input && !name.startsWith('mcp__'))
      report('UNKNOWN_TYPE', `${path}.name=${clip(name)}`)
    if (typeof name !== 'string' || !input) return other(value, report)
    let check = checks.get(name)
    if (!check) {
      check = objectCheck({ ...schema, properties: { ...schema.properties, input } }, `${path}(${name})`)
      checks.set(name, check)
    }
    check(value, report)
  }
}

/** Objects that nothing names: the one whose required fields are all there and that leaves the fewest fields over. */
function shapeCheck(members: readonly Schema[], path: string): Check {
  const shapes = members
    .filter((member) => member.properties)
    .map((member) => {
      const fields = new Map(Object.entries(member.properties ?? {}))
      const check = objectCheck(member, member.title ? `${path}(${member.title})` : path)
      return { fields, required: member.required ?? [], check }
    })
  return (value, report) => {
    if (!isObject(value)) return
    const names = Object.keys(value)
    let best: Check | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const { fields, required, check } of shapes) {
      if (!required.every((name) => admits(fields.get(name), value, name))) continue
      const left = names.reduce((count, name) => (fields.has(name) ? count : count + 1), 0)
      // A likeness of one field, or of the lesser part, is chance: other people's tools write objects too.
      if (left > 0 && (required.length < 2 || left * 2 > names.length)) continue
      if (left >= fewest) continue
      best = check
      fewest = left
    }
    best?.(value, report)
  }
}

function admits(field: Schema | undefined, value: JsonObject, name: string): boolean {
  if (!Object.hasOwn(value, name)) return false
  const found = value[name]
  if (field?.const !== undefined) return field.const === found
  return !field?.enum || (typeof found === 'string' && field.enum.includes(found))
}

/** Blocks of a list read `content[].text`, everything else `attachment(file)`. */
function variantPath(path: string, name: string): string {
  return path.endsWith('[]') ? `${path}.${name}` : `${path}(${name})`
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

const LONGEST_NAME = 100

/** A name that came from a log, short enough for a report. */
export function clip(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name
}
