import { isObject, type JsonObject, type JsonValue, stringAt } from '../core/json.ts'
import { type Finding, replaced } from './finding.ts'

/** How much of two neighbours is looked at together. */
const EDGE = 400

/** What was found across two blocks: in which of them it begins. */
export interface AcrossBlocks {
  readonly blocks: readonly JsonValue[]
  readonly found: readonly { readonly at: string; readonly finding: Finding }[]
}

/**
 * Redacts secrets that begin in one text block of a list and end in the next. The placeholder stands in the first; the
 * second loses its part. Lists without such a secret come back as they are.
 */
export function joinSplitBlocks(
  blocks: readonly JsonValue[],
  scan: (text: string) => readonly Finding[],
): AcrossBlocks {
  const made = [...blocks]
  const found: AcrossBlocks['found'][number][] = []
  for (let at = 0; at + 1 < made.length; at++) {
    const first = textOf(made[at])
    const second = textOf(made[at + 1])
    if (!first || !second) continue
    const start = Math.max(0, first.text.length - EDGE)
    const tail = first.text.slice(start)
    const head = second.text.slice(0, EDGE)
    const across = scan(tail + head).find(({ from, to }) => from < tail.length && to > tail.length)
    const rest = across && head.slice(0, across.to - tail.length)
    if (!across || (across.kind !== WORDS && !goesOn(tail, rest ?? '', scan))) continue
    made[at] = { ...first.block, text: first.text.slice(0, start + across.from) + across.placeholder }
    made[at + 1] = { ...second.block, text: second.text.slice(across.to - tail.length) }
    found.push({ at: `[${at}].text`, finding: { ...across, from: start + across.from, to: first.text.length } })
  }
  return { blocks: found.length > 0 ? made : blocks, found }
}

/** A secret that is made of words. */
const WORDS = 'mnemonic'

/** A secret that is whole in the first block goes on in the second only if that begins like no word does. */
function goesOn(tail: string, rest: string, scan: (text: string) => readonly Finding[]): boolean {
  const isWhole = scan(tail).some(({ to }) => to === tail.length)
  return !isWhole || /\d|[a-z][A-Z]|[A-Za-z]{14}/.test(rest)
}

function textOf(block: JsonValue | undefined): { readonly block: JsonObject; readonly text: string } | undefined {
  if (!isObject(block) || stringAt(block, 'type') !== 'text') return undefined
  const text = stringAt(block, 'text')
  return text === undefined ? undefined : { block, text }
}

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
