/**
 * What is known of each log as a whole: the same rows that the index of one's own logs has, made from the records by whoever
 * delivered them. Lists, sums, statistics and search are questions to these tables. They can be made again from the records.
 */
export const FACTS = `
-- The newest generation of each file. \`reached\` says how far its rows were read; 0 asks to read them again.
create table annals.log (
  id bigint generated always as identity primary key,
  machine text not null,
  file text not null,
  generation integer not null,
  person text,
  projects text[] not null,
  place text not null,
  reached bigint not null,
  bytes bigint not null,
  records bigint not null,
  first_at timestamptz,
  last_at timestamptz,
  arrived_at timestamptz not null default now(),
  facts text,
  turns text,
  calls text,
  tree bytea,
  offsets bytea,
  keys bigint[],
  unique (machine, file)
);
create index on annals.log (last_at);
create index log_keys on annals.log using gin (keys);

-- The responses that a log holds, each once. \`shared\`: another log holds it too, and who owns it is for the reader to say.
create table annals.held (
  log bigint not null,
  number integer not null,
  month date not null,
  shared boolean not null default false,
  message text not null,
  request text,
  model text not null,
  geo text,
  line bigint not null,
  "offset" bigint not null,
  length bigint not null,
  rows bigint not null,
  time bigint,
  last_offset bigint not null,
  written bigint not null,
  marked smallint not null,
  forked smallint not null,
  made smallint not null,
  named smallint not null,
  fast smallint not null,
  input bigint not null,
  output bigint not null,
  cache_read bigint not null,
  write_5m bigint not null,
  write_1h bigint not null,
  web_searches bigint not null,
  turn integer,
  sidechain smallint not null,
  abandoned smallint not null,
  placeholder smallint not null,
  primary key (log, number, month)
) partition by range (month);
create index on annals.held (message);
create index on annals.held (log) where shared;

-- Every record that can be found. \`is_long\`: there are more words than places for them, so that phrases are to be looked at again.
create table annals.doc (
  log bigint not null,
  number integer not null,
  month date not null,
  line bigint not null,
  "offset" bigint not null,
  length bigint not null,
  time bigint,
  role text not null,
  kind text not null,
  tool text,
  model text,
  branch text,
  target text,
  is_error boolean not null,
  copy bigint not null,
  is_long boolean not null,
  words tsvector not null,
  primary key (log, number, month)
) partition by range (month);
create index on annals.doc using gin (words);
create index on annals.doc (tool);

create table annals.held_rest partition of annals.held default;
create table annals.doc_rest partition of annals.doc default;

do $do$ begin
  alter table annals.log alter column facts set compression lz4, alter column turns set compression lz4,
    alter column calls set compression lz4, alter column tree set compression lz4, alter column offsets set compression lz4;
exception when others then null; -- an older server, or one without lz4
end $do$;

-- The files of a machine whose rows go further than what is known of them, or of all machines for an administrator.
create function annals.unread(asked text, most integer default 1000)
returns table (file text, generation integer, reached bigint, project text, session text, agent text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  perform annals.must_be_mine(asked);
  return query
  select s.file, s.generation, m."offset", s.project, s.session, s.agent from (
    select distinct on (g.file) g.* from (
      select i.file, i.generation, min(i.project) as project,
        case when count(distinct i.session) = 1 then min(i.session) end as session,
        case when count(*) = count(i.agent) and count(distinct i.agent) = 1 then min(i.agent) end as agent
      from annals.session i where i.machine = asked group by i.file, i.generation
    ) g order by g.file, g.generation desc
  ) s join annals.mark m on m.machine = asked and m.file = s.file and m.generation = s.generation
  left join annals.log l on l.machine = asked and l.file = s.file
  where l.id is null or l.generation <> s.generation or l.reached <> m."offset"
  limit most;
end $fn$;

-- A machine may read back what it has sent, to say what is in it.
create function annals.content_of(asked text, of_file text, of_generation integer, after bigint, most integer)
returns table ("offset" bigint, type text, content bytea)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  perform annals.must_be_mine(asked);
  return query select r."offset", r.type, r.content from annals.record r
    where r.machine = asked and r.file = of_file and r.generation = of_generation and r."offset" > after
    order by r."offset" limit most;
end $fn$;

-- Puts what is known of a log in the place of what was known before; gives its number.
create function annals.put_log(asked text, of_file text, of_generation integer, told json, tree_rows bytea, record_offsets bytea)
returns bigint language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
declare
  of_log bigint;
begin
  perform annals.must_be_mine(asked);
  perform pg_advisory_xact_lock_shared(7305001, 2); -- a purge must not be overtaken
  insert into annals.log as l (machine, file, generation, person, projects, place, reached, bytes, records, first_at, last_at,
    facts, turns, calls, tree, offsets, keys)
  select asked, of_file, of_generation, min(s.person), array_agg(distinct s.project), told ->> 'place', (told ->> 'reached')::bigint,
    (told ->> 'bytes')::bigint, (told ->> 'records')::bigint, min(s.first_at), max(s.last_at), told ->> 'facts', told ->> 'turns',
    told ->> 'calls', tree_rows, record_offsets,
    (select array_agg(key::bigint) from json_array_elements_text(told -> 'keys') key)
  from annals.session s where s.machine = asked and s.file = of_file and s.generation = of_generation
  having count(*) > 0
  on conflict (machine, file) do update set generation = excluded.generation, person = excluded.person,
    projects = excluded.projects, place = excluded.place, reached = excluded.reached, bytes = excluded.bytes,
    records = excluded.records, first_at = excluded.first_at, last_at = excluded.last_at, facts = excluded.facts,
    turns = excluded.turns, calls = excluded.calls, tree = excluded.tree, offsets = excluded.offsets, keys = excluded.keys
  returning id into of_log;
  delete from annals.held where log = of_log;
  delete from annals.doc where log = of_log;
  return of_log;
end $fn$;

create function annals.must_be_my_log(of_log bigint) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  if not exists (select from annals.log l join annals.machine m on m.id = l.machine where l.id = of_log and m.role = session_user) then
    raise exception 'this log is of another role' using errcode = '42501';
  end if;
end $fn$;

create function annals.month_of(ms bigint) returns date language sql immutable parallel safe as $fn$
  select coalesce(date_trunc('month', to_timestamp(ms / 1000.0) at time zone 'UTC')::date, date '1970-01-01')
$fn$;

create function annals.put_held(of_log bigint, given json) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  perform annals.must_be_my_log(of_log);
  insert into annals.held
  select of_log, r.number, annals.month_of(r.time), false, r.message, r.request, r.model, r.geo, r.line, r."offset", r.length, r.rows, r.time,
    r.last_offset, r.written, r.marked, r.forked, r.made, r.named, r.fast, r.input, r.output, r.cache_read, r.write_5m,
    r.write_1h, r.web_searches, r.turn, r.sidechain, r.abandoned, r.placeholder
  from json_populate_recordset(null::annals.held, given) r;
  update annals.held h set shared = true where not h.shared and h.message in (
    select o.message from annals.held m join annals.held o on o.message = m.message and o.log <> m.log where m.log = of_log);
end $fn$;

create function annals.put_docs(of_log bigint, given json) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  perform annals.must_be_my_log(of_log);
  insert into annals.doc
  select of_log, r.number, annals.month_of(r.time), r.line, r."offset", r.length, r.time, r.role, r.kind, r.tool, r.model, r.branch,
    r.target, r.is_error, r.copy, r.is_long, r.words
  from json_populate_recordset(null::annals.doc, given) r;
end $fn$;

-- What a reader may see, whoever asks: views of the owner, each with its own look at who that is. A log that holds rows of
-- several projects is seen by who may see them all.
create view annals.my_log with (security_barrier) as
select l.* from annals.log l
where (select pg_has_role(current_user, 'annals_admin', 'member') or exists (select from annals.my_project where project = '*'))
  or l.projects <@ (select coalesce(array_agg(project), '{}') from annals.my_project)
  or l.person in (select person from annals.my_person);

create view annals.my_held with (security_barrier) as
select h.* from annals.held h where h.log in (select id from annals.my_log);

create view annals.my_record with (security_barrier) as
select l.id as log, r."offset", r.month, r.content from annals.record r
join annals.my_log l on l.machine = r.machine and l.file = r.file and l.generation = r.generation;

-- The words that are looked for are a setting of the transaction, so that this view itself asks the index for them: a
-- condition of the reader's would be tried on every row that they may see, since \`@@\` is not leakproof.
create view annals.found with (security_barrier) as
select d.* from annals.doc d
where d.words @@ current_setting('annals.query', true)::tsquery
  and d.log in (select id from annals.my_log);

-- The same for the rows that other logs name.
create view annals.key_holder with (security_barrier) as
select l.id as log, k.key from unnest(current_setting('annals.keys', true)::bigint[]) as k (key)
join annals.log l on l.keys @> array[k.key] where l.id in (select id from annals.my_log);

create function annals.search(words text) returns setof annals.found language plpgsql stable as $fn$
begin
  perform set_config('annals.query', websearch_to_tsquery('simple', words)::text, true);
  return query select * from annals.found order by time desc nulls last limit 1000;
end $fn$;

do $do$
declare name text;
begin
  foreach name in array array['log', 'held', 'doc'] loop
    execute format('alter table annals.%I enable row level security', name);
    execute format('create policy admin on annals.%I for all to annals_admin using (true) with check (true)', name);
    execute format('grant select, delete on annals.%I to annals_admin', name);
  end loop;
end $do$;
revoke all on function annals.unread, annals.content_of, annals.put_log, annals.put_held, annals.put_docs, annals.must_be_my_log,
  annals.search from public;
grant execute on function annals.unread, annals.content_of, annals.put_log, annals.put_held, annals.put_docs to annals_collector;
grant execute on function annals.search to annals_reader, annals_admin;
grant select on annals.my_log, annals.my_held, annals.my_record, annals.found, annals.key_holder to annals_reader, annals_admin;
`
