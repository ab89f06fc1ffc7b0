import { Failure } from '../core/failure.ts'
import type { JsonValue } from '../core/json.ts'
import { nearest } from '../core/nearest.ts'
import type { Schema } from '../core/schema.ts'
import type { Command } from '../ops/op.ts'
import { oneLine, plain } from './terminal/sanitize.ts'

/** Makes the text of each item by a template such as `{id}\t{title}`; refuses fields that the items of a command do not have. */
export function openTemplate(op: Command, template: string): (result: object) => string {
  const list = op.lists ?? 'items'
  const items = op.result.properties?.[list]
  if (!items?.items) {
    throw new Failure('USAGE', `annals ${op.name} lists no items, so --format has nothing to write.`, {
      hint: 'Use --json.',
    })
  }
  const parts = partsOf(template)
  for (const part of parts) if (part.kind === 'field') mustBeKnown(items.items, part.path, op.name)
  const end = parts.at(-1)?.text.endsWith('\0') ? '' : '\n'
  return (result) => {
    const found = (result as Record<string, readonly JsonValue[] | undefined>)[list] ?? []
    return found.map((item) => parts.map((part) => textOf(item, part)).join('') + end).join('')
  }
}

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'field'; readonly text: string; readonly path: readonly string[] }

const ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', '0': '\0', '\\': '\\', '{': '{', '}': '}' }

function partsOf(template: string): readonly Part[] {
  const pieces = template.match(/\\.|\{[^{}]*\}|[^\\{]+|./gs) ?? []
  return pieces.map((piece): Part => {
    const name = /^\{(.*)\}$/s.exec(piece)?.[1]?.trim()
    if (name !== undefined) return { kind: 'field', text: '', path: name.split('.') }
    const escaped = piece.startsWith('\\') ? ESCAPES[piece.slice(1)] : undefined
    // Only escapes write control characters: a template may come from a file of somebody else.
    return { kind: 'text', text: escaped ?? plain(piece) }
  })
}

function textOf(item: JsonValue, part: Part): string {
  if (part.kind === 'text') return part.text
  let value: JsonValue | undefined = item
  for (const name of part.path) {
    const isInside: boolean = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    value = isInside ? (value as Readonly<Record<string, JsonValue>>)[name] : undefined
  }
  if (value === undefined || value === null) return ''
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return oneLine(value.join(','))
  return oneLine(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

/** A field that may be anything may have anything below it. */
function mustBeKnown(schema: Schema, path: readonly string[], command: string): void {
  let variants: readonly Schema[] = [schema]
  for (const name of path) {
    variants = variants.flatMap((one) => one.anyOf ?? [one])
    if (variants.some(isOpen)) return
    const names = variants.flatMap(({ properties }) => Object.keys(properties ?? {}))
    if (!names.includes(name)) throw unknownField(path.join('.'), name, names, command)
    variants = variants.flatMap(({ properties }) => properties?.[name] ?? [])
  }
}

function isOpen({ type, properties, items, anyOf, additionalProperties }: Schema): boolean {
  if (type === 'array') return items !== undefined
  return (
    (type === undefined && !properties && !anyOf) ||
    (type === 'object' && !properties && additionalProperties !== false)
  )
}

function unknownField(path: string, name: string, names: readonly string[], command: string): Failure {
  const meant = nearest(name, names)
  const known = [...new Set(names)]
  const hint =
    known.length === 0
      ? `{${path}} has no fields of its own.`
      : `annals ${command} has ${known.map((one) => `{${one}}`).join(' ')}`
  return new Failure('USAGE', `There is no field {${path}}.${meant ? ` Did you mean {${meant}}?` : ''}`, { hint })
}
