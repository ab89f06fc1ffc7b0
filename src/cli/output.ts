import { writeSync } from 'node:fs'
import { jsonText } from '../core/json-text.ts'
import { page, shouldPage } from './terminal/pager.ts'

/** Writes a result as one JSON object on one line. */
export function writeJson(name: string, result: object): void {
  writeAll(`${jsonText({ schema: `annals/${name}/1`, ...result })}\n`)
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

/** Waits for a slow reader instead of filling the memory; a reader that went away is no error. */
function writeAll(text: string): void {
  const bytes = Buffer.from(text)
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
