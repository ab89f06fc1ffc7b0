import { basename, sep } from 'node:path'
import type { SourceEntry } from './source.ts'

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

/** Tells what a file is from its path relative to the root, with `/` between the parts. */
export function placeOf(relativePath: string): FilePlace {
  const [top, project, ...rest] = relativePath.split('/')
  if (top !== 'projects' || project === undefined || rest.length === 0) return { kind: 'other', name: relativePath }
  return rest.length === 1 ? placeInProject(project, rest[0] as string) : placeInFolder(project, rest)
}

function placeInProject(project: string, name: string): FilePlace {
  const agent = agentFile(name)
  if (agent) return { ...agent, project, session: null, run: null }
  if (name === 'sessions-index.json') return { kind: 'sessions-index', project, name }
  if (name.endsWith('.jsonl') && !NOT_A_SESSION.has(name)) {
    return { kind: 'session', project, session: basename(name, '.jsonl') }
  }
  return { kind: 'project-other', project, name }
}

function placeInFolder(project: string, [folder, ...rest]: readonly string[]): FilePlace {
  const session = folder as string
  const name = rest.join('/')
  const last = rest.at(-1) as string
  if (session === 'memory') return { kind: 'memory', project, name }
  if (name === 'custom-title.json') return { kind: 'custom-title', project, session, name }
  if (rest[0] === 'tool-results') return { kind: 'tool-result', project, session, name: last }
  if (rest[0] === 'workflows') return { kind: 'workflow', project, session, name }
  if (rest[0] === 'subagents') {
    const agent = agentFile(last)
    const run = rest[1] === 'workflows' ? (rest[2] ?? null) : null
    if (agent) return { ...agent, project, session, run }
    if (last === 'journal.jsonl') return { kind: 'journal', project, session, name }
  }
  return { kind: 'session-other', project, session, name }
}

function agentFile(name: string): { readonly kind: 'agent' | 'agent-meta'; readonly agent: string } | undefined {
  if (!name.startsWith('agent-')) return undefined
  if (name.endsWith('.meta.json')) return { kind: 'agent-meta', agent: name.slice(6, -'.meta.json'.length) }
  return name.endsWith('.jsonl') ? { kind: 'agent', agent: name.slice(6, -'.jsonl'.length) } : undefined
}
