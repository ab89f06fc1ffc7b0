import { placeOf } from '../disk/layout.ts'

/**
 * Which files of a root the archive takes: logs with all that lies in their folders, checkpoints, plans, todos, tasks, pasted
 * texts and images, memory and the prompt history. A list of what is taken, so that nothing secret ever is. Folders end with `/`.
 */
export function isKeptFile(relativePath: string): boolean {
  if (relativePath.endsWith(RESTORING) || relativePath.endsWith(EDITING)) return false
  const isFolder = relativePath.endsWith('/')
  const parts = relativePath.split('/')
  const depth = isFolder ? parts.length - 1 : parts.length
  const [top = '', second = '', third = ''] = parts
  if (top === 'projects') {
    if (NOT_A_SESSION.has(third)) return false
    return isFolder || (depth > 2 && isOfSession(relativePath))
  }
  if (top === 'file-history' || top === 'image-cache') return isFolder || depth > 2
  if (top === 'tasks') return isFolder || (depth === 3 && third !== '.lock')
  if (isFolder) return depth === 1 && FLAT.has(top)
  if (depth === 1) return relativePath === HISTORY
  return depth === 2 && second.endsWith(FLAT.get(top) ?? '\0')
}

/** What the name of a restored file ends with until all of them are written. Such files belong to nobody. */
export const RESTORING = '.annals-restore'

/** The same for a file that an edit is about to put in its place. */
export const EDITING = '.annals-edit'

/** The prompt history of a root: the one file whose lines belong to many sessions. */
export const HISTORY = 'history.jsonl'

/** Folders beside the sessions of a project that are none of them. */
const NOT_A_SESSION = new Set(['cloud-snapshots', 'connector-downloads'])

/** Folders that hold files of one kind only, and no folder. */
const FLAT = new Map([
  ['todos', '.json'],
  ['plans', '.md'],
  ['paste-cache', '.txt'],
])

function isOfSession(relativePath: string): boolean {
  const { kind } = placeOf(relativePath)
  return kind !== 'other' && kind !== 'project-other' && kind !== 'sessions-index'
}

/**
 * The session that a file belongs to, told by its path alone: `null` for what sessions share, `undefined` where only the
 * content of the file or of logs can tell.
 */
export function ownerByPath(relativePath: string): string | null | undefined {
  const [top = '', second = ''] = relativePath.split('/')
  if (top === 'file-history' || top === 'image-cache' || top === 'tasks') return second
  if (top === 'todos') return second.replace(/\.json$/, '').split(/-agent-(.*)/s)[0] ?? null
  if (top === 'plans') return undefined
  if (top !== 'projects') return null
  const place = placeOf(relativePath)
  if (place.kind === 'agent' || place.kind === 'agent-meta') return place.session ?? undefined
  return 'session' in place ? place.session : null
}

/** The key of the project that a file lies in. */
export function projectByPath(relativePath: string): string | null {
  const [top, key] = relativePath.split('/')
  return top === 'projects' && key !== undefined ? key : null
}

/** Whether a path of a manifest may be joined to a root: one that we could have written, and that leads nowhere else. */
export function isSafePath(relativePath: string): boolean {
  const parts = relativePath.split('/')
  return (
    relativePath.length <= 4096 &&
    !relativePath.endsWith('/') &&
    !/[\0\\]/.test(relativePath) &&
    !(process.platform === 'win32' && /[:*?"<>|]/.test(relativePath)) &&
    parts.every(isSafeName) &&
    isKeptFile(relativePath)
  )
}

function isSafeName(name: string): boolean {
  // No character has more than three bytes, counted as JavaScript does.
  return name !== '' && name !== '.' && name !== '..' && (name.length <= 85 || Buffer.byteLength(name) <= 255)
}
