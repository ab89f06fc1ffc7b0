import type { Context } from '../../history/context.ts'
import { files } from '../../ops/files.ts'
import { show } from '../../ops/show.ts'
import { formatFiles } from '../format/files.ts'
import { formatShow } from '../format/show.ts'
import { page, splitCommand } from '../terminal/pager.ts'
import type { View } from '../view.ts'
import { markWords } from './mark-words.ts'
import { type Hit, type Row, shownHits } from './model.ts'

/** A text to read, and the line to begin at, where that is not the first. */
export interface Reading {
  readonly lines: readonly string[]
  readonly at?: number | undefined
}

/** A session as `show` writes it, opened at the match, with its words marked. */
export async function sessionText(context: Context, row: Row, view: View): Promise<Reading> {
  const [hit] = shownHits(row)
  // Titles stand beside the conversation: they lead to its beginning.
  const isInside = hit !== undefined && hit.snippet !== null && hit.kind !== 'title'
  const session = isInside ? `${hit.file}:${hit.line}` : (row.session.file ?? row.session.id)
  const lines = formatShow(await show.run(context, { session, thinking: hit?.kind === 'thinking' }), view)
  const words = hit ? wordsOf(hit) : []
  return { lines: lines.map((line) => markWords(line, words, view.style.match)), at: lines.openAt }
}

/** The files that a session changed. */
export async function filesText(context: Context, { session }: Row, view: View): Promise<Reading> {
  return { lines: formatFiles(await files.run(context, { session: session.file ?? session.id }), view) }
}

function wordsOf({ snippet, matches }: Hit): readonly string[] {
  return [...new Set(matches.map(([from, to]) => (snippet ?? '').slice(from, to).toLowerCase()))]
}

/** Shows a text in the pager; resolves when the reader has left, to false where there is no pager and it was only written. */
export async function readText({ lines, at = 0 }: Reading): Promise<boolean> {
  const { stdout } = process
  let isPaged = true
  const output = {
    on: (event: 'error', listener: (error: Error) => void) => stdout.on(event, listener),
    off: (event: 'error', listener: (error: Error) => void) => stdout.off(event, listener),
    write: (written: string, done: (error?: Error | null) => void) => {
      isPaged = false
      return stdout.write(written, done)
    },
  }
  const isLess = /(?:^|[\\/])less$/.test(pagerOf(process.env))
  // Only `less` can be told where to begin; others get what comes from there on, with a little of what precedes it.
  const text = isLess ? lines : lines.slice(Math.max(0, at - BEFORE))
  const env = isLess ? lessEnv(process.env) : process.env
  await aloneOnInterrupt(() => page(`${text.join('\n')}\n`, { env, output, ...(at > 0 && { at }) }))
  return isPaged
}

type Env = Readonly<Record<string, string | undefined>>

const BEFORE = 3

function pagerOf({ PAGER }: Env): string {
  return splitCommand(PAGER ?? '')[0] ?? 'less'
}

/** `less` would leave by itself when all fits on the screen, and the reader would have seen nothing. */
function lessEnv(env: Env): Env {
  return { ...env, PAGER: `${pagerOf(env)} -R -+F -+X` }
}

/** An interrupt belongs to the other program while it runs: nobody else here hears of it. */
export async function aloneOnInterrupt<T>(action: () => Promise<T>): Promise<T> {
  const others = process.rawListeners('SIGINT') as NodeJS.SignalsListener[]
  const stay = () => {}
  process.removeAllListeners('SIGINT')
  process.on('SIGINT', stay)
  try {
    return await action()
  } finally {
    process.off('SIGINT', stay)
    for (const listener of others) process.on('SIGINT', listener)
  }
}
