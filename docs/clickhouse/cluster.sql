create database if not exists annals on cluster 'main';

create table if not exists annals.record_local on cluster 'main' (
  machine LowCardinality(String), file String, generation UInt32, offset UInt64, line UInt64, length UInt64, person LowCardinality(String), project LowCardinality(String), session String, agent String, at DateTime64(3, 'UTC'), type LowCardinality(String), kind LowCardinality(String),
  role LowCardinality(String), uuid String, parent_uuid String, version LowCardinality(String), git_branch LowCardinality(String),
  message_id String, request_id String, model LowCardinality(String), has_tokens Bool, input_tokens Int64, output_tokens Int64, cache_read_tokens Int64, cache_write_5m_tokens Int64, cache_write_1h_tokens Int64, web_searches Int64, is_fork Bool, is_placeholder Bool,
  tools Array(Tuple(id String, name String, file String, is_result Bool, is_error Int8)), is_error Bool,
  content String codec(ZSTD(3)), content_hash String, arrived_at DateTime('UTC') default now('UTC')
)
engine = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/annals/record', '{replica}')
partition by toYYYYMM(at)
order by (machine, file, generation, offset)
settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800
comment 'annals 1';

create table if not exists annals.record on cluster 'main' as annals.record_local
engine = Distributed('main', 'annals', 'record_local', sipHash64(machine))
comment 'annals 1';

create table if not exists annals.response_local on cluster 'main' (
  machine LowCardinality(String), file String, generation UInt32, offset UInt64, person LowCardinality(String), project LowCardinality(String), session String, agent String, at DateTime64(3, 'UTC'), message_id String, request_id String, model LowCardinality(String), input_tokens Int64, output_tokens Int64, cache_read_tokens Int64, cache_write_5m_tokens Int64, cache_write_1h_tokens Int64, web_searches Int64, is_fork Bool,
  is_placeholder Bool, arrived_at DateTime('UTC') default now('UTC')
)
engine = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/annals/response', '{replica}')
partition by toYYYYMM(at)
order by (message_id, machine, file, generation, offset)
settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800
comment 'annals 1';

create table if not exists annals.response on cluster 'main' as annals.response_local
engine = Distributed('main', 'annals', 'response_local', sipHash64(machine))
comment 'annals 1';

create table if not exists annals.tool_call_local on cluster 'main' (
  machine LowCardinality(String), file String, generation UInt32, offset UInt64, number UInt32, person LowCardinality(String), project LowCardinality(String), session String, agent String, at DateTime64(3, 'UTC'), tool_id String, name LowCardinality(String), path String, is_result Bool,
  is_error Int8, arrived_at DateTime('UTC') default now('UTC')
)
engine = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/annals/tool_call', '{replica}')
partition by toYYYYMM(at)
order by (name, project, machine, file, generation, offset, number)
settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800
comment 'annals 1';

create table if not exists annals.tool_call on cluster 'main' as annals.tool_call_local
engine = Distributed('main', 'annals', 'tool_call_local', sipHash64(machine))
comment 'annals 1';

create table if not exists annals.session_local on cluster 'main' (
  session String, machine LowCardinality(String), file String, generation UInt32, person LowCardinality(String),
  project LowCardinality(String), agent String, first_at SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
  last_at SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
)
engine = ReplicatedAggregatingMergeTree('/clickhouse/tables/{shard}/annals/session', '{replica}')
order by (machine, file, generation, session, person, project, agent)
settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800
comment 'annals 1';

create table if not exists annals.session on cluster 'main' as annals.session_local
engine = Distributed('main', 'annals', 'session_local', sipHash64(machine))
comment 'annals 1';

