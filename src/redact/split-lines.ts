import type { JsonValue } from '../core/json.ts'
import { type Finding, replaced } from './finding.ts'
import type { AcrossBlocks } from './split-blocks.ts'

/**
 * A key that was cut into the lines of a list, as patches have it: no line of it looks like a secret alone. `undefined` where
 * the list is none of lines, or has no key.
 */
export function joinSplitLines(
  lines: readonly JsonValue[],
  scan: (text: string) => readonly Finding[],
): AcrossBlocks | undefined {
  if (lines.length < 2 || !lines.some((line) => typeof line === 'string' && line.includes(KEY))) return undefined
  if (!lines.every((line) => typeof line === 'string')) return undefined
  const whole = lines.join('\n')
  const across = scan(whole).filter(({ from, to }) => whole.slice(from, to).includes('\n'))
  if (across.length === 0) return undefined
  const found = across.map((finding) => ({ at: `[${whole.slice(0, finding.from).split('\n').length - 1}]`, finding }))
  return { blocks: replaced(whole, across).split('\n'), found }
}

const KEY = 'PRIVATE KEY'
