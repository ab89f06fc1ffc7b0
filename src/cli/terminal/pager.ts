type Env = Readonly<Record<string, string | undefined>>

/** What decides whether a text goes through a pager. */
export interface PagingFacts {
  readonly isTty: boolean
  /** Height of the terminal, where known. */
  readonly rows: number | undefined
  /** Height of the text. */
  readonly lines: number
  readonly noPager: boolean
}

/** Whether to page: only for someone at a terminal, and only what does not fit above the next prompt. */
export function shouldPage({ isTty, rows, lines, noPager }: PagingFacts): boolean {
  return isTty && !noPager && rows !== undefined && lines >= rows
}

/** Where the text goes when there is no pager. */
export interface Output {
  write(text: string, done: (error?: Error | null) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
}

/** The user's environment, and another way out than standard output. */
export interface PageOptions {
  readonly env: Env
  readonly output?: Output
  /** The line that is shown first, as far as the pager can. */
  readonly at?: number
}

/**
 * Shows a text through `$PAGER`, else `less -FRX`, else writes it out; resolves when the reader has left. No shell is
 * involved, and a reader who leaves early is no error. The text must already be plain: the pager lets colours through.
 */
export async function page(text: string, { env, output = process.stdout, at }: PageOptions): Promise<void> {
  for (const command of [splitCommand(env.PAGER ?? ''), ['less', '-FRX']]) {
    const argv = openedAt(command, at)
    if (argv[0] === 'cat') break
    if (argv[0] && (await pipeTo(argv, text, pagerEnv(env)))) return
  }
  await writeOut(text, output)
}

/** `less` can begin at a line, and leaves some of what precedes it on the screen. */
export function openedAt(argv: readonly string[], at: number | undefined): readonly string[] {
  const isLess = /(?:^|[\\/])less(?:\.exe)?$/.test(argv[0] ?? '')
  return at === undefined || !isLess ? argv : [...argv, '-j5', `+${at + 1}g`]
}

/** A command line as its words. Quotes group, nothing is expanded. */
export function splitCommand(command: string): string[] {
  const words = command.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'))
}

/** The environment without what makes `less` run other programs, and with what makes it show our text well. */
export function pagerEnv(env: Env): Record<string, string | undefined> {
  const { LESSOPEN: _open, LESSCLOSE: _close, ...rest } = env
  return { LESS: 'FRX', LESSCHARSET: 'utf-8', ...rest, LESSSECURE: '1' }
}

/** Resolves to false when the program cannot be started. */
function pipeTo([file = '', ...args]: readonly string[], text: string, env: Env): Promise<boolean> {
  return new Promise((resolve) => {
    // Ctrl-C belongs to the pager while it runs; without this we would die and leave it behind.
    const stay = () => {}
    process.on('SIGINT', stay)
    const settle = (started: boolean) => {
      process.off('SIGINT', stay)
      resolve(started)
    }
    const { spawn } = process.getBuiltinModule('node:child_process')
    const child = spawn(file, args, { stdio: ['pipe', 'inherit', 'inherit'], env })
    child.on('error', () => settle(false))
    child.on('close', () => settle(true))
    child.stdin.on('error', () => {})
    child.stdin.end(text)
  })
}

function writeOut(text: string, output: Output): Promise<void> {
  return new Promise((resolve) => {
    const quiet = () => {}
    output.on('error', quiet)
    output.write(text, () => {
      // A stream tells its callback first and its listeners after.
      setImmediate(() => output.off('error', quiet))
      resolve()
    })
  })
}
