import { type Static, Type } from 'typebox'
import { Failure } from '../core/failure.ts'
import { objectAt, stringAt } from '../core/json.ts'
import { parseQuery, toFts } from '../core/query.ts'
import type { LogRecord } from '../core/record.ts'
import { type Searchable, searchableText } from '../core/searchable.ts'
import { makeSnippet } from '../core/snippet.ts'
import { readRecordAt } from '../disk/log-file.ts'
import type { Found, SearchFilter } from '../store/search.ts'
import type { Store } from '../store/store.ts'
import { openStore } from './indexing.ts'
import { type Context, defineOp } from './op.ts'
import { inScope } from './scope.ts'
import { NeighbourShape, openSurroundings } from './search-context.ts'
import { type RawHit, type RawLog, searchRaw } from './search-raw.ts'
import { knownSessions } from './session-list.ts'
import { limitInput, NullableString, nullable, placeFields, placeOf, scopeInput, timeInput } from './shapes.ts'
import { momentOf, untilMoment } from './time.ts'

const HitShape = Type.Object({
  session: Type.String(),
  agent: NullableString,
  project: Type.Object({ key: Type.String(), path: NullableString }),
  uuid: NullableString,
  role: Type.String(),
  kind: Type.String(),
  timestamp: NullableString,
  snippet: nullable(Type.String({ description: 'null where the log has vanished' })),
  matches: Type.Array(Type.Tuple([Type.Integer(), Type.Integer()]), { description: 'UTF-16 offsets in the snippet' }),
  before: Type.Optional(Type.Array(NeighbourShape, { description: 'What precedes it in its log; with --context' })),
  after: Type.Optional(Type.Array(NeighbourShape, { description: 'What follows it; with --context' })),
  ...placeFields,
})

type Hit = Static<typeof HitShape>

/** A search catches up with the logs for so long, and says what is left. */
const CATCH_UP_MS = 300

const SearchInput = Type.Object({
  query: Type.Array(Type.String(), { description: 'Words, "phrases", prefix*, -not, OR', minItems: 1 }),
  ...scopeInput,
  ...timeInput,
  session: Type.Optional(Type.String({ description: 'Only this session, by the start of its id' })),
  role: Type.Optional(Type.String({ description: 'Only what comes from user, assistant, tool or system' })),
  kind: Type.Optional(
    Type.String({ description: 'Only this kind: prompt, text, thinking, tool, tool-result, error, title, …' }),
  ),
  tool: Type.Optional(Type.String({ description: 'Only calls of this tool' })),
  model: Type.Optional(Type.String({ description: 'Only answers of models with this in their name' })),
  'git-branch': Type.Optional(Type.String({ description: 'Only records made on this git branch' })),
  agent: Type.Optional(Type.String({ description: 'Only this agent, by the start of its id' })),
  file: Type.Optional(Type.String({ description: 'Only tool calls about a path with this in it' })),
  error: Type.Optional(Type.Boolean({ description: 'Only what failed' })),
  exact: Type.Optional(Type.Boolean({ description: 'The query is a text, found exactly as it is' })),
  regex: Type.Optional(Type.Boolean({ description: 'The query is a pattern, in the dialect of ripgrep' })),
  sort: Type.Optional(
    Type.Union([Type.Literal('time'), Type.Literal('relevance')], {
      description: 'Newest first (default), or best match first',
    }),
  ),
  context: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 100, description: 'So many records before and after each hit', alias: 'C' }),
  ),
  ...limitInput,
})

type Input = Static<typeof SearchInput>

export const search = defineOp({
  name: 'search',
  summary: 'Find words in every session.',
  examples: [
    'annals search refresh token',
    'annals search \'"two tabs" -test\' --here',
    'annals search migrate* --since 7d --role user',
    'annals search deadlock --context 2',
  ],
  input: SearchInput,
  positional: ['query'],
  result: Type.Object({
    hits: Type.Array(HitShape),
    total: Type.Integer({ description: 'All hits; copies of one message count once' }),
    sessions: Type.Integer({ description: 'Sessions with a hit' }),
    moreSessions: Type.Boolean({ description: 'There may be more of them: so many hits are not counted one by one' }),
    tookMs: Type.Integer(),
    complete: Type.Boolean({ description: 'false while the index is behind' }),
    behindBytes: Type.Integer(),
  }),
  async run(context, input) {
    const start = performance.now()
    const found = input.exact || input.regex ? await inLogs(context, input) : await inIndex(context, input)
    const hits = input.context === undefined ? found.hits : withSurroundings(context, found.hits, input.context)
    return { ...found, hits, tookMs: Math.round(performance.now() - start) }
  },
})

/** Where the hit itself cannot be read, what stands around its place is not what stood around it. */
function withSurroundings({ library }: Context, hits: readonly Hit[], count: number): Hit[] {
  const around = openSurroundings(library, count)
  return hits.map((hit) => ({ ...hit, ...(hit.snippet === null ? { before: [], after: [] } : around(hit)) }))
}

const DEFAULT_LIMIT = 20
/** The sessions of so many hits are counted, whether they are shown or not. */
const MOST_COUNTED = 1000

function sessionsIn(found: readonly { readonly session: string }[]): number {
  return new Set(found.map(({ session }) => session)).size
}

