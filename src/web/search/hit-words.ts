import type { OpResult } from '../api.ts'

/** One place where the words stand. */
export type Hit = OpResult<'search'>['hits'][number]

/** Whose words were found, and what they are: `Bash · npm test`, with `output` beside it. */
export interface HitWords {
  readonly who: string
  readonly what: string | undefined
}

/** Says whose words were found, as a person would. */
export function hitWords({ who, role, kind, agent }: Pick<Hit, 'who' | 'role' | 'kind' | 'agent'>): HitWords {
  const isAgents = agent !== null
  const [, tool] = /^output of (.+)$/s.exec(who ?? '') ?? []
  if (tool !== undefined) return { who: tool === 'a tool' ? 'Tool' : tool, what: 'output' }
  if (kind === 'prompt') return { who: isAgents ? 'To an agent' : 'You', what: undefined }
  if (kind === 'text') return { who: isAgents ? 'Agent' : 'Claude', what: undefined }
  if (kind === 'thinking') return { who: isAgents ? 'Agent' : 'Claude', what: 'thinking' }
  if (kind === 'tool' && who !== null) return { who, what: undefined }
  if (who === null) return { who: role === 'user' ? 'You' : role === 'assistant' ? 'Claude' : 'Tool', what: undefined }
  return { who: who.charAt(0).toUpperCase() + who.slice(1), what: undefined }
}

/** What the client writes around texts for the model; a person never typed it. */
const TAGS =
  /<\/?(?:command-(?:name|message|args|contents)|local-command-\w+|bash-(?:input|stdout|stderr)|system-reminder|tool_use_error|persisted-output|task-notification|task-id|tool-use-id|output-file|ide_\w+|user-prompt-submit-hook|teammate-message|channel)(?:\s[^<>]*)?>/g

/** A snippet without what the client wrote around it, and the places of what is marked in it. */
export function withoutTags(
  snippet: string,
  matches: readonly (readonly [number, number])[],
): { readonly text: string; readonly matches: readonly (readonly [number, number])[] } {
  const cuts = [...snippet.matchAll(TAGS)].map(({ index, 0: tag }) => [index, index + tag.length] as const)
  if (cuts.length === 0) return { text: snippet, matches }
  const moved = (at: number) =>
    at - cuts.reduce((sum, [from, to]) => sum + (at <= from ? 0 : Math.min(at, to) - from), 0)
  const left = matches.map(([from, to]) => [moved(from), moved(to)] as const).filter(([from, to]) => to > from)
  return { text: snippet.replace(TAGS, ''), matches: left }
}

/** Whose conversation a hit stands in: the session's, or that of one of its agents. */
export function sessionOf({ session, agent }: Pick<Hit, 'session' | 'agent'>): string {
  return agent === null ? session : `agent-${agent}`
}
