/** Tables in which a row is of a project and a person: readers see their own rows and those of projects granted to them. */
const OWNED = ['record', 'response', 'tool_call', 'session', 'document']
/** Tables to which a collector adds rows of its own machines. */
const COLLECTED = ['record', 'response', 'tool_call']
const GUARDED = [...OWNED, 'machine', 'mark', 'dead_letter', 'tombstone', 'log', 'held', 'doc', 'log_sum', 'billed']

const VISIBLE = `(select exists (select from annals.my_project where project = '*'))
    or project in (select project from annals.my_project) or person in (select person from annals.my_person)`

/**
 * Rights. A collector adds rows for the machines that it announced and sees none; a reader sees its own rows and those of projects granted
 * to it; an administrator sees all. Nothing is open to everyone.
 */
export const ACCESS = `
revoke all on schema annals from public;
grant usage on schema annals to annals_collector, annals_reader, annals_admin;

${each(
  GUARDED,
  (name) => `alter table ${name} enable row level security;
create policy admin on ${name} for all to annals_admin using (true) with check (true);`,
)}
${each(OWNED, (name) => `create policy reader on ${name} for select to annals_reader using (${VISIBLE});`)}
${each(
  COLLECTED,
  (name) => `create policy collector on ${name} for insert to annals_collector with check (
  (machine, coalesce(person, '')) in (select id, coalesce(person, '') from annals.my_machine));`,
)}
create policy collector on annals.dead_letter for insert to annals_collector with check (machine in (select id from annals.my_machine));
-- A reader learns how far a file has come, and of which machine, where they may see some row of it.
create policy reader on annals.mark for select to annals_reader using (
  exists (select from annals.session s where s.machine = mark.machine and s.file = mark.file)
);
create policy reader on annals.machine for select to annals_reader using (
  exists (select from annals.session s where s.machine = machine.id)
);

grant select on ${names(OWNED)} to annals_reader;
grant insert on annals.dead_letter to annals_collector;
grant select, delete on ${names(GUARDED)} to annals_admin;
grant insert on ${names(COLLECTED)} to annals_collector;
grant insert on annals.tombstone to annals_admin;
grant insert, update on annals.billed to annals_admin;
grant select, insert, update, delete on annals.setting, annals.person, annals.granted, annals.login to annals_admin;
grant select (machine, file, generation, "offset", at) on annals.mark to annals_reader;
grant select (id, person, name, last_seen) on annals.machine to annals_reader;
grant select on annals.annals_migration to annals_collector, annals_reader, annals_admin;

grant select on annals.my_machine to annals_collector;
grant select on annals.my_project, annals.my_person to annals_reader;
grant select on annals.my_log, annals.my_held, annals.my_sum, annals.my_record, annals.record_at, annals.key_holder, annals.found,
  annals.usage_by_person, annals.usage_by_team, annals.usage_by_project, annals.usage_by_model, annals.usage_by_day, annals.usage_total
  to annals_reader, annals_admin;
grant select on annals.newest, annals.record_now, annals.copies, annals.response_counted, annals.response_once to annals_admin;

revoke all on all functions in schema annals from public;
grant execute on function annals.month_of to public;
grant execute on function annals.me, annals.must_be_mine, annals.must_speak_for, annals.announce, annals.keep_ahead, annals.refused,
  annals.refused_of, annals.reached, annals.marks_of, annals.put_marks, annals.put_sessions, annals.put_document, annals.deliver,
  annals.bill_own, annals.unread, annals.content_of, annals.put_log, annals.put_held, annals.put_docs, annals.forget, annals.forget_own,
  annals.sweep to annals_collector;
grant execute on function annals.me, annals.is_continued, annals.newest_time, annals.search to annals_reader, annals_admin;
grant execute on function annals.purged_hash, annals.bill, annals.delete_sessions, annals.delete_files, annals.purge, annals.purge_person,
  annals.expired_files, annals.expiring, annals.sweep to annals_admin;
`

function each(tables: readonly string[], statement: (name: string) => string): string {
  return tables.map((name) => statement(`annals.${name}`)).join('\n')
}

function names(tables: readonly string[]): string {
  return tables.map((name) => `annals.${name}`).join(', ')
}
