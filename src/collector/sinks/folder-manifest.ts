import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fieldAt, numberAt, objectsAt, parseJson, stringAt } from '../../core/json.ts'
import { jsonText } from '../../core/json-text.ts'
import { ENDINGS } from './folder-parts.ts'

/** Engines pass over what begins so. */
export const MANIFEST = '_manifest.json'

/**
 * Writes which parts of a day count, beside them: `{"files":[{"name","bytes","rows"}]}`. It is made from the folder, so a crash
 * leaves nothing wrong that the next delivery would not mend; rows are null where nobody counted them.
 */
export function writeManifest(folder: string, counted: Readonly<Record<string, number>> = {}): void {
  const path = join(folder, MANIFEST)
  const known = new Map(readManifest(path).map(({ name, rows }) => [name, rows]))
  const names = readdirSync(folder)
    .filter((name) => Object.values(ENDINGS).some((ending) => name.endsWith(ending)))
    .sort()
  if (names.length === 0) {
    rmSync(path, { force: true })
    return
  }
  const files = names.map((name) => {
    return { name, bytes: statSync(join(folder, name)).size, rows: counted[name] ?? known.get(name) ?? null }
  })
  const day = /^day=(.+)$/.exec(basename(dirname(folder)))?.[1] ?? null
  const draft = `${path}.tmp`
  writeFileSync(draft, `${jsonText({ version: 1, day, files })}\n`, { mode: 0o600 })
  renameSync(draft, path)
}

/**
 * Mends the days of some sources that a killed process left unfinished: parts without a manifest, a manifest that does not name
 * what is there, drafts that never took their places.
 */
export function mendManifests(records: string, sources: Iterable<string>): void {
  if (!existsSync(records)) return
  const names = [...sources]
  for (const day of readdirSync(records)) {
    for (const folder of names.map((source) => join(records, day, source)).filter((one) => existsSync(one))) {
      const here = readdirSync(folder)
      const drafts = here.filter((name) => name.endsWith('.tmp'))
      for (const name of drafts) rmSync(join(folder, name), { force: true })
      const parts = here.filter((name) => Object.values(ENDINGS).some((ending) => name.endsWith(ending)))
      const listed = readManifest(join(folder, MANIFEST)).map(({ name }) => name)
      if (parts.sort().join() !== listed.sort().join()) writeManifest(folder)
    }
  }
}

export interface ManifestFile {
  readonly name: string
  readonly bytes: number
  readonly rows: number | null
}

export function readManifest(path: string): readonly ManifestFile[] {
  let text = ''
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    // There is none yet.
  }
  return objectsAt(parseJson(text), 'files').map((one) => ({
    name: stringAt(one, 'name') ?? '',
    bytes: numberAt(one, 'bytes') ?? 0,
    rows: typeof fieldAt(one, 'rows') === 'number' ? (numberAt(one, 'rows') ?? null) : null,
  }))
}
