import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { Failure } from '../core/failure.ts'
import type { Range } from '../core/snippet.ts'

/** The ripgrep that was installed with us, else the one that the caller knows of. */
export function ripgrepPath(fallback?: string): string | undefined {
  const require = createRequire(import.meta.url)
  const file = `@vscode/ripgrep-${process.platform}-${process.arch}/bin/${process.platform === 'win32' ? 'rg.exe' : 'rg'}`
  try {
    // The binary's own package stands beside the one that asks for it, wherever npm put that.
    return createRequire(require.resolve('@vscode/ripgrep')).resolve(file)
  } catch {
    return fallback
  }
}

/** How long ripgrep may take, and how much it may say. */
export interface RipgrepLimits {
  readonly timeoutMs?: number
  readonly maxOutputBytes?: number
  readonly signal?: AbortSignal
}

/** A line of a file. */
export interface FileLine {
  readonly file: string
  /** Counted from 1. */
  readonly line: number
  /** Offset of its first byte. */
  readonly offset: number
}

/** What was found; it is all there is unless a limit was met. */
export interface Candidates {
  readonly lines: readonly FileLine[]
  readonly isComplete: boolean
}

/**
 * The lines of log files in which a needle may stand, in the order of the files. Every way in which JSON may spell the
 * needle is looked for; the caller makes sure of each line by its decoded text. Files that are gone are passed over.
 */
export function linesWith(
  rg: string,
  needle: string,
  files: readonly string[],
  limits: RipgrepLimits = {},
): Promise<Candidates> {
  const patterns = jsonSpellings(needle).flatMap((spelling) => ['-e', spelling])
  return linesIn(rg, ['--fixed-strings', ...patterns], files, limits)
}

/** The lines of log files that a pattern matches as they are written. */
export function linesMatching(
  rg: string,
  pattern: string,
  files: readonly string[],
  limits: RipgrepLimits = {},
): Promise<Candidates> {
  return linesIn(rg, ['-e', pattern], files, limits)
}

