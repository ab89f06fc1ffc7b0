import { placeOf } from '../disk/layout.ts'
import type { SourceEntry } from '../disk/source.ts'
import type { Choices } from './choices.ts'
import { relativePath } from './names.ts'

/** A file that is collected, and how. */
export interface CollectedFile {
  readonly entry: SourceEntry
  /** `log` and `history` are read on from where they were left; a document is taken whole when it changed. */
  readonly role: 'log' | 'history' | 'document'
  readonly kind: string
  /** The folder of its project below `projects/`; `null` for what belongs to none. */
  readonly projectKey: string | null
  readonly session: string | null
  readonly agent: string | null
}

type Kind = Omit<CollectedFile, 'entry'>

const NOBODYS = { projectKey: null, session: null, agent: null }

/**
 * What a file is to the collector; `undefined` for what never leaves. A list of what is taken, so that keys, credentials,
 * shell snapshots, debug logs and environments never are.
 */
export function collectedFile(entry: SourceEntry, choices: Choices): CollectedFile | undefined {
  const kind = kindOf(relativePath(entry), choices)
  return kind && { entry, ...kind }
}

/** Which files and folders of a root have to be listed at all. Folders end with `/`. */
export function isCollectedPath(path: string, choices: Choices): boolean {
  if (!path.endsWith('/')) return kindOf(path, choices) !== undefined
  const [top = '', , , fourth = ''] = path.split('/')
  if (top === 'projects') return fourth !== 'tool-results' || choices.toolResults
  if (choices.content !== 'all') return false
  return DOCUMENT_FOLDERS.has(top) || (top === 'file-history' && choices.checkpoints)
}

const DOCUMENT_FOLDERS = new Set(['todos', 'tasks', 'plans'])

function kindOf(path: string, choices: Choices): Kind | undefined {
  if (path === 'history.jsonl') return { role: 'history', kind: 'history', ...NOBODYS }
  if (path.startsWith('projects/')) return inProject(path, choices)
  if (choices.content !== 'all') return undefined
  const [top = '', second = '', third = ''] = path.split('/')
  if (path === 'stats-cache.json') return { role: 'document', kind: 'stats-cache', ...NOBODYS }
  if (top === 'todos' && third === '' && second.endsWith('.json')) {
    return { ...NOBODYS, role: 'document', kind: 'todos', session: second.slice(0, -5).split('-agent-')[0] ?? null }
  }
  if (top === 'tasks' && third.endsWith('.json'))
    return { ...NOBODYS, role: 'document', kind: 'tasks', session: second }
  if (top === 'plans' && third === '' && second.endsWith('.md')) return { ...NOBODYS, role: 'document', kind: 'plan' }
  if (top === 'file-history' && third !== '' && choices.checkpoints) {
    return { ...NOBODYS, role: 'document', kind: 'checkpoint', session: second }
  }
  return undefined
}

function inProject(path: string, { content, toolResults }: Choices): Kind | undefined {
  const place = placeOf(path)
  if (place.kind === 'other' || place.kind === 'project-other') return undefined
  const projectKey = place.project
  const session = 'session' in place ? place.session : null
  const agent = 'agent' in place ? place.agent : null
  const whose = { projectKey, session, agent }
  if (place.kind === 'session' || place.kind === 'agent' || place.kind === 'journal') {
    return { role: 'log', kind: place.kind, ...whose }
  }
  // What an agent was asked stays here, unless all may leave; its type does not say more than a tool's name.
  if (place.kind === 'agent-meta') return { role: 'document', kind: 'meta', ...whose }
  if (content !== 'all') return undefined
  if (place.kind === 'tool-result') return toolResults ? { role: 'document', kind: 'tool-result', ...whose } : undefined
  if (place.kind === 'sessions-index' || place.kind === 'memory' || place.kind === 'custom-title') {
    return { role: 'document', kind: place.kind, ...whose }
  }
  return place.kind === 'workflow' && path.endsWith('.json')
    ? { role: 'document', kind: 'workflow', ...whose }
    : undefined
}

/** What is sent first: transcripts, then agents and their workflows, then the history of prompts, then documents. */
export const FILE_CLASSES = ['transcripts', 'agents', 'history', 'documents'] as const
export type FileClass = (typeof FILE_CLASSES)[number]

export function classOf({ role, kind }: Pick<CollectedFile, 'role' | 'kind'>): FileClass {
  if (role === 'document') return 'documents'
  if (role === 'history') return 'history'
  return kind === 'session' ? 'transcripts' : 'agents'
}

/** By class, the newest first: what somebody works on now is what others wait for. */
export function inOrder(files: readonly CollectedFile[]): readonly CollectedFile[] {
  const ranked = files.map((file) => ({ file, rank: FILE_CLASSES.indexOf(classOf(file)) }))
  const isBefore = (a: CollectedFile, b: CollectedFile) =>
    b.entry.modifiedAt - a.entry.modifiedAt || (a.entry.path < b.entry.path ? -1 : 1)
  return ranked.sort((a, b) => a.rank - b.rank || isBefore(a.file, b.file)).map(({ file }) => file)
}
