import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { stringAt } from '../../core/json.ts'
import { syncFolder, TEMPORARY, writePrivateFile } from '../../state/private-file.ts'
import type { TeamRow } from '../row.ts'
import { tombstoneOf } from '../tombstone.ts'
import { writeManifest } from './folder-manifest.ts'
import { ENDINGS, formatOf, packLines, readPart, unpackLines, writePart } from './folder-parts.ts'

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
  const isTaken = (row: TeamRow) => (machine === undefined || row.machine === machine) && isGone(row.session)
  const isMeant = (path: string) => mayHold(path, machine)
  for (const path of partsIn(join(folder, 'records')).filter(isMeant)) {
    let taken = 0
    const left = async function* () {
      for await (const rows of readPart(path)) {
        const kept = rows.filter((row) => !isTaken(row))
        taken += rows.length - kept.length
        if (kept.length > 0) yield kept
      }
    }
    // Most parts hold nothing of it: they are read, and only the others are written.
    for await (const _ of left());
    if (taken === 0) continue
    const draft = join(aside, `purge${ENDINGS[formatOf(path)]}`)
    const count = await writePart(draft, left())
    if (count === 0) rmSync(path)
    else renameSync(draft, path)
    rmSync(draft, { force: true })
    writeManifest(dirname(path), { [basename(path)]: count })
    syncFolder(dirname(path))
  }
  for (const path of partsIn(join(folder, 'documents')).filter(isMeant)) {
    const documents = unpackLines(readFileSync(path))
    const kept = documents.filter((document) => !isGone(stringAt(document, 'session')))
    if (kept.length < documents.length) replace(path, aside, kept.length === 0 ? undefined : await packLines(kept))
  }
  return met
}

/** Whether a part may hold rows of a machine: its own do, and those that were merged of many. */
function mayHold(path: string, machine: string | undefined): boolean {
  if (machine === undefined) return true
  const whose = path.split(sep).at(-2)?.split('=')[1]
  return whose === machine || whose?.startsWith(MANY) === true
}

/** What the name begins with under which parts of many machines are merged. */
export const MANY = 'receiver-'

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
