import { type Static, Type } from '../core/schema.ts'
import { between } from '../core/usage/moment.ts'
import { newestFirst } from '../history/find.ts'
import { type ListedSession, listSessions } from '../history/list.ts'
import { inScope } from '../history/scope.ts'
import { FEATURES, hasAll, isTrivial } from '../history/session-filter.ts'
import { limitInput, scopeInput, timeInput } from '../history/shapes.ts'
import { isListed, SessionItem } from '../history/view/session-item.ts'
import { defineOp } from './op.ts'

const SessionsInput = Type.Object({
  ...scopeInput,
  ...timeInput,
  ...limitInput,
  sort: Type.Optional(
    Type.Choice(['time', 'cost', 'active', 'turns', 'size'], 'Newest first (default), or the most first'),
  ),
  'git-branch': Type.Optional(Type.String('Only sessions that were on this git branch at any time')),
  'min-cost': Type.Optional(
    Type.Number({ minimum: 0, description: 'Only sessions that cost this many dollars or more' }),
  ),
  starred: Type.Optional(Type.Boolean('Only sessions with a star')),
  tag: Type.Optional(Type.String('Only sessions with this tag')),
  has: Type.Optional(
    Type.Array(
      Type.Choice(FEATURES),
      'Only sessions with an error, plan, agent, image or compaction; repeat it to ask for several',
    ),
  ),
  trivial: Type.Optional(Type.Boolean('Only trivial sessions: no response, or one prompt and no tool call')),
  'no-trivial': Type.Optional(Type.Boolean('Leave out trivial sessions')),
  all: Type.Optional(Type.Boolean('Also logs without a conversation, and sessions whose log is gone')),
  full: Type.Optional(Type.Boolean('Accepted for compatibility; changes nothing')),
})

export const sessions = defineOp({
  name: 'sessions',
  group: 'Find',
  teamStore: 'read',
  summary: 'List sessions, newest first.',
  examples: [
    'annals sessions',
    'annals sessions --here --since 7d',
    'annals sessions --sort cost --min-cost 5',
    'annals sessions --has error --git-branch main',
  ],
  input: SessionsInput,
  positional: [],
  result: Type.Object({
    items: Type.Array(SessionItem),
    total: Type.Integer('How many there are before --limit'),
    trivial: Type.Integer('How many of these came to nothing: no response, or one prompt and no tool call'),
    hidden: Type.Record(Type.Integer(), 'How many were left out, by kind; trivial only with --no-trivial'),
  }),
  async run(context, input) {
    const fits = inScope(input, context.cwd)
    const inTime = between(input, context.now)
    const isAsked = asked(input)
    const found = (await listSessions(context)).filter(
      (item) => fits(item.project) && inTime(item.updatedAt) && isAsked(item),
    )
    const has = input.has === undefined ? () => true : await hasAll(context, input.has)
    const hidden: Record<string, number> = {}
    const shown = found.filter(has).filter((item) => {
      const kind = hiddenAs(item, input)
      if (kind !== undefined) hidden[kind] = (hidden[kind] ?? 0) + 1
      return kind === undefined
    })
    shown.sort(orderOf(input.sort))
    return {
      items: shown.slice(0, input.limit ?? shown.length),
      total: shown.length,
      trivial: shown.filter(isTrivial).length,
      hidden,
    }
  },
})

type Input = Static<typeof SessionsInput>

/** A test for what flags ask of a session itself. */
function asked(input: Input): (item: ListedSession) => boolean {
  const { 'git-branch': branch, 'min-cost': least, trivial, starred, tag } = input
  return (item) =>
    (branch === undefined || item.gitBranches.includes(branch)) &&
    (least === undefined || (item.costUsd ?? 0) >= least) &&
    (!trivial || isTrivial(item)) &&
    (!starred || item.starred) &&
    (tag === undefined || item.tags.includes(tag))
}

/** What a session is counted as that is not listed. */
function hiddenAs(item: ListedSession, input: Input): string | undefined {
  if (!input.all && !isListed(item)) return item.kind
  return input['no-trivial'] && isTrivial(item) ? 'trivial' : undefined
}

function orderOf(sort: Input['sort']): (a: ListedSession, b: ListedSession) => number {
  if (sort === undefined || sort === 'time') return newestFirst
  const amount = AMOUNTS[sort]
  return (a, b) => (amount(b) ?? -1) - (amount(a) ?? -1) || newestFirst(a, b)
}

const AMOUNTS: Readonly<Record<'cost' | 'active' | 'turns' | 'size', (item: ListedSession) => number | null>> = {
  cost: ({ costUsd }) => costUsd,
  active: ({ activeMs }) => activeMs,
  turns: ({ counts }) => counts?.turns ?? null,
  size: ({ sizeBytes }) => sizeBytes,
}
