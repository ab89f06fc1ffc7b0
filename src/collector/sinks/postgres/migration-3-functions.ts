/**
 * What a collector may ask for beside adding rows. The functions run with the owner's rights, so each looks first whether
 * the machine is the caller's; none takes a name of a table or a piece of SQL.
 */
export const FUNCTIONS = `
create function annals.purged_hash(name text) returns text language sql immutable parallel safe as $fn$
  select encode(sha256(convert_to('annals purged' || chr(10) || name, 'UTF8')), 'hex')
$fn$;

create function annals.must_be_mine(asked text) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  if not exists (select from annals.machine where id = asked and role = session_user) then
    raise exception 'this machine was made known by another role' using errcode = '42501';
  end if;
end $fn$;

create function annals.announce(asked text, of_person text, called text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  insert into annals.machine (id, person, name, role) values (asked, of_person, called, session_user)
  on conflict (id) do update set person = excluded.person, name = excluded.name, last_seen = now()
  where annals.machine.role = session_user;
  perform annals.must_be_mine(asked);
end $fn$;

create function annals.marks_of(asked text)
returns table (file text, generation integer, "offset" bigint, cursor text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  perform annals.must_be_mine(asked);
  return query select m.file, m.generation, m."offset", m.cursor from annals.mark m
    where m.machine = asked order by m.file, m.generation;
end $fn$;

create function annals.put_marks(asked text, files text[], generations integer[], offsets bigint[], cursors text[])
returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  perform annals.must_be_mine(asked);
  insert into annals.mark (machine, file, generation, "offset", cursor)
  select asked, f, g, o, c from unnest(files, generations, offsets, cursors) as t (f, g, o, c) order by f, g
  on conflict (machine, file, generation) do update
  set "offset" = excluded."offset", cursor = excluded.cursor, at = now()
  where annals.mark."offset" <= excluded."offset";
end $fn$;

create function annals.put_sessions(
  asked text, files text[], generations integer[], sessions text[], projects text[], agents text[], persons text[],
  firsts timestamptz[], lasts timestamptz[]
) returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  perform annals.must_be_mine(asked);
  insert into annals.session as s (machine, file, generation, session, project, agent, person, first_at, last_at)
  select asked, * from unnest(files, generations, sessions, projects, agents, persons, firsts, lasts) order by 2, 3, 4, 5
  on conflict (machine, file, generation, session, project) do update
  set first_at = least(s.first_at, excluded.first_at), last_at = greatest(s.last_at, excluded.last_at),
    agent = case when s.agent = excluded.agent then s.agent end
  where excluded.first_at < s.first_at or excluded.last_at > s.last_at or s.agent is distinct from excluded.agent
    or (s.first_at is null and excluded.first_at is not null);
end $fn$;

create function annals.put_document(
  asked text, of_file text, of_person text, of_project text, of_session text, of_kind text, modified timestamptz,
  bytes bytea, hash text
) returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  perform annals.must_be_mine(asked);
  insert into annals.document as d (machine, file, person, project, session, kind, modified_at, content, content_hash)
  values (asked, of_file, of_person, of_project, of_session, of_kind, modified, bytes, hash)
  on conflict (machine, file) do update set
    person = excluded.person, project = excluded.project, session = excluded.session, kind = excluded.kind,
    modified_at = excluded.modified_at, content = excluded.content, content_hash = excluded.content_hash, arrived_at = now()
  where d.content_hash <> excluded.content_hash or d.modified_at is distinct from excluded.modified_at;
end $fn$;

-- Which of some sessions were purged, by an administrator or by the caller.
create function annals.refused(hashes text[]) returns setof text
language sql stable security definer set search_path = pg_catalog, pg_temp as $fn$
  select distinct hash from annals.tombstone where hash = any (hashes) and role in ('*', session_user)
$fn$;

-- Deletes sessions and says what went, and from which partitions.
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
  foreach name in array array['doc', 'held'] loop
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

-- A collector passes on what was purged on its machine: its own rows go, and it cannot send them again.
create function annals.forget(hashes text[]) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  insert into annals.tombstone (hash, role) select distinct h, session_user::name from unnest(hashes) h on conflict do nothing;
  return (select coalesce(sum(rows), 0) from annals.delete_sessions(
    hashes, (select coalesce(array_agg(id), '{}') from annals.machine where role = session_user)));
end $fn$;

-- An administrator purges a session of every machine, for good.
create function annals.purge(session_id text) returns table (what text, place text, rows bigint)
language plpgsql as $fn$
begin
  insert into annals.tombstone (hash, role) values (annals.purged_hash(session_id), '*') on conflict do nothing;
  return query select * from annals.delete_sessions(array[annals.purged_hash(session_id)], null);
end $fn$;

-- Keeps partitions ahead, for a role that may not make tables.
create function annals.keep_ahead() returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  return annals.make_partitions(1, 6);
end $fn$;

revoke all on all functions in schema annals from public;
grant execute on function annals.announce, annals.must_be_mine, annals.marks_of, annals.put_marks, annals.put_sessions,
  annals.put_document, annals.refused, annals.forget, annals.keep_ahead to annals_collector;
grant execute on function annals.purged_hash, annals.delete_sessions, annals.purge to annals_admin;
`
