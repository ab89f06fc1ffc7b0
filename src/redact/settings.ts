import { join } from 'node:path'
import { Failure } from '../core/failure.ts'
import { arrayAt, isObject, type JsonValue, stringAt } from '../core/json.ts'
import { readJsonFile } from '../disk/small-file.ts'
import type { Warning } from '../disk/warning.ts'
import { OWN_KIND, type OwnPattern } from './own-pattern.ts'

/** What a user adds to the rules, and what may be seen in spite of them. */
export interface RedactionSettings {
  readonly patterns: readonly OwnPattern[]
  readonly allow: readonly (string | RegExp)[]
}

/**
 * Reads `redact.json` of the config folder: `{"patterns": [{"kind", "pattern", "flags", "keywords"}], "allow": [text or
 * "/pattern/"]}`. A file that cannot be read as meant is a failure: going on without it would show what it hides.
 */
export function readRedactionSettings(configDir: string | undefined): RedactionSettings {
  if (configDir === undefined) return { patterns: [], allow: [] }
  const file = join(configDir, 'redact.json')
  const warnings: Warning[] = []
  const read = readJsonFile(file, warnings, { followLinks: true, maxBytes: 1024 * 1024 })
  if (warnings[0]) throw bad(file, warnings[0].message)
  if (!read) return { patterns: [], allow: [] }
  const { value } = read
  if (!isObject(value)) throw bad(file, 'It has to hold an object with "patterns" and "allow".')
  const other = Object.keys(value).find((name) => name !== 'patterns' && name !== 'allow')
  if (other !== undefined) throw bad(file, `"${other}" is neither "patterns" nor "allow".`)
  for (const name of ['patterns', 'allow']) {
    if (value[name] !== undefined && !Array.isArray(value[name])) throw bad(file, `"${name}" has to be a list.`)
  }
  return {
    patterns: arrayAt(value, 'patterns').map((one, at) => toPattern(one, `Pattern ${at + 1}`, file)),
    allow: arrayAt(value, 'allow').map((one, at) => toAllowed(one, `Entry ${at + 1} of "allow"`, file)),
  }
}

function toPattern(value: JsonValue, name: string, file: string): OwnPattern {
  const kind = stringAt(value, 'kind') ?? ''
  if (!OWN_KIND.test(kind)) throw bad(file, `${name} needs a "kind" of small letters, digits and hyphens.`)
  const source = stringAt(value, 'pattern')
  if (!source) throw bad(file, `${name} needs a "pattern".`)
  const keywords = arrayAt(value, 'keywords')
  // Keywords are found by their bytes, in one case.
  if (!keywords.every((word) => typeof word === 'string' && /^[\x21-\x7e]{2,64}$/.test(word))) {
    throw bad(file, `The keywords of ${name.toLowerCase()} have to be 2 to 64 plain characters without spaces.`)
  }
  const pattern = toRegExp(source, stringAt(value, 'flags') ?? '', name, file)
  return { kind, pattern, keywords: keywords.filter((word) => typeof word === 'string') }
}

function toAllowed(value: JsonValue, name: string, file: string): string | RegExp {
  if (typeof value !== 'string' || value === '') throw bad(file, `${name} has to be a text.`)
  const pattern = /^\/(.+)\/([a-z]*)$/.exec(value)
  return pattern ? toRegExp(pattern[1] as string, pattern[2] as string, name, file) : value
}

function toRegExp(source: string, flags: string, name: string, file: string): RegExp {
  try {
    return new RegExp(source, flags)
  } catch (error) {
    throw bad(file, `${name} is not a regular expression: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

function bad(file: string, message: string): Failure {
  return new Failure('BAD_INPUT', `${file} cannot be used. ${message}`, {
    hint: 'Fix it or move it away; until then nothing is redacted.',
  })
}