create table if not exists annals.log_local on cluster 'main' (
  id UInt64, machine LowCardinality(String), file String, generation UInt32, person LowCardinality(String),
  projects Array(LowCardinality(String)), place String, reached UInt64, bytes UInt64, records UInt64, docs UInt64,
  first_at DateTime64(3, 'UTC'), last_at DateTime64(3, 'UTC'), has_facts Bool, facts String codec(ZSTD(3)), turns String codec(ZSTD(3)),
  calls String codec(ZSTD(3)), tree String codec(ZSTD(3)), offsets Array(UInt64) codec(Delta, ZSTD(1)), made_at DateTime64(3, 'UTC')
)
engine = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/annals/log', '{replica}', made_at)
order by (machine, file)
settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800
comment 'annals 1';

create table if not exists annals.log on cluster 'main' as annals.log_local
engine = Distributed('main', 'annals', 'log_local', sipHash64(machine))
comment 'annals 1';

create table if not exists annals.held_local on cluster 'main' (
  log UInt64, number UInt32, person LowCardinality(String), projects Array(LowCardinality(String)), message String, request String, model LowCardinality(String),
  geo LowCardinality(String), line Int64, offset Int64, length Int64, rows Int64, last_offset Int64, written Int64, marked Int64, forked Int64, made Int64, named Int64, fast Int64, input Int64, output Int64, cache_read Int64, write_5m Int64, write_1h Int64, web_searches Int64, sidechain Int64, abandoned Int64, placeholder Int64, time Nullable(Int64), turn Nullable(Int32), made_at DateTime64(3, 'UTC')
)
engine = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/annals/held', '{replica}', made_at)
order by (log, number)
settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800
comment 'annals 1';

create table if not exists annals.held on cluster 'main' as annals.held_local
engine = Distributed('main', 'annals', 'held_local', log)
comment 'annals 1';

create table if not exists annals.holder_local on cluster 'main' (
  message String, log UInt64
)
engine = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/annals/holder', '{replica}')
order by (message, log)
settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800
comment 'annals 1';

create table if not exists annals.holder on cluster 'main' as annals.holder_local
engine = Distributed('main', 'annals', 'holder_local', sipHash64(message))
comment 'annals 1';

create table if not exists annals.shared on cluster 'main' (
  message String
)
engine = ReplicatedReplacingMergeTree('/clickhouse/tables/annals/shared', '{shard}-{replica}')
order by (message)
settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800
comment 'annals 1';

create table if not exists annals.row_key_local on cluster 'main' (
  key Int64, log UInt64, person LowCardinality(String), projects Array(LowCardinality(String))
)
engine = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/annals/row_key', '{replica}')
order by (key, log)
settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800
comment 'annals 1';

create table if not exists annals.row_key on cluster 'main' as annals.row_key_local
engine = Distributed('main', 'annals', 'row_key_local', log)
comment 'annals 1';

create table if not exists annals.doc_local on cluster 'main' (
  log UInt64, number UInt32, person LowCardinality(String), projects Array(LowCardinality(String)), line UInt64, offset UInt64, length UInt64, time Nullable(Int64),
  role LowCardinality(String), kind LowCardinality(String), tool LowCardinality(String), model LowCardinality(String),
  branch LowCardinality(String), target String, is_error Bool, copy Int64, words String codec(ZSTD(3)), parts String codec(ZSTD(3)), made_at DateTime64(3, 'UTC'),
  index words words type text(tokenizer = splitByString([' '])), index parts parts type text(tokenizer = splitByString([' ']))
)
engine = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/annals/doc', '{replica}', made_at)
order by (log, number)
settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800
comment 'annals 1';

create table if not exists annals.doc on cluster 'main' as annals.doc_local
engine = Distributed('main', 'annals', 'doc_local', log)
comment 'annals 1';

create table if not exists annals.document_local on cluster 'main' (
  machine LowCardinality(String), file String, person LowCardinality(String), project LowCardinality(String), session String,
  kind LowCardinality(String), modified_at DateTime64(3, 'UTC'), content String codec(ZSTD(3)), content_hash String, arrived_at DateTime('UTC') default now('UTC')
)
engine = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/annals/document', '{replica}')
order by (machine, file)
settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800
comment 'annals 1';

create table if not exists annals.document on cluster 'main' as annals.document_local
engine = Distributed('main', 'annals', 'document_local', sipHash64(machine))
comment 'annals 1';

