import { parseArgs } from 'node:util'
import { Failure } from '../core/failure.ts'
import { nearest } from '../core/nearest.ts'
import { Type } from '../core/schema.ts'
import { type Field, fieldsOf, readText } from '../ops/input.ts'
import type { Command } from '../ops/op.ts'

/** Flags that every command takes. */
export const GLOBAL_FLAGS: readonly Field[] = fieldsOf({
  input: Type.Object({
    root: Type.Array(Type.String(), 'Read this Claude Code folder; can be repeated'),
    store: Type.String(
      'Read from a team store: postgres:// or clickhouse://USER@HOST/DATABASE (default: ANNALS_STORE)',
    ),
    json: Type.Boolean('Print one JSON object'),
    format: Type.String(
      "One line for each item: '{id}\\t{title}'; names are those of --json, \\0 ends items instead of a new line",
    ),
    demo: Type.Boolean('Use a made-up history instead of yours; nothing is saved'),
    'no-index': Type.Boolean('Read the log files directly, without the index'),
    strict: Type.Boolean('Exit 1 if a file could not be read or the format has changed'),
    hook: Type.Boolean('Read the current session from the JSON of a hook on stdin'),
    color: Type.Boolean('Colour even where it would be off'),
    'no-color': Type.Boolean('No colour'),
    'no-pager': Type.Boolean('Never open a pager'),
    help: Type.Boolean({ description: 'Show help for a command', alias: 'h' }),
  }),
})

/** The flags that an operation's input gives: all fields that are not plain arguments. */
export function flagsOf(op: Command): readonly Field[] {
  return fieldsOf(op).filter((field) => !op.positional.includes(field.name))
}

/** A flag as it is typed. */
export function flagText({ name, kind, choices }: Field): string {
  const text = VALUE_NAMES[name] ?? name.toUpperCase()
  const value = { boolean: '', choice: choices.join('|'), integer: 'N', number: 'N', string: text }[kind]
  return `--${name}${value && ` ${value}`}`
}

/** What stands for a value where the name of its flag does not say it. */
const VALUE_NAMES: Readonly<Record<string, string>> = {
  root: 'DIR',
  store: 'URL',
  format: 'TEMPLATE',
  under: 'PATH',
  since: 'PERIOD',
  until: 'PERIOD',
  'git-branch': 'BRANCH',
  timezone: 'ZONE',
  to: 'PLACE',
  out: 'PATH',
  at: 'POINT',
  around: 'POINT',
  diff: 'POINTS',
  turns: 'A..B',
  warn: 'USD/PERIOD',
  over: 'SIZE',
  'larger-than': 'SIZE',
  'older-than': 'AGE',
  key: 'FILE',
  cert: 'FILE',
}

/** Whether an argument is a flag that every command takes and whose value is the next argument. */
export function isValuedGlobal(arg: string): boolean {
  return GLOBAL_FLAGS.some((flag) => flag.kind !== 'boolean' && arg === `--${flag.name}`)
}

/** The arguments that are neither flags nor values of flags that every command takes. */
export function plainWords(args: readonly string[]): readonly string[] {
  return args.filter((arg, at) => !arg.startsWith('-') && !isValuedGlobal(args[at - 1] ?? ''))
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
        multiple: one.isList,
        ...(one.short === undefined ? {} : { short: one.short }),
      },
    ]),
  )
  const given = op.takesDashes ? dashedWords(args, all) : args
  const { tokens } = parseArgs({ args: [...given], options, allowPositionals: true, strict: false, tokens: true })
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
    target[found.name] = found.isList ? [...((target[found.name] as unknown[]) ?? []), value] : value
  }
  return { input: { ...input, ...positionalInput(op, positionals) }, globals }
}

/** The flags first, then all words: behind the first of them `-word` is one too, unless it is a flag. */
function dashedWords(args: readonly string[], flags: readonly Field[]): readonly string[] {
  const options: string[] = []
  const words: string[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string
    if (arg === '--') {
      words.push(...args.slice(at + 1))
      break
    }
    const flag = flags.find(
      ({ name, short }) => arg === `--${name}` || (short !== undefined && arg.startsWith(`-${short}`)),
    )
    const isValued = flag !== undefined && flag.kind !== 'boolean' && (arg.startsWith('--') || arg.length === 2)
    if (!arg.startsWith('-') || (words.length > 0 && !flag && !arg.startsWith('--'))) words.push(arg)
    else options.push(arg, ...(isValued ? args.slice(at + 1, at + 2) : []))
    if (isValued) at++
  }
  return [...options, '--', ...words]
}

function readValue(field: Field, value: string | undefined, name: string): unknown {
  if (field.kind === 'boolean') {
    if (value === undefined) return true
    throw new Failure('USAGE', `${name} takes no value.`)
  }
  if (value === undefined || value === '') throw new Failure('USAGE', `${name} needs a value: ${field.description}.`)
  return readText(field, value, name)
}

function unknownFlag(rawName: string, flags: readonly Field[]): Failure {
  const name = rawName.replace(/^-+/, '')
  const names = flags.map((one) => one.name)
  const meant = names.find((one) => one === ELSEWHERE[name]) ?? nearest(name, names)
  const hint = meant ? undefined : 'Add --help to see the flags, or put -- before words that begin with a dash.'
  const message = `Unknown flag ${rawName}.${meant ? ` Did you mean --${meant}?` : ''}`
  return new Failure('USAGE', message, hint === undefined ? {} : { hint })
}

/** What git, gh and ccusage call it. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  n: 'limit',
  L: 'limit',
  j: 'json',
  s: 'since',
  u: 'until',
  max: 'limit',
  after: 'since',
  before: 'until',
  from: 'since',
  breakdown: 'by',
  csv: 'format',
  cwd: 'here',
}

function positionalInput(op: Command, values: readonly string[]): Record<string, unknown> {
  const fields = fieldsOf(op)
  const required = new Set(op.input.required ?? [])
  const given: Record<string, unknown> = {}
  let rest = [...values]
  for (const name of op.positional) {
    const field = fields.find((one) => one.name === name) as Field
    if (rest.length === 0) {
      if (required.has(name))
        throw new Failure('USAGE', `annals ${op.name} needs ${article(name)} ${name}: ${field.description}.`, {
          hint: op.examples[0] === undefined ? `annals ${op.name} --help` : `For example: ${op.examples[0]}`,
        })
      continue
    }
    given[name] = field.isList ? rest.map((one) => readValue(field, one, name)) : readValue(field, rest[0], name)
    rest = field.isList ? [] : rest.slice(1)
  }
  if (rest[0] !== undefined) {
    const meant = flagFor(rest[0], fields)
    const hint = `annals ${op.name} takes ${op.positional.length === 0 ? 'no arguments' : op.positional.join(', ')}.`
    const message = `Unexpected argument "${rest[0]}".${meant ? ` Did you mean ${meant}?` : ''}`
    throw new Failure('USAGE', message, meant ? {} : { hint })
  }
  return given
}

/** The flag that an argument is a value of: `usage monthly` is `usage --by month`. */
function flagFor(word: string, fields: readonly Field[]): string | undefined {
  for (const { name, choices } of fields) {
    const choice = nearest(word.toLowerCase().replace(/ly$/, ''), choices)
    if (choice !== undefined) return `--${name} ${choice}`
  }
  return undefined
}

function article(noun: string): string {
  return /^[aeiou]/.test(noun) ? 'an' : 'a'
}
