/**
 * What a reader may see: views of the owner, each of which checks the rights of the caller. A log that holds rows of several projects is
 * visible to who may see all of them.
 */
export const READING = `
create view annals.my_log with (security_barrier) as
select l.* from annals.log l
where (select pg_has_role(current_user, 'annals_admin', 'member') or exists (select from annals.my_project where project = '*'))
  or l.projects <@ (select coalesce(array_agg(project), '{}') from annals.my_project)
  or l.person in (select person from annals.my_person);

create view annals.my_held with (security_barrier) as
select h.* from annals.held h where h.log in (select id from annals.my_log);

create view annals.my_sum with (security_barrier) as
select s.* from annals.log_sum s where s.log in (select id from annals.my_log);

create view annals.my_record with (security_barrier) as
select l.id as log, r."offset", r.month, r.content from annals.record r
join annals.my_log l on l.machine = r.machine and l.file = r.file and l.generation = r.generation;

-- Records by their places, which are settings of the transaction: a reader's own join would be made after all that they may see.
create view annals.record_at with (security_barrier) as
select l.id as log, r."offset", r.content
from unnest(current_setting('annals.logs', true)::bigint[], current_setting('annals.offsets', true)::bigint[]) as p (log, "offset")
join annals.log l on l.id = p.log
join annals.record r on r.machine = l.machine and r.file = l.file and r.generation = l.generation and r."offset" = p."offset"
where l.id in (select id from annals.my_log);

-- The same for rows that other logs name, by their keys.
create view annals.key_holder with (security_barrier) as
select l.id as log, k.key from unnest(current_setting('annals.keys', true)::bigint[]) as k (key)
join annals.log l on l.keys @> array[k.key] where l.id in (select id from annals.my_log);

-- The words are a setting of the transaction, so that the view itself uses the index: a condition in the reader's query would be tried
-- on every row that they may see, since \`@@\` is not leakproof. The subselect reads the setting once per query. The rights are a
-- condition and not a join: the planner does not know how many logs one may see, and would begin with reading all docs of each.
create view annals.found with (security_barrier) as
select d.* from annals.doc d
where d.words @@ (select current_setting('annals.query', true)::tsquery)
  and (exists (select from annals.my_log l where l.id = d.log)) is true;

create function annals.newest_time() returns bigint language sql stable as $fn$
  select floor(extract(epoch from least(max(last_at), now())) * 1000)::bigint from annals.my_log
$fn$;

-- The newest first: a day, a week, two months, all. A frequent word is found in the first and the rest is not read. The order is by
-- \`-time\`: for a rare word the planner would walk the whole index on \`time\` backwards.
create function annals.search(words text) returns setof annals.found language plpgsql stable as $fn$
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
`
