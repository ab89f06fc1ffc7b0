import { join } from 'node:path'
import { Failure } from '../core/failure.ts'
import { isObject, type JsonObject, stringAt, stringsAt } from '../core/json.ts'
import { nearest } from '../core/nearest.ts'
import { readJsonFile } from '../disk/small-file.ts'
import type { Warning } from '../disk/warning.ts'
import { asFailure, makePrivateFolder, writePrivateFile } from '../state/private-file.ts'
import type { MachineCredentials } from './auth.ts'
import { CONTENT_CHOICES, type ContentChoice, NAME_CHOICES, type NameChoice } from './choices.ts'
import { MACHINE_ID } from './wire.ts'

/** What a person, or their company, has set once for all runs. */
export interface CollectSettings {
  readonly to: string | undefined
  readonly content: ContentChoice | undefined
  readonly user: NameChoice | undefined
  readonly paths: NameChoice | undefined
  readonly toolResults: boolean | undefined
  readonly checkpoints: boolean | undefined
  readonly toolNames: boolean | undefined
  readonly agentTypes: boolean | undefined
  readonly lengths: boolean | undefined
  /** Folders of projects of which nothing leaves. */
  readonly ignore: readonly string[]
  /** A secret of the team: with it, hashes of the same path are the same on all machines. */
  readonly hashKey: string | undefined
  /** For `https:`: what the receiver knows us by. */
  readonly token: string | undefined
  readonly hmacKey: string | undefined
  /** Whether the system is asked to tell of changes; where it tells of none (a network folder), looking finds them all. */
  readonly watch: boolean
  /** For `receive`: what Prometheus shows to read the figures. */
  readonly metricsToken: string | undefined
  /** For `receive`: tokens and keys of others, each for one machine and one person. */
  readonly tokens: readonly MachineCredentials[]
}

const NAMES = [
  ...['to', 'content', 'user', 'paths', 'toolResults', 'checkpoints', 'ignore'],
  ...['toolNames', 'agentTypes', 'lengths'],
  ...['hashKey', 'token', 'hmacKey', 'watch', 'tokens', 'metricsToken'],
]

export function settingsFile(configDir: string): string {
  return join(configDir, 'collect.json')
}

/** Reads `collect.json` of the config folder. A file that cannot be read as meant is a failure: it says what may not leave. */
export function readCollectSettings(configDir: string | undefined): CollectSettings {
  const file = settingsFile(configDir ?? '')
  return settingsFrom(file, (configDir === undefined ? undefined : objectIn(file)) ?? {})
}

/** Reads a settings file that others manage; `undefined` where there is none. */
export function readManagedSettings(file: string): CollectSettings | undefined {
  const value = objectIn(file)
  return value && settingsFrom(file, value)
}

/** Sets some names in `collect.json` of the config folder and keeps the others. */
export function changeCollectSettings(configDir: string, changes: JsonObject): void {
  const file = settingsFile(configDir)
  const value = { ...objectIn(file), ...changes }
  settingsFrom(file, value)
  try {
    makePrivateFolder(configDir)
    writePrivateFile(file, Buffer.from(`${JSON.stringify(value, null, 2)}\n`))
  } catch (error) {
    throw asFailure(error, file, 'The settings of the collector')
  }
}

function objectIn(file: string): JsonObject | undefined {
  const warnings: Warning[] = []
  const read = readJsonFile(file, warnings, { followLinks: true, maxBytes: 1024 * 1024 })
  if (warnings[0]) throw bad(file, warnings[0].message)
  if (read && !isObject(read.value)) throw bad(file, 'It has to hold an object.')
  return read && isObject(read.value) ? read.value : undefined
}

