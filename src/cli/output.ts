import { writeSync } from 'node:fs'
import { resultText } from '../core/json-text.ts'
import { page, shouldPage } from './terminal/pager.ts'
import { plain } from './terminal/sanitize.ts'

/** Writes a result as one JSON object on one line, which a terminal only shows. */
export function writeJson(name: string, result: object): void {
  writeAll(`${resultText({ schema: `annals/${name}/1`, ...result })}\n`)
}

/** Writes lines for people, through a pager where they do not fit the screen. */
export async function writeText(lines: readonly string[], { noPager }: { readonly noPager: boolean }): Promise<void> {
  if (lines.length === 0) return
  const text = `${lines.join('\n')}\n`
  const { stdout } = process
  const isPaged = shouldPage({ isTty: stdout.isTTY === true, rows: stdout.rows, lines: lines.length, noPager })
  if (isPaged) await page(text, { env: process.env })
  else writeAll(text)
}

/** Writes bytes as they are; a terminal gets them as text that it only shows. */
export function writeBytes(bytes: Uint8Array): void {
  writeAll(process.stdout.isTTY ? plain(Buffer.from(bytes).toString()) : bytes)
}

/** Waits for a slow reader instead of filling the memory; a reader that went away is no error. */
function writeAll(data: string | Uint8Array): void {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  for (let from = 0; from < bytes.length; ) {
    try {
      from += writeSync(1, bytes, from)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'EAGAIN') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
      else throw error
    }
  }
}
