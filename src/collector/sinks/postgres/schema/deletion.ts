/** Purges. */
export const DELETION = `
-- Deletes sessions; returns how many rows went, by table and partition.
create function annals.delete_sessions(hashes text[], machines text[]) returns table (what text, place text, rows bigint)
language plpgsql as $fn$
declare
  found text[];
  counted text[];
  months date[];
  name text;
begin
  select array_agg(distinct session) into found from (
    select session from annals.session union select session from annals.document where session is not null
    union select session from annals.dead_letter where session is not null
  ) known where annals.purged_hash(session) = any (hashes);
  if found is null then return; end if;
  select array_agg(distinct r.message_id), array_agg(distinct r.month) into counted, months
  from annals.response r join annals.session s on s.machine = r.machine and s.file = r.file
  where s.session = any (found) and r.session = any (found) and (machines is null or s.machine = any (machines));
  foreach name in array array['doc', 'held', 'log_sum'] loop
    return query execute format('with gone as (
        delete from annals.%I t using annals.log l, annals.session s where t.log = l.id and l.machine = s.machine and l.file = s.file
          and s.session = any ($1) and ($2 is null or s.machine = any ($2))
        returning t.tableoid::regclass::text as place
      ) select %L, gone.place, count(*) from gone group by 2', name, name) using found, machines;
  end loop;
  -- What other sessions have in the same files is read again by who sent it.
  return query with gone as (
    delete from annals.log l using annals.session s where l.machine = s.machine and l.file = s.file
      and s.session = any (found) and (machines is null or s.machine = any (machines)) returning 1
  ) select 'log', 'annals.log', count(*) from gone having count(*) > 0;
  foreach name in array array['record', 'response', 'tool_call'] loop
    return query execute format('with files as (
        select distinct machine, file from annals.session where session = any ($1) and ($2 is null or machine = any ($2))
      ), gone as (
        delete from annals.%I t using files f where t.machine = f.machine and t.file = f.file and t.session = any ($1)
        returning t.tableoid::regclass::text as place
      ) select %L, gone.place, count(*) from gone group by 2', name, name) using found, machines;
  end loop;
  foreach name in array array['document', 'dead_letter', 'session'] loop
    return query execute format('with gone as (
        delete from annals.%I t where session = any ($1) and ($2 is null or machine = any ($2)) returning 1
      ) select %L, %L, count(*) from gone having count(*) > 0', name, name, 'annals.' || name) using found, machines;
  end loop;
  perform annals.bill(coalesce(counted, '{}'), months);
end $fn$;

-- Deletes all rows of some files; returns the same.
create function annals.delete_files(machines text[], files text[]) returns table (what text, place text, rows bigint)
language plpgsql as $fn$
declare
  name text;
  counted text[];
  months date[];
begin
  select array_agg(distinct r.message_id), array_agg(distinct r.month) into counted, months
  from annals.response r join unnest(machines, files) as f (machine, file) on f.machine = r.machine and f.file = r.file;
  foreach name in array array['doc', 'held', 'log_sum'] loop
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

-- A collector passes on what was purged on its machine: its own rows go, and it cannot send them again.
create function annals.forget(hashes text[]) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  insert into annals.tombstone (hash, role) select distinct h, annals.me()::name from unnest(hashes) h on conflict do nothing;
  return (select coalesce(sum(rows), 0) from annals.delete_sessions(
    hashes, (select coalesce(array_agg(id), '{}') from annals.machine where role = annals.me())));
end $fn$;

-- A receiver passes on what one machine purged: that machine's rows go. Returns the hashes of which it had sent nothing.
create function annals.forget_own(asked text, hashes text[]) returns setof text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  perform annals.must_be_mine(asked);
  insert into annals.tombstone (hash, role, machine) select distinct h, annals.me()::name, asked from unnest(hashes) h
  on conflict do nothing;
  return query select distinct h from unnest(hashes) h where h not in (
    select annals.purged_hash(s.session) from annals.session s where s.machine = asked union
    select annals.purged_hash(d.session) from annals.document d where d.machine = asked and d.session is not null union
    select annals.purged_hash(l.session) from annals.dead_letter l where l.machine = asked and l.session is not null);
  perform annals.delete_sessions(hashes, array[asked]);
end $fn$;

-- An administrator purges a session of every machine, for good.
create function annals.purge(session_id text) returns table (what text, place text, rows bigint)
language plpgsql as $fn$
begin
  insert into annals.tombstone (hash, role) values (annals.purged_hash(session_id), '*') on conflict do nothing;
  return query select * from annals.delete_sessions(array[annals.purged_hash(session_id)], null);
end $fn$;

-- Purges all that was sent of a person, by every machine of theirs. These machines cannot send it again.
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
`
