import { realpathSync, statSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { parse } from 'yaml'
import { isObject, type JsonObject, textAt } from '../core/json.ts'
import { attempt, type FolderEntry, type Found, listFolder, readSmallFile } from './small-file.ts'
import type { Warning } from './warning.ts'

/** Something a user defined for the client: a slash command, a skill or an agent. */
export interface Definition {
  readonly kind: 'command' | 'skill' | 'agent'
  /** A command in sub-folders carries them: `dir:name`. */
  readonly name: string
  /** The first word of the name (up to `_`, `-` or `:`) where another definition here begins with it too. */
  readonly group: string | null
  readonly description: string | null
  readonly path: string
  readonly body: string
  readonly frontMatter: JsonObject
}

/** Whether links may lead out of the folder: yes for the user's own root, no for a repository of unknown origin. */
export interface DefinitionOptions {
  readonly followLinks?: boolean
}

/** Reads the commands, skills and agents defined in a folder: a root, or the `.claude` folder of a project. */
export function readDefinitions(folder: string, options: DefinitionOptions = {}): Found<Definition> {
  const { followLinks = false } = options
  const warnings: Warning[] = []
  const commands = join(folder, 'commands')
  const toDefinition = (kind: Definition['kind'], path: string, givenName: string) =>
    readDefinition(kind, path, givenName, warnings, followLinks)
  const definitions = [
    ...markdownBelow(commands, warnings, followLinks).flatMap((path) =>
      toDefinition('command', path, relative(commands, path).slice(0, -'.md'.length).split(sep).join(':')),
    ),
    ...listFolder(join(folder, 'skills'), warnings)
      .filter((entry) => isFolder(entry, warnings, followLinks))
      .flatMap((entry) => toDefinition('skill', join(entry.path, 'SKILL.md'), entry.name)),
    ...markdownBelow(join(folder, 'agents'), warnings, followLinks).flatMap((path) =>
      toDefinition('agent', path, basename(path, '.md')),
    ),
  ]
  return { items: withGroups(definitions), warnings }
}

function readDefinition(
  kind: Definition['kind'],
  path: string,
  givenName: string,
  warnings: Warning[],
  followLinks: boolean,
): Definition[] {
  const file = readSmallFile(path, warnings, { followLinks })
  if (file === undefined) return []
  const parts = /^---[ \t]*\r?\n(?:(.*?)\r?\n)?---[ \t]*(?:\r?\n(.*))?$/s.exec(file.text)
  const frontMatter = readFrontMatter(parts?.[1] ?? '', path, warnings)
  const body = parts === null ? file.text : (parts[2] ?? '')
  // An agent is called by the name it gives itself, the others by the name of their file.
  const name = (kind === 'agent' ? textAt(frontMatter, 'name') : undefined) ?? givenName
  return [{ kind, name, group: null, description: textAt(frontMatter, 'description') ?? null, path, body, frontMatter }]
}

/** Far beyond what anyone writes; the parser's time grows faster than the text. */
const MAX_FRONT_MATTER = 65_536

function readFrontMatter(text: string, path: string, warnings: Warning[]): JsonObject {
  try {
    if (text.length > MAX_FRONT_MATTER) throw new RangeError(`it has ${text.length} characters`)
    // Without aliases nothing can contain itself or grow beyond its text.
    const value: unknown = parse(text, { logLevel: 'error', maxAliasCount: 0, uniqueKeys: false })
    if (isObject(value)) return value
    if (value !== null) warnings.push({ file: path, message: 'Its front matter is not a list of fields.' })
    return {}
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
    warnings.push({
      file: path,
      message: `Its front matter could not be read as YAML and was read line by line: ${reason}`,
    })
    return fieldsByLine(text)
  }
}

/** The client writes agents whose one-line description holds `: `, which is no YAML but plain to a person. */
function fieldsByLine(text: string): JsonObject {
  const fields = text.split(/\r?\n/).flatMap((line) => {
    const [, key, value] = /^([\w-]+):[ \t]*(.*\S)/.exec(line) ?? []
    return key === undefined || value === undefined ? [] : [[key, value.replace(/^(["'])(.*)\1$/, '$2')] as const]
  })
  return Object.fromEntries(fields)
}

function withGroups(definitions: readonly Definition[]): readonly Definition[] {
  const counts = new Map<string, number>()
  for (const { name } of definitions) counts.set(firstWord(name), (counts.get(firstWord(name)) ?? 0) + 1)
  return definitions.map((definition) => {
    const word = firstWord(definition.name)
    return { ...definition, group: word !== '' && (counts.get(word) ?? 0) > 1 ? word : null }
  })
}

/** What stands before the first separator; empty for a name without one. */
function firstWord(name: string): string {
  return /^([^_:-]+)[_:-]/.exec(name)?.[1] ?? ''
}

function markdownBelow(top: string, warnings: Warning[], followLinks: boolean): readonly string[] {
  const found: string[] = []
  const seen = new Set<string>()
  const folders = [top]
  for (const folder of folders) {
    // A link can lead back up: each real folder is entered once.
    const real = attempt(folder, warnings, () => realpathSync(folder))
    if (real === undefined || seen.has(real)) continue
    seen.add(real)
    for (const entry of listFolder(folder, warnings)) {
      if (entry.name.endsWith('.md')) found.push(entry.path)
      else if (isFolder(entry, warnings, followLinks)) folders.push(entry.path)
    }
  }
  return found.sort()
}

function isFolder(entry: FolderEntry, warnings: Warning[], followLinks: boolean): boolean {
  if (entry.kind !== 'link') return entry.kind === 'folder'
  if (followLinks) return attempt(entry.path, warnings, () => statSync(entry.path))?.isDirectory() ?? false
  warnings.push({ file: entry.path, message: 'It is a symbolic link and was not followed.' })
  return false
}
