import { statSync } from 'node:fs'
import type { Archive } from './archive.ts'
import { endOf, isWhole, type KeptFile, type KeptGeneration } from './kept-state.ts'
import type { Frame } from './manifest-line.ts'
import { keyOfOwner, type Ownership } from './object-owners.ts'
import { isPurged } from './strays.ts'

/** An object, and one of those whose it is. */
interface Claim extends Ownership {
  readonly sha256: string
}

/** Generations without any stretch that are believed in: empty contents, or ones that are lost. */
const MOST_MISSING = 1000

/**
 * Puts objects back into the state of a damaged manifest, in the places that the words beside them name. Of what a whole manifest
 * said before, only later numbers are taken: what it left out was no longer needed. Changes nothing on the disk. Gives the files
 * of which something was put back, and the highest number.
 */
export function recoverState(archive: Archive): { readonly files: ReadonlySet<KeptFile>; readonly sequence: number } {
  const { manifest, objects } = archive
  const claims: Claim[] = []
  const commits = new Map<string, number>()
  let sequence = manifest.sequence
  for (const sha256 of objects.hashes()) {
    for (const owner of objects.owners(sha256).owners) {
      sequence = Math.max(sequence, owner.commit)
      commits.set(`${sha256}\0${keyOfOwner(owner)}`, owner.commit)
      const isOld = manifest.isSureOfPast && owner.commit <= manifest.sequence
      if (!isOld && !isPurged(archive, owner)) claims.push({ ...owner, sha256 })
    }
  }
  claims.sort(inOrder)
  const files = new Set<KeptFile>()
  for (const claim of claims) {
    const file = takeClaim(archive, claim, commits)
    if (file) files.add(file)
  }
  for (const file of files) for (const generation of file.generations) complete(archive, generation)
  return { files, sequence }
}

/** Stretches of a file from its first byte on; of two in the same place, the later one last. */
function inOrder(a: Claim, b: Claim): number {
  return a.generation - b.generation || a.offset - b.offset || a.commit - b.commit
}

function takeClaim(archive: Archive, claim: Claim, commits: ReadonlyMap<string, number>): KeptFile | undefined {
  const { manifest, objects } = archive
  const known = manifest.state.find(claim.root, claim.path)
  const last = known?.generations[claim.generation - 1]?.frames.at(-1)
  if (last?.sha256 === claim.sha256 && last.offset === claim.offset) return undefined
  if (last && last.offset >= claim.offset) {
    const before = commits.get(`${last.sha256}\0${keyOfOwner({ ...claim, offset: last.offset })}`) ?? manifest.sequence
    const isLater = last.offset === claim.offset && (claim.commit > before || !objects.has(last))
    if (!isLater) return undefined
  }
  if (claim.offset !== (last ? last.offset + (last.offset === claim.offset ? 0 : last.rawBytes) : 0)) return undefined
  const unpacked = objects.unpack(claim.sha256, claim.offset)
  const isPossible = claim.generation <= (known?.generations.length ?? 0) + MOST_MISSING
  if (typeof unpacked === 'string' || !isPossible) return undefined
  const file = known ?? newFile(archive, claim)
  while (file.generations.length < claim.generation) file.generations.push({ frames: [], seen: undefined })
  const frames = file.generations[claim.generation - 1]?.frames as Frame[]
  if (last?.offset === claim.offset) frames.pop()
  frames.push(unpacked.frame)
  return file
}

function newFile({ manifest }: Archive, { root, session: owner, path }: Claim): KeptFile {
  const { state } = manifest
  const [known] = [...state.roots].find(([, one]) => one === root) ?? []
  const id = known ?? Math.max(0, ...state.roots.keys()) + 1
  if (known === undefined) state.apply({ kind: 'root', root: id, path: root })
  state.apply({ kind: 'file', file: state.nextFileId, root: id, owner, path })
  return state.find(root, path) as KeptFile
}

/** How far a generation was taken follows from its stretches; the time is that of the archive. */
function complete({ objects }: Archive, generation: KeptGeneration): void {
  if (isWhole(generation)) return
  const last = generation.frames.at(-1)
  const stats = last && statSync(objects.path(last.sha256), { throwIfNoEntry: false })
  const modifiedAt = generation.seen?.modifiedAt ?? stats?.mtimeMs ?? 0
  generation.seen = { bytes: endOf(generation), modifiedAt, cursor: '{}' }
}
