import { oneLine, plain } from '../terminal/sanitize.ts'
import type { View } from '../view.ts'
import type { Hit } from './model.ts'

/** Who said what was found: `You`, `Claude`, or a tool with what it was about, such as `Bash · npm test`. */
export function whoOf({ agent, kind, who, role }: Hit): string {
  const said = kind === 'title' ? 'Title' : (NAMES[who ?? ''] ?? oneLine(who ?? ROLES[role] ?? role))
  return agent === null ? said : `Agent · ${said}`
}

/** The same in a word. */
export function whoInShort(hit: Hit): string {
  const [first = ''] = whoOf(hit).split(' · ')
  return first.replace(/^output of /, '')
}

const NAMES: Readonly<Record<string, string>> = { prompt: 'You', answer: 'Claude' }
const ROLES: Readonly<Record<string, string>> = { user: 'You', assistant: 'Claude', tool: 'Tool', system: 'System' }

/** The snippet from a place on with its matches marked; each piece is made plain by itself, so that offsets stay true. */
export function markedSnippet({ snippet, matches }: Hit, { style }: View, start = 0): string {
  if (snippet === null) return style.dim('Its log is gone, and so is the text.')
  let at = start
  let out = start > 0 ? '…' : ''
  for (const [from, to] of matches) {
    if (from < at) continue
    out += flat(snippet.slice(at, from)) + style.match(`«${flat(snippet.slice(from, to))}»`)
    at = to
  }
  return out + flat(snippet.slice(at))
}

/** Where a snippet begins that has to show its first match in so few columns. */
export function startBefore({ snippet, matches }: Hit, columns: number): number {
  const first = matches[0]?.[0] ?? 0
  if (first <= columns / 2) return 0
  const start = first - Math.floor(columns / 4)
  // From the beginning of a word, where one begins before the match.
  const space = (snippet ?? '').slice(start, first).search(/\s\S/)
  return space === -1 ? start : start + space + 1
}

/** Text of a log on one line. */
export function flat(text: string): string {
  return plain(text).replace(/\s+/g, ' ')
}