create table if not exists annals.mark_local on cluster 'main' (
  machine LowCardinality(String), file String, generation UInt32, offset UInt64, cursor String, arrived_at DateTime('UTC') default now('UTC')
)
engine = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/annals/mark', '{replica}', offset)
order by (machine, file, generation)
settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800
comment 'annals 1';

create table if not exists annals.mark on cluster 'main' as annals.mark_local
engine = Distributed('main', 'annals', 'mark_local', sipHash64(machine))
comment 'annals 1';

create table if not exists annals.dead_letter_local on cluster 'main' (
  machine LowCardinality(String), file String, generation UInt32, offset UInt64, session String, reason String, content String codec(ZSTD(3)), arrived_at DateTime('UTC') default now('UTC')
)
engine = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/annals/dead_letter', '{replica}')
order by (machine, file, generation, offset)
settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800
comment 'annals 1';

create table if not exists annals.dead_letter on cluster 'main' as annals.dead_letter_local
engine = Distributed('main', 'annals', 'dead_letter_local', sipHash64(machine))
comment 'annals 1';

create table if not exists annals.touched on cluster 'main' (
  day Date, noted_at DateTime64(3, 'UTC') default now64(3, 'UTC')
)
engine = ReplicatedMergeTree('/clickhouse/tables/annals/touched', '{shard}-{replica}')
order by (noted_at, day)
ttl toDateTime(noted_at, 'UTC') + toIntervalDay(30)
settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800
comment 'annals 1';

create table if not exists annals.daily on cluster 'main' (
  day Date, person LowCardinality(String), project LowCardinality(String), model LowCardinality(String), responses UInt64,
  input_tokens Int64, output_tokens Int64, cache_read_tokens Int64, cache_write_5m_tokens Int64, cache_write_1h_tokens Int64, web_searches Int64, made_at DateTime64(3, 'UTC')
)
engine = ReplicatedReplacingMergeTree('/clickhouse/tables/annals/daily', '{shard}-{replica}', made_at)
order by (day, project, person, model)
settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800
comment 'annals 1';

create table if not exists annals.machine on cluster 'main' (
  id String, person LowCardinality(String), name String, seen_at DateTime('UTC') default now('UTC')
)
engine = ReplicatedReplacingMergeTree('/clickhouse/tables/annals/machine', '{shard}-{replica}', seen_at)
order by (id)
settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800
comment 'annals 1';

create table if not exists annals.tombstone on cluster 'main' (
  hash String, machine String, arrived_at DateTime('UTC') default now('UTC')
)
engine = ReplicatedReplacingMergeTree('/clickhouse/tables/annals/tombstone', '{shard}-{replica}')
order by (hash, machine)
settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800
comment 'annals 1';

create table if not exists annals.member on cluster 'main' (
  role String, person String, team String
)
engine = ReplicatedReplacingMergeTree('/clickhouse/tables/annals/member', '{shard}-{replica}')
order by (role, person)
settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800
comment 'annals 1';

create table if not exists annals.granted on cluster 'main' (
  role String, project String
)
engine = ReplicatedReplacingMergeTree('/clickhouse/tables/annals/granted', '{shard}-{replica}')
order by (role, project)
settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800
comment 'annals 1';

create materialized view if not exists annals.response_of_record on cluster 'main' to annals.response_local as
select machine, file, generation, offset, person, project, session, agent, at, message_id, request_id, model, input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, web_searches, is_fork, is_placeholder, arrived_at
from annals.record_local where has_tokens and message_id != '';

create materialized view if not exists annals.tool_call_of_record on cluster 'main' to annals.tool_call_local as
select machine, file, generation, offset, person, project, session, agent, at, number, tool.id as tool_id, tool.name as name, tool.file as path, tool.is_result as is_result,
  tool.is_error as is_error, arrived_at
from annals.record_local array join tools as tool, arrayEnumerate(tools) as number;