/** Words are found in the index, which catches up with the logs first. */
async function inIndex(context: Context, input: Input) {
  const query = parseQuery(input.query.join(' '))
  const match = toFts(query)
  if (match === undefined) {
    const hint = 'Give at least one word to find; -word only leaves out.'
    throw new Failure('BAD_INPUT', 'There is nothing to search for.', { hint })
  }
  const store = openStore(context)
  const { behindBytes } = await caughtUp(context, store)
  const limit = input.limit ?? DEFAULT_LIMIT
  const { found, total } = store.search(match, filterOf(context, input), {
    sort: input.sort ?? 'time',
    limit: Math.max(limit, MOST_COUNTED),
  })
  const hits = found.slice(0, limit).map((one) => toHit(context, one, query))
  store.close()
  return {
    hits,
    total,
    sessions: sessionsIn(found),
    moreSessions: found.length < total,
    complete: behindBytes === 0,
    behindBytes,
  }
}

/** An index in memory, and that of a team's copy, which nobody else builds, are made whole first, whatever that takes. */
async function caughtUp({ cacheDir, store: team, progress, isIndexing }: Context, store: Store) {
  if (team && cacheDir !== undefined) return store.updateOnAllCores({ progress })
  return store.update(cacheDir === undefined ? { progress } : { withinMs: isIndexing ? 0 : CATCH_UP_MS })
}

/** Exact texts and patterns are found in the logs themselves. */
async function inLogs(context: Context, input: Input) {
  if (input.exact && input.regex) throw new Failure('USAGE', '--exact and --regex exclude each other.')
  const text = input.query.join(' ')
  const filter = filterOf(context, input)
  const logs = logsIn(context, filter)
  const sought = input.exact ? { exact: text } : { regex: text }
  const { hits, isComplete } = await searchRaw(context, logs, sought, (record, found) =>
    isWanted(record, found, filter),
  )
  const shown = hits.slice(0, input.limit ?? DEFAULT_LIMIT).map(rawHit)
  const sessions = sessionsIn(hits.map(({ log }) => log))
  // A search that was broken off does not know of more.
  return {
    hits: shown,
    total: hits.length,
    sessions,
    moreSessions: !isComplete,
    complete: isComplete,
    behindBytes: 0,
  }
}

function logsIn(context: Context, { inProject, session, agent }: SearchFilter): readonly RawLog[] {
  const { library } = context
  const pathOf = new Map(knownSessions(context).map(({ info, files }) => [files, info.project.path]))
  return library.projects().flatMap((project) =>
    project.sessions.flatMap((files) => {
      const whose = { key: project.key, path: pathOf.get(files) ?? null }
      if (inProject && !inProject(whose)) return []
      if (session !== undefined && !files.id.startsWith(session)) return []
      const main =
        files.log && agent === undefined ? [{ entry: files.log, session: files.id, agent: null, project: whose }] : []
      const agents = library.agentFiles(files).flatMap(({ id, log }) => {
        const isMeant = agent === undefined || id.startsWith(agent)
        return log && isMeant ? [{ entry: log, session: files.id, agent: id, project: whose }] : []
      })
      return [...main, ...agents]
    }),
  )
}

function isWanted({ raw }: LogRecord, found: Searchable, filter: SearchFilter): boolean {
  const time = Date.parse(stringAt(raw, 'timestamp') ?? '')
  if (filter.sinceMs !== undefined && !(time >= filter.sinceMs)) return false
  if (filter.untilMs !== undefined && !(time < filter.untilMs)) return false
  if (filter.role !== undefined && found.role !== filter.role) return false
  if (filter.kind !== undefined && found.kind !== filter.kind) return false
  if (filter.tool !== undefined && !found.tools.includes(filter.tool)) return false
  if (filter.file !== undefined && !found.files.some((path) => path.includes(filter.file as string))) return false
  if (filter.error && !found.isError) return false
  if (filter.gitBranch !== undefined && stringAt(raw, 'gitBranch') !== filter.gitBranch) return false
  const model = stringAt(objectAt(raw, 'message'), 'model')
  return filter.model === undefined || (model?.includes(filter.model) ?? false)
}

function rawHit({ log, record, found, ranges }: RawHit): Hit {
  const { snippet, matches } = makeSnippet(found.text, ranges)
  return {
    session: log.session,
    agent: log.agent,
    project: log.project,
    uuid: stringAt(record.raw, 'uuid') ?? null,
    role: found.role,
    kind: found.kind,
    timestamp: stringAt(record.raw, 'timestamp') ?? null,
    snippet,
    matches: matches.map(([from, to]) => [from, to]),
    ...placeOf(record.place),
  }
}

function filterOf(context: Context, input: Input): SearchFilter {
  const { session, role, kind, tool, model, agent, file, error, since, until } = input
  const isScoped = input.project !== undefined || input.under !== undefined || input.here
  return {
    ...(isScoped && { inProject: inScope(input, context.cwd) }),
    ...(session !== undefined && { session }),
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

/** The index holds no text: what was found is read back from the log. */
function toHit({ library }: Context, found: Found, query: ReturnType<typeof parseQuery>): Hit {
  const { file, line, offset, length } = found
  const entry = { root: found.root, path: file, sizeBytes: 0, modifiedAt: 0 }
  const record = found.isGone ? undefined : readRecordAt(library.source, entry, { file, line, offset, length })
  const text = record && searchableText(record)?.text
  const { snippet = null, matches = [] } = text === undefined ? {} : makeSnippet(text, query)
  return {
    session: found.session,
    agent: found.agent,
    project: { key: found.project, path: found.cwd },
    uuid: found.uuid,
    role: found.role,
    kind: found.kind,
    timestamp: found.timeMs === null ? null : new Date(found.timeMs).toISOString(),
    snippet,
    matches: matches.map(([from, to]) => [from, to]),
    file,
    line,
    offset,
    length,
  }
}
