import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import xterm from '@xterm/headless'

const cli = resolve(import.meta.dirname, '../../dist/cli.cjs')

/** How a command is started in a terminal of its own. */
export interface TerminalOptions {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly columns?: number
  readonly rows?: number
}

/** A terminal with a command in it: what it shows can be looked at, and keys pressed. */
export interface Terminal {
  type(keys: string): void
  resize(columns: number, rows: number): void
  signal(name: 'TERM' | 'INT'): void
  /** Waits until the screen shows it. */
  shows(wanted: string | RegExp): Promise<void>
  /** Waits until the command has ended, and gives its exit code. */
  exit(): Promise<number | null>
  lines(): readonly string[]
  text(): string
  isAlternate(): boolean
  /** All that was written to the terminal. */
  output(): string
  /** What was put on the clipboard. */
  clipboard(): string | undefined
  /** What the output made the terminal do beside showing it. */
  events(): readonly string[]
  close(): void
}

const PATIENCE_MS = 30_000

/** Runs the built command line in a terminal that is only in memory. */
export function openTerminal({ args, cwd, env, columns = 80, rows = 24 }: TerminalOptions): Terminal {
  if (!existsSync(cli)) throw new Error('dist/cli.cjs is missing: run `npm test`, or `npm run build` first.')
  const folder = mkdtempSync(join(tmpdir(), 'annals-terminal-'))
  const about = join(folder, 'about')
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
  const events: string[] = []
  let output = ''
  let clipboard: string | undefined
  terminal.onTitleChange(() => events.push('title'))
  terminal.onBell(() => events.push('bell'))
  terminal.onData(() => events.push('answer'))
  terminal.parser.registerOscHandler(52, (data) => {
    clipboard = Buffer.from(data.replace(/^c;/, ''), 'base64').toString()
    return true
  })
  const command = [process.execPath, cli, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  const start = `echo "$(tty) $$" > '${about}'; stty rows ${rows} cols ${columns}; exec ${command}`
  const child: ChildProcess = spawn('script', ['-qec', start, '/dev/null'], {
    cwd,
    env: { TERM: 'xterm-256color', TZ: 'UTC', LANG: 'C.UTF-8', SHELL: '/bin/sh', ...env },
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text
    terminal.write(text)
  })
  const [tty, pid] = [0, 1].map((at) => () => readFileSync(about, 'utf8').trim().split(' ')[at] ?? '')
  const lines = () => {
    const { active } = terminal.buffer
    return Array.from(
      { length: terminal.rows },
      (_, y) => active.getLine(active.baseY + y)?.translateToString(true) ?? '',
    )
  }
  const text = () => lines().join('\n')
  const settled = () => new Promise<void>((resolve) => terminal.write('', resolve))
  return {
    type: (keys) => child.stdin?.write(keys),
    resize: (wide, high) => {
      terminal.resize(wide, high)
      spawnSync('stty', ['-F', tty?.() ?? '', 'rows', String(high), 'cols', String(wide)])
    },
    signal: (name) => process.kill(Number(pid?.()), `SIG${name}`),
    shows: async (wanted) => {
      const isShown = () => (typeof wanted === 'string' ? text().includes(wanted) : wanted.test(text()))
      for (const start = Date.now(); Date.now() - start < PATIENCE_MS; ) {
        await settled()
        if (isShown()) return
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      throw new Error(`The terminal never showed ${wanted}. It shows:\n${text()}`)
    },
    exit: async () => {
      const code = await ended
      await settled()
      return code
    },
    lines,
    text,
    isAlternate: () => terminal.buffer.active.type === 'alternate',
    output: () => output,
    clipboard: () => clipboard,
    events: () => events,
    close: () => {
      child.kill()
      terminal.dispose()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
