import { writeSync } from 'node:fs'
import { resultText } from '../core/json-text.ts'
import type { Lines } from './format/parts/lines.ts'
import { isTerminal } from './terminal/is-terminal.ts'
import { page, shouldPage } from './terminal/pager.ts'
import { plain } from './terminal/sanitize.ts'

/** Writes a result as one JSON object on one line, which a terminal only shows. */
export function writeJson(name: string, result: object): void {
  writeAll(`${resultText({ schema: `annals/${name}/1`, ...result })}\n`)
}

/** Writes text as it is. */
export function writePlain(text: string): void {
  if (text !== '') writeAll(text)
}

/** Writes lines for people, through a pager where they do not fit the screen. Piped, only data goes to standard output. */
export async function writeText(lines: Lines, { noPager }: { readonly noPager: boolean }): Promise<void> {
  if (lines.length === 0) return
  if (!isTerminal(1)) return writeApart(lines)
  const text = `${lines.join('\n')}\n`
  const isPaged = shouldPage({ isTty: true, rows: process.stdout.rows, lines: lines.length, noPager })
  if (isPaged) await page(text, { env: process.env, ...(lines.openAt !== undefined && { at: lines.openAt }) })
  else writeAll(text)
}

/** The data to standard output, what is said about it to standard error. */
function writeApart(lines: Lines): void {
  const from = lines.footerFrom ?? lines.length
  const data = lines.slice(0, from)
  while (from < lines.length && data.at(-1) === '') data.pop()
  const footer = lines.slice(from).filter((line) => line !== '')
  // Piece by piece: of a huge session the text as a whole would weigh as much as all its lines.
  for (let i = 0; i < data.length; i += PIECE_LINES) writeAll(`${data.slice(i, i + PIECE_LINES).join('\n')}\n`)
  if (footer.length > 0) writeNote(`${footer.join('\n')}\n`)
}

const PIECE_LINES = 10_000

/** Writes bytes as they are; a terminal gets them as text that it only shows. */
export function writeBytes(bytes: Uint8Array): void {
  writeAll(isTerminal(1) ? plain(Buffer.from(bytes).toString()) : bytes)
}

/** Says something on standard error; where nobody listens there any more, nothing is said. */
export function writeNote(text: string): void {
  try {
    writeAll(isTerminal(2) ? broken(text, process.stderr.columns || 80) : text, 2)
  } catch {
    return
  }
}

/** Sentences broken between words where the terminal would break them inside; tables, which fit already, and long words are left alone. */
export function broken(text: string, columns: number): string {
  const breakLine = (line: string): readonly string[] => {
    if (line.length <= columns || /\S {2,}\S/.test(line)) return [line]
    const lead = /^ */.exec(line)?.[0] ?? ''
    const at = line.lastIndexOf(' ', columns)
    return at <= lead.length ? [line] : [line.slice(0, at), ...breakLine(lead + line.slice(at + 1))]
  }
  return text.split('\n').flatMap(breakLine).join('\n')
}

/** Waits for a slow reader instead of filling the memory; a reader that went away is told to the caller. */
function writeAll(data: string | Uint8Array, descriptor = 1): void {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  for (let from = 0; from < bytes.length; ) {
    try {
      from += writeSync(descriptor, bytes, from)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'EAGAIN') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
      else throw error
    }
  }
}
