import { sep } from 'node:path'
import type { SourceEntry } from './source.ts'

/** A list of its sessions that clients kept in the folder of a project for a while. */
export const SESSIONS_INDEX = 'sessions-index.json'

/** What a file below a root is, told by where it lies. */
export type FilePlace =
  | { readonly kind: 'session'; readonly project: string; readonly session: string }
  | {
      readonly kind: 'agent' | 'agent-meta'
      readonly project: string
      /** The session whose folder it lies in; `null` for the flat files of older clients. */
      readonly session: string | null
      readonly agent: string
      /** The workflow run it belongs to. */
      readonly run: string | null
    }
  | {
      readonly kind: 'tool-result' | 'custom-title' | 'workflow' | 'journal' | 'session-other'
      readonly project: string
      readonly session: string
      readonly name: string
    }
  | { readonly kind: 'sessions-index' | 'memory' | 'project-other'; readonly project: string; readonly name: string }
  | { readonly kind: 'other'; readonly name: string }

/** The path of a file below its root, with `/` between its parts. */
export function relativePath({ root, path }: Pick<SourceEntry, 'root' | 'path'>): string {
  const below = path.slice(root.endsWith(sep) ? root.length : root.length + 1)
  return sep === '/' ? below : below.replaceAll(sep, '/')
}

/** Logs that lie among the sessions and are none. */
const NOT_A_SESSION = new Set(['journal.jsonl', 'resume-head.jsonl', 'parent-transcript.jsonl', 'timeline.jsonl'])

const TOP = 'projects/'

/** Tells what a file is from its path relative to the root, with `/` between the parts. Asked of every file: nothing is split that need not be. */
export function placeOf(relativePath: string): FilePlace {
  const end = relativePath.startsWith(TOP) ? relativePath.indexOf('/', TOP.length) : -1
  if (end === -1) return { kind: 'other', name: relativePath }
  const project = relativePath.slice(TOP.length, end)
  const folderEnd = relativePath.indexOf('/', end + 1)
  if (folderEnd === -1) return placeInProject(project, relativePath.slice(end + 1))
  return placeInFolder(project, relativePath.slice(end + 1, folderEnd), relativePath.slice(folderEnd + 1))
}

function placeInProject(project: string, name: string): FilePlace {
  const agent = agentFile(name)
  if (agent) return { kind: agent.kind, agent: agent.agent, project, session: null, run: null }
  if (name === SESSIONS_INDEX) return { kind: 'sessions-index', project, name }
  if (name.endsWith('.jsonl') && !NOT_A_SESSION.has(name)) {
    // A file may be called just that.
    return { kind: 'session', project, session: name.slice(0, -'.jsonl'.length) || name }
  }
  return { kind: 'project-other', project, name }
}

function placeInFolder(project: string, session: string, name: string): FilePlace {
  if (session === 'memory') return { kind: 'memory', project, name }
  if (name === 'custom-title.json') return { kind: 'custom-title', project, session, name }
  const end = name.indexOf('/')
  const first = end === -1 ? name : name.slice(0, end)
  const last = name.slice(name.lastIndexOf('/') + 1)
  if (first === 'tool-results') return { kind: 'tool-result', project, session, name: last }
  if (first === 'workflows') return { kind: 'workflow', project, session, name }
  if (first === 'subagents') {
    const agent = agentFile(last)
    const run = name.startsWith('subagents/workflows/') ? (name.split('/')[2] ?? null) : null
    if (agent) return { kind: agent.kind, agent: agent.agent, project, session, run }
    if (last === 'journal.jsonl') return { kind: 'journal', project, session, name }
  }
  return { kind: 'session-other', project, session, name }
}

function agentFile(name: string): { readonly kind: 'agent' | 'agent-meta'; readonly agent: string } | undefined {
  if (!name.startsWith('agent-')) return undefined
  if (name.endsWith('.meta.json')) return { kind: 'agent-meta', agent: name.slice(6, -'.meta.json'.length) }
  return name.endsWith('.jsonl') ? { kind: 'agent', agent: name.slice(6, -'.jsonl'.length) } : undefined
}
