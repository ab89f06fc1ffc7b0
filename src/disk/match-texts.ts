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
  const { found, isComplete } = await frames.matching(rg, pattern, limits)
  return { ranges: texts.map((text, i) => unitRanges(text, found.get(i) ?? [])), isComplete }
}

const encoder = new TextEncoder()

/** Where something matches, by the numbers of texts; after a limit was met, in none of the rest. */
export interface MatchingTexts {
  readonly found: ReadonlyMap<number, ByteRanges>
  readonly isComplete: boolean
}

/** Where matches begin and end in the UTF-8 of a text, one pair behind the other. */
export type ByteRanges = readonly number[]

/** So many matches of one text are told at most: more than any snippet shows. */
const MOST_MATCHES = 200

/** The same in UTF-16 units. */
export function unitRanges(text: string, ranges: ByteRanges): readonly Range[] {
  if (ranges.length === 0) return []
  const bytes = Buffer.from(text)
  let [at, units] = [0, 0]
  const unitsTo = (byte: number): number => {
    units += bytes.toString('utf8', at, byte).length
    at = byte
    return units
  }
  return Array.from(
    { length: ranges.length / 2 },
    (_, i): Range => [unitsTo(ranges[2 * i] as number), unitsTo(ranges[2 * i + 1] as number)],
  )
}

/** Texts one behind the other, as ripgrep is given them. */
export class TextFrames {
  #bytes: Buffer
  #length = 0
  /** Where the frame of each text begins. */
  readonly #starts: number[] = []

  /** Who knows how much will come says so: to grow copies what is there. */
  constructor(bytes = 1024 * 1024) {
    this.#bytes = Buffer.allocUnsafe(bytes)
  }

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

  /** Where a pattern matches something: `offset:match NUL` is read, offsets counted in bytes over all texts. */
  async matching(rg: string, pattern: string, limits: RipgrepLimits = {}): Promise<MatchingTexts> {
    const found = new Map<number, number[]>()
    if (this.#length === 0) return { found, isComplete: true }
    const { output, isComplete } = await this.#run(rg, pattern, limits)
    let text = 0
    for (let at = 0; at < output.length; ) {
      const colon = output.indexOf(0x3a, at)
      const nul = colon === -1 ? -1 : output.indexOf(0, colon)
      if (nul === -1) break
      const offset = Number(output.toString('latin1', at, colon))
      while (text < this.#starts.length - 1 && (this.#starts[text + 1] as number) <= offset) text++
      // A match may have taken the line break before the text, and be no more than that.
      const start = (this.#starts[text] as number) + 1
      const [from, to] = [Math.max(offset, start) - start, offset + (nul - colon - 1) - start]
      if (from < to) this.#add(found, text, from, to)
      at = nul + 1
    }
    return { found, isComplete }
  }

  #add(found: Map<number, number[]>, text: number, from: number, to: number): void {
    const own = found.get(text)
    if (!own) found.set(text, [from, to])
    else if (own.length < 2 * MOST_MATCHES && from >= (own.at(-1) as number)) own.push(from, to)
  }

  async #run(rg: string, pattern: string, limits: RipgrepLimits): Promise<Ran> {
    if (pattern.length > MAX_PATTERN) throw badPattern(`it is longer than ${MAX_PATTERN} characters`)
    if (pattern.includes('\0')) throw badPattern('it holds a NUL')
    const ran = await runRipgrep(
      rg,
      [...MATCH_ARGS, '-e', pattern, '--', '-'],
      this.#bytes.subarray(0, this.#length),
      limits,
    )
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
    hint: 'Patterns are those of ripgrep. To find the text literally, use --exact.',
  })
}
