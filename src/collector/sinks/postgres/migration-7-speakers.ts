/**
 * Whose records a login may bring. A collector's login speaks for one person: the first it names, or whom an administrator
 * says. A receiver passes on the records of many, and looks itself who they are.
 */
export const SPEAKERS = `
do $do$ begin
  if not exists (select from pg_roles where rolname = 'annals_receiver') then create role annals_receiver nologin; end if;
exception when duplicate_object then null; -- made at this moment for another database of the same server
end $do$;
grant annals_collector to annals_receiver;

create table annals.login (role name primary key, person text, at timestamptz not null default now());
grant select, insert, update, delete on annals.login to annals_admin;
insert into annals.login (role, person)
select role, min(person) from annals.machine group by role having count(distinct coalesce(person, '')) = 1;

-- What counts as one person where no name leaves: the login, or for a receiver the machine.
alter table annals.machine add column speaker text;
update annals.machine set speaker = coalesce((select l.role::text from annals.login l where l.role = machine.role), id);

create or replace view annals.my_machine as select id, person from annals.machine where role = session_user;

create function annals.bind_login(of_person text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
declare
  bound annals.login;
  other name;
begin
  select * into bound from annals.login where role = session_user;
  if not found then
    select role into other from annals.login where person = of_person;
    if found then
      raise exception 'login % speaks for "%" already; an administrator lets % do so too: annals team collector % %',
        other, of_person, session_user, session_user, of_person using errcode = '42501';
    end if;
    insert into annals.login (role, person) values (session_user, of_person) on conflict do nothing;
    select * into bound from annals.login where role = session_user;
  end if;
  if bound.person is distinct from of_person then
    raise exception 'login % speaks for "%", not for "%"; an administrator can change that: annals team collector % %',
      session_user, coalesce(bound.person, 'nobody'), coalesce(of_person, 'nobody'), session_user, coalesce(of_person, '')
      using errcode = '42501';
  end if;
end $fn$;

create or replace function annals.announce(asked text, of_person text, called text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
declare
  is_many boolean := pg_has_role(session_user, 'annals_receiver', 'member');
begin
  if not is_many then perform annals.bind_login(of_person); end if;
  insert into annals.machine as m (id, person, name, role, speaker)
  values (asked, of_person, called, session_user, case when is_many then asked else session_user::text end)
  on conflict (id) do update set person = excluded.person, name = excluded.name, last_seen = now(), speaker = excluded.speaker
  where m.role = session_user;
  perform annals.must_speak_for(asked, array[of_person]);
end $fn$;

-- Whether a machine is the caller's, and all it brings is of its person.
create function annals.must_speak_for(asked text, persons text[]) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $fn$
declare
  own text;
  other text;
begin
  perform annals.must_be_mine(asked);
  if (select rolsuper from pg_roles where rolname = session_user) then return; end if;
  select m.person into own from annals.machine m where m.id = asked;
  select coalesce(p, 'nobody') into other from unnest(persons) p where p is distinct from own limit 1;
  if found then
    raise exception 'machine % speaks for "%", not for "%"', asked, coalesce(own, 'nobody'), other using errcode = '42501';
  end if;
end $fn$;

do $do$
declare name text;
begin
  foreach name in array array['record', 'response', 'tool_call'] loop
    execute format($$alter policy collector on annals.%I with check (
      (machine, coalesce(person, '')) in (select id, coalesce(person, '') from annals.my_machine))$$, name);
  end loop;
end $do$;

create or replace function annals.put_sessions(
  asked text, files text[], generations integer[], sessions text[], projects text[], agents text[], persons text[],
  firsts timestamptz[], lasts timestamptz[]
) returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  perform annals.must_speak_for(asked, persons);
  insert into annals.session as s (machine, file, generation, session, project, agent, person, first_at, last_at)
  select asked, * from unnest(files, generations, sessions, projects, agents, persons, firsts, lasts) order by 2, 3, 4, 5
  on conflict (machine, file, generation, session, project) do update
  set first_at = least(s.first_at, excluded.first_at), last_at = greatest(s.last_at, excluded.last_at),
    agent = case when s.agent = excluded.agent then s.agent end
  where excluded.first_at < s.first_at or excluded.last_at > s.last_at or s.agent is distinct from excluded.agent
    or (s.first_at is null and excluded.first_at is not null);
end $fn$;

create or replace function annals.put_document(
  asked text, of_file text, of_person text, of_project text, of_session text, of_kind text, modified timestamptz,
  bytes bytea, hash text
) returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  perform annals.must_speak_for(asked, array[of_person]);
  insert into annals.document as d (machine, file, person, project, session, kind, modified_at, content, content_hash)
  values (asked, of_file, of_person, of_project, of_session, of_kind, modified, bytes, hash)
  on conflict (machine, file) do update set
    person = excluded.person, project = excluded.project, session = excluded.session, kind = excluded.kind,
    modified_at = excluded.modified_at, content = excluded.content, content_hash = excluded.content_hash, arrived_at = now()
  where d.content_hash <> excluded.content_hash or d.modified_at is distinct from excluded.modified_at;
end $fn$;

-- A tombstone of a machine takes and refuses what that machine sent; one without, what all machines of its login did.
alter table annals.tombstone add column machine text not null default '', drop constraint tombstone_pkey,
  add primary key (hash, role, machine);

create or replace function annals.refused(hashes text[]) returns setof text
language sql stable security definer set search_path = pg_catalog, pg_temp as $fn$
  select distinct hash from annals.tombstone where hash = any (hashes) and role in ('*', session_user) and machine = ''
$fn$;

create function annals.refused_of(asked text, hashes text[]) returns setof text
language sql stable security definer set search_path = pg_catalog, pg_temp as $fn$
  select distinct hash from annals.tombstone
  where hash = any (hashes) and (role = '*' or (role = session_user and machine in ('', asked)))
$fn$;

-- What one machine purged, passed on by a receiver: its own rows go. Gives those hashes of which it had sent nothing.
create function annals.forget_own(asked text, hashes text[]) returns setof text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  perform annals.must_be_mine(asked);
  insert into annals.tombstone (hash, role, machine) select distinct h, session_user::name, asked from unnest(hashes) h
  on conflict do nothing;
  return query select distinct h from unnest(hashes) h where h not in (
    select annals.purged_hash(s.session) from annals.session s where s.machine = asked union
    select annals.purged_hash(d.session) from annals.document d where d.machine = asked and d.session is not null union
    select annals.purged_hash(l.session) from annals.dead_letter l where l.machine = asked and l.session is not null);
  perform annals.delete_sessions(hashes, array[asked]);
end $fn$;

alter table annals.setting add constraint setting_known
  check (name in ('minimum_group', 'retain_days') and value ~ '^[1-9][0-9]{0,5}$') not valid;

revoke all on function annals.bind_login, annals.must_speak_for, annals.refused_of, annals.forget_own
  from public;
grant execute on function annals.must_speak_for, annals.refused_of, annals.forget_own to annals_collector;
`
