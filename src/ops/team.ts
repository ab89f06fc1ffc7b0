import { troubleAsFailure } from '../collector/sink.ts'
import type { Transaction } from '../collector/sinks/postgres/connect.ts'
import { Failure } from '../core/failure.ts'
import { type Static, Type } from '../core/schema.ts'
import type { Context } from '../history/context.ts'
import { NullableString } from '../history/shapes.ts'
import { defineOp } from './op.ts'

const TeamUsage = Type.Object({
  key: NullableString,
  month: NullableString,
  people: Type.Union([Type.Integer(), Type.Null()]),
  isRest: Type.Boolean('Groups of too few people, together'),
  responses: Type.Integer(),
  inputTokens: Type.Number(),
  outputTokens: Type.Number(),
  cacheReadTokens: Type.Number(),
  cacheWrite5mTokens: Type.Number(),
  cacheWrite1hTokens: Type.Number(),
  webSearches: Type.Number(),
})

const TeamInput = Type.Object({
  action: Type.Optional(
    Type.Choice(
      ['status', 'usage', 'migrate', 'grant', 'revoke', 'member', 'collector', 'set', 'retain'],
      'status (default), usage, migrate (make the tables), grant, revoke, member, collector, set, retain',
    ),
  ),
  names: Type.Optional(
    Type.Array(
      Type.String(),
      'grant, revoke: ROLE PROJECT; member: PERSON [TEAM] [ROLE]; collector: ROLE [PERSON]; set: NAME VALUE; retain: DAYS or off',
    ),
  ),
  yes: Type.Optional(Type.Boolean('retain: delete what is older; without it, only show what would go')),
  by: Type.Optional(
    Type.Choice(['person', 'team', 'project', 'model', 'day', 'total'], 'usage: one row for each (default: project)'),
  ),
})

const TeamResult = Type.Object({
  action: Type.String(),
  message: NullableString,
  version: Type.Union([Type.Integer(), Type.Null()], 'How far the tables are'),
  machines: Type.Array(
    Type.Object({ person: NullableString, name: NullableString, lastSeen: NullableString, files: Type.Integer() }),
  ),
  usage: Type.Array(TeamUsage),
  expiring: Type.Array(
    Type.Object({ month: NullableString, person: NullableString, sessions: Type.Integer(), records: Type.Integer() }),
    'retain: what is older, by the month of its records and by person; without a month: records that have no time',
  ),
})

type Input = Static<typeof TeamInput>
type Result = Static<typeof TeamResult>

export const team = defineOp({
  name: 'team',
  alsoIn: 'Share',
  changes: true,
  teamStore: 'itself',
  summary: 'Manage a team store: tables, access and usage.',
  examples: [
    'annals team migrate --store postgres://owner@db.example.com/annals',
    'annals team grant lena /home/ana/shop',
    'annals team member ana platform ana_login',
    'annals team collector ana_box ana',
    'annals team set minimum_group 6',
    'annals team retain 90d',
    'annals team retain 90d --yes',
    'annals team usage --by project',
  ],
  input: TeamInput,
  positional: ['action', 'names'],
  result: TeamResult,
  async run(context, input) {
    const { store } = context
    if (!store) {
      throw new Failure('USAGE', 'No team store was named.', {
        hint: 'Add --store postgres://USER@HOST/DATABASE, or set ANNALS_STORE.',
      })
    }
    try {
      return await act(context, input, store.url)
    } catch (error) {
      throw troubleAsFailure(error)
    }
  },
})

async function act(context: Context, input: Input, url: string): Promise<Result> {
  const { migratePostgres, withStore } = await import('../collector/sinks/postgres/store.ts')
  const { changeTeam } = await import('../collector/team/change.ts')
  const { retain } = await import('../collector/team/retain.ts')
  const { access } = context
  const action = input.action ?? 'status'
  const nothing: Result = { action, message: null, version: null, machines: [], usage: [], expiring: [] }
  if (action === 'migrate') {
    const { ran, version } = await migratePostgres(url, access)
    const message = ran.length === 0 ? 'The tables were up to date.' : `The tables are ready (${ran.join(', ')}).`
    return { ...nothing, message, version }
  }
  return withStore(
    url,
    (store) =>
      store.ask(async (tx) => {
        if (action === 'usage') return { ...nothing, usage: await usageRows(tx, input.by ?? 'project') }
        if (action === 'status') return { ...nothing, ...(await statusOf(tx)) }
        if (action === 'retain') {
          const { message, expiring } = await retain(tx, input.names?.[0], input.yes === true)
          return { ...nothing, message, expiring: [...expiring] }
        }
        return { ...nothing, message: await changeTeam(context, tx, action, input.names ?? []) }
      }),
    access,
  )
}

async function usageRows(tx: Transaction, by: NonNullable<Input['by']>): Promise<Result['usage']> {
  const view = by === 'total' ? 'usage_total' : `usage_by_${by}`
  // The planner takes people, projects and days for independent, expects millions of groups, and would sort for them.
  await tx.unsafe(`set local enable_sort = off; set local work_mem = '64MB'`)
  const rows = await tx.unsafe(`select * from annals.${view}`)
  const number = (value: unknown) => Number(value ?? 0)
  return rows
    .map((row) => ({
      key: by === 'total' ? null : by === 'day' ? dayOf(row.day) : row[by] === null ? null : String(row[by]),
      month: monthOf(row.month),
      people: row.people === undefined ? null : Number(row.people),
      isRest: row.is_rest === true,
      responses: number(row.responses),
      inputTokens: number(row.input_tokens),
      outputTokens: number(row.output_tokens),
      cacheReadTokens: number(row.cache_read_tokens),
      cacheWrite5mTokens: number(row.cache_write_5m_tokens),
      cacheWrite1hTokens: number(row.cache_write_1h_tokens),
      webSearches: number(row.web_searches),
    }))
    .sort(
      (a, b) =>
        order(b.month ?? '', a.month ?? '') ||
        (by === 'day' && order(b.key ?? '', a.key ?? '')) ||
        b.outputTokens - a.outputTokens,
    )
}

/** Rows without a time lie in 1970. */
function monthOf(value: unknown): string | null {
  const month = value instanceof Date ? value.toISOString().slice(0, 7) : null
  return month === '1970-01' ? null : month
}

function dayOf(value: unknown): string | null {
  return value instanceof Date ? value.toISOString().slice(0, 10) : value === null ? null : String(value)
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

async function statusOf(tx: Transaction): Promise<Pick<Result, 'version' | 'machines' | 'message'>> {
  const [row] = await tx`select max(number) as number from annals.annals_migration`
  const found = await tx`select m.person, m.name, m.last_seen, (
      select count(distinct s.file) from annals.session s where s.machine = m.id
    ) as files from annals.machine m order by m.last_seen desc`
  const machines = found.map((one) => ({
    person: one.person as string | null,
    name: one.name as string | null,
    lastSeen: one.last_seen instanceof Date ? one.last_seen.toISOString() : null,
    files: Number(one.files),
  }))
  return { version: Number(row?.number ?? 0), machines, message: null }
}
