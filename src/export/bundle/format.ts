import { createHash } from 'node:crypto'
import { isKeptFile } from '../../archive/kept-files.ts'
import { placeOf } from '../../disk/layout.ts'
import type { Mark } from '../../state/marks.ts'

/** The format that a bundle names in its first line. */
export const BUNDLE_FORMAT = 'annals-bundle'
export const BUNDLE_VERSION = 1

/** The first line of a bundle. */
export interface Manifest {
  readonly format: typeof BUNDLE_FORMAT
  readonly version: typeof BUNDLE_VERSION
  /** The version of annals that made it. */
  readonly annals: string | null
  readonly session: string
  readonly title: string | null
  readonly exportedAt: string | null
  readonly redacted: boolean
  /** The star and the note that its owner gave it. */
  readonly mark: Mark | null
  readonly files: readonly BundledFile[]
}

/** A file of a bundle, by its path below a root. */
export interface BundledFile {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
  readonly modifiedAt: string | null
}

/** What a bundle may come to. */
export interface BundleLimits {
  readonly manifestBytes: number
  readonly lineBytes: number
  readonly files: number
  readonly bytes: number
  /** How many times its own size it may unpack to, where that is a lot. */
  readonly ratio: number
  /** Up to this size, the ratio is nobody's concern. */
  readonly harmlessBytes: number
}

export const BUNDLE_LIMITS: BundleLimits = {
  manifestBytes: 16 * 1024 * 1024,
  lineBytes: 4 * 1024 * 1024,
  files: 50_000,
  bytes: 4 * 1024 ** 3,
  ratio: 200,
  harmlessBytes: 64 * 1024 * 1024,
}

/** Names a bundle by what is in it, whenever and by whom it was made. */
export function bundleName({ files }: Pick<Manifest, 'files'>): string {
  const hash = createHash('sha256')
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  for (const { path, sha256 } of sorted) hash.update(`${path}\n${sha256}\n`)
  return hash.digest('hex').slice(0, 32)
}

/**
 * What is wrong with a path of a bundle, in words that follow it; `undefined` where it may be written. Only files of the
 * bundle's own session are taken, by names that every system has.
 */
export function pathTrouble(path: string, session: string): string | undefined {
  const parts = path.split('/')
  if (path.length > MOST_CHARACTERS || parts.length > MOST_PARTS) return 'is too long'
  if (/^(?:[\\/]|[A-Za-z]:)/.test(path)) return 'leads out of its folder'
  if (path.includes('\\') || parts.some((part) => part === '' || part === '.' || part === '..')) {
    return 'leads out of its folder'
  }
  if (!parts.every(isPortable)) return 'is not a name that every system allows'
  return isOfSession(path, session) ? undefined : `is not a file of session ${session}`
}

const MOST_CHARACTERS = 1024
const MOST_PARTS = 16

/** Whether a name means the same file, and a file, on every system. */
function isPortable(name: string): boolean {
  if (Buffer.byteLength(name) > 255 || /[. ]$/.test(name) || RESERVED.test(name)) return false
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
  return !/[\0-\x1f\x7f<>:"|?*\ud800-\udfff]/.test(name)
}

/** Names that are devices on some systems, whatever their extension. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/i

/** A list of what is taken, so that nothing else ever is. */
export function isOfSession(path: string, session: string): boolean {
  if (!isKeptFile(path)) return false
  const [top = '', second = ''] = path.split('/')
  if (top === 'file-history' || top === 'tasks') return second === session
  if (top === 'todos') return second.startsWith(`${session}-agent-`)
  if (top === 'plans') return true
  if (top !== 'projects') return false
  const place = placeOf(path)
  if (place.kind === 'agent' || place.kind === 'agent-meta') return place.session === null || place.session === session
  if (!FAMILY.has(place.kind)) return false
  return 'session' in place && place.session === session
}

const FAMILY: ReadonlySet<string> = new Set(['session', 'tool-result', 'custom-title', 'workflow', 'journal'])

/** Two names that some systems take for one. */
export function folded(path: string): string {
  return path.normalize('NFC').toLowerCase()
}
