/** How long a store keeps what it has, and how all that was sent of a person goes. */
export const KEEPING = `
-- Deletes all rows of some files and says what went, and from which partitions.
create function annals.delete_files(machines text[], files text[]) returns table (what text, place text, rows bigint)
language plpgsql as $fn$
declare
  name text;
  counted text[];
  months date[];
begin
  select array_agg(distinct r.message_id), array_agg(distinct r.month) into counted, months
  from annals.response r join unnest(machines, files) as f (machine, file) on f.machine = r.machine and f.file = r.file;
  foreach name in array array['doc', 'held'] loop
    return query execute format('with gone as (
        delete from annals.%I t using annals.log l, unnest($1, $2) as f (machine, file)
        where t.log = l.id and l.machine = f.machine and l.file = f.file returning t.tableoid::regclass::text as place
      ) select %L, gone.place, count(*) from gone group by 2', name, name) using machines, files;
  end loop;
  foreach name in array array['log', 'record', 'response', 'tool_call', 'dead_letter', 'session'] loop
    return query execute format('with gone as (
        delete from annals.%I t using unnest($1, $2) as f (machine, file)
        where t.machine = f.machine and t.file = f.file returning t.tableoid::regclass::text as place
      ) select %L, gone.place, count(*) from gone group by 2', name, name) using machines, files;
  end loop;
  perform annals.bill(coalesce(counted, '{}'), months);
end $fn$;

-- Deletes what is older than the setting says: a session goes with all its rows so many days after its last one. Marks stay, so that
-- no machine sends it again. Months that hold nothing any more go as a whole.
create function annals.sweep() returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
declare
  cutoff timestamptz := now() - (select make_interval(days => value::int) from annals.setting where name = 'retain_days');
  swept bigint;
  part record;
  is_empty boolean;
begin
  if cutoff is null or not pg_try_advisory_xact_lock(7305001, 4) then return 0; end if;
  with old as (
    select machine, file from annals.session group by 1, 2 having coalesce(max(last_at), max(arrived_at)) < cutoff
  ), documents as (
    delete from annals.document where coalesce(modified_at, arrived_at) < cutoff returning 1
  )
  select coalesce(sum(rows), 0) + (select count(*) from documents) into swept from annals.delete_files(
    (select coalesce(array_agg(machine order by machine, file), '{}') from old), (select coalesce(array_agg(file order by machine, file), '{}') from old));
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
  return swept;
end $fn$;

-- All that was sent of a person, by every machine of theirs. What they sent until now is not taken from these machines again.
create function annals.purge_person(who text) returns table (what text, place text, rows bigint)
language plpgsql as $fn$
begin
  insert into annals.tombstone (hash, role, machine)
  select distinct annals.purged_hash(s.session), m.role, m.id from annals.session s join annals.machine m on m.id = s.machine
  where s.person = who and s.session <> '' on conflict do nothing;
  delete from annals.mark k using annals.session s where s.person = who and k.machine = s.machine and k.file = s.file;
  return query select * from annals.delete_files(
    (select coalesce(array_agg(machine order by machine, file), '{}') from (select distinct machine, file from annals.session where person = who) s),
    (select coalesce(array_agg(file order by machine, file), '{}') from (select distinct machine, file from annals.session where person = who) s));
  return query with gone as (delete from annals.document where person = who returning 1)
    select 'document', 'annals.document', count(*) from gone having count(*) > 0;
  return query with gone as (delete from annals.machine where person = who returning 1)
    select 'machine', 'annals.machine', count(*) from gone having count(*) > 0;
  delete from annals.person where person = who;
  delete from annals.login where person = who;
end $fn$;

revoke all on function annals.delete_files, annals.sweep, annals.purge_person from public;
grant execute on function annals.sweep to annals_collector, annals_admin;
grant execute on function annals.delete_files, annals.purge_person to annals_admin;
`
