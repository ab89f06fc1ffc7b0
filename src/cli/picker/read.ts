import type { Context } from '../../history/context.ts'
import { files } from '../../ops/files.ts'
import { show } from '../../ops/show.ts'
import { formatFiles } from '../format/files.ts'
import { formatShow } from '../format/show.ts'
import { page, splitCommand } from '../terminal/pager.ts'
import type { View } from '../view.ts'
import { markWords } from './mark-words.ts'
import { type Hit, type HitPlace, type Row, shownHits } from './model.ts'

/** A text to read, and the line to begin at. */
export interface Reading {
  readonly lines: readonly string[]
  /** Counted from 1. */
  readonly from: number
}

/** A session as `show` writes it, at the match: with the words marked, and with what they stand in unfolded. */
export async function sessionText(
  context: Context,
  row: Row,
  place: HitPlace | undefined,
  view: View,
): Promise<Reading> {
  const [hit] = shownHits(row)
  const input = { ...inputOf(row, hit, place), ...(hit ? unfolding(hit) : {}) }
  const lines = formatShow(await show.run(context, input), { ...view, tools: input.tools ?? view.tools })
  if (!hit) return { lines, from: 1 }
  const words = wordsOf(hit)
  const turnAt = place?.turn ? lines.findIndex((line) => turnOf(line) === place.turn) : 0
  const found = lines.findIndex((line, at) => at >= turnAt && isIn(line, words))
  const from = (found === -1 ? Math.max(0, turnAt) : found) + 1
  return { lines: lines.map((line) => markWords(line, words, view.style.match)), from }
}

/** The files that a session changed. */
export async function filesText(context: Context, { session }: Row, view: View): Promise<Reading> {
  const lines = formatFiles(await files.run(context, { session: session.file ?? session.id }), view)
  return { lines, from: 1 }
}

/** What was found in an agent is read in the agent's own log. */
function inputOf({ session }: Row, hit: Hit | undefined, place: HitPlace | undefined) {
  if (hit?.agent && hit.snippet !== null) return { session: hit.file }
  return { session: session.file ?? session.id, ...(place?.branch ? { branch: place.branch } : {}) }
}

/** What is folded away by itself is shown where the match is in it. */
function unfolding({ kind }: Hit): { readonly tools?: 'full'; readonly thinking?: true } {
  if (kind === 'thinking') return { thinking: true }
  return kind === 'prompt' || kind === 'text' || kind === 'title' ? {} : { tools: 'full' }
}

function wordsOf({ snippet, matches }: Hit): readonly string[] {
  return [...new Set(matches.map(([from, to]) => (snippet ?? '').slice(from, to).toLowerCase()))]
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one.
const COLOURS = /\u001b\[[\d;]*m/g

/** The number of the turn whose prompt stands on a line. */
function turnOf(line: string): number | undefined {
  const [, number] = /^ *(\d+) ›/.exec(line.replace(COLOURS, '')) ?? []
  return number === undefined ? undefined : Number(number)
}

function isIn(line: string, words: readonly string[]): boolean {
  const text = line.replace(COLOURS, '').toLowerCase()
  return words.some((word) => text.includes(word))
}

/** Shows a text in the pager; resolves when the reader has left, to false where there is no pager and it was only written. */
export async function readText({ lines, from }: Reading): Promise<boolean> {
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
  const text = isLess ? lines : lines.slice(Math.max(0, from - 1 - BEFORE))
  const env = isLess ? lessEnv(process.env, from) : process.env
  await aloneOnInterrupt(() => page(`${text.join('\n')}\n`, { env, output }))
  return isPaged
}

type Env = Readonly<Record<string, string | undefined>>

const BEFORE = 3

function pagerOf({ PAGER }: Env): string {
  return splitCommand(PAGER ?? '')[0] ?? 'less'
}

/** `less` would leave by itself when all fits on the screen, and the reader would have seen nothing. */
function lessEnv(env: Env, from: number): Env {
  return { ...env, PAGER: `${pagerOf(env)} -R -+F -+X${from > 1 ? ` -j.3 +${from}` : ''}` }
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
