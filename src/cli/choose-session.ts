import { Failure } from '../core/failure.ts'
import type { Context } from '../history/context.ts'
import { AmbiguousAgent, AmbiguousSession, newestFirst } from '../history/find.ts'
import { listSessions } from '../history/list.ts'
import { agents } from '../ops/agents.ts'
import { cost, projectName, shortId, when } from './format/parts/names.ts'
import { sessionLines } from './format/parts/session-line.ts'
import { type Column, listOf } from './terminal/columns.ts'
import { plural } from './terminal/human.ts'
import { isTerminal } from './terminal/is-terminal.ts'
import { oneLine, plain } from './terminal/sanitize.ts'
import { createStyle } from './terminal/style.ts'
import { laidOut, padStart } from './terminal/width.ts'
import type { View } from './view.ts'

/** Who asks, and whether somebody sits there to answer. */
export interface Choosing {
  readonly context: Context
  readonly view: View
  /** Asks a question on the terminal; `undefined` where nobody can be asked. */
  readonly ask: ((question: string) => Promise<string>) | undefined
}

type Input = Readonly<Record<string, unknown>>
type Ambiguous = AmbiguousSession | AmbiguousAgent

/** Runs something with its input; where a session or an agent in it could be several, shows these and, on a terminal, lets one choose. */
export async function withChoice<T>(
  run: (input: Input) => T | Promise<T>,
  input: Input,
  choosing: Choosing,
): Promise<T> {
  try {
    return await run(input)
  } catch (error) {
    if (!(error instanceof AmbiguousSession || error instanceof AmbiguousAgent)) throw error
    const chosen = await choose(error, choosing)
    return withChoice(run, replaced(input, error.asked, chosen), choosing)
  }
}

/** Off a terminal, titles have room beside whole ids. */
const WIDTH_OF_A_LOG = 120

/** A choice among more than this is none: then more of the id has to be given. */
const MOST = 20

/** What can be chosen: how each is named, and a table of them. */
interface Choices {
  readonly names: readonly string[]
  readonly head: string
  readonly rows: readonly string[]
}

async function choose(error: Ambiguous, { context, view, ask }: Choosing): Promise<string> {
  const width = isTerminal(2) ? process.stderr.columns || 80 : WIDTH_OF_A_LOG
  const plainView = { ...view, style: createStyle({ colour: false }), width: width - 4 }
  const isAgent = error instanceof AmbiguousAgent
  const choices = await (isAgent ? agentChoices(error, context, plainView) : sessionChoices(error, context, plainView))
  const rest = error.matches.length - choices.names.length
  const isAsked = ask !== undefined && choices.names.length > 0
  const shown = [
    `${plural(error.matches.length, isAgent ? 'agent' : 'session')} match "${error.asked}":`,
    `    ${choices.head}`,
    ...choices.rows.map((row, at) => `${isAsked ? padStart(String(at + 1), 2) : '  '}  ${row}`),
    ...(rest > 0 ? [`    and ${rest} more`] : []),
  ].join('\n')
  if (!isAsked) throw new Failure('SESSION_AMBIGUOUS', shown, error.hint === undefined ? {} : { hint: error.hint })
  const answer = Number((await ask(`${plain(shown)}\nWhich one? `)).trim())
  const chosen = choices.names[answer - 1]
  if (chosen !== undefined) return chosen
  throw new Failure('CANNOT_RUN', 'Nothing was done.', {
    hint: `Answer with a number from 1 to ${choices.names.length}.`,
  })
}

async function sessionChoices({ matches }: AmbiguousSession, context: Context, view: View): Promise<Choices> {
  const files = new Set(matches.map(({ file }) => file))
  const all = (await listSessions(context)).filter(({ file }) => file !== null && files.has(file))
  const items = all.toSorted(newestFirst).slice(0, MOST)
  const [head = '', ...rows] = await laidOut(() => sessionLines(items, view, { byDay: false }))
  return { names: items.map(({ id }) => id), head, rows }
}

type AgentItem = Awaited<ReturnType<typeof agents.run>>['items'][number]

/** Agents with what they were asked, and the session, project, day and cost that tell them apart. */
async function agentChoices({ matches }: AmbiguousAgent, context: Context, view: View): Promise<Choices> {
  const sessions = new Map((await listSessions(context)).map((item) => [item.id, item]))
  const items: AgentItem[] = []
  for (const { files, agent } of matches.slice(0, MOST)) {
    const family = await agents.run(context, { session: files.log?.path ?? files.id, all: true })
    items.push(...family.items.filter(({ id }) => id === agent?.id))
  }
  const columns: readonly Column<AgentItem>[] = [
    { name: 'id', cell: ({ id }) => `agent-${shortId(id)}` },
    { name: 'task', flex: true, cell: ({ description, prompt }) => oneLine(description ?? prompt ?? '') },
    { name: 'session', most: 24, from: 66, cell: ({ session }) => oneLine(sessions.get(session)?.title ?? session) },
    { name: 'project', most: 14, cell: ({ session }) => projectName(sessions.get(session)?.project ?? NO_PROJECT) },
    { name: 'when', cell: ({ startedAt }) => when(startedAt, view) },
    { name: 'cost', align: 'right', cell: ({ costUsd }) => cost(costUsd) },
  ]
  return { names: items.map(({ id }) => `agent-${id}`), ...(await laidOut(() => listOf(items, columns, view.width))) }
}

const NO_PROJECT = { key: '', path: null }

/** The input with another name for what was asked, wherever that stands, also as the beginning of a point. */
function replaced(input: Input, asked: string, chosen: string): Input {
  const change = (value: unknown) => {
    if (typeof value !== 'string') return value
    return value === asked || value.startsWith(`${asked}:`) ? chosen + value.slice(asked.length) : value
  }
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, Array.isArray(value) ? value.map(change) : change(value)]),
  )
}