create materialized view if not exists annals.session_of_record on cluster 'main' to annals.session_local as
select session, machine, file, generation, person, project, agent,
  min(if(toUnixTimestamp64Milli(at) = 0, toDateTime64('2299-01-01 00:00:00', 3, 'UTC'), at)) as first_at, max(at) as last_at
from annals.record_local group by session, machine, file, generation, person, project, agent;

create materialized view if not exists annals.holder_of_held on cluster 'main' to annals.holder_local as
select message, log
from annals.held_local ;

create materialized view if not exists annals.touched_of_record on cluster 'main' to annals.touched as
select distinct arrayJoin([toDate(at), toDate(at - toIntervalHour(1))]) as day, now64(3, 'UTC') as noted_at
from annals.record_local where has_tokens and message_id != '';

create materialized view if not exists annals.daily_of_response refresh every 10 minute append to annals.daily as
select day, person, project, model, sum(responses) as responses, sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens, sum(cache_read_tokens) as cache_read_tokens, sum(cache_write_5m_tokens) as cache_write_5m_tokens, sum(cache_write_1h_tokens) as cache_write_1h_tokens, sum(web_searches) as web_searches, now64(3, 'UTC') as made_at
from (
  select toDate(at) as day, person, project, model, toUInt64(1) as responses, input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, web_searches
  from (select message_id, request, argMin(machine, early) as machine, argMin(person, early) as person, argMin(project, early) as project, argMin(session, early) as session, argMin(agent, early) as agent, argMin(at, early) as at,
  argMin(model, best) as model, argMin(input_tokens, best) as input_tokens, argMin(output_tokens, best) as output_tokens, argMin(cache_read_tokens, best) as cache_read_tokens, argMin(cache_write_5m_tokens, best) as cache_write_5m_tokens, argMin(cache_write_1h_tokens, best) as cache_write_1h_tokens, argMin(web_searches, best) as web_searches
from (
  select r.*, bitShiftLeft(toUInt128(toUInt64(toUnixTimestamp64Milli(at))), 65) + bitShiftLeft(toUInt128(is_fork), 64) + cityHash64(machine, file, generation, offset) as early, bitShiftLeft(toUInt128(4611686018427387904 - output_tokens), 65) + bitShiftLeft(toUInt128(is_placeholder), 64)
      + bitShiftLeft(toUInt64(toUnixTimestamp64Milli(at)), 20) + bitAnd(cityHash64(machine, file, generation, offset), 1048575) as best, if(request_id != '', request_id, named.request) as request
  from (select * from annals.response where toDate(at) in (select arrayJoin([day, day + 1]) from (select day from annals.touched
    where noted_at > (select max(made_at) from annals.daily) - toIntervalHour(1)))) r
  left any join (
    select message_id, argMin(request_id, bitShiftLeft(toUInt128(toUInt64(toUnixTimestamp64Milli(at))), 65) + bitShiftLeft(toUInt128(is_fork), 64) + cityHash64(machine, file, generation, offset)) as request from annals.response
    where toDate(at) in (select arrayJoin([day, day + 1]) from (select day from annals.touched
    where noted_at > (select max(made_at) from annals.daily) - toIntervalHour(1))) and request_id != '' and message_id in (select message_id from annals.response where toDate(at) in (select arrayJoin([day, day + 1]) from (select day from annals.touched
    where noted_at > (select max(made_at) from annals.daily) - toIntervalHour(1))) and request_id = '')
    group by message_id
  ) named on named.message_id = r.message_id
)
group by message_id, request
settings prefer_column_name_to_alias = 1) where toDate(at) in (select day from annals.touched
    where noted_at > (select max(made_at) from annals.daily) - toIntervalHour(1))
  union all
  select day, person, project, model, toUInt64(0), toInt64(0), toInt64(0), toInt64(0), toInt64(0), toInt64(0), toInt64(0) from annals.daily where day in (select day from annals.touched
    where noted_at > (select max(made_at) from annals.daily) - toIntervalHour(1))
)
group by day, person, project, model;
