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
  if (tool !== undefined) return { who: OUTPUTS.get(tool) ?? tool, what: 'output' }
  if (kind === 'prompt') return { who: isAgents ? 'To an agent' : 'You', what: undefined }
  if (kind === 'text') return { who: isAgents ? 'Agent' : 'Claude', what: undefined }
  if (kind === 'thinking') return { who: isAgents ? 'Agent' : 'Claude', what: 'thinking' }
  if (kind === 'tool' && who !== null) return { who, what: undefined }
  if (who === null) return { who: role === 'user' ? 'You' : role === 'assistant' ? 'Claude' : 'Tool', what: undefined }
  return { who: who.charAt(0).toUpperCase() + who.slice(1), what: undefined }
}

/** Whose output it is, where no call is named. */
const OUTPUTS: ReadonlyMap<string, string> = new Map([
  ['a tool', 'Tool'],
  ['a command', 'Command'],
  ['a ! command', 'Shell command'],
])

/** What the client writes around texts for the model; a person never typed it. */
const TAGS =
  /<\/?(?:command-(?:name|message|args|contents)|local-command-\w+|bash-(?:input|stdout|stderr)|system-reminder|tool_use_error|persisted-output|task-notification|task-id|tool-use-id|output-file|ide_\w+|user-prompt-submit-hook|teammate-message|channel)(?:\s[^<>]*)?>/g

/** What Claude writes to set its prose: stars, backticks, the signs of headings and quotes. */
const MARKS = /\*\*|`+|^(?:#{1,6}|>) /gm

/** What is prose, as far as the index tells. */
const PROSE: ReadonlySet<string> = new Set(['text', 'thinking', 'compact-summary'])

type Span = readonly [from: number, to: number]

interface Snippet {
  readonly text: string
  /** What is marked in it. */
  readonly matches: readonly Span[]
}

/** A snippet as plain text: without what the client wrote around it, and without the marks of prose. */
export function plainSnippet(hit: Pick<Hit, 'snippet' | 'matches' | 'kind'>): Snippet {
  const found = { text: hit.snippet ?? '', matches: hit.matches }
  const tagless = without(found, spansOf(found.text, TAGS))
  if (!PROSE.has(hit.kind)) return tagless
  const isSought = ([from, to]: Span) => tagless.matches.some(([a, b]) => a < to && from < b)
  return without(
    tagless,
    spansOf(tagless.text, MARKS).filter((span) => !isSought(span)),
  )
}

function spansOf(text: string, pattern: RegExp): readonly Span[] {
  return [...text.matchAll(pattern)].map(({ index, 0: found }) => [index, index + found.length])
}

function without({ text, matches }: Snippet, cuts: readonly Span[]): Snippet {
  const moved = (at: number) =>
    at - cuts.reduce((sum, [from, to]) => sum + (at <= from ? 0 : Math.min(at, to) - from), 0)
  const left = matches.map(([from, to]) => [moved(from), moved(to)] as const).filter(([from, to]) => to > from)
  const starts = [0, ...cuts.map(([, to]) => to)]
  return { text: starts.map((at, i) => text.slice(at, cuts[i]?.[0])).join(''), matches: left }
}

/** Whose conversation a hit stands in: the session's, or that of one of its agents. */
export function sessionOf({ session, agent }: Pick<Hit, 'session' | 'agent'>): string {
  return agent === null ? session : `agent-${agent}`
}
