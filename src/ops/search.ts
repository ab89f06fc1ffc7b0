import { Failure } from '../core/failure.ts'
import { type Static, Type } from '../core/schema.ts'
import { SEARCH_KINDS, SEARCH_ROLES } from '../core/search/searchable.ts'
import { momentOf, untilMoment } from '../core/usage/moment.ts'
import type { Context } from '../history/context.ts'
import { historyOf } from '../history/history.ts'
import { inScope } from '../history/scope.ts'
import { type HitPlace, hitPlaces } from '../history/search/hit-place.ts'
import { type Hit as FoundHit, searchHistory, soughtBy } from '../history/search/search.ts'
import { NeighbourShape, openSurroundings } from '../history/search/search-context.ts'
import { mustBeTool, searchedPlace } from '../history/search/search-values.ts'
import { limitInput, NullableString, nullable, placeFields, scopeInput, timeInput } from '../history/shapes.ts'
import type { RawSought } from '../index/search/raw-search.ts'
import type { SearchFilter } from '../index/search/searched-logs.ts'
import { defineOp } from './op.ts'

const ProjectShape = Type.Object({ key: Type.String(), path: NullableString })

const HitShape = Type.Object({
  session: Type.String('The conversation that it belongs to; for a summary, the one that it summarizes'),
  title: nullable(Type.String('The title of that')),
  agent: NullableString,
  project: ProjectShape,
  turn: nullable(Type.Integer('The turn it was said in, as far as the times show')),
  who: nullable(Type.String('prompt, answer, `Bash · npm test`, `output of Edit · src/auth.ts`, …')),
  point: Type.String('What `annals show` opens: SESSION:UUID, else SESSION:TURN or FILE:LINE'),
  uuid: NullableString,
  role: Type.String(),
  kind: Type.String(),
  timestamp: NullableString,
  snippet: nullable(Type.String('null where the log has vanished')),
  matches: Type.Array(Type.Pair(Type.Integer()), 'UTF-16 offsets in the snippet'),
  before: Type.Optional(Type.Array(NeighbourShape, 'What precedes it in its log; with --context')),
  after: Type.Optional(Type.Array(NeighbourShape, 'What follows it; with --context')),
  ...placeFields,
})

type Hit = Static<typeof HitShape>

const DEFAULT_LIMIT = 20

const SearchInput = Type.Object({
  query: Type.Array(Type.String(), { description: 'Words, "phrases", prefix*, -not, AND, OR, NOT', minItems: 1 }),
  ...scopeInput,
  ...timeInput,
  session: Type.Optional(Type.String('Only this session, or agent-<id>')),
  role: Type.Optional(Type.Choice(SEARCH_ROLES, 'Only what the user, the assistant, a tool or the system said')),
  kind: Type.Optional(Type.Choice(SEARCH_KINDS, 'Only this kind of text')),
  tool: Type.Optional(Type.String('Only calls of this tool, upper or lower case')),
  model: Type.Optional(Type.String('Only answers of models whose name contains this')),
  'git-branch': Type.Optional(Type.String('Only what was said on this git branch')),
  agent: Type.Optional(Type.String('Only this agent, by the start of its id')),
  file: Type.Optional(Type.String('Only tool calls on a file whose path contains this')),
  error: Type.Optional(Type.Boolean('Only what failed')),
  exact: Type.Optional(Type.Boolean('Find the text exactly as it is written')),
  regex: Type.Optional(Type.Boolean('Find a regular expression, as in ripgrep')),
  sort: Type.Optional(Type.Choice(['time', 'relevance'], 'Newest first (default), or best match first')),
  context: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'Also show this many records before and after each hit',
      alias: 'C',
    }),
  ),
  'per-session': Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'At most this many hits of each session, prompts and answers first (default: 3; all with --json)',
    }),
  ),
  uncounted: Type.Optional(Type.Boolean('Stop at the first hits, without counting the rest')),
  ...limitInput,
})

type Input = Static<typeof SearchInput>

