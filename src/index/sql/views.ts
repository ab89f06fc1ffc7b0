import type { Database } from '../driver.ts'
import { DOCS_OF_A_LOG } from '../schema.ts'

/** What has to be made or brought up to date before a view, or a column of one, can be read. */
export type Need = 'words' | 'calls' | 'told' | 'spent' | 'agents' | 'turns'

/** A column of a view: where it comes from, and what it means. */
export interface ViewColumn {
  readonly name: string
  readonly from: string
  readonly about: string
  readonly needs?: Need
}

/** A view that people ask in SQL: names instead of numbers, times as ISO texts in UTC, costs in US dollars. */
export interface View {
  readonly name: string
  readonly about: string
  readonly columns: readonly ViewColumn[]
  readonly from: string
  readonly needs?: Need
}

/**
 * Makes the views and the tables that they need beside those of the index, for this connection alone: the index itself holds none
 * of it. `family` and `member` say whose each log is; the other tables stay empty until a query reads a column that needs them.
 */
export function createViews(database: Database): void {
  database.exec(BESIDE)
  for (const { name, columns, from } of VIEWS) {
    const list = columns.map((column) => `${column.from} as ${column.name}`).join(', ')
    database.exec(`create temp view ${name} as select ${list} from ${from}`)
  }
}

const BESIDE = `
create temp table family (id integer primary key, session text, root text, project text, log int);
create index temp.family_session on family (session);
create temp table member (log integer primary key, family int);
create index temp.member_family on member (family);
create temp table model (id integer primary key, name text);
create temp table told (
  family integer primary key, title text, title_from text, created_at text, updated_at text, active_ms int, wall_ms int, agents int,
  forked_from text, continues text, continued_in text
);
create temp table spent (family integer primary key, cost_usd real, own_cost_usd real);
create temp table made_by (response integer primary key, agent text, type text, turn int);
create temp table turn_sum (
  log int, n int, responses int, output int, cost_usd real, primary key (log, n)
) without rowid;
`

const WHOSE = 'join member on member.log = l.id join family f on f.id = member.family'

/** The response that a call stands in: the first in its log that ends there or later. */
const CALLED_IN = `left join response r on r.id = (
  select id from response where log = c.log and last_offset >= c.offset order by last_offset limit 1)`

const CALLS = `call c join log l on l.id = c.log ${WHOSE} ${CALLED_IN} left join made_by a on a.response = r.id
left join name t on t.id = c.tool left join name p on p.id = c.target left join model on model.id = r.model
where c.offset is not null and l.state <> 'lost' and r.owner is not 0`

/** What counts: each response once, for the log that owns it. */
const RESPONSES = `response r join response c on c.id = coalesce(r.counts, r.id) join log l on l.id = r.log ${WHOSE}
left join made_by a on a.response = r.id left join model on model.id = c.model left join name g on g.id = c.geo
where r.owner = 1 and l.state <> 'lost'`

const IS_AGENT = '(l.agent is not null or r.sidechain = 1)'

const COST = `cost_usd(model.name, r.time, c.fast, g.text, c.input, c.output, c.cache_read, c.write_5m, c.write_1h, c.web_searches)`

/** A column of the turn that a response belongs to: an agent's to that of the agent, else the last that had begun, or the first. */
function turnOf(column: string): string {
  return `(select ${column} from turn where log = f.log and n = coalesce(
  case when a.response is null then r.turn else a.turn end,
  (select n from turn where log = f.log and started <= ${iso('r.time')} order by n desc limit 1), 0))`
}

/** What each turn used, its agents included: the rows of `turn_sum`. */
export const TURN_SUMS = `
select f.log, ${turnOf('n')} as started_in, count(*), sum(c.output), sum(${COST}) from ${RESPONSES}
group by 1, 2 having started_in is not null`

function iso(ms: string): string {
  return `strftime('%Y-%m-%dT%H:%M:%fZ', ${ms} / 1000.0, 'unixepoch')`
}

function column(name: string, from: string, about: string, needs?: Need): ViewColumn {
  return { name, from, about, ...(needs && { needs }) }
}

const OF_SESSION = [
  column('session', 'f.session', 'The id of the session: `sessions.id`'),
  column('project', 'f.project', 'The folder that was worked in'),
  column('root', 'f.root', 'The config folder that it was read from'),
]

const OF_AGENT = [
  column(
    'agent',
    `coalesce(a.agent, l.agent)`,
    'The id of the agent that did it; null where the session itself did',
    'agents',
  ),
  column('agent_type', 'a.type', 'The type of that agent, such as `Explore`', 'agents'),
]

