import { turnOfAgent } from '../../core/facts/agent-turn.ts'
import { grouped } from '../../core/grouped.ts'
import { searchableText } from '../../core/search/searchable.ts'
import { modelName } from '../../core/usage/model-name.ts'
import type { Tokens } from '../../core/usage/usage.ts'
import { projectPath } from '../../disk/library.ts'
import { readRecordAt } from '../../disk/log-file.ts'
import type { Source } from '../../disk/source.ts'
import { type Database, type Query, type Row, type SqlValue, selectAll } from '../driver.ts'
import type { LinkedAgent } from '../queries/agents.ts'
import { familyKey } from '../queries/family-key.ts'
import { readLogSessions } from '../queries/log-sessions.ts'
import { type SessionInfo, sessionInfos } from '../queries/session-info.ts'
import { inheritedTokens, type SpendingFilter, type SpentTokens, spentTokens } from '../queries/spending.ts'
import { turnsByLog } from '../queries/turns.ts'
import { DOCS_OF_A_LOG } from '../schema.ts'
import { defineFunctions, type ViewFunctions } from './select.ts'
import { createViews, type Need, TURN_SUMS } from './views.ts'

/** Prices for the views; prices are not in the index. */
export interface ViewPrices {
  /** Cost of a response, from the model's name as logged, its time in milliseconds and its tokens; `null` if unknown. */
  readonly costUsd: (response: PricedResponse) => number | null
  /** Costs of sessions by family key. `read` reads what logs spent. */
  readonly sessionCosts: (
    sessions: Iterable<SessionInfo>,
    read: (filter: SpendingFilter) => readonly SpentTokens[],
    inherited: readonly SpentTokens[],
  ) => ReadonlyMap<string, { readonly costUsd: number | null; readonly ownCostUsd: number | null }>
}

export interface PricedResponse {
  readonly model: string
  readonly at: number | null
  readonly isFast: boolean
  readonly geo: string | null
  readonly used: Tokens
}

/** What the views are filled from. */
export interface ViewSource {
  readonly prices: ViewPrices
  readonly source: Source
  readonly needs: ReadonlySet<Need>
}

/** Creates the views of a connection, and fills the temporary tables that a query needs. */
export function openViews(database: Database, { prices, source, needs }: ViewSource): void {
  createViews(database)
  defineFunctions(database, { cost_usd: costFunction(prices), read_text: textFunction(database, source) })
  const families = fillFamilies(database)
  const models = selectAll(database, MODELS).map(({ id, text }) => [id as number, modelName(text as string)])
  insertAll(database, 'model', models)
  const infos = NEED_SESSIONS.some((need) => needs.has(need)) ? sessionInfos(database) : NONE
  if (needs.has('told'))
    insertAll(
      database,
      'told',
      [...families].flatMap(([key, id]) => toldRow(id, infos.get(key))),
    )
  if (needs.has('spent')) {
    const read = (filter: SpendingFilter) => spentTokens(database, filter)
    const costs = prices.sessionCosts(infos.values(), read, inheritedTokens(database))
    const rows = [...families].map(([key, id]) => {
      const cost = costs.get(key)
      return [id, cost?.costUsd ?? null, cost?.ownCostUsd ?? null]
    })
    insertAll(database, 'spent', rows)
  }
  if (needs.has('agents') || needs.has('turns')) fillAgents(database, infos)
  if (needs.has('turns')) database.exec(`insert into turn_sum ${TURN_SUMS}`)
}

const NEED_SESSIONS = ['told', 'spent', 'agents', 'turns'] as const
const NONE: ReadonlyMap<string, SessionInfo> = new Map()

const MODELS: Query = { columns: ['id', 'text'], from: 'name where id in (select model from bucket)' }

