import { Failure } from '../core/failure.ts'
import type { Range } from '../core/search/snippet.ts'
import { cleanError, type Ran, type RipgrepLimits, runRipgrep } from './ripgrep.ts'

const MAX_PATTERN = 10_000

/** The matches of a pattern in each of some texts, as UTF-16 ranges. Texts after a limit was met have none. */
export interface TextMatches {
  readonly ranges: readonly (readonly Range[])[]
  readonly isComplete: boolean
}

/**
 * Where a pattern matches in texts. ripgrep decides, so there is one dialect and no pattern can take for ever. `^` and `$`
 * are the ends of a text's lines, `\n` matches inside a text; empty matches do not count. Throws a `Failure` for a pattern
 * that ripgrep cannot read.
 */
export async function matchTexts(
  rg: string,
  pattern: string,
  texts: readonly string[],
  limits: RipgrepLimits = {},
): Promise<TextMatches> {
  const frames = new TextFrames()
  for (const text of texts) frames.add(encoder.encode(text))
  const { output, isComplete } = await frames.run(rg, pattern, limits)
  return { ranges: readMatches(output, frames.bytes, texts.length), isComplete }
}

const encoder = new TextEncoder()

/** The numbers of the texts in which something matches; after a limit was met, none of the rest. */
export interface MatchingTexts {
  readonly found: ReadonlySet<number>
  readonly isComplete: boolean
}

/** Texts one behind the other, as ripgrep is given them. */
export class TextFrames {
  #bytes = Buffer.allocUnsafe(1024 * 1024)
  #length = 0
  /** Where the frame of each text begins. */
  readonly #starts: number[] = []

  /** `^` sees the line break before a text, not the NUL that ends the text before; NULs inside would end it too early. */
  add(text: Uint8Array): void {
    const end = this.#length + text.length + 2
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, 2 * this.#bytes.length))
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#bytes = larger
    }
    this.#starts.push(this.#length)
    this.#bytes[this.#length] = 0x0a
    this.#bytes.set(text, this.#length + 1)
    for (let nul = text.indexOf(0); nul !== -1; nul = text.indexOf(0, nul + 1)) this.#bytes[this.#length + 1 + nul] = 1
    this.#bytes[end - 1] = 0
    this.#length = end
  }

  get length(): number {
    return this.#length
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  /** The numbers of the texts in which a pattern matches something. */
  async matching(rg: string, pattern: string, limits: RipgrepLimits = {}): Promise<MatchingTexts> {
    const found = new Set<number>()
    if (this.#length === 0) return { found, isComplete: true }
    const { output, isComplete } = await this.run(rg, pattern, limits)
    let text = 0
    for (let at = 0; at < output.length; ) {
      const colon = output.indexOf(0x3a, at)
      const nul = colon === -1 ? -1 : output.indexOf(0, colon)
      if (nul === -1) break
      const offset = Number(output.toString('latin1', at, colon))
      while (text < this.#starts.length - 1 && (this.#starts[text + 1] as number) <= offset) text++
      // A match may be no more than the line break before the text.
      const isText = offset > (this.#starts[text] as number) || nul - colon > 2
      if (isText && nul - colon > 1) found.add(text)
      at = nul + 1
    }
    return { found, isComplete }
  }

  async run(rg: string, pattern: string, limits: RipgrepLimits): Promise<Ran> {
    if (pattern.length > MAX_PATTERN) throw badPattern(`it is longer than ${MAX_PATTERN} characters`)
    if (pattern.includes('\0')) throw badPattern('it holds a NUL')
    const ran = await runRipgrep(rg, [...MATCH_ARGS, '-e', pattern, '--', '-'], this.bytes, limits)
    if (ran.exitCode === 2 && ran.errors !== '') throw badPattern(cleanError(ran.errors))
    return ran
  }
}

const MATCH_ARGS =
  '--no-config --null-data --encoding none --byte-offset --only-matching --no-filename --no-line-number --color never'.split(
    ' ',
  )

function badPattern(why: string): Failure {
  return new Failure('BAD_INPUT', `The pattern cannot be used: ${why}.`, {
    hint: 'Patterns are those of ripgrep. To look for a text as it stands, use --exact.',
  })
}

/** Reads `offset:match NUL`, offsets counted in bytes over all texts, into ranges of each text. */
function readMatches(output: Buffer, input: Buffer, count: number): readonly (readonly Range[])[] {
  const ranges: Range[][] = Array.from({ length: count }, () => [])
  let text = 0
  let start = 1
  let end = input.indexOf(0)
  let unitsAt = start
  let units = 0
  const unitsTo = (byte: number): number => {
    units += input.toString('utf8', unitsAt, byte).length
    unitsAt = byte
    return units
  }
  for (let at = 0; at < output.length; ) {
    const colon = output.indexOf(0x3a, at)
    const nul = colon === -1 ? -1 : output.indexOf(0, colon)
    if (nul === -1) break
    const offset = Number(output.toString('latin1', at, colon))
    const to = offset + (nul - colon - 1)
    at = nul + 1
    while (offset > end && text < count - 1) {
      text++
      start = end + 2
      end = input.indexOf(0, start)
      unitsAt = start
      units = 0
    }
    // A match may have taken the line break before the text.
    const from = Math.max(offset, start)
    if (from < to && from >= unitsAt) ranges[text]?.push([unitsTo(from), unitsTo(to)])
  }
  return ranges
}
