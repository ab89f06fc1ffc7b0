import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { parseJson, stringAt, stringsAt } from '../../core/json.ts'
import { jsonText } from '../../core/json-text.ts'
import { readWhole, syncFolder, writePrivateFile } from '../../state/private-file.ts'
import { MANIFEST, readManifest, writeManifest } from './folder-manifest.ts'
import { ENDINGS, formatOf, joinLines, type PartFormat, readPart, writePart } from './folder-parts.ts'

/** How large parts become. */
export interface MergeLimits {
  /** A part that is smaller is merged with others. */
  readonly smallBytes: number
  /** No part is made larger by merging. */
  readonly largeBytes: number
  /** When small parts are merged: so many bytes of them, or as long after the first came. */
  readonly afterBytes: number
  readonly afterMs: number
}

export const MERGE_LIMITS: MergeLimits = {
  smallBytes: 64 * 1024 * 1024,
  largeBytes: 128 * 1024 * 1024,
  afterBytes: 96 * 1024 * 1024,
  afterMs: 10 * 60_000,
}

/** What is merged: the parts of some sources, into those of one. */
export interface MergeScope {
  /** The folder of records. */
  readonly records: string
  /** Ours alone: where a merge is prepared. */
  readonly own: string
  /** Whose name the new parts bear. */
  readonly into: string
  readonly sources: ReadonlySet<string>
  readonly limits: MergeLimits
}

/**
 * Makes large parts of small ones, day by day. The new part is written aside; with the note that names it and what it replaces
 * the merge has happened, and whoever comes after a crash brings it to its end.
 */
export async function mergeParts(scope: MergeScope): Promise<void> {
  finishMerge(scope)
  for (const day of foldersIn(scope.records)) {
    for (const format of Object.keys(ENDINGS) as PartFormat[]) {
      // Each time anew: merging removes the folders that it emptied.
      const sources = foldersIn(join(scope.records, day)).filter((name) => scope.sources.has(name))
      const parts = sources.flatMap((source) => partsOf(join(scope.records, day, source), format))
      for (const group of groupsOf(parts, scope.limits)) await merge(scope, day, format, group)
    }
  }
}

interface Part {
  readonly path: string
  readonly bytes: number
}

/** Small parts that are worth being one: together not too large, and none that dwarfs the others, or all would be written again each time. */
export function groupsOf<T extends { readonly bytes: number }>(parts: readonly T[], limits: MergeLimits): T[][] {
  const small = parts.filter(({ bytes }) => bytes < limits.smallBytes).sort((a, b) => a.bytes - b.bytes)
  const groups: T[][] = []
  let group: T[] = []
  let total = 0
  for (const part of small) {
    const isDwarfing = group.length > 0 && part.bytes > 2 * total
    if (total + part.bytes > limits.largeBytes || isDwarfing) {
      groups.push(group)
      group = []
      total = 0
    }
    group.push(part)
    total += part.bytes
  }
  return [...groups, group].filter(({ length }) => length > 1)
}

async function merge(scope: MergeScope, day: string, format: PartFormat, group: readonly Part[]): Promise<void> {
  const from = group.map(({ path }) => path).sort()
  const name = createHash('sha256')
    .update(from.map((path) => basename(path)).join())
    .digest('hex')
    .slice(0, 20)
  const to = join(scope.records, day, scope.into, `${name}${ENDINGS[format]}`)
  mkdirSync(scope.own, { recursive: true, mode: 0o700 })
  const draft = join(scope.own, `merged${ENDINGS[format]}`)
  if (format === 'jsonl') await joinLines(draft, from)
  else await writePart(draft, rowsOf(from))
  syncFolder(scope.own)
  const below = (path: string) => relative(scope.records, path)
  const note = { version: 1, draft: basename(draft), to: below(to), from: from.map(below) }
  writePrivateFile(noteOf(scope), Buffer.from(`${jsonText(note)}\n`))
  syncFolder(dirname(noteOf(scope)))
  finishMerge(scope)
}

async function* rowsOf(paths: readonly string[]) {
  for (const path of paths) yield* readPart(path)
}

/** Brings a merge to its end that was noted. */
export function finishMerge(scope: Pick<MergeScope, 'records' | 'own' | 'into'>): void {
  const note = parseJson(readWhole(noteOf(scope))?.toString('utf8') ?? '')
  const [name, below] = [stringAt(note, 'draft'), stringAt(note, 'to')]
  if (name === undefined || below === undefined) return
  const [draft, to] = [join(scope.own, name), join(scope.records, below)]
  const from = stringsAt(note, 'from').map((path) => join(scope.records, path))
  const rows = from.map((path) => rowsIn(path))
  if (existsSync(draft)) {
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
    renameSync(draft, to)
    syncFolder(dirname(to))
  }
  for (const path of from) if (path !== to) rmSync(path, { force: true })
  const isCounted = rows.every((count) => count !== null)
  const total = isCounted ? { [basename(to)]: rows.reduce((sum: number, count) => sum + (count ?? 0), 0) } : {}
  writeManifest(dirname(to), total)
  for (const folder of new Set(from.map((path) => dirname(path)))) {
    if (folder === dirname(to) || !existsSync(folder)) continue
    writeManifest(folder)
    if (readdirSync(folder).length === 0) rmSync(folder, { recursive: true })
  }
  rmSync(noteOf(scope), { force: true })
}

function rowsIn(path: string): number | null {
  return readManifest(join(dirname(path), MANIFEST)).find(({ name }) => name === basename(path))?.rows ?? null
}

function noteOf({ own, into }: Pick<MergeScope, 'own' | 'into'>): string {
  return join(dirname(own), `${into}.merge.json`)
}

function foldersIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

function partsOf(folder: string, format: PartFormat): readonly Part[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(ENDINGS[format]) && formatOf(name) === format)
    .map((name) => ({ path: join(folder, name), bytes: statSync(join(folder, name)).size }))
}
