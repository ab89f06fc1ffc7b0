import { sha256Of } from '../disk/checksums.ts'
import { isSafePath } from './kept-files.ts'
import { decodeField, encodeField, isHash, isRoot, toCount } from './manifest-line.ts'

/** Whose an object is, as the file beside it says: where its bytes stand in a file, and which transaction put them there. */
export interface Ownership {
  readonly commit: number
  readonly root: string
  /** The session; `null` for what sessions share. */
  readonly session: string | null
  readonly path: string
  readonly generation: number
  readonly offset: number
}

/** What the file beside an object says. */
export interface Owners {
  readonly owners: readonly Ownership[]
  /** One of its lines has changed since it was written. */
  readonly isDamaged: boolean
}

/** The lines beside an object: each ends with a hash over the name of the object and itself. */
export function writeOwners(sha256: string, owners: readonly Ownership[]): string {
  return owners
    .map(({ commit, root, session, path, generation, offset }) => {
      const whose = session === null ? '-' : encodeField(session)
      const fields = [commit, encodeField(root), whose, encodeField(path), generation, offset].join('\t')
      return `${fields}\t${hashOf(sha256, fields)}\n`
    })
    .join('')
}

/** Reads the lines beside an object. Never throws: one that is not as it was written is passed over. */
export function readOwners(sha256: string, text: string): Owners {
  const lines = text.split('\n')
  const isUnfinished = lines.pop() !== ''
  const owners = lines.map((line) => readOwner(sha256, line))
  const sound = owners.filter((owner) => owner !== undefined)
  return { owners: sound, isDamaged: isUnfinished || sound.length < owners.length }
}

/** What tells the owners of an object apart. */
export function keyOfOwner({ root, session, path, generation, offset }: Ownership): string {
  return [root, session ?? '', path, generation, offset].join('\0')
}

function readOwner(sha256: string, line: string): Ownership | undefined {
  const at = line.lastIndexOf('\t')
  const fields = line.slice(0, at)
  const hash = line.slice(at + 1)
  const parts = fields.split('\t')
  if (!isHash(hash) || parts.length !== 6 || hashOf(sha256, fields) !== hash) return undefined
  const [commit, root, session, path, generation, offset] = parts as [string, string, string, string, string, string]
  const owner = {
    commit: toCount(commit),
    root: decodeField(root),
    session: session === '-' ? null : decodeField(session),
    path: decodeField(path),
    generation: toCount(generation),
    offset: toCount(offset),
  }
  const isRight = owner.commit >= 0 && owner.generation > 0 && owner.offset >= 0
  return isRight && isRoot(owner.root) && isSafePath(owner.path) ? owner : undefined
}

function hashOf(sha256: string, fields: string): string {
  return sha256Of(`${sha256}\n${fields}`)
}
