create role if not exists annals_receiver;

create role if not exists annals_reader;

create role if not exists annals_admin;

grant insert on annals.record to annals_receiver;

grant insert on annals.document to annals_receiver;

grant insert on annals.mark to annals_receiver;

grant insert on annals.dead_letter to annals_receiver;

grant insert on annals.machine to annals_receiver;

grant insert on annals.tombstone to annals_receiver;

grant insert on annals.touched to annals_receiver;

grant insert on annals.shared to annals_receiver;

grant insert on annals.log to annals_receiver;

grant insert on annals.held to annals_receiver;

grant insert on annals.row_key to annals_receiver;

grant insert on annals.doc to annals_receiver;

grant select on annals.record to annals_receiver;

grant select on annals.mark to annals_receiver;

grant select on annals.tombstone to annals_receiver;

grant select on annals.session to annals_receiver;

grant select on annals.document to annals_receiver;

grant select on annals.dead_letter to annals_receiver;

grant select on annals.response to annals_receiver;

grant select on annals.holder to annals_receiver;

grant select on annals.log to annals_receiver;

grant alter delete, alter table on annals.record to annals_receiver;

grant alter delete, alter table on annals.response to annals_receiver;

grant alter delete, alter table on annals.tool_call to annals_receiver;

grant alter delete, alter table on annals.session to annals_receiver;

grant alter delete, alter table on annals.document to annals_receiver;

grant alter delete, alter table on annals.dead_letter to annals_receiver;

grant alter delete, alter table on annals.holder to annals_receiver;

grant alter delete, alter table on annals.log to annals_receiver;

grant alter delete, alter table on annals.held to annals_receiver;

grant alter delete, alter table on annals.row_key to annals_receiver;

grant alter delete, alter table on annals.doc to annals_receiver;

grant select on annals.record to annals_reader;

grant select on annals.response to annals_reader;

grant select on annals.tool_call to annals_reader;

grant select on annals.session to annals_reader;

grant select on annals.document to annals_reader;

grant select on annals.daily to annals_reader;

grant select on annals.log to annals_reader;

grant select on annals.held to annals_reader;

grant select on annals.row_key to annals_reader;

grant select on annals.doc to annals_reader;

grant select on annals.shared to annals_reader;

grant select on annals.member to annals_reader;

grant select on annals.granted to annals_reader;

grant select, insert, alter delete, alter table on annals.* to annals_admin;

create row policy if not exists annals_reads on annals.record using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (project != '' and project in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role)))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on annals.response using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (project != '' and project in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role)))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on annals.tool_call using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (project != '' and project in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role)))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on annals.session using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (project != '' and project in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role)))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on annals.document using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (project != '' and project in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role)))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on annals.daily using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (project != '' and project in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role)))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on annals.log using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (notEmpty(projects) and hasAll((select groupArray(project) from annals.granted where role = currentUser() or has(enabledRoles(), role)), projects))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on annals.held using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (notEmpty(projects) and hasAll((select groupArray(project) from annals.granted where role = currentUser() or has(enabledRoles(), role)), projects))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on annals.row_key using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (notEmpty(projects) and hasAll((select groupArray(project) from annals.granted where role = currentUser() or has(enabledRoles(), role)), projects))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on annals.doc using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (notEmpty(projects) and hasAll((select groupArray(project) from annals.granted where role = currentUser() or has(enabledRoles(), role)), projects))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_own on annals.member using role = currentUser() or has(enabledRoles(), role) to annals_reader;

create row policy if not exists annals_own on annals.granted using role = currentUser() or has(enabledRoles(), role) to annals_reader;

create row policy if not exists annals_all on annals.record using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on annals.response using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on annals.tool_call using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on annals.session using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on annals.document using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on annals.daily using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on annals.log using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on annals.held using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on annals.row_key using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on annals.doc using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on annals.member using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on annals.granted using 1 to annals_receiver, annals_admin;

create settings profile if not exists annals_reader settings readonly = 2, max_execution_time = 60, max_memory_usage = 4000000000 to annals_reader;

create quota if not exists annals_reader keyed by user_name for interval 1 hour max queries = 5000, execution_time = 1800 to annals_reader;
