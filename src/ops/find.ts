import { Failure } from '../core/failure.ts'
import { fieldAt } from '../core/json.ts'
import { type Static, Type } from '../core/schema.ts'
import { findFolded, fold } from '../core/search/folded-text.ts'
import { makeSnippet, type Range } from '../core/search/snippet.ts'
import { stringsIn } from '../core/strings-in.ts'
import { chosenBranch, leafUuid, openSession } from '../history/open.ts'
import { NullableString } from '../history/shapes.ts'
import { type RowShape, readRow } from '../history/view/row-shape.ts'
import { wholeView } from '../history/view/whole-view.ts'
import { defineOp } from './op.ts'

/** How many matching rows are listed; the others are only counted. */
const MOST_LISTED = 1000
/** With an ellipsis at both ends it is 160. */
const SNIPPET = 158

const Match = Type.Object({
  row: Type.Integer(),
  turn: Type.Integer(),
  uuid: Type.String(),
  kind: Type.String('What it was found in: prompt, text, thinking, tool, command …'),
  timestamp: NullableString,
  count: Type.Integer('How often the row has it'),
  snippet: Type.String(),
  matches: Type.Array(Type.Pair(Type.Integer()), 'Where it stands in the snippet, in UTF-16 units'),
})

export const find = defineOp({
  name: 'find',
  lists: 'matches',
  effort: 'long',
  teamStore: 'read',
  summary: 'Find words inside one session.',
  examples: [
    'annals find last "refresh token"',
    'annals search --session last refresh token',
    'annals find agent-a1b2 mutex',
  ],
  input: Type.Object({
    session: Type.String('An id or the start of one, last, current, a title, a log file or agent-<id>'),
    query: Type.String({ minLength: 1, description: 'What to find, in any case, with or without accents' }),
    branch: Type.Optional(Type.String('A branch, by the start of its last uuid (default: the active one)')),
  }),
  positional: ['session', 'query'],
  result: Type.Object({
    session: Type.String(),
    agent: NullableString,
    branch: NullableString,
    query: Type.String(),
    total: Type.Integer(`Rows that have it; the first ${MOST_LISTED} are listed`),
    occurrences: Type.Integer('How often it occurs in all of them'),
    matches: Type.Array(Match),
  }),
  async run(context, input) {
    const opened = await openSession(context, input.session)
    const { conversation } = opened
    const branch = chosenBranch(conversation.tree, input.branch)
    const walk = conversation.walk(branch)
    const view = await wholeView(context, opened)
    const wanted = fold(input.query)
    if (wanted === '') throw new Failure('BAD_INPUT', `There is nothing to find in "${input.query}".`)
    const matches: Static<typeof Match>[] = []
    let total = 0
    let occurrences = 0
    for (let row = 0; row < walk.rows.length; row++) {
      const match = matchIn(readRow(conversation, walk, row, view), wanted)
      if (!match) continue
      total += 1
      occurrences += match.count
      if (matches.length < MOST_LISTED) matches.push(match)
    }
    return {
      session: opened.files.id,
      agent: opened.agent?.id ?? null,
      branch: leafUuid(conversation.tree, branch),
      query: input.query,
      total,
      occurrences,
      matches,
    }
  },
})

type Row = Static<typeof RowShape>

function matchIn(shown: Row, wanted: string): Static<typeof Match> | undefined {
  let count = 0
  let first: { readonly kind: string; readonly text: string; readonly ranges: readonly Range[] } | undefined
  for (const [kind, text] of textsOf(shown)) {
    const found = findFolded(text, wanted, first ? 0 : MOST_IN_SNIPPET)
    count += found.count
    if (found.count > 0) first ??= { kind, text, ranges: found.ranges }
  }
  if (!first) return undefined
  const { row, turn, uuid, timestamp } = shown
  const { snippet, matches } = makeSnippet(first.text, first.ranges, { length: SNIPPET })
  const found = matches.map(([from, to]): [number, number] => [from, to])
  return { row, turn, uuid, kind: first.kind, timestamp, count, snippet: ownString(snippet), matches: found }
}

/** More than these do not stand in one snippet. */
const MOST_IN_SNIPPET = SNIPPET

/** The texts that a row shows, each with what it is. */
function* textsOf({ prompt, items }: Row): Generator<readonly [kind: string, text: string]> {
  if (prompt) {
    yield [prompt.kind, prompt.text]
    if (prompt.output !== null) yield [prompt.kind, prompt.output]
  }
  for (const item of items) {
    for (const field of SHOWN_FIELDS) for (const text of stringsIn(fieldAt(item, field))) yield [item.kind, text]
  }
}

/** The fields of items that are shown as they are. */
const SHOWN_FIELDS = ['text', 'name', 'args', 'input', 'output', 'result', 'summary']

/** A copy: a piece of a long text would keep all of it in memory. */
function ownString(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}
