import { RESPONSE_NUMBERS } from '../../../core/facts/response-rows.ts'

/** A table of the team store, told once for one server and for a cluster. */
export interface Table {
  readonly name: string
  readonly columns: string
  /** How rows of one key become one. */
  readonly engine: 'MergeTree' | 'ReplacingMergeTree' | 'AggregatingMergeTree'
  /** Which of several rows of one key stays; the last that came where none is named. */
  readonly newest?: string
  readonly order: string
  /** What grows is cut by month, of the row's own time: what is sent again falls into the same one. */
  readonly month?: string
  /** The time that retention goes by. */
  readonly age?: string
  /** When rows go by themselves, whatever retention says. */
  readonly forgets?: string
  /** By what a cluster spreads it; what is not spread is whole on every server. */
  readonly spread?: string
  readonly indexes?: readonly string[]
}

const PLACE = `machine LowCardinality(String), file String, generation UInt32, offset UInt64`
const WHOSE = `person LowCardinality(String), project LowCardinality(String), session String, agent String`
/** Rows without a time have that of 1970. */
const AT = `at DateTime64(3, 'UTC')`
const TOKEN_COLUMNS = ['input', 'output', 'cache_read', 'cache_write_5m', 'cache_write_1h'].map(
  (kind) => `${kind}_tokens`,
)
export const SUMMED = [...TOKEN_COLUMNS, 'web_searches'] as const
const TOKENS = SUMMED.map((name) => `${name} Int64`).join(', ')
const MONTH = 'toYYYYMM(at)'
/** Rows without a time age from when they came. */
const AGE = `if(toUnixTimestamp64Milli(at) = 0, arrived_at, toDateTime(at, 'UTC'))`
const ARRIVED = `arrived_at DateTime('UTC') default now('UTC')`
/** Whose a log is: of one person, and of all projects that its rows are of. */
const OF_LOG = `person LowCardinality(String), projects Array(LowCardinality(String))`
const TIME_AGE = `if(isNull(time), toDateTime(made_at, 'UTC'), toDateTime(intDiv(assumeNotNull(time), 1000), 'UTC'))`
const MADE = `made_at DateTime64(3, 'UTC')`
/** The columns of a response that are never null. */
export const HELD_NUMBERS = RESPONSE_NUMBERS.filter((name) => name !== 'time' && name !== 'turn')

