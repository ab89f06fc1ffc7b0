/**
 * Who somebody is: the role they act as, by `set local role`, or else their login. So that logins may share the connections of a
 * pooler: a service logs in as itself and acts, in each transaction, for one of the roles that it was granted.
 */
export const ACTING = `
-- Roles of a kind are nobody: who acts as one of those is still their login.
create function annals.me() returns name language sql stable parallel safe set search_path = pg_catalog, pg_temp as $fn$
  select case when current_setting('role') in ('none', 'annals_collector', 'annals_receiver', 'annals_reader', 'annals_admin')
    then session_user else current_setting('role')::name end
$fn$;
revoke all on function annals.me from public;
grant execute on function annals.me to annals_collector, annals_reader, annals_admin;

create or replace view annals.my_machine as select id, person from annals.machine where role = (select annals.me());

do $do$
declare one oid;
begin
  for one in select oid from pg_proc where pronamespace = 'annals'::regnamespace and prosrc ~ 'session_user' and proname <> 'me' loop
    execute replace(pg_get_functiondef(one), 'session_user', 'annals.me()');
  end loop;
end $do$;
`
