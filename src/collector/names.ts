import { createHash, createHmac } from 'node:crypto'
import { join } from 'node:path'
import type { SourceEntry } from '../disk/source.ts'
import type { NameChoice } from './choices.ts'

/** Says how names leave. What is hashed cannot be guessed by who does not have the key. */
export interface Names {
  /** The name of a file below its root, which is also its key: never empty, and the same every time. */
  file(entry: Pick<SourceEntry, 'root' | 'path'>): string
  /** A path that a record names; `undefined` where none may leave. */
  path(path: string): string | undefined
  user(name: string): string | null
}

export interface NamesOptions {
  readonly paths: NameChoice
  readonly user: NameChoice
  /** Of this machine alone, and it stays here. */
  readonly key: Uint8Array
  /** Of a team: the same path, or the same below one's home, then has the same hash on all its machines. */
  readonly teamKey?: Uint8Array | undefined
  readonly home: string
  /** Takes secrets out of names that leave as they are: a folder may be named after one. */
  readonly mask?: ((name: string) => string) | undefined
}

/** What a hashed name begins with, so that nobody takes it for a real one. */
export const HASHED = 'h:'

/** Makes the names that leave. */
export function namesOf({ paths, user, key, teamKey, home, mask }: NamesOptions): Names {
  const shared = teamKey ?? key
  const known = new Map<string, string>()
  const hashed = (kind: string, text: string, secret: Uint8Array): string => {
    const at = `${kind}\0${text}`
    const made = known.get(at) ?? `${HASHED}${createHmac('sha256', secret).update(at).digest('hex').slice(0, 32)}`
    if (known.size < MOST_KNOWN) known.set(at, made)
    return made
  }
  const masked = (name: string): string => {
    const at = `real\0${name}`
    const made = known.get(at) ?? mask?.(name) ?? name
    if (known.size < MOST_KNOWN) known.set(at, made)
    return made
  }
  return {
    file(entry) {
      const below = `${rootName(entry.root, home)}${relativePath(entry)}`
      return paths === 'real' ? masked(below) : hashed('file', below, paths === 'none' ? key : shared)
    },
    path(path) {
      if (paths !== 'hashed') return paths === 'none' ? undefined : masked(path)
      return hashed('path', teamKey === undefined ? path : belowHome(path, home), shared)
    },
    user: (name) => (user === 'none' ? null : user === 'real' ? name : hashed('user', name, shared)),
  }
}

/** What people of a team have in common of a path: their homes have other names. */
function belowHome(path: string, home: string): string {
  const isBelow = path === home || ((path[home.length] === '/' || path[home.length] === '\\') && path.startsWith(home))
  return isBelow ? `~${path.slice(home.length).replaceAll('\\', '/')}` : path
}

const MOST_KNOWN = 50_000

/** Two roots may hold files of the same name: all but the usual root get a name of their own. */
function rootName(root: string, home: string): string {
  if (root === join(home, '.claude')) return ''
  return `root-${createHash('sha256').update(root).digest('hex').slice(0, 8)}/`
}

/** The path below the root, with `/` between its parts. */
export function relativePath({ root, path }: Pick<SourceEntry, 'root' | 'path'>): string {
  return path.slice(root.endsWith('/') || root.endsWith('\\') ? root.length : root.length + 1).replaceAll('\\', '/')
}