export const search = defineOp({
  name: 'search',
  group: 'Find',
  lists: 'hits',
  takesDashes: true,
  teamStore: 'read',
  summary: 'Find words in every session.',
  examples: [
    'annals search refresh token',
    'annals search \'"two tabs" -test\' --here',
    'annals search migrate* --since 7d --role user',
    'annals search --session last refresh token',
    'annals search deadlock --context 2',
  ],
  input: SearchInput,
  positional: ['query'],
  // Who names a session wants to see all that is in it.
  forPeople: ({ session, agent, uncounted }) =>
    session === undefined && agent === undefined && !uncounted ? { 'per-session': 3 } : {},
  result: Type.Object({
    hits: Type.Array(HitShape),
    total: Type.Integer('All hits; copies of one message count once'),
    moreHits: Type.Boolean('There are more than `total`: the rest is not counted'),
    sessions: Type.Integer('Sessions with a hit; 0 with --uncounted'),
    groups: Type.Array(
      Type.Object({
        session: Type.String(),
        project: ProjectShape,
        count: Type.Integer('Hits in it and its agents, each message once; what it copied counts in both sessions'),
        newest: NullableString,
      }),
      'Every session with a hit, the newest first; none with --uncounted',
    ),
    tookMs: Type.Integer(),
    complete: Type.Boolean('false while the index is behind'),
    behindBytes: Type.Integer('Bytes of logs that the index does not know; they were looked through'),
  }),
  async run(context, input) {
    const start = performance.now()
    const history = historyOf(context)
    const sought = soughtOf(input)
    const place = await searchedPlace(context, input.session)
    const { hits, total, isMore, sessions, isComplete, behindBytes } = await searchHistory(history, {
      sought,
      filter: { ...filterOf(context, input), ...place.filter },
      sort: input.sort ?? 'time',
      limit: input.limit ?? DEFAULT_LIMIT,
      perSession: input['per-session'],
      isUncounted: input.uncounted,
      isIndexing: context.isIndexing ?? false,
      progress: context.progress,
    })
    if (total === 0 && place.missing) throw place.missing
    if (total === 0 && input.tool !== undefined) await mustBeTool(history, input.tool)
    const places = await hitPlaces(history, hits)
    const shown = hits.map((hit, at) => toHit(hit, places[at] as HitPlace))
    return {
      hits: input.context === undefined ? shown : await withSurroundings(context, shown, input.context),
      total,
      moreHits: isMore,
      sessions: sessions.length,
      groups: sessions.map(({ newestMs, ...group }) => ({ newest: isoOf(newestMs), ...group })),
      tookMs: Math.round(performance.now() - start),
      complete: isComplete,
      behindBytes,
    }
  },
})

function soughtOf({ query, exact, regex, uncounted, 'per-session': perSession }: Input): RawSought {
  if (uncounted && perSession !== undefined)
    throw new Failure('USAGE', '--uncounted and --per-session cannot be used together.', {
      hint: 'Leave one of them out.',
    })
  if (exact && regex) throw new Failure('USAGE', '--exact and --regex cannot be used together.')
  return soughtBy(query.join(' '), exact ? 'exact' : regex ? 'regex' : 'words')
}

function filterOf(context: Context, input: Input): SearchFilter {
  const { role, kind, tool, model, agent, file, error, since, until } = input
  const isScoped = input.project !== undefined || input.under !== undefined || input.here
  return {
    ...(isScoped && { inProject: inScope(input, context.cwd) }),
    ...(agent !== undefined && { agent: agent.replace(/^agent-/, '') }),
    ...(role !== undefined && { role }),
    ...(kind !== undefined && { kind }),
    ...(tool !== undefined && { tool }),
    ...(model !== undefined && { model }),
    ...(file !== undefined && { file }),
    ...(error && { error }),
    ...(input['git-branch'] !== undefined && { gitBranch: input['git-branch'] }),
    ...(since !== undefined && { sinceMs: momentOf(since, context.now).getTime() }),
    ...(until !== undefined && { untilMs: untilMoment(until, context.now).getTime() }),
  }
}

function toHit(hit: FoundHit, { session, title, turn, point }: HitPlace): Hit {
  const { log, line, offset, length, uuid, role, kind, who, timeMs, snippet, matches } = hit
  return {
    session,
    title,
    agent: log.agent,
    project: log.project,
    turn,
    who,
    point,
    uuid,
    role,
    kind,
    timestamp: isoOf(timeMs),
    snippet,
    matches: matches.map(([from, to]) => [from, to]),
    file: log.path,
    line,
    offset,
    length,
  }
}

function isoOf(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString()
}

/** Where the hit itself cannot be read, what stands around its place is not what stood around it. */
async function withSurroundings(context: Context, hits: readonly Hit[], count: number): Promise<Hit[]> {
  const { library } = context
  await historyOf(context).fetchLogs(hits.map(({ file }) => library.entries().get(file)))
  const around = openSurroundings(library, count)
  return hits.map((hit) => ({ ...hit, ...(hit.snippet === null ? { before: [], after: [] } : around(hit)) }))
}
