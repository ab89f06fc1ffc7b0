/** The roles that logins are members of. Roles belong to the whole server, so another database may have made them already. */
const NAMES = ['annals_collector', 'annals_receiver', 'annals_reader', 'annals_admin']

export const ROLES = `
do $do$
declare name text;
begin
  foreach name in array array[${NAMES.map((name) => `'${name}'`).join(', ')}] loop
    if not exists (select from pg_roles where rolname = name) then execute format('create role %I nologin', name); end if;
  end loop;
exception when duplicate_object then null; -- another database of this server makes them at this moment
end $do$;
grant annals_collector to annals_receiver;
`
