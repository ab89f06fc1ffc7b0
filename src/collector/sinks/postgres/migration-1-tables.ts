/**
 * The tables. Every unique key begins with `machine`, by which they can be distributed. What grows is partitioned by `month`,
 * which is made from the row itself, so that a row that is sent again falls into the same partition.
 */
export const TABLES = `
create schema if not exists annals;

create table annals.setting (name text primary key, value text not null);
insert into annals.setting values ('minimum_group', '5');

create table annals.machine (
  id text primary key,
  person text,
  name text,
  role name not null,
  first_seen timestamptz not null default now(),
  last_seen timestamptz not null default now()
);

create table annals.person (person text primary key, team text, role name);
create table annals.granted (role name not null, project text not null, primary key (role, project));
create table annals.tombstone (
  hash text not null,
  role name not null,
  at timestamptz not null default now(),
  primary key (hash, role)
);

create table annals.session (
  machine text not null,
  file text not null,
  generation integer not null,
  session text not null,
  project text not null,
  agent text,
  person text,
  first_at timestamptz,
  last_at timestamptz,
  arrived_at timestamptz not null default now(),
  primary key (machine, file, generation, session, project)
);
create index on annals.session (session);
create index on annals.session (project);

create table annals.mark (
  machine text not null,
  file text not null,
  generation integer not null,
  "offset" bigint not null,
  cursor text,
  at timestamptz not null default now(),
  primary key (machine, file, generation)
);

create table annals.document (
  machine text not null,
  file text not null,
  person text,
  project text,
  session text,
  kind text not null,
  modified_at timestamptz,
  content bytea not null,
  content_hash text not null,
  arrived_at timestamptz not null default now(),
  primary key (machine, file)
);
create index on annals.document (session);

create table annals.dead_letter (
  machine text not null,
  file text not null,
  generation integer not null,
  "offset" bigint not null,
  session text,
  reason text not null,
  content bytea,
  at timestamptz not null default now(),
  primary key (machine, file, generation, "offset")
);

create table annals.record (
  machine text not null,
  file text not null,
  generation integer not null,
  "offset" bigint not null,
  month date not null,
  line bigint not null,
  length bigint not null,
  person text,
  project text,
  session text,
  agent text,
  at timestamptz,
  type text not null,
  kind text,
  role text,
  uuid text,
  parent_uuid text,
  version text,
  git_branch text,
  message_id text,
  request_id text,
  model text,
  is_error boolean not null,
  content bytea not null,
  content_hash text not null,
  arrived_at timestamptz not null default now(),
  primary key (machine, file, generation, "offset", month)
) partition by range (month);

create table annals.response (
  machine text not null,
  file text not null,
  generation integer not null,
  "offset" bigint not null,
  month date not null,
  person text,
  project text,
  session text,
  agent text,
  at timestamptz,
  message_id text not null,
  request_id text,
  model text not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_write_5m_tokens bigint not null,
  cache_write_1h_tokens bigint not null,
  web_searches bigint not null,
  is_fork boolean not null,
  is_placeholder boolean not null,
  primary key (machine, file, generation, "offset", month)
) partition by range (month);

create table annals.tool_call (
  machine text not null,
  file text not null,
  generation integer not null,
  "offset" bigint not null,
  month date not null,
  number integer not null,
  person text,
  project text,
  session text,
  agent text,
  at timestamptz,
  tool_id text not null,
  name text,
  path text,
  is_result boolean not null,
  is_error boolean,
  primary key (machine, file, generation, "offset", month, number)
) partition by range (month);

create table annals.record_rest partition of annals.record default;
create table annals.response_rest partition of annals.response default;
create table annals.tool_call_rest partition of annals.tool_call default;

do $do$ begin
  alter table annals.record alter column content set compression lz4;
  alter table annals.document alter column content set compression lz4;
exception when others then null; -- an older server, or one without lz4
end $do$;

-- Makes the partitions of some months before and after today. What already lies in the partition for the rest moves over.
create function annals.make_partitions(back integer default 1, ahead integer default 6) returns integer
language plpgsql as $fn$
declare
  parent text;
  part text;
  first date;
  made integer := 0;
begin
  if not pg_try_advisory_xact_lock(7305001, 3) then return 0; end if;
  for first in
    select (date_trunc('month', now() at time zone 'UTC') + make_interval(months => step))::date
    from generate_series(-back, ahead) step
  loop
    foreach parent in array array['record', 'response', 'tool_call'] loop
      part := parent || '_' || to_char(first, 'YYYY_MM');
      if to_regclass('annals.' || part) is not null then continue; end if;
      execute format('create table annals.%I (like annals.%I including all)', part, parent);
      execute format('with moved as (delete from annals.%I where month = %L returning *) insert into annals.%I select * from moved',
        parent || '_rest', first, part);
      execute format('alter table annals.%I attach partition annals.%I for values from (%L) to (%L)',
        parent, part, first, (first + interval '1 month')::date);
      made := made + 1;
    end loop;
  end loop;
  return made;
end $fn$;
select annals.make_partitions(12, 6);
`
