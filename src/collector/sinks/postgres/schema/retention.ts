/** Retention: which rows are older than the store keeps them (for a preview), and their deletion by the same rule. */
export const RETENTION = `
-- Files whose last record is older. A file without any time (summaries, snapshots) is as old as the session that it belongs to, in whatever
-- file that has times; only where nobody knows one, it is as old as its arrival. The history of prompts is no session: its rows go one by one.
create function annals.expired_files(cutoff timestamptz) returns table (machine text, file text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $fn$
  with timed as (
    select session, max(last_at) as last_at from annals.session where session <> '' group by 1
  )
  select s.machine, s.file from annals.session s left join timed t on t.session = s.session
  where not exists (select from annals.record r where r.machine = s.machine and r.file = s.file and r.type = 'history')
  group by 1, 2 having coalesce(max(s.last_at), max(t.last_at), max(s.arrived_at)) < cutoff
$fn$;

-- What would go, by the month of its records and by person.
create function annals.expiring(cutoff timestamptz) returns table (month date, person text, sessions bigint, records bigint)
language sql stable as $fn$
  select case when r.at is null then null else date_trunc('month', r.at at time zone 'UTC')::date end, r.person, count(distinct r.session), count(*)
  from annals.record r
  where (r.machine, r.file) in (select e.machine, e.file from annals.expired_files(cutoff) e) or (r.type = 'history' and r.at < cutoff)
  group by 1, 2 order by 1 nulls last, 2
$fn$;

-- Deletes what is older than the setting says: a session goes with all its rows so many days after its last one. Marks stay, so that
-- no machine sends it again. Months that hold nothing any more go as a whole.
create function annals.sweep() returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
declare
  cutoff timestamptz := now() - (select make_interval(days => value::int) from annals.setting where name = 'retain_days');
  swept bigint;
  prompts bigint;
  machines text[];
  files text[];
  part record;
  is_empty boolean;
begin
  if cutoff is null or not pg_try_advisory_xact_lock(7305001, 4) then return 0; end if;
  select coalesce(array_agg(e.machine order by e.machine, e.file), '{}'), coalesce(array_agg(e.file order by e.machine, e.file), '{}')
    into machines, files from annals.expired_files(cutoff) e;
  with documents as (
    delete from annals.document where coalesce(modified_at, arrived_at) < cutoff returning 1
  )
  select coalesce(sum(rows), 0) + (select count(*) from documents) into swept from annals.delete_files(machines, files);
  with gone as (
    delete from annals.record r where r.type = 'history' and r.at < cutoff returning r.machine, r.file
  ), known as (
    -- What is known of the file as a whole is made again without them.
    delete from annals.log l using (select distinct machine, file from gone) g where l.machine = g.machine and l.file = g.file
  ), sessions as (
    delete from annals.session s using (select distinct machine, file from gone) g
    where s.machine = g.machine and s.file = g.file and s.last_at < cutoff
  )
  select count(*) into prompts from gone;
  set local lock_timeout = '2s';
  for part in
    select c.oid::regclass::text as name from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where p.relnamespace = 'annals'::regnamespace and c.relkind = 'r' and c.relname ~ '_[0-9]{4}_[0-9]{2}$'
      and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' < cutoff
  loop
    begin
      execute format('select not exists (select from %s)', part.name) into is_empty;
      if is_empty then execute format('drop table %s', part.name); end if;
    exception when lock_not_available then null; -- somebody reads it: another day
    end;
  end loop;
  return swept + prompts;
end $fn$;
`