async function linesIn(
  rg: string,
  patterns: readonly string[],
  files: readonly string[],
  limits: RipgrepLimits,
): Promise<Candidates> {
  const lines: FileLine[] = []
  const deadline = Date.now() + (limits.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  for (const batch of batchesOf(files)) {
    const args = [...LINE_ARGS, ...patterns, '--', ...batch]
    const timeoutMs = Math.max(1, deadline - Date.now())
    const { output, errors, isComplete } = await run(rg, args, undefined, { ...limits, timeoutMs })
    if (errors !== '') throw new Failure('CANNOT_RUN', `ripgrep could not search: ${cleanError(errors)}.`)
    lines.push(...inOrder(readLines(output), batch))
    if (!isComplete) return { lines, isComplete: false }
  }
  return { lines, isComplete: true }
}

// No line is printed: one longer than a byte is only named, by its number and the offset of its first byte.
const LINE_ARGS = [
  '--no-config --text --encoding none --null --with-filename --line-number --byte-offset',
  '--max-columns 1 --no-heading --color never --no-messages --no-ignore --hidden',
].flatMap((args) => args.split(' '))

const DEFAULT_TIMEOUT_MS = 30_000
const DEFAULT_OUTPUT_BYTES = 64 * 1024 * 1024
/** A command line that the system takes: every further one is a process more. */
const MAX_ARGS_LENGTH = process.platform === 'win32' ? 16_000 : 200_000
/** The beginning of a longer needle is enough to find its lines. */
const MAX_NEEDLE = 100
const MAX_PATTERN = 10_000

/** A needle as writers of JSON may have written it inside a string: with or without escapes that JSON leaves free. */
export function jsonSpellings(needle: string): readonly string[] {
  const start = needle.slice(0, MAX_NEEDLE)
  // Half a character would be written as an escape that the whole one never has.
  const whole = needle.length > MAX_NEEDLE ? start.replace(/[\ud800-\udbff]$/, '') : start
  let spellings = [JSON.stringify(whole).slice(1, -1)]
  for (const respell of RESPELLINGS) spellings = [...new Set(spellings.flatMap((text) => [text, respell(text)]))]
  return spellings
}

const RESPELLINGS: readonly ((text: string) => string)[] = [
  (text) => text.replaceAll('/', '\\/'),
  (text) => text.replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`),
  (text) => text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  (text) => text.replace(/\\u[0-9a-f]{4}/g, (unit) => `\\u${unit.slice(2).toUpperCase()}`),
]

function* batchesOf(files: readonly string[]): Iterable<readonly string[]> {
  let batch: string[] = []
  let length = 0
  for (const file of files) {
    if (length + file.length > MAX_ARGS_LENGTH && batch.length > 0) {
      yield batch
      batch = []
      length = 0
    }
    batch.push(file)
    length += file.length + 3
  }
  if (batch.length > 0) yield batch
}

/** Reads `path NUL line:offset:…` lines; a last one that was cut off is passed over. */
function readLines(output: Buffer): readonly FileLine[] {
  const lines: FileLine[] = []
  for (let at = 0; at < output.length; ) {
    const nul = output.indexOf(0, at)
    const end = nul === -1 ? -1 : output.indexOf(0x0a, nul)
    if (end === -1) break
    const [line, offset] = output.toString('latin1', nul + 1, end).split(':')
    lines.push({ file: output.toString('utf8', at, nul), line: Number(line), offset: Number(offset) })
    at = end + 1
  }
  return lines
}

/** ripgrep reads files side by side and prints them as they are done. */
function inOrder(lines: readonly FileLine[], files: readonly string[]): readonly FileLine[] {
  const places = new Map(files.map((file, i) => [file, i]))
  return [...lines].sort((a, b) => (places.get(a.file) ?? 0) - (places.get(b.file) ?? 0) || a.offset - b.offset)
}

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
  async matching(rg: string, pattern: string, limits: RipgrepLimits = {}): Promise<ReadonlySet<number>> {
    const found = new Set<number>()
    if (this.#length === 0) return found
    const { output } = await this.run(rg, pattern, limits)
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
    return found
  }

  async run(rg: string, pattern: string, limits: RipgrepLimits): Promise<Ran> {
    if (pattern.length > MAX_PATTERN) throw badPattern(`it is longer than ${MAX_PATTERN} characters`)
    if (pattern.includes('\0')) throw badPattern('it holds a NUL')
    const ran = await run(rg, [...MATCH_ARGS, '-e', pattern, '--', '-'], this.bytes, limits)
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

/** Its last words before it advises what only its own command line can do. */
function cleanError(errors: string): string {
  const told = errors.split('\n\n')[0]?.trim() ?? ''
  const last = told.split('\n').at(-1) ?? ''
  return last
    .replace(/^rg: /, '')
    .replace(/^error: /, '')
    .replace(/\.$/, '')
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

/**
 * A text that stands in whatever the pattern matches and that JSON writes as it is, by which lines can be chosen before
 * they are decoded; `undefined` where none is certain.
 */
export function requiredLiteral(pattern: string): string | undefined {
  // Alternatives, flags and nested classes are not worth understanding here.
  if (/\||\(\?(?!:|P?<\w)|\[[^\]]*\[|\[\^?\]/.test(pattern)) return undefined
  let best = ''
  let run = ''
  let depth = 0
  const endRun = (): void => {
    if (run.length > best.length) best = run
    run = ''
  }
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] as string
    if (depth === 0 && /[\w ,:;=@#%~!-]/.test(character)) {
      run += character
      continue
    }
    // What may be repeated no times need not be there.
    if ('*?{'.includes(character)) run = run.slice(0, -1)
    endRun()
    if (character === '(') depth++
    else if (character === ')') depth--
    else if (character === '\\') at = endOfEscape(pattern, at)
    else if (character === '{') at = endAfter(pattern, '}', at)
    else if (character === '[') at = endAfter(pattern, ']', at)
  }
  endRun()
  return depth === 0 && best.length >= 3 ? best : undefined
}

function endOfEscape(pattern: string, at: number): number {
  const found = /^\\(?:[pPxuU]\{[^}]*\}|[pP].|x..|u....|U.{8}|b\{[^}]*\}|.)/s.exec(pattern.slice(at, at + 64))
  return at + (found?.[0].length ?? 1) - 1
}

function endAfter(pattern: string, character: string, from: number): number {
  let at = from + 1
  while (at < pattern.length && pattern[at] !== character) at += pattern[at] === '\\' ? 2 : 1
  return at
}

interface Ran {
  readonly output: Buffer
  readonly errors: string
  readonly exitCode: number | null
  /** It ended by itself. */
  readonly isComplete: boolean
}

function run(rg: string, args: readonly string[], input: Buffer | undefined, limits: RipgrepLimits): Promise<Ran> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxOutputBytes = DEFAULT_OUTPUT_BYTES, signal } = limits
  return new Promise((resolve, reject) => {
    const child = spawn(rg, args, { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true })
    const chunks: Buffer[] = []
    let length = 0
    let errors = ''
    let isComplete = true
    const stop = (): void => {
      isComplete = false
      child.kill('SIGKILL')
    }
    const timer = setTimeout(stop, timeoutMs)
    const settle = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
    signal?.addEventListener('abort', stop)
    if (signal?.aborted) stop()
    child.stdout.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > maxOutputBytes) stop()
      else chunks.push(chunk)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (errors.length < 64_000) errors += text
    })
    child.on('error', (cause) => {
      settle()
      reject(new Failure('CANNOT_RUN', `ripgrep could not be started at ${rg}.`, { cause }))
    })
    child.on('close', (exitCode) => {
      settle()
      resolve({ output: Buffer.concat(chunks), errors, exitCode, isComplete })
    })
    // It may end before it has read everything: a bad pattern, or a limit.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}
