import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import xterm from '@xterm/headless'

const cli = resolve(import.meta.dirname, '../../dist/cli.cjs')

/** The size of a terminal. */
export interface Size {
  readonly columns: number
  readonly rows: number
}

/** A line as a terminal shows it: `isWrapped` where it did not fit, and goes on from the one above. */
export interface ShownLine {
  readonly text: string
  readonly isWrapped: boolean
}

/** Runs command lines one after the other in one terminal, and gives the data that each left on it. */
export async function screensOf(
  argvs: readonly (readonly string[])[],
  { columns, rows }: Size,
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<readonly (readonly ShownLine[])[]> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-screens-'))
  const script = join(folder, 'commands.sh')
  // Sentences about trouble may be as long as they are: a terminal breaks them.
  const lines = argvs.map(
    (argv) => `${[process.execPath, cli, ...argv].map(quoted).join(' ')} 2>/dev/null; printf '\\036'`,
  )
  writeFileSync(script, `stty rows ${rows} cols ${columns}\n${lines.join('\n')}\n`)
  try {
    const child = spawn('script', ['-qec', `sh ${quoted(script)}`, '/dev/null'], {
      cwd: options.cwd,
      // What does not fit the screen is written out as it would be paged.
      env: { TERM: 'xterm-256color', TZ: 'UTC', LANG: 'C.UTF-8', SHELL: '/bin/sh', PAGER: 'cat', ...options.env },
    })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    await once(child, 'close')
    return await Promise.all(
      output
        .split('\u001e')
        .slice(0, argvs.length)
        .map((text) => shown(text, columns)),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}

/** What a terminal of that width makes of a text, without what is below its last line. */
async function shown(text: string, columns: number): Promise<readonly ShownLine[]> {
  const rows = Math.min(20_000, text.split('\n').length + text.length / columns + 2)
  const terminal = new xterm.Terminal({ cols: columns, rows: Math.ceil(rows), allowProposedApi: true })
  await new Promise<void>((done) => terminal.write(text, done))
  const lines = Array.from({ length: terminal.rows }, (_, y) => {
    const line = terminal.buffer.active.getLine(y)
    return { text: line?.translateToString(true) ?? '', isWrapped: line?.isWrapped ?? false }
  })
  terminal.dispose()
  return lines.slice(0, lines.findLastIndex((line) => line.text !== '') + 1)
}
