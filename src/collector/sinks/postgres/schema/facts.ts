import { PROMPT_CLASSES } from '../../../../index/owner.ts'
import { LOG_SUMMED } from './summed.ts'

const CLASS = PROMPT_CLASSES.map((above) => `(input + cache_read + write_5m + write_1h > ${above})::int`).join(' + ')
const KEYS = 'quarter, model, geo, fast, prompt_class, sidechain, abandoned'

/** Writes the facts of logs: a collector reads back what it has sent, and replaces what the store knows of that log. */
export const FACTS = `
-- The files of a machine whose rows go further than their facts.
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

-- The rows of a file, for the machine that sent them.
create function annals.content_of(asked text, of_file text, of_generation integer, after bigint, most integer)
returns table ("offset" bigint, type text, content bytea)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  perform annals.must_be_mine(asked);
  return query select r."offset", r.type, r.content from annals.record r
    where r.machine = asked and r.file = of_file and r.generation = of_generation and r."offset" > after
    order by r."offset" limit most;
end $fn$;

-- Replaces all facts of a log; returns its number.
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
  delete from annals.doc where log = of_log; delete from annals.log_sum where log = of_log;
  return of_log;
end $fn$;

create function annals.month_of(ms bigint) returns date language sql immutable parallel safe as $fn$
  select coalesce(date_trunc('month', to_timestamp(ms / 1000.0) at time zone 'UTC')::date, date '1970-01-01')
$fn$;

-- Replaces the sums of some logs. Shared responses are left out: their owner depends on the reader.
create function annals.sum_logs(logs bigint[]) returns void language sql set search_path = pg_catalog, pg_temp as $fn$
  delete from annals.log_sum where log = any (logs);
  insert into annals.log_sum (log, ${KEYS}, responses, rows, placeholders, ${LOG_SUMMED.join(', ')})
  select log, time / 900000 as quarter, model, geo, fast, ${CLASS} as prompt_class, sidechain, abandoned,
    count(*), sum(rows), sum(placeholder), ${LOG_SUMMED.map((name) => `sum(${name})`).join(', ')}
  from annals.held where not shared and log = any (logs) group by log, ${KEYS};
$fn$;

create function annals.put_held(of_log bigint, given json) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
declare
  changed bigint[];
begin
  perform annals.must_be_my_log(of_log);
  insert into annals.held
  select of_log, r.number, annals.month_of(r.time), false, r.message, r.request, r.model, r.geo, r.line, r."offset", r.length, r.rows, r.time,
    r.last_offset, r.written, r.marked, r.forked, r.made, r.named, r.fast, r.input, r.output, r.cache_read, r.write_5m,
    r.write_1h, r.web_searches, r.turn, r.sidechain, r.abandoned, r.placeholder
  from json_populate_recordset(null::annals.held, given) r;
  with marked as (
    update annals.held h set shared = true where not h.shared and h.message in (
      select o.message from annals.held m join annals.held o on o.message = m.message and o.log <> m.log where m.log = of_log)
    returning h.log
  )
  select array_agg(distinct log) into changed from marked;
  perform annals.sum_logs(array_append(changed, of_log));
end $fn$;

create function annals.put_docs(of_log bigint, given json) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  perform annals.must_be_my_log(of_log);
  insert into annals.doc
  select of_log, r.number, annals.month_of(r.time), r.line, r."offset", r.length, r.time, r.role, r.kind, r.tool, r.model, r.branch,
    r.target, r.is_error, r.copy, r.is_long, r.words, r.spaced, r.spaced_parts
  from json_populate_recordset(null::annals.doc, given) r;
end $fn$;
`