function settingsFrom(file: string, value: JsonObject): CollectSettings {
  const other = Object.keys(value).find((name) => !NAMES.includes(name))
  if (other !== undefined) {
    const near = nearest(other, NAMES)
    throw bad(
      file,
      `"${other}" is not one of ${NAMES.join(', ')}.${near === undefined ? '' : ` Did you mean "${near}"?`}`,
    )
  }
  if (value.ignore !== undefined && stringsAt(value, 'ignore').length !== (value.ignore as readonly unknown[]).length) {
    throw bad(file, '"ignore" has to be a list of folders.')
  }
  return {
    to: text(value, 'to', file),
    content: choice(value, 'content', CONTENT_CHOICES, file),
    user: choice(value, 'user', NAME_CHOICES, file),
    paths: choice(value, 'paths', NAME_CHOICES, file),
    toolResults: chosen(value, 'toolResults', file),
    checkpoints: chosen(value, 'checkpoints', file),
    toolNames: chosen(value, 'toolNames', file),
    agentTypes: chosen(value, 'agentTypes', file),
    lengths: chosen(value, 'lengths', file),
    ignore: stringsAt(value, 'ignore'),
    hashKey: text(value, 'hashKey', file),
    token: text(value, 'token', file),
    hmacKey: text(value, 'hmacKey', file),
    watch: value.watch === undefined || flag(value, 'watch', file),
    metricsToken: text(value, 'metricsToken', file),
    tokens: tokensFrom(value, file),
  }
}

function tokensFrom(value: JsonObject, file: string): readonly MachineCredentials[] {
  const listed = value.tokens ?? []
  const message =
    '"tokens" has to be a list of { "token" or "hmacKey": a text or two, "machine": its id, "person": a name }, the last two if known.'
  if (!Array.isArray(listed)) throw bad(file, message)
  const tokens = listed.flatMap((one, line) => {
    if (!isObject(one)) throw bad(file, message)
    const isKnown = Object.keys(one).every((name) => TOKEN_NAMES.includes(name))
    const [machine, person] = ['machine', 'person'].map((name) => text(one, name, file))
    if (!isKnown || (one.token === undefined) === (one.hmacKey === undefined)) throw bad(file, message)
    if (machine !== undefined && !MACHINE_ID.test(machine)) throw bad(file, `"${machine}" is no id of a machine.`)
    const name = one.token === undefined ? 'hmacKey' : 'token'
    const secrets = Array.isArray(one[name]) ? stringsAt(one, name) : [text(one, name, file)]
    // Two at once, while the new one is brought to the machine.
    const isPair = Array.isArray(one[name]) && secrets.length === (one[name] as readonly unknown[]).length
    if ((Array.isArray(one[name]) && !isPair) || secrets.length === 0 || secrets.length > 2 || secrets.includes(''))
      throw bad(file, message)
    return secrets.map((secret): MachineCredentials => ({ [name]: secret, machine, person, line }))
  })
  const secrets = [...tokens, value]
    .flatMap(({ token, hmacKey }) => [token, hmacKey])
    .filter((one) => one !== undefined)
  if (new Set(secrets).size < secrets.length) {
    throw bad(file, 'It names a token or key twice; each speaks for one machine.')
  }
  return tokens
}

const TOKEN_NAMES = ['token', 'hmacKey', 'machine', 'person']

function text(value: JsonObject, name: string, file: string): string | undefined {
  if (value[name] === undefined) return undefined
  const found = stringAt(value, name)
  if (!found) throw bad(file, `"${name}" has to be a text.`)
  return found
}

function flag(value: JsonObject, name: string, file: string): boolean {
  if (value[name] !== undefined && typeof value[name] !== 'boolean') throw bad(file, `"${name}" is true or false.`)
  return value[name] === true
}

function chosen(value: JsonObject, name: string, file: string): boolean | undefined {
  return value[name] === undefined ? undefined : flag(value, name, file)
}

function choice<T extends string>(value: JsonObject, name: string, choices: readonly T[], file: string): T | undefined {
  const found = text(value, name, file)
  const known = choices.find((one) => one === found)
  if (found !== undefined && known === undefined) throw bad(file, `"${name}" is one of ${choices.join(', ')}.`)
  return known
}

function bad(file: string, message: string): Failure {
  return new Failure('BAD_INPUT', `${file} cannot be used. ${message}`, {
    hint: 'Correct it or move it away; nothing is sent until then.',
  })
}
