import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { stringAt } from '../../core/json.ts'
import { syncFolder, TEMPORARY, writePrivateFile } from '../../state/private-file.ts'
import { tombstoneOf } from '../tombstone.ts'
import { ENDINGS, encodePart, packLines, readPart, unpackLines } from './folder-parts.ts'

/**
 * Takes all rows and documents of some sessions out of a folder, of whatever machine or of the one in whose folders they lie.
 * Gives the tombstones that it met. Done twice, it does no harm.
 */
export async function removeSessions(
  folder: string,
  aside: string,
  tombstones: ReadonlySet<string>,
  machine?: string,
): Promise<ReadonlySet<string>> {
  const met = new Set<string>()
  const known = new Map<string, boolean>()
  const isGone = (session: string | null | undefined) => {
    if (!session) return false
    const kept = known.get(session)
    if (kept !== undefined) return kept
    const name = tombstoneOf(session)
    known.set(session, tombstones.has(name))
    if (tombstones.has(name)) met.add(name)
    return tombstones.has(name)
  }
  const isMeant = (path: string) => machine === undefined || path.split(sep).includes(machine)
  for (const path of partsIn(join(folder, 'records')).filter(isMeant)) {
    const rows = await readPart(path)
    const kept = rows.filter(({ session }) => !isGone(session))
    const format = path.endsWith(ENDINGS.parquet) ? 'parquet' : 'jsonl'
    if (kept.length < rows.length) replace(path, aside, kept.length === 0 ? undefined : await encodePart(kept, format))
  }
  for (const path of partsIn(join(folder, 'documents')).filter(isMeant)) {
    const documents = unpackLines(readFileSync(path))
    const kept = documents.filter((document) => !isGone(stringAt(document, 'session')))
    if (kept.length < documents.length) replace(path, aside, kept.length === 0 ? undefined : await packLines(kept))
  }
  return met
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
