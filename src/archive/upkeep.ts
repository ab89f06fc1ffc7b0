import { join } from 'node:path'
import { Failure } from '../core/failure.ts'
import { syncFolder, writePrivateFile } from '../state/private-file.ts'
import type { Archive } from './archive.ts'
import { keyOfOwner, type Ownership } from './object-owners.ts'
import { type ArchiveProblem, gravestProblems } from './problems.ts'
import { README } from './readme.ts'
import { clearLeftovers } from './strays.ts'

/** Files that are waited for at a time. */
const GROUP = 256

/**
 * Makes an archive ready for a change: looks whether anything forbids one, and only then clears away what killed processes left,
 * begins a new archive or brings one of the first format into today's. Gives what is wrong; then nothing was written.
 */
export async function makeReady(
  archive: Archive,
  { now, leavesLeftovers }: { readonly now: Date; readonly leavesLeftovers?: boolean },
): Promise<readonly ArchiveProblem[]> {
  const { manifest, folder } = archive
  const problems = gravestProblems(archive)
  if (problems.length > 0) return problems
  if (!leavesLeftovers) clearLeftovers(archive)
  if (manifest.format === 2 && manifest.damage.length === 0) return []
  writePrivateFile(join(folder, 'README'), Buffer.from(README))
  if (manifest.format === undefined) manifest.begin()
  else await writeAnew(archive, now)
  return []
}

/** Writes the manifest anew, with the one before, and what is missing of the words beside objects. */
export async function writeAnew(archive: Archive, now: Date): Promise<void> {
  const { manifest, objects } = archive
  const missing: (() => Promise<void>)[] = []
  for (const { sha256, owners } of wrongOwners(archive)) missing.push(() => objects.addOwners(sha256, owners))
  for (let at = 0; at < missing.length; at += GROUP) {
    await Promise.all(missing.slice(at, at + GROUP).map((write) => write()))
  }
  syncFolder(objects.folder)
  manifest.rewrite(now, { isTwice: true })
}

/** The objects beside which something else stands than should, and whether all are named there whose the object is. */
export function* wrongOwners(archive: Archive) {
  for (const [sha256, owners] of expectedOwners(archive)) {
    const noted = archive.objects.owners(sha256)
    const known = new Set(noted.owners.map(keyOfOwner))
    const areNamed = owners.every((owner) => known.has(keyOfOwner(owner)))
    if (noted.isDamaged || !areNamed) yield { sha256, owners, areNamed }
  }
}

/** What should stand beside each object, by what the manifest says. */
function expectedOwners({ manifest }: Archive): ReadonlyMap<string, readonly Ownership[]> {
  const expected = new Map<string, Ownership[]>()
  const commit = manifest.sequence
  for (const { file, generation, frame } of manifest.state.frames()) {
    const { root, owner: session, path } = file
    const owners = expected.get(frame.sha256) ?? []
    owners.push({ commit, root, session, path, generation, offset: frame.offset })
    expected.set(frame.sha256, owners)
  }
  return expected
}

/** Says that an archive is damaged and was left alone. */
export function damagedFailure([first]: readonly ArchiveProblem[], words: string): Failure {
  const hint = 'Nothing was written. Run `annals keep verify`, and add --repair to fix it.'
  return new Failure('CANNOT_WRITE', `${words} ${first?.file ?? ''}: ${first?.message ?? ''}`, { hint })
}