/** Which logs make a session: the numbers of sessions by what they are known by. */
function fillFamilies(database: Database): ReadonlyMap<string, number> {
  const sessionOf = readLogSessions(database)
  const keyOf = (row: Row) => familyKey(row.root as string, row.project as string, sessionOf(row))
  const families = grouped(selectAll(database, LOGS), keyOf)
  const all = [...families.values()]
  insertAll(
    database,
    'family',
    all.map((logs, id) => {
      const [first] = logs
      const cwds = logs.flatMap(({ cwd, relocated_cwd: relocated }) => [
        cwd as string | null,
        relocated as string | null,
      ])
      const project = projectPath(first.project as string, cwds)
      return [id, sessionOf(first), first.root as string, project, first.agent === null ? (first.id as number) : null]
    }),
  )
  insertAll(
    database,
    'member',
    all.flatMap((logs, id) => logs.map((row) => [row.id as number, id])),
  )
  return new Map([...families.keys()].map((key, id) => [key, id]))
}

/** A session's own log comes first. */
const LOGS: Query = {
  columns: ['id', 'root', 'project', 'session', 'agent', 'cwd', 'relocated_cwd'],
  from: 'log join fact on fact.log = log.id',
  order: 'agent is not null, id',
}

function toldRow(family: number, info: SessionInfo | undefined): readonly SqlValue[][] {
  if (!info) return []
  const agents = info.agents.filter((agent) => agent.class !== 'warmup').length
  const { title, titleFrom, createdAt, updatedAt, activeMs, wallMs, forkedFrom, continues, continuedIn } = info
  return [
    [family, title, titleFrom, createdAt, updatedAt, activeMs, wallMs, agents, forkedFrom, continues, continuedIn],
  ]
}

/** Which agent made a response, in a log of its own or in that of its session. */
function fillAgents(database: Database, infos: ReadonlyMap<string, SessionInfo>): void {
  const turns = turnsByLog(database)
  const callTurn = ({ turn }: LinkedAgent) => turn
  const rows = [...infos.values()].flatMap(({ file, agents }) =>
    agents.map((agent) => {
      const { id, type, class: kind, file: own, responses } = agent
      const turn = turnOfAgent(agent, agents, { owner: null, turns: turns.get(file ?? '') ?? [], ofCall: callTurn })
      return [own ?? file, own === null ? responses : null, id, type ?? kind, turn ?? null]
    }),
  )
  database.prepare(MADE_BY).run(JSON.stringify(rows))
}

const MADE_BY = `
insert or ignore into made_by select r.id, a.value ->> 2, a.value ->> 3, a.value ->> 4
from json_each(?) a join log on log.path = a.value ->> 0 join response r on r.log = log.id
where a.value ->> 1 is null or r.offset in (select value from json_each(a.value -> 1))`

function insertAll(database: Database, table: string, rows: readonly (readonly SqlValue[])[]): void {
  const columns = (rows[0] ?? []).map((_, i) => `value ->> ${i}`).join(', ')
  if (columns) database.prepare(`insert into ${table} select ${columns} from json_each(?)`).run(JSON.stringify(rows))
}

/** The SQL function `cost_usd`, with the columns of a response in the order of `ViewFunctions`. */
function costFunction({ costUsd }: ViewPrices): ViewFunctions['cost_usd'] {
  return (model, at, fast, geo, ...tokens) => {
    if (typeof model !== 'string') return null
    const [inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, ...others] = tokens as number[]
    const [cacheWrite5mTokens = 0, cacheWrite1hTokens = 0, webSearches = 0] = others
    const used = { inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens, webSearches }
    return costUsd({ model, at: at as number | null, isFast: fast === 1, geo: geo as string | null, used })
  }
}

/** The text of a record by the number of its doc, read back from its log; `null` where that is gone. */
function textFunction(database: Database, source: Source): ViewFunctions['read_text'] {
  const find = database.prepare(DOC)
  return (doc) => {
    const found = find.get(doc as number)
    if (!found) return null
    const entry = { root: found.root as string, path: found.path as string, sizeBytes: 0, modifiedAt: 0 }
    const [line, offset, length] = [found.line as number, found.offset as number, found.length as number]
    const record = readRecordAt(source, entry, { file: entry.path, line, offset, length })
    return (record && searchableText(record)?.text) ?? null
  }
}

const DOC = `
select root, path, line, offset, length from doc join log on log.id = doc.id / ${DOCS_OF_A_LOG}
where doc.id = ? and state <> 'lost'`
