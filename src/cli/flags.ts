import { parseArgs } from 'node:util'
import { Failure } from '../core/failure.ts'
import { nearest } from '../core/nearest.ts'
import type { Schema } from '../core/schema.ts'
import type { Command } from '../ops/op.ts'

/** A flag of a command, made from a field of its input. */
export interface Flag {
  readonly name: string
  readonly short: string | undefined
  readonly kind: 'boolean' | 'string' | 'integer' | 'choice' | 'list'
  readonly choices: readonly string[]
  /** The least and the most that a number may be. */
  readonly minimum: number
  readonly maximum: number
  readonly description: string
}

/** Flags that every command takes. */
export const GLOBAL_FLAGS: readonly Flag[] = [
  flag('root', 'list', 'A config folder to read; can be given several times'),
  flag('store', 'string', 'Answer from a team store: postgres://USER@HOST/DATABASE; else ANNALS_STORE'),
  flag('json', 'boolean', 'One JSON object on stdout'),
  flag('no-index', 'boolean', 'Answer from the files alone, read whole'),
  flag('strict', 'boolean', 'Exit 1 when a file could not be read, or the format has drifted'),
  flag('hook', 'boolean', 'Take the current session from a hook on stdin'),
  flag('color', 'boolean', 'Colour, even where it would be off'),
  flag('no-color', 'boolean', 'No colour'),
  flag('no-pager', 'boolean', 'Never open a pager'),
  { ...flag('help', 'boolean', 'Show this'), short: 'h' },
]

function flag(name: string, kind: Flag['kind'], description: string): Flag {
  return { name, short: undefined, kind, choices: [], minimum: 1, maximum: Number.POSITIVE_INFINITY, description }
}

/** The flags that an operation's input gives: all fields that are not plain arguments. */
export function flagsOf(op: Command): readonly Flag[] {
  return fieldsOf(op).filter((field) => !op.positional.includes(field.name))
}

/** All fields of an operation's input. */
export function fieldsOf(op: Command): readonly Flag[] {
  return Object.entries(op.input.properties).map(([name, schema]) => toFlag(name, schema))
}

function toFlag(name: string, schema: Schema): Flag {
  const { type, anyOf, description, alias, minimum, maximum } = schema
  const choices = (anyOf ?? []).flatMap((option) => (typeof option.const === 'string' ? [option.const] : []))
  const kind =
    choices.length > 0
      ? 'choice'
      : type === 'boolean' || type === 'integer'
        ? type
        : type === 'array'
          ? 'list'
          : 'string'
  return {
    name,
    short: alias,
    kind,
    choices,
    minimum: minimum ?? 1,
    maximum: maximum ?? Number.POSITIVE_INFINITY,
    description: description ?? '',
  }
}

/** What a command line says: the operation's input, and the flags that every command takes. */
export interface Parsed {
  readonly input: Readonly<Record<string, unknown>>
  readonly globals: Readonly<Record<string, unknown>>
}

/** Reads the arguments of a command. What does not fit is told in a sentence, with what may have been meant. */
export function parseFlags(op: Command, args: readonly string[]): Parsed {
  const own = flagsOf(op)
  const all = [...own, ...GLOBAL_FLAGS]
  const options = Object.fromEntries(
    all.map((one) => [
      one.name,
      {
        type: one.kind === 'boolean' ? ('boolean' as const) : ('string' as const),
        multiple: one.kind === 'list',
        ...(one.short === undefined ? {} : { short: one.short }),
      },
    ]),
  )
  const { tokens } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true })
  const input: Record<string, unknown> = {}
  const globals: Record<string, unknown> = {}
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const found = all.find((one) => one.name === token.name)
    if (!found) throw unknownFlag(token.rawName, all)
    const target = own.includes(found) ? input : globals
    const value = readValue(found, token.value, token.rawName)
    target[found.name] = found.kind === 'list' ? [...((target[found.name] as unknown[]) ?? []), value] : value
  }
  return { input: { ...input, ...positionalInput(op, positionals) }, globals }
}

function readValue(flag: Flag, value: string | undefined, rawName: string): unknown {
  if (flag.kind === 'boolean') {
    if (value === undefined) return true
    throw new Failure('USAGE', `${rawName} takes no value.`)
  }
  if (value === undefined || value === '') throw new Failure('USAGE', `${rawName} needs a value: ${flag.description}.`)
  if (flag.kind === 'integer') {
    const number = Number(value)
    const { minimum, maximum } = flag
    if (Number.isInteger(number) && number >= minimum && number <= maximum) return number
    const range = maximum === Number.POSITIVE_INFINITY ? `${minimum} on` : `${minimum} to ${maximum}`
    throw new Failure('USAGE', `${rawName} takes a whole number from ${range}, not "${value}".`)
  }
  if (flag.kind === 'choice' && !flag.choices.includes(value)) {
    throw new Failure('USAGE', `${rawName} is one of ${flag.choices.join(', ')}, not "${value}".`)
  }
  return value
}

function unknownFlag(rawName: string, flags: readonly Flag[]): Failure {
  const meant = nearest(
    rawName.replace(/^-+/, ''),
    flags.map((one) => one.name),
  )
  const hint = meant ? undefined : 'Add --help to see the flags.'
  const message = `Unknown flag ${rawName}.${meant ? ` Did you mean --${meant}?` : ''}`
  return new Failure('USAGE', message, hint === undefined ? {} : { hint })
}

function positionalInput(op: Command, values: readonly string[]): Record<string, unknown> {
  const fields = fieldsOf(op)
  const required = new Set(op.input.required ?? [])
  const given: Record<string, unknown> = {}
  let rest = [...values]
  for (const name of op.positional) {
    const field = fields.find((one) => one.name === name) as Flag
    if (rest.length === 0) {
      if (required.has(name)) throw new Failure('USAGE', `annals ${op.name} needs a ${name}: ${field.description}.`)
      continue
    }
    given[name] = field.kind === 'list' ? rest : readValue(field, rest[0], name)
    rest = field.kind === 'list' ? [] : rest.slice(1)
  }
  if (rest.length > 0) {
    const hint = `annals ${op.name} takes ${op.positional.length === 0 ? 'no arguments' : op.positional.join(', ')}.`
    throw new Failure('USAGE', `"${rest[0]}" is one argument too many.`, { hint })
  }
  return given
}
