/**
 * Who may do what. A collector adds rows for the machines that it made known and sees none; a reader sees its own rows and
 * those of projects that were granted to it; an administrator sees all. Nothing is open to everyone.
 */
export const ROLES = `
do $do$
declare name text;
begin
  foreach name in array array['annals_collector', 'annals_reader', 'annals_admin'] loop
    if not exists (select from pg_roles where rolname = name) then execute format('create role %I nologin', name); end if;
  end loop;
exception when duplicate_object then null; -- made at this moment for another database of the same server
end $do$;

revoke all on schema annals from public;
grant usage on schema annals to annals_collector, annals_reader, annals_admin;

-- Views of the owner: they say only what concerns whoever asks.
create view annals.my_machine as select id from annals.machine where role = session_user;
create view annals.my_project as
  select g.project from annals.granted g join pg_roles r on r.rolname = g.role where pg_has_role(current_user, r.oid, 'member');
create view annals.my_person as
  select p.person from annals.person p join pg_roles r on r.rolname = p.role where pg_has_role(current_user, r.oid, 'member');


do $do$
declare
  name text;
  seen text := $$(select exists (select from annals.my_project where project = '*'))
    or project in (select project from annals.my_project) or person in (select person from annals.my_person)$$;
begin
  foreach name in array array['record', 'response', 'tool_call', 'session', 'document'] loop
    execute format('alter table annals.%I enable row level security', name);
    execute format('create policy reader on annals.%I for select to annals_reader using (%s)', name, seen);
    execute format('create policy admin on annals.%I for all to annals_admin using (true) with check (true)', name);
    execute format('grant select on annals.%I to annals_reader', name);
    execute format('grant select, delete on annals.%I to annals_admin', name);
  end loop;
  foreach name in array array['record', 'response', 'tool_call', 'dead_letter'] loop
    execute format('alter table annals.%I enable row level security', name);
    execute format('create policy collector on annals.%I for insert to annals_collector
      with check (machine in (select id from annals.my_machine))', name);
    execute format('grant insert on annals.%I to annals_collector', name);
  end loop;
  foreach name in array array['machine', 'mark', 'dead_letter', 'tombstone'] loop
    execute format('alter table annals.%I enable row level security', name);
    execute format('create policy admin on annals.%I for all to annals_admin using (true) with check (true)', name);
    execute format('grant select, delete on annals.%I to annals_admin', name);
  end loop;
end $do$;
grant insert on annals.tombstone to annals_admin;
grant select on annals.my_machine to annals_collector;
grant select on annals.my_project, annals.my_person to annals_reader;
grant select, insert, update, delete on annals.setting, annals.person, annals.granted to annals_admin;
grant select on annals.annals_migration to annals_collector, annals_reader, annals_admin;

-- A reader learns how far a file has come, where some row of it may be seen.
create policy reader on annals.mark for select to annals_reader using (
  exists (select from annals.session s where s.machine = mark.machine and s.file = mark.file)
);
grant select (machine, file, generation, "offset", at) on annals.mark to annals_reader;
create policy reader on annals.machine for select to annals_reader using (
  exists (select from annals.session s where s.machine = machine.id)
);
grant select (id, person, name, last_seen) on annals.machine to annals_reader;
`
