import { PROMPT_CLASSES } from '../../../index/owner.ts'

const SUMMED = ['input', 'output', 'cache_read', 'write_5m', 'write_1h', 'web_searches']
const CLASS = PROMPT_CLASSES.map((above) => `(input + cache_read + write_5m + write_1h > ${above})::int`).join(' + ')
const KEYS = 'quarter, model, geo, fast, prompt_class, sidechain, abandoned'

/**
 * What a log spent in each quarter of an hour, kept by whoever says what is in it: lists and sums read some rows of each log, not every
 * response. What several logs hold is not in it, since readers say who owns that.
 */
export const SUMS = `
create table annals.log_sum (
  log bigint not null,
  quarter bigint,
  model text not null,
  geo text,
  fast smallint not null,
  prompt_class integer not null,
  sidechain smallint not null,
  abandoned smallint not null,
  responses bigint not null,
  rows bigint not null,
  placeholders bigint not null,
  ${SUMMED.map((name) => `${name} bigint not null`).join(', ')}
);
create index on annals.log_sum (log);
create index on annals.log_sum (quarter);

create function annals.sum_logs(logs bigint[]) returns void language sql set search_path = pg_catalog, pg_temp as $fn$
  delete from annals.log_sum where log = any (logs);
  insert into annals.log_sum (log, ${KEYS}, responses, rows, placeholders, ${SUMMED.join(', ')})
  select log, time / 900000 as quarter, model, geo, fast, ${CLASS} as prompt_class, sidechain, abandoned,
    count(*), sum(rows), sum(placeholder), ${SUMMED.map((name) => `sum(${name})`).join(', ')}
  from annals.held where not shared and log = any (logs) group by log, ${KEYS};
$fn$;
revoke all on function annals.sum_logs from public;

-- What is known of a log is put in the place of what was known before, and what others hold too is taken out of the sums of both.
do $do$
declare one oid;
begin
  execute replace(pg_get_functiondef('annals.put_log'::regproc), 'delete from annals.doc where log = of_log;',
    'delete from annals.doc where log = of_log; delete from annals.log_sum where log = of_log;');
  -- What takes a log away takes its sums too.
  foreach one in array array['annals.delete_sessions', 'annals.delete_files']::regproc[] loop
    execute replace(pg_get_functiondef(one), $$array['doc', 'held'] loop$$, $$array['doc', 'held', 'log_sum'] loop$$);
  end loop;
end $do$;
alter table annals.log_sum enable row level security;
create policy admin on annals.log_sum for all to annals_admin using (true) with check (true);
grant select, delete on annals.log_sum to annals_admin;

create or replace function annals.put_held(of_log bigint, given json) returns void
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

create view annals.my_sum with (security_barrier) as
select s.* from annals.log_sum s where s.log in (select id from annals.my_log);
grant select on annals.my_sum to annals_reader, annals_admin;

select annals.sum_logs(array_agg(id)) from annals.log;
`
