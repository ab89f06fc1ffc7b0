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
order by (session, machine, file, generation, person, project, agent)
settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800
comment 'annals 1';

create table if not exists annals.session on cluster 'main' as annals.session_local
engine = Distributed('main', 'annals', 'session_local', sipHash64(machine))
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
  day Date, at DateTime64(3, 'UTC') default now64(3, 'UTC')
)
engine = ReplicatedMergeTree('/clickhouse/tables/annals/touched', '{shard}-{replica}')
order by (at, day)
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
from annals.record_local where session != '' group by session, machine, file, generation, person, project, agent;

create materialized view if not exists annals.touched_of_record on cluster 'main' to annals.touched as
select distinct arrayJoin([toDate(at), toDate(at - toIntervalHour(1))]) as day, now64(3, 'UTC') as at
from annals.record_local where has_tokens and message_id != '';

create materialized view if not exists annals.daily_of_response refresh every 10 minute append to annals.daily as
select day, person, project, model, sum(responses) as responses, sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens, sum(cache_read_tokens) as cache_read_tokens, sum(cache_write_5m_tokens) as cache_write_5m_tokens, sum(cache_write_1h_tokens) as cache_write_1h_tokens, sum(web_searches) as web_searches, now64(3, 'UTC') as made_at
from (
  select toDate(at) as day, person, project, model, toUInt64(1) as responses, input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, web_searches
  from (select message_id, request, whose.1 as machine, whose.2 as person, whose.3 as project, whose.4 as session, whose.5 as agent, whose.6 as at,
  kept.1 as model, kept.2 as input_tokens, kept.3 as output_tokens, kept.4 as cache_read_tokens, kept.5 as cache_write_5m_tokens, kept.6 as cache_write_1h_tokens, kept.7 as web_searches
from (
  select message_id, request, argMin(whose, early) as whose, argMin(kept, best) as kept
  from (
    select message_id, part.1 as early, part.2 as whose, part.3 as best, part.4 as kept,
      if(part.5 != '', part.5, arrayFirst(other -> other.5 != '', parts).5) as request
    from (
      select message_id, arraySort(groupArray((early, whose, best, kept, request_id))) as parts
      from (
        select message_id, request_id, min((at, is_fork, machine, file, generation, offset)) as early, argMin((machine, person, project, session, agent, at), (at, is_fork, machine, file, generation, offset)) as whose,
          min((-output_tokens, is_placeholder, at, is_fork, machine, file, generation, offset)) as best, argMin((model, input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, web_searches), (-output_tokens, is_placeholder, at, is_fork, machine, file, generation, offset)) as kept
        from annals.response where toDate(at) in (select arrayJoin([day, day + 1]) from (select day from annals.touched
    where at > (select max(made_at) from annals.daily) - toIntervalHour(1))) group by message_id, request_id
      ) group by message_id
    ) array join parts as part
  ) group by message_id, request
)) where toDate(at) in (select day from annals.touched
    where at > (select max(made_at) from annals.daily) - toIntervalHour(1))
  union all
  select day, person, project, model, toUInt64(0), toInt64(0), toInt64(0), toInt64(0), toInt64(0), toInt64(0), toInt64(0) from annals.daily where day in (select day from annals.touched
    where at > (select max(made_at) from annals.daily) - toIntervalHour(1))
)
group by day, person, project, model;
