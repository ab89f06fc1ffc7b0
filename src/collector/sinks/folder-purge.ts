import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stringAt } from '../../core/json.ts'
import { syncFolder, TEMPORARY, writePrivateFile } from '../../state/private-file.ts'
import { tombstoneOf } from '../tombstone.ts'
import { ENDINGS, encodePart, packLines, readPart, unpackLines } from './folder-parts.ts'

/** Takes all rows and documents of some sessions out of a folder, of whatever machine. Done twice, it does no harm. */
export async function removeSessions(folder: string, aside: string, tombstones: ReadonlySet<string>): Promise<void> {
  const known = new Map<string, boolean>()
  const isGone = (session: string | null | undefined) => {
    if (!session) return false
    const found = known.get(session) ?? tombstones.has(tombstoneOf(session))
    known.set(session, found)
    return found
  }
  for (const path of partsIn(join(folder, 'records'))) {
    const rows = await readPart(path)
    const kept = rows.filter(({ session }) => !isGone(session))
    const format = path.endsWith(ENDINGS.parquet) ? 'parquet' : 'jsonl'
    if (kept.length < rows.length) replace(path, aside, kept.length === 0 ? undefined : await encodePart(kept, format))
  }
  for (const path of partsIn(join(folder, 'documents'))) {
    const documents = unpackLines(readFileSync(path))
    const kept = documents.filter((document) => !isGone(stringAt(document, 'session')))
    if (kept.length < documents.length) replace(path, aside, kept.length === 0 ? undefined : await packLines(kept))
  }
}

/** The parts below a folder, in the order of their names. */
export function partsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => Object.values(ENDINGS).some((ending) => path.endsWith(ending)) && !path.endsWith(TEMPORARY))
    .sort()
    .map((path) => join(folder, path))
}

function replace(path: string, aside: string, bytes: Uint8Array | undefined): void {
  if (bytes === undefined) rmSync(path)
  else {
    const draft = join(aside, 'purge')
    writePrivateFile(draft, bytes)
    renameSync(draft, path)
  }
  syncFolder(dirname(path))
}
