import { join } from 'node:path'
import { sha256Of } from '../disk/checksums.ts'
import type { Warning } from '../disk/warning.ts'
import { syncFolder } from '../state/private-file.ts'
import { type Amount, amountOf, changeArchive, filesOf, type OpenArchive, readContent } from './archive.ts'
import { countLines, withoutLines, withoutPurged } from './history.ts'
import { HISTORY, ownerByPath } from './kept-files.ts'
import type { KeptFile, KeptGeneration } from './kept-state.ts'
import { lostIn } from './lost-found.ts'
import { cut } from './objects.ts'
import { purgedHash } from './purged.ts'
import { clearPurged } from './strays.ts'
import { damagedFailure, makeReady } from './upkeep.ts'

/** What a purge removed from an archive. */
export interface Purged extends Amount {
  readonly paths: readonly string[]
  /** Lines taken out of kept prompt histories. */
  readonly historyLines: number
  readonly problems: readonly Warning[]
}

export interface PurgeOptions {
  readonly now: Date
  /** More paths below roots that belong to the session but do not say so, and must not come back either. */
  readonly paths?: readonly string[]
}

/**
 * Removes a session from an archive, with its lines of the prompt history and what only they pasted, and remembers by hashes
 * that it must never come back. One step takes it out of the manifest; the objects go after.
 */
export function purgeSession(folder: string, session: string, options: PurgeOptions): Promise<Purged> {
  return changeArchive(folder, async (archive) => {
    const { manifest, objects, lock } = archive
    const damage = await makeReady(archive, options)
    if (damage.length > 0) {
      throw damagedFailure(damage, 'The archive is damaged, so what belongs to the session is not known.')
    }
    const referred = manifest.state.references()
    const histories = [...manifest.state.files.values()].filter(({ path }) => path === HISTORY)
    const problems: Warning[] = []
    const outs: HistoryOut[] = []
    for (const file of histories) outs.push(await strikeLines(archive, file, session, problems))
    const owned = [...filesOf(archive, session), ...outs.flatMap(({ file, pastes }) => pastesOf(archive, file, pastes))]
    const amount = amountOf(owned)
    const named = owned.filter(({ path }) => ownerByPath(path) !== session).map(({ path }) => path)
    for (const file of owned) manifest.state.remove(file)
    for (const name of [session, ...named, ...(options.paths ?? [])]) {
      manifest.state.purged.set(purgedHash(name), options.now.toISOString())
    }
    lock.check()
    manifest.rewrite(options.now, { isTwice: true })
    const references = manifest.state.references()
    for (const sha256 of referred.keys()) if (!references.has(sha256)) objects.remove(sha256)
    await clearPurged(archive)
    problems.push(...(await strikeLost(archive)))
    syncFolder(objects.folder)
    const historyLines = outs.reduce((sum, { lines }) => sum + lines, 0)
    return { ...amount, paths: owned.map(({ root, path }) => join(root, path)), historyLines, problems }
  })
}

interface HistoryOut {
  readonly file: KeptFile
  readonly lines: number
  readonly pastes: ReadonlySet<string>
}

/** Takes the lines of a session out of every generation of a prompt history. */
async function strikeLines(
  archive: OpenArchive,
  file: KeptFile,
  session: string,
  problems: Warning[],
): Promise<HistoryOut> {
  const struck = new Set<string>()
  const others = new Set<string>()
  let lines = 0
  for (const generation of file.generations) {
    const bytes = readContent(archive, generation)
    if (typeof bytes === 'string') {
      problems.push({
        file: join(file.root, file.path),
        message: `A damaged copy of it was removed completely: ${bytes}.`,
      })
      await setContent(archive, file, generation, Buffer.alloc(0))
      continue
    }
    const found = withoutLines(bytes, (line) => line.session === session)
    for (const hash of found.pastes) struck.add(hash)
    for (const hash of found.others) others.add(hash)
    if (found.kept.length === bytes.length) continue
    lines = Math.max(lines, countLines(bytes) - countLines(found.kept))
    await setContent(archive, file, generation, found.kept)
  }
  return { file, lines, pastes: new Set([...struck].filter((hash) => !others.has(hash))) }
}

/** Stores a generation of a file anew with another content. */
export async function setContent(
  { objects, manifest }: OpenArchive,
  { root, owner: session, path, generations }: KeptFile,
  generation: KeptGeneration,
  bytes: Buffer,
): Promise<void> {
  const owner = { commit: manifest.sequence + 1, root, session, path, generation: generations.indexOf(generation) + 1 }
  generation.frames.length = 0
  for (const piece of cut(bytes, 0)) {
    generation.frames.push(await objects.write(piece, [{ ...owner, offset: piece.offset }]))
  }
  if (generation.seen) generation.seen = { ...generation.seen, bytes: bytes.length }
  syncFolder(objects.folder)
}

/** Takes lines of purged sessions out of histories that have no place; says what cannot be told. */
async function strikeLost({ folder, manifest }: OpenArchive): Promise<readonly Warning[]> {
  const lost = lostIn(folder)
  const problems: Warning[] = []
  for (const sha256 of lost.hashes()) {
    const { owners } = lost.owners(sha256)
    const unpacked = lost.unpack(sha256)
    if (owners.length === 0 || typeof unpacked === 'string') {
      const message = 'Which session it belongs to is not known; it was left unchanged.'
      problems.push({ file: lost.path(sha256), message })
      continue
    }
    if (!owners.some(({ path }) => path === HISTORY)) continue
    const kept = withoutPurged(unpacked.bytes, manifest.state.purged)
    if (kept.length === unpacked.bytes.length) continue
    if (kept.length > 0) await lost.write({ offset: 0, bytes: kept, sha256: sha256Of(kept) }, owners)
    lost.remove(sha256)
  }
  return problems
}

/** The pasted texts of a root that only struck lines named. */
function pastesOf({ manifest }: OpenArchive, history: KeptFile, pastes: ReadonlySet<string>): readonly KeptFile[] {
  return [...pastes].flatMap((hash) => manifest.state.find(history.root, `paste-cache/${hash}.txt`) ?? [])
}