export const TABLES: readonly Table[] = [
  {
    name: 'record',
    columns: `${PLACE}, line UInt64, length UInt64, ${WHOSE}, ${AT}, type LowCardinality(String), kind LowCardinality(String),
  role LowCardinality(String), uuid String, parent_uuid String, version LowCardinality(String), git_branch LowCardinality(String),
  message_id String, request_id String, model LowCardinality(String), has_tokens Bool, ${TOKENS}, is_fork Bool, is_placeholder Bool,
  tools Array(Tuple(id String, name String, file String, is_result Bool, is_error Int8)), is_error Bool,
  content String codec(ZSTD(3)), content_hash String, ${ARRIVED}`,
    engine: 'ReplacingMergeTree',
    order: 'machine, file, generation, offset',
    month: MONTH,
    age: AGE,
    spread: 'sipHash64(machine)',
  },
  {
    name: 'response',
    columns: `${PLACE}, ${WHOSE}, ${AT}, message_id String, request_id String, model LowCardinality(String), ${TOKENS}, is_fork Bool,
  is_placeholder Bool, ${ARRIVED}`,
    engine: 'ReplacingMergeTree',
    // Lines of one response lie together, so that each is counted once without a table of them all in memory.
    order: 'message_id, machine, file, generation, offset',
    month: MONTH,
    age: AGE,
    spread: 'sipHash64(machine)',
  },
  {
    name: 'tool_call',
    columns: `${PLACE}, number UInt32, ${WHOSE}, ${AT}, tool_id String, name LowCardinality(String), path String, is_result Bool,
  is_error Int8, ${ARRIVED}`,
    engine: 'ReplacingMergeTree',
    order: 'name, project, machine, file, generation, offset, number',
    month: MONTH,
    age: AGE,
    spread: 'sipHash64(machine)',
  },
  {
    name: 'session',
    columns: `session String, machine LowCardinality(String), file String, generation UInt32, person LowCardinality(String),
  project LowCardinality(String), agent String, first_at SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
  last_at SimpleAggregateFunction(max, DateTime64(3, 'UTC'))`,
    engine: 'AggregatingMergeTree',
    order: 'machine, file, generation, session, person, project, agent',
    age: `toDateTime(last_at, 'UTC')`,
    spread: 'sipHash64(machine)',
  },
  {
    // What is known of each file as a whole, in the words of the index: made from its records by whoever delivers them.
    name: 'log',
    columns: `id UInt64, machine LowCardinality(String), file String, generation UInt32, person LowCardinality(String),
  projects Array(LowCardinality(String)), place String, reached UInt64, bytes UInt64, records UInt64, docs UInt64,
  first_at DateTime64(3, 'UTC'), last_at DateTime64(3, 'UTC'), has_facts Bool, facts String codec(ZSTD(3)), turns String codec(ZSTD(3)),
  calls String codec(ZSTD(3)), tree String codec(ZSTD(3)), offsets Array(UInt64) codec(Delta, ZSTD(1)), made_at DateTime64(3, 'UTC')`,
    engine: 'ReplacingMergeTree',
    newest: 'made_at',
    order: 'machine, file',
    age: `toDateTime(last_at, 'UTC')`,
    spread: 'sipHash64(machine)',
  },
  {
    // The responses that a log holds, each once.
    name: 'held',
    columns: `log UInt64, number UInt32, ${OF_LOG}, message String, request String, model LowCardinality(String),
  geo LowCardinality(String), ${HELD_NUMBERS.map((name) => `${name} Int64`).join(', ')}, time Nullable(Int64), turn Nullable(Int32), ${MADE}`,
    engine: 'ReplacingMergeTree',
    newest: 'made_at',
    order: 'log, number',
    age: TIME_AGE,
    spread: 'log',
  },
  {
    name: 'holder',
    columns: `message String, log UInt64`,
    engine: 'ReplacingMergeTree',
    order: 'message, log',
    spread: 'sipHash64(message)',
  },
  {
    // Responses that several logs hold: who owns them is for the reader to say.
    name: 'shared',
    columns: 'message String',
    engine: 'ReplacingMergeTree',
    order: 'message',
  },
  {
    // Rows that other logs may name, by their keys.
    name: 'row_key',
    columns: `key Int64, log UInt64, ${OF_LOG}`,
    engine: 'ReplacingMergeTree',
    order: 'key, log',
    spread: 'log',
  },
  {
    // Every record that can be found: its words between blanks, and the parts of its words.
    name: 'doc',
    columns: `log UInt64, number UInt32, ${OF_LOG}, line UInt64, offset UInt64, length UInt64, time Nullable(Int64),
  role LowCardinality(String), kind LowCardinality(String), tool LowCardinality(String), model LowCardinality(String),
  branch LowCardinality(String), target String, is_error Bool, copy Int64, words String codec(ZSTD(3)), parts String codec(ZSTD(3)), ${MADE},
  index words words type text(tokenizer = splitByString([' '])), index parts parts type text(tokenizer = splitByString([' ']))`,
    engine: 'ReplacingMergeTree',
    newest: 'made_at',
    order: 'log, number',
    age: TIME_AGE,
    spread: 'log',
  },
  {
    name: 'document',
    columns: `machine LowCardinality(String), file String, person LowCardinality(String), project LowCardinality(String), session String,
  kind LowCardinality(String), modified_at DateTime64(3, 'UTC'), content String codec(ZSTD(3)), content_hash String, ${ARRIVED}`,
    engine: 'ReplacingMergeTree',
    order: 'machine, file',
    age: 'arrived_at',
    spread: 'sipHash64(machine)',
  },
  {
    name: 'mark',
    columns: `${PLACE}, cursor String, ${ARRIVED}`,
    engine: 'ReplacingMergeTree',
    // Never back, whichever of two deliveries came last.
    newest: 'offset',
    order: 'machine, file, generation',
    spread: 'sipHash64(machine)',
  },
  {
    name: 'dead_letter',
    columns: `${PLACE}, session String, reason String, content String codec(ZSTD(3)), ${ARRIVED}`,
    engine: 'ReplacingMergeTree',
    order: 'machine, file, generation, offset',
    age: 'arrived_at',
    spread: 'sipHash64(machine)',
  },
  {
    name: 'touched',
    columns: `day Date, noted_at DateTime64(3, 'UTC') default now64(3, 'UTC')`,
    engine: 'MergeTree',
    order: 'noted_at, day',
    forgets: `toDateTime(noted_at, 'UTC') + toIntervalDay(30)`,
  },
  {
    name: 'daily',
    columns: `day Date, person LowCardinality(String), project LowCardinality(String), model LowCardinality(String), responses UInt64,
  ${TOKENS}, made_at DateTime64(3, 'UTC')`,
    engine: 'ReplacingMergeTree',
    newest: 'made_at',
    order: 'day, project, person, model',
    age: `toDateTime(day)`,
  },
  {
    name: 'machine',
    columns: `id String, person LowCardinality(String), name String, seen_at DateTime('UTC') default now('UTC')`,
    engine: 'ReplacingMergeTree',
    newest: 'seen_at',
    order: 'id',
  },
  {
    name: 'tombstone',
    columns: `hash String, machine String, ${ARRIVED}`,
    engine: 'ReplacingMergeTree',
    order: 'hash, machine',
  },
  {
    name: 'member',
    columns: `role String, person String, team String`,
    engine: 'ReplacingMergeTree',
    order: 'role, person',
  },
  {
    name: 'granted',
    columns: `role String, project String`,
    engine: 'ReplacingMergeTree',
    order: 'role, project',
  },
]
