import { FORMS } from './forms.ts'
import { innocentFiles } from './innocent.ts'
import { KINDS } from './kinds.ts'
import { randomFrom } from './random.ts'
import { readablePart } from './readable.ts'

/** How many texts a mask was given and in how many nothing of the secret could be read afterwards. */
export interface Tally {
  readonly tried: number
  readonly masked: number
  readonly share: number
}

/** A secret that could still be read. */
export interface Miss {
  readonly kind: string
  readonly form: string
  /** The text as the mask was given it, and as it came back. */
  readonly example: string
  readonly result: string
  /** A part of the secret that remains. */
  readonly readable: string
}

/** What a mask achieved: in all, by form and by kind. */
export interface Measure {
  readonly total: Tally
  readonly forms: Readonly<Record<string, Tally>>
  readonly kinds: Readonly<Record<string, Tally>>
  readonly missed: readonly Miss[]
}

/** Gives a mask every kind of secret in every form, `perKind` samples of each. Equal seeds give equal texts. */
export function measure(mask: (text: string) => string, options: { seed: number; perKind: number }): Measure {
  const outcomes: { kind: string; form: string; miss: Miss | undefined }[] = []
  for (const kind of KINDS) {
    for (let nth = 0; nth < options.perKind; nth++) {
      const random = randomFrom(`${options.seed}/${kind.name}/${nth}`)
      const sample = kind.make(random)
      for (const [form, show] of Object.entries(FORMS)) {
        const shown = show(sample, kind, random)
        if (shown === undefined) continue
        const result = mask(shown.text)
        const readable = readablePart(result, shown.pieces)
        const miss =
          readable === undefined ? undefined : { kind: kind.name, form, example: shown.text, result, readable }
        outcomes.push({ kind: kind.name, form, miss })
      }
    }
  }
  return {
    total: tallyOf(outcomes),
    forms: tallies(outcomes, 'form'),
    kinds: tallies(outcomes, 'kind'),
    missed: outcomes.flatMap(({ miss }) => miss ?? []),
  }
}

/** A line that a mask changed though it holds no secret. */
export interface FalseMark {
  /** The sort of file it stands in. */
  readonly source: string
  readonly line: string
  readonly result: string
}

/** How many lines without any secret a mask changed, with the first examples of each sort of file. */
export interface FalseMarks {
  readonly lines: number
  readonly marked: number
  readonly sources: Readonly<Record<string, { readonly lines: number; readonly marked: number }>>
  readonly examples: readonly FalseMark[]
}

const EXAMPLES_PER_SOURCE = 20

/** Gives a mask files without secrets, whole, and counts the lines that come back changed. */
export function falseMarks(mask: (text: string) => string, options = { seed: 1, lines: 50_000 }): FalseMarks {
  const sources: Record<string, { lines: number; marked: number }> = {}
  const examples: FalseMark[] = []
  for (const { source, text } of innocentFiles(options.seed, options.lines)) {
    sources[source] ??= { lines: 0, marked: 0 }
    const counted = sources[source]
    const lines = text.split('\n')
    counted.lines += lines.length
    const masked = mask(text)
    if (masked === text) continue
    for (const mark of changedLines(lines, masked.split('\n'))) {
      counted.marked++
      if (counted.marked <= EXAMPLES_PER_SOURCE) examples.push({ source, ...mark })
    }
  }
  const sum = (field: 'lines' | 'marked'): number =>
    Object.values(sources).reduce((total, count) => total + count[field], 0)
  return { lines: sum('lines'), marked: sum('marked'), sources, examples }
}

/** Line by line; where a mask joined or dropped lines, those that are nowhere in the result. */
function changedLines(before: readonly string[], after: readonly string[]): { line: string; result: string }[] {
  if (before.length === after.length) {
    return before.flatMap((line, at) => (after[at] === line ? [] : [{ line, result: after[at] as string }]))
  }
  const kept = new Set(after)
  return before.filter((line) => !kept.has(line)).map((line) => ({ line, result: '' }))
}

function tallies(
  outcomes: readonly { kind: string; form: string; miss: unknown }[],
  by: 'kind' | 'form',
): Record<string, Tally> {
  const groups = new Map<string, { miss: unknown }[]>()
  for (const outcome of outcomes) {
    const group = groups.get(outcome[by])
    if (group === undefined) groups.set(outcome[by], [outcome])
    else group.push(outcome)
  }
  return Object.fromEntries([...groups].map(([name, group]) => [name, tallyOf(group)]))
}

function tallyOf(outcomes: readonly { miss: unknown }[]): Tally {
  const masked = outcomes.filter(({ miss }) => miss === undefined).length
  return { tried: outcomes.length, masked, share: outcomes.length === 0 ? 0 : masked / outcomes.length }
}
