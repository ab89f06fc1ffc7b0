import { Failure } from '../core/failure.ts'
import type { Context } from '../history/context.ts'
import { AmbiguousSession, newestFirst } from '../history/find.ts'
import { listSessions } from '../history/list.ts'
import type { SessionItem } from '../history/view/session-item.ts'
import { sessionLines } from './format/parts/session-line.ts'
import { isTerminal } from './terminal/is-terminal.ts'
import { plain } from './terminal/sanitize.ts'
import { createStyle } from './terminal/style.ts'
import { padStart } from './terminal/width.ts'
import type { View } from './view.ts'

/** Who asks, and whether somebody sits there to answer. */
export interface Choosing {
  readonly context: Context
  readonly view: View
  /** Asks a question on the terminal; `undefined` where nobody can be asked. */
  readonly ask: ((question: string) => Promise<string>) | undefined
}

type Input = Readonly<Record<string, unknown>>

/** Runs something with its input; where a session in it could be several, shows these and, on a terminal, lets one choose. */
export async function withChoice<T>(
  run: (input: Input) => T | Promise<T>,
  input: Input,
  choosing: Choosing,
): Promise<T> {
  try {
    return await run(input)
  } catch (error) {
    if (!(error instanceof AmbiguousSession)) throw error
    const chosen = await choose(error, choosing)
    return withChoice(run, replaced(input, error.asked, chosen), choosing)
  }
}

/** Off a terminal, titles have room beside whole ids. */
const WIDTH_OF_A_LOG = 120

/** A choice among more than this is none: then more of the id has to be given. */
const MOST = 20

async function choose(error: AmbiguousSession, { context, view, ask }: Choosing): Promise<string> {
  const files = new Set(error.matches.map(({ file }) => file))
  const all = (await listSessions(context)).filter(({ file }) => file !== null && files.has(file))
  const items: readonly SessionItem[] = all.toSorted(newestFirst).slice(0, MOST)
  const width = isTerminal(2) ? process.stderr.columns || 80 : WIDTH_OF_A_LOG
  const [head = '', ...rows] = sessionLines(
    items,
    { ...view, style: createStyle({ colour: false }), width: width - 4 },
    { byDay: false },
  )
  const more = all.length > items.length ? [`    and ${all.length - items.length} more`] : []
  const title = `${all.length} sessions fit "${error.asked}":`
  const isAsked = ask !== undefined && items.length > 0
  const numbered = rows.map((row, at) => `${isAsked ? padStart(String(at + 1), 2) : '  '}  ${row}`)
  const shown = [title, `    ${head}`, ...numbered, ...more].join('\n')
  if (!isAsked) throw new Failure('SESSION_AMBIGUOUS', shown, { hint: 'Give more of the id.' })
  const answer = Number((await ask(`${plain(shown)}\nWhich one? `)).trim())
  const chosen = items[answer - 1]
  if (chosen) return chosen.id
  throw new Failure('CANNOT_RUN', 'Nothing was done.', { hint: 'Answer with the number of a session.' })
}

/** The input with another name for a session, wherever that stands. */
function replaced(input: Input, asked: string, chosen: string): Input {
  const change = (value: unknown) => (value === asked ? chosen : value)
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, Array.isArray(value) ? value.map(change) : change(value)]),
  )
}
