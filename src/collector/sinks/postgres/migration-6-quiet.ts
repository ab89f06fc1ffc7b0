/**
 * A delivery asks how far its files are, so that it only looks for rows where some may be. And the planner's statistics, in
 * which a purge cannot reach them, keep no samples of content.
 */
export const QUIET = `
create function annals.reached(asked text, files text[], generations integer[])
returns table (file text, generation integer, "offset" bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  perform annals.must_be_mine(asked);
  return query select m.file, m.generation, m."offset" from unnest(files, generations) as t (f, g)
    join annals.mark m on m.machine = asked and m.file = f and m.generation = g;
end $fn$;
revoke all on function annals.reached from public;
grant execute on function annals.reached to annals_collector;

alter table annals.record alter column content set statistics 0, alter column uuid set statistics 0,
  alter column parent_uuid set statistics 0, alter column git_branch set statistics 0;
alter table annals.tool_call alter column tool_id set statistics 0, alter column path set statistics 0;
alter table annals.doc alter column words set statistics 0, alter column target set statistics 0;
alter table annals.log alter column facts set statistics 0, alter column turns set statistics 0,
  alter column calls set statistics 0, alter column tree set statistics 0, alter column keys set statistics 0;
alter table annals.document alter column content set statistics 0;
alter table annals.dead_letter alter column content set statistics 0;

-- As before, and without statistics where their parent has none.
create or replace function annals.make_partitions(back integer default 1, ahead integer default 6) returns integer
language plpgsql as $fn$
declare
  parent text;
  part text;
  name text;
  first date;
  made integer := 0;
begin
  if not pg_try_advisory_xact_lock(7305001, 3) then return 0; end if;
  for first in
    select (date_trunc('month', now() at time zone 'UTC') + make_interval(months => step))::date
    from generate_series(-back, ahead) step
  loop
    foreach parent in array array['record', 'response', 'tool_call', 'held', 'doc', 'billed'] loop
      part := parent || '_' || to_char(first, 'YYYY_MM');
      -- A later change makes the last of them.
      if to_regclass('annals.' || parent) is null or to_regclass('annals.' || part) is not null then continue; end if;
      execute format('create table annals.%I (like annals.%I including all)', part, parent);
      for name in
        select attname from pg_attribute where attrelid = to_regclass('annals.' || parent) and attnum > 0 and attstattarget = 0
      loop
        execute format('alter table annals.%I alter column %I set statistics 0', part, name);
      end loop;
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
