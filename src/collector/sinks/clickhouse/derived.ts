import { SUMMED } from './tables.ts'

/** What derives rows of one table from those that come into another, in the same insert. */
export interface Derived {
  readonly name: string
  readonly from: string
  readonly to: string
  /** What is taken, before `from`, and which of it, behind. */
  readonly select: string
  readonly rest: string
}

const OF_ROW = 'machine, file, generation, offset, person, project, session, agent, at'

export const DERIVED: readonly Derived[] = [
  {
    name: 'response_of_record',
    from: 'record',
    to: 'response',
    select: `${OF_ROW}, message_id, request_id, model, ${SUMMED.join(', ')}, is_fork, is_placeholder, arrived_at`,
    rest: `where has_tokens and message_id != ''`,
  },
  {
    name: 'tool_call_of_record',
    from: 'record',
    to: 'tool_call',
    select: `${OF_ROW}, number, tool.id as tool_id, tool.name as name, tool.file as path, tool.is_result as is_result,
  tool.is_error as is_error, arrived_at`,
    rest: 'array join tools as tool, arrayEnumerate(tools) as number',
  },
  {
    name: 'session_of_record',
    from: 'record',
    to: 'session',
    // A row without a time says nothing of when a session began.
    select: `session, machine, file, generation, person, project, agent,
  min(if(toUnixTimestamp64Milli(at) = 0, toDateTime64('2299-01-01 00:00:00', 3, 'UTC'), at)) as first_at, max(at) as last_at`,
    rest: `group by session, machine, file, generation, person, project, agent`,
  },
  {
    name: 'holder_of_held',
    from: 'held',
    to: 'holder',
    select: 'message, log',
    rest: '',
  },
  {
    name: 'touched_of_record',
    from: 'record',
    to: 'touched',
    // The end of a response may change what the day counts that it began on.
    select: `distinct arrayJoin([toDate(at), toDate(at - toIntervalHour(1))]) as day, now64(3, 'UTC') as noted_at`,
    rest: `where has_tokens and message_id != ''`,
  },
]

/** A place as a number, where two rows are alike in all that matters. */
const PLACE = 'cityHash64(machine, file, generation, offset)'
const MS = 'toUInt64(toUnixTimestamp64Milli(at))'
/** Who says whose a response is: the earliest of its rows, the original before the copy. As one number, which is ten times as fast. */
const EARLY = `bitShiftLeft(toUInt128(${MS}), 65) + bitShiftLeft(toUInt128(is_fork), 64) + ${PLACE}`
/** Whose numbers count: those of the row with the most output, the one that is whole, the earliest. */
const BEST = `bitShiftLeft(toUInt128(4611686018427387904 - output_tokens), 65) + bitShiftLeft(toUInt128(is_placeholder), 64)
      + bitShiftLeft(${MS}, 20) + bitAnd(${PLACE}, 1048575)`
const OWNER = ['machine', 'person', 'project', 'session', 'agent', 'at']
const KEPT = ['model', ...SUMMED]

/**
 * Each response once, by its ids, over all machines, files and generations. Rows that came twice change nothing, so nothing has to be
 * merged first. A row without a request belongs to the first request that is known of its message.
 */
export function responsesOnce(table: string, where: string): string {
  const columns = (names: readonly string[], key: string) => names.map((name) => `argMin(${name}, ${key}) as ${name}`)
  return `select message_id, request, ${columns(OWNER, 'early').join(', ')},
  ${columns(KEPT, 'best').join(', ')}
from (
  select r.*, ${EARLY} as early, ${BEST} as best, if(request_id != '', request_id, named.request) as request
  from (select * from ${table} where ${where}) r
  left any join (
    select message_id, argMin(request_id, ${EARLY}) as request from ${table}
    where ${where} and request_id != '' and message_id in (select message_id from ${table} where ${where} and request_id = '')
    group by message_id
  ) named on named.message_id = r.message_id
)
group by message_id, request
settings prefer_column_name_to_alias = 1`
}

const SUMS = SUMMED.map((name) => `sum(${name}) as ${name}`).join(', ')

/** The sums of days in which something came since they were last made; what a day no longer has becomes zero. */
export function dailySums(database: string): string {
  const due = `select day from ${database}.touched
    where noted_at > (select max(made_at) from ${database}.daily) - toIntervalHour(1)`
  const near = `toDate(at) in (select arrayJoin([day, day + 1]) from (${due}))`
  const keys = 'day, person, project, model'
  return `select ${keys}, sum(responses) as responses, ${SUMS}, now64(3, 'UTC') as made_at
from (
  select toDate(at) as day, person, project, model, toUInt64(1) as responses, ${SUMMED.join(', ')}
  from (${responsesOnce(`${database}.response`, near)}) where toDate(at) in (${due})
  union all
  select ${keys}, toUInt64(0), ${SUMMED.map(() => 'toInt64(0)').join(', ')} from ${database}.daily where day in (${due})
)
group by ${keys}`
}
