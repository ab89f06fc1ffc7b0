/**
 * Who is asking, and which machines, persons and projects that concerns. A login of a collector speaks for one person: the first that it
 * names, or the one that an administrator sets. A receiver passes on records of many persons and checks itself who they are.
 */
export const IDENTITY = `
-- The role that was set by \`set local role\`, or else the login: so logins can share the connections of a pooler. A service logs in as
-- itself and acts, in each transaction, for one of the roles granted to it. The roles of annals itself are nobody: the login counts.
create function annals.me() returns name language sql stable parallel safe set search_path = pg_catalog, pg_temp as $fn$
  select case when current_setting('role') in ('none', 'annals_collector', 'annals_receiver', 'annals_reader', 'annals_admin')
    then session_user else current_setting('role')::name end
$fn$;

-- Views of the owner: they show only what concerns the caller.
create view annals.my_machine as select id, person from annals.machine where role = (select annals.me());
create view annals.my_project as
  select g.project from annals.granted g join pg_roles r on r.rolname = g.role where pg_has_role(current_user, r.oid, 'member');
create view annals.my_person as
  select p.person from annals.person p join pg_roles r on r.rolname = p.role where pg_has_role(current_user, r.oid, 'member');

create function annals.must_be_mine(asked text) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  if not exists (select from annals.machine where id = asked and role = annals.me()) then
    raise exception 'this machine was made known by another role' using errcode = '42501';
  end if;
end $fn$;

-- Fails unless the machine is the caller's and all persons are the machine's person.
create function annals.must_speak_for(asked text, persons text[]) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $fn$
declare
  own text;
  other text;
begin
  perform annals.must_be_mine(asked);
  if (select rolsuper from pg_roles where rolname = annals.me()) then return; end if;
  select m.person into own from annals.machine m where m.id = asked;
  select coalesce(p, 'nobody') into other from unnest(persons) p where p is distinct from own limit 1;
  if found then
    raise exception 'machine % speaks for "%", not for "%"', asked, coalesce(own, 'nobody'), other using errcode = '42501';
  end if;
end $fn$;

create function annals.must_be_my_log(of_log bigint) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  if not exists (select from annals.log l join annals.machine m on m.id = l.machine where l.id = of_log and m.role = annals.me()) then
    raise exception 'this log is of another role' using errcode = '42501';
  end if;
end $fn$;

create function annals.bind_login(of_person text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
declare
  bound annals.login;
  other name;
begin
  select * into bound from annals.login where role = annals.me();
  if not found then
    select role into other from annals.login where person = of_person;
    if found then
      raise exception 'login % speaks for "%" already; an administrator lets % do so too: annals team collector % %',
        other, of_person, annals.me(), annals.me(), of_person using errcode = '42501';
    end if;
    insert into annals.login (role, person) values (annals.me(), of_person) on conflict do nothing;
    select * into bound from annals.login where role = annals.me();
  end if;
  if bound.person is distinct from of_person then
    raise exception 'login % speaks for "%", not for "%"; an administrator can change that: annals team collector % %',
      annals.me(), coalesce(bound.person, 'nobody'), coalesce(of_person, 'nobody'), annals.me(), coalesce(of_person, '')
      using errcode = '42501';
  end if;
end $fn$;

create function annals.announce(asked text, of_person text, called text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
declare
  is_many boolean := pg_has_role(annals.me(), 'annals_receiver', 'member');
begin
  if not is_many then perform annals.bind_login(of_person); end if;
  insert into annals.machine as m (id, person, name, role, speaker)
  values (asked, of_person, called, annals.me(), case when is_many then asked else annals.me()::text end)
  on conflict (id) do update set person = excluded.person, name = excluded.name, last_seen = now(), speaker = excluded.speaker
  where m.role = annals.me();
  perform annals.must_speak_for(asked, array[of_person]);
end $fn$;
`
