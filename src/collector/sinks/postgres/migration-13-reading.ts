/**
 * What a search reads is asked for at once: where phrases stand in long texts is said by the store itself, and the records of a page are
 * one question.
 */
export const READING = `
-- The words of a text that has more of them than places, between blanks, and the parts of these; of others there are the places.
alter table annals.doc add column spaced text, add column spaced_parts text;
do $do$ begin
  alter table annals.doc alter column spaced set compression lz4, alter column spaced_parts set compression lz4;
exception when others then null; -- an older server, or one without lz4
end $do$;

create or replace function annals.put_docs(of_log bigint, given json) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  perform annals.must_be_my_log(of_log);
  insert into annals.doc
  select of_log, r.number, annals.month_of(r.time), r.line, r."offset", r.length, r.time, r.role, r.kind, r.tool, r.model, r.branch,
    r.target, r.is_error, r.copy, r.is_long, r.words, r.spaced, r.spaced_parts
  from json_populate_recordset(null::annals.doc, given) r;
end $fn$;

-- Rights are a condition and no join: nobody knows how many logs one may see, and a plan that began with them would read all docs of each.
create or replace view annals.found with (security_barrier) as
select d.* from annals.doc d
where d.words @@ current_setting('annals.query', true)::tsquery
  and (exists (select from annals.my_log l where l.id = d.log)) is true;

-- The newest first, a day, a week, two months, all: what is found often is found in the first, and of the rest nothing is read. By \`-time\`:
-- an order that the index on times has would be walked back through all of them for a rare word.
create index on annals.doc (time);
create function annals.newest_time() returns bigint language sql stable as $fn$
  select floor(extract(epoch from least(max(last_at), now())) * 1000)::bigint from annals.my_log
$fn$;
revoke all on function annals.newest_time from public;
grant execute on function annals.newest_time to annals_reader, annals_admin;
create or replace function annals.search(words text) returns setof annals.found language plpgsql stable as $fn$
declare
  newest bigint := annals.newest_time();
  before bigint;
  since bigint;
  days integer;
  missing integer := 1000;
  added integer;
begin
  perform set_config('annals.query', websearch_to_tsquery('simple', words)::text, true);
  foreach days in array array[1, 7, 60] loop
    since := newest - days * 86400000::bigint;
    return query select * from annals.found where time >= since and month >= annals.month_of(since)
      and (before is null or (time < before and month <= annals.month_of(before)))
      order by -time limit missing;
    get diagnostics added = row_count;
    missing := missing - added;
    exit when missing = 0;
    before := since;
  end loop;
  if missing > 0 then
    return query select * from annals.found where (time < before or time is null) and month <= annals.month_of(before)
      order by -time nulls last limit missing;
  end if;
end $fn$;

-- Records by their places, which are settings of the transaction: a reader's own join would be made after all that they may see.
create view annals.record_at with (security_barrier) as
select l.id as log, r."offset", r.content
from unnest(current_setting('annals.logs', true)::bigint[], current_setting('annals.offsets', true)::bigint[]) as p (log, "offset")
join annals.log l on l.id = p.log
join annals.record r on r.machine = l.machine and r.file = l.file and r.generation = l.generation and r."offset" = p."offset"
where l.id in (select id from annals.my_log);
grant select on annals.record_at to annals_reader, annals_admin;

-- Logs with long texts are read again by their machines.
update annals.log set reached = 0 where id in (select log from annals.doc where is_long);
`
