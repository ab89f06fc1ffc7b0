import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { Failure } from '../core/failure.ts'

/** The ripgrep that was installed with us, else the one that the caller knows of. */
export function ripgrepPath(fallback?: string): string | undefined {
  const ours = createRequire(import.meta.url)
  const file = `@vscode/ripgrep-${process.platform}-${process.arch}/bin/${process.platform === 'win32' ? 'rg.exe' : 'rg'}`
  try {
    // The binary's own package stands beside the one that asks for it, wherever npm put that.
    return createRequire(ours.resolve('@vscode/ripgrep')).resolve(file)
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
  let lines: readonly FileLine[] = []
  const deadline = Date.now() + (limits.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  for (const batch of batchesOf(files)) {
    const args = [...LINE_ARGS, ...patterns, '--', ...batch]
    const timeoutMs = Math.max(1, deadline - Date.now())
    const { output, errors, isComplete } = await runRipgrep(rg, args, undefined, { ...limits, timeoutMs })
    if (errors !== '') throw new Failure('CANNOT_RUN', `ripgrep could not search: ${cleanError(errors)}.`)
    lines = lines.concat(inOrder(readLines(output), batch))
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

/** Its last words before it advises what only its own command line can do. */
export function cleanError(errors: string): string {
  const told = errors.split('\n\n')[0]?.trim() ?? ''
  const last = told.split('\n').at(-1) ?? ''
  return last
    .replace(/^rg: /, '')
    .replace(/^error: /, '')
    .replace(/\.$/, '')
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

/** What a run of ripgrep gave. */
export interface Ran {
  readonly output: Buffer
  readonly errors: string
  readonly exitCode: number | null
  /** It ended by itself. */
  readonly isComplete: boolean
}

/** Runs ripgrep within limits. */
export function runRipgrep(
  rg: string,
  args: readonly string[],
  input: Buffer | undefined,
  limits: RipgrepLimits,
): Promise<Ran> {
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
