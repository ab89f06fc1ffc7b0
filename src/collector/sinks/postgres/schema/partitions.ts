/** Columns whose content the planner's statistics must not sample: a purge does not reach the samples. */
const NOT_SAMPLED = {
  record: ['content', 'uuid', 'parent_uuid', 'git_branch'],
  tool_call: ['tool_id', 'path'],
  doc: ['words', 'target'],
  log: ['facts', 'turns', 'calls', 'tree', 'keys'],
  document: ['content'],
  dead_letter: ['content'],
}

/** Columns compressed with lz4, where the server can. Partitions that exist already do not inherit it. */
const PACKED = {
  record: ['content'],
  document: ['content'],
  log: ['facts', 'turns', 'calls', 'tree', 'offsets'],
  doc: ['spaced', 'spaced_parts'],
  doc_rest: ['spaced', 'spaced_parts'],
}

/** How columns are stored, and one partition for each month. */
export const PARTITIONS = `
${alterColumns(NOT_SAMPLED, 'set statistics 0')}
do $do$ begin
  ${alterColumns(PACKED, 'set compression lz4')}
exception when others then null; -- a server before version 14, or one without lz4
end $do$;

-- Makes the partitions of some months before and after today. Rows of these months move there from the default partition.
create function annals.make_partitions(back integer default 1, ahead integer default 6) returns integer
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

-- Keeps partitions ahead, for a role that may not make tables.
create function annals.keep_ahead() returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  return annals.make_partitions(1, 6);
end $fn$;
`

function alterColumns(tables: Readonly<Record<string, readonly string[]>>, change: string): string {
  return Object.entries(tables)
    .map(
      ([table, columns]) =>
        `alter table annals.${table} ${columns.map((name) => `alter column ${name} ${change}`).join(', ')};`,
    )
    .join('\n')
}