const OF_CALL = [
  ...OF_SESSION,
  ...OF_AGENT,
  column('turn', turnOf('key'), 'The turn that it belongs to: `prompts.turn`', 'agents'),
  column('at', iso('c.time'), 'When it was called'),
]

const IN_FILE = (alias: string) => [
  column('file', 'l.path', 'The log that it stands in'),
  column('line', `${alias}.line`, 'The line there, counted from 1'),
]

const FILE_TOOLS = "'Read', 'NotebookRead', 'Write', 'Edit', 'MultiEdit', 'NotebookEdit'"

/** All views, the most asked first. */
export const VIEWS: readonly View[] = [
  {
    name: 'sessions',
    about: 'Every session that is known, also those whose log is gone.',
    from: `family f left join log l on l.id = f.log left join fact on fact.log = l.id left join told on told.family = f.id
left join spent on spent.family = f.id`,
    columns: [
      column('id', 'f.session', 'Its id'),
      column('title', 'told.title', 'Its title, as lists show it', 'told'),
      column('title_from', 'told.title_from', 'Who gave it: `custom`, `ai`, `summary`, `prompt` or `none`', 'told'),
      column('project', 'f.project', 'The folder that was worked in'),
      column('root', 'f.root', 'The config folder that it was read from'),
      column(
        'kind',
        `case when l.state = 'disk' or (l.state = 'archive' and fact.kind <> 'conversation') then fact.kind else 'gone' end`,
        '`conversation`; others are hidden in lists: `summary-only`, `snapshot-only`, `metadata-only`, `empty`, `unknown`, `gone`',
      ),
      column(
        'created_at',
        'told.created_at',
        'When its first row was written; of a fork, the first of its own',
        'told',
      ),
      column('updated_at', 'told.updated_at', 'When its last row was written', 'told'),
      column('active_ms', 'told.active_ms', 'How long was worked on it, pauses left out', 'told'),
      column('wall_ms', 'told.wall_ms', 'From its first row to its last', 'told'),
      column(
        'cost_usd',
        'spent.cost_usd',
        'What it and its agents cost, each response once; null where no price is known',
        'spent',
      ),
      column('own_cost_usd', 'spent.own_cost_usd', 'The same without its agents', 'spent'),
      column('prompts', 'fact.prompts', 'What a person asked, commands of their own included'),
      column('turns', 'fact.turns', 'Turns of the active branch'),
      column('messages', 'fact.messages', 'Prompts and responses'),
      column('tool_calls', 'fact.tool_calls', 'Calls of tools, those of agents in other logs left out'),
      column('agents', 'told.agents', 'How many agents it started, warmups left out', 'told'),
      column('branches', 'fact.branches', 'How many paths its conversation has'),
      column('compactions', 'fact.compactions', 'How often it was compacted'),
      column('models', 'fact.models', 'The models that answered, as a JSON array'),
      column('git_branch', 'fact.git_branch', 'The git branch that it was on last'),
      column('version', 'fact.version', 'The version of the client that wrote it last'),
      column('slug', 'fact.slug', 'The name that the client gave it'),
      column('forked_from', 'told.forked_from', 'The session that it was forked from', 'told'),
      column('continues', 'told.continues', 'The session that it goes on with', 'told'),
      column('continued_in', 'told.continued_in', 'The session that goes on with it', 'told'),
      column('lines', 'fact.lines', 'Lines of its log'),
      column('size_bytes', 'l.size', 'The size of its log'),
      column('file', 'l.path', 'Its log'),
    ],
  },
  {
    name: 'prompts',
    about: 'Every turn of every session: what was asked, and what it took to answer.',
    from: `turn t join log l on l.id = t.log ${WHOSE} left join turn_sum u on u.log = t.log and u.n = t.n
left join told on told.family = f.id where l.agent is null and l.state <> 'lost'`,
    columns: [
      ...OF_SESSION,
      column(
        'turn',
        't.key',
        'Its number, as `show --turns` takes it, 0 for what precedes the first; with `~` and a branch where that was abandoned',
      ),
      column('at', 't.started', 'When it was asked; null on abandoned branches'),
      column('text', 't.label', 'What was asked, its first 200 characters'),
      column(
        'is_inherited',
        't.started < told.created_at',
        '1 where a fork has it from the session it was made from',
        'told',
      ),
      column(
        'responses',
        'coalesce(u.responses, 0)',
        'How many responses it took, with those of the agents it started',
        'turns',
      ),
      column('output_tokens', 'coalesce(u.output, 0)', 'Tokens that they wrote', 'turns'),
      column('cost_usd', 'u.cost_usd', 'What they cost', 'turns'),
    ],
  },
  {
    name: 'responses',
    about: 'Every billed response, once, with the session that made it.',
    from: RESPONSES,
    columns: [
      ...OF_SESSION,
      ...OF_AGENT,
      column('is_agent', IS_AGENT, '1 where an agent made it'),
      column('turn', turnOf('key'), 'The turn that it belongs to: `prompts.turn`', 'agents'),
      column('at', iso('r.time'), 'When it began'),
      column('model', 'model.name', 'The model, without the date in its name'),
      column('cost_usd', COST, 'What it cost at API prices; null where no price is known'),
      column('input_tokens', 'c.input', 'Tokens of the prompt that came from no cache'),
      column('output_tokens', 'c.output', 'Tokens that it wrote'),
      column('cache_read_tokens', 'c.cache_read', 'Tokens of the prompt that were read from the cache'),
      column('cache_write_5m_tokens', 'c.write_5m', 'Tokens that were written to the cache for five minutes'),
      column('cache_write_1h_tokens', 'c.write_1h', 'Tokens that were written to the cache for an hour'),
      column('web_searches', 'c.web_searches', 'Searches of the web'),
      column('speed', "case c.fast when 1 then 'fast' else 'standard' end", '`fast` or `standard`'),
      column('geo', 'g.text', 'Where it was made, where that was asked for'),
      column('is_abandoned', 'r.abandoned', '1 where a person went back behind it'),
      column('message_id', 'r.message', "The API's id of it"),
      column('request_id', 'r.request', "The API's id of the request"),
      ...IN_FILE('r'),
    ],
  },
  {
    name: 'calls',
    about: 'Every call of a tool, once, with what came back.',
    needs: 'calls',
    from: CALLS,
    columns: [
      ...OF_CALL,
      column('tool', 't.text', 'The name of the tool'),
      column('path', 'p.text', 'The file that it is about'),
      column(
        'took_ms',
        'coalesce(c.took, c.ended - c.time)',
        'What the client noted, else from call to answer: it may hold the wait for a permission',
      ),
      column('is_error', 'c.is_error', '1 where the answer is an error, or a refusal; null while there is none'),
      column('result_bytes', 'c.result_bytes', 'The text that the model was given, in UTF-8'),
      column('model', 'model.name', 'The model that called'),
      column('by_api', 'coalesce(c.by_api, 0)', '1 where the API ran it itself, such as a search of the web'),
      column('tool_use_id', 'c.tool_use', 'Its id'),
      ...IN_FILE('c'),
    ],
  },
  {
    name: 'files',
    about: 'Every file that a tool read, wrote or edited, once for each call.',
    needs: 'calls',
    from: `${CALLS} and p.text is not null and t.text in (${FILE_TOOLS})`,
    columns: [
      ...OF_CALL,
      column('path', 'p.text', 'The file'),
      column(
        'operation',
        "case when t.text like '%Read' then 'read' when t.text = 'Write' then 'write' else 'edit' end",
        '`read`, `write` or `edit`',
      ),
      column('is_error', 'c.is_error', '1 where it failed or was refused; null where there is no answer'),
      column('added', 'c.added', 'Lines that were added'),
      column('removed', 'c.removed', 'Lines that were removed'),
      column('tool_use_id', 'c.tool_use', 'The id of the call'),
      ...IN_FILE('c'),
    ],
  },
  {
    name: 'texts',
    about:
      'Every record with words in it, copies in forks included. Its text is read from its log when it is asked for.',
    needs: 'words',
    from: `doc d join words w on w.rowid = d.id join log l on l.id = d.id / ${DOCS_OF_A_LOG}
and d.id >= l.id * ${DOCS_OF_A_LOG} and d.id < (l.id + 1) * ${DOCS_OF_A_LOG}
${WHOSE} left join name role on role.id = d.role left join name kind on kind.id = d.kind left join name t on t.id = d.tool
left join name p on p.id = d.target left join name b on b.id = d.branch left join name mo on mo.id = d.model
left join model on model.id = d.model`,
    columns: [
      ...OF_SESSION,
      column('agent', 'l.agent', 'The id of the agent whose log it stands in'),
      column('at', iso('d.time'), 'When it was written'),
      column('role', 'role.text', 'Who speaks, as `search --role` takes it'),
      column('kind', 'kind.text', 'What it is, as `search --kind` takes it'),
      column('tool', 't.text', 'The tool that is called or answers'),
      column('path', 'p.text', 'The file that it is about'),
      column('is_error', 'd.error', '1 where it is an error'),
      column('model', 'coalesce(model.name, mo.text)', 'The model that speaks'),
      column('git_branch', 'b.text', 'The git branch at that time'),
      column('words', 'w.words', "For `words match 'refresh token'`: records with these words"),
      column('text', 'read_text(d.id)', 'Its text; null where its log is gone'),
      ...IN_FILE('d'),
    ],
  },
]
