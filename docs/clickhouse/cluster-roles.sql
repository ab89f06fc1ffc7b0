create role if not exists annals_receiver on cluster 'main';

create role if not exists annals_reader on cluster 'main';

create role if not exists annals_admin on cluster 'main';

grant on cluster 'main' insert on annals.record to annals_receiver;

grant on cluster 'main' insert on annals.record_local to annals_receiver;

grant on cluster 'main' insert on annals.document to annals_receiver;

grant on cluster 'main' insert on annals.document_local to annals_receiver;

grant on cluster 'main' insert on annals.mark to annals_receiver;

grant on cluster 'main' insert on annals.mark_local to annals_receiver;

grant on cluster 'main' insert on annals.dead_letter to annals_receiver;

grant on cluster 'main' insert on annals.dead_letter_local to annals_receiver;

grant on cluster 'main' insert on annals.machine to annals_receiver;

grant on cluster 'main' insert on annals.tombstone to annals_receiver;

grant on cluster 'main' insert on annals.touched to annals_receiver;

grant on cluster 'main' insert on annals.shared to annals_receiver;

grant on cluster 'main' insert on annals.log to annals_receiver;

grant on cluster 'main' insert on annals.log_local to annals_receiver;

grant on cluster 'main' insert on annals.held to annals_receiver;

grant on cluster 'main' insert on annals.held_local to annals_receiver;

grant on cluster 'main' insert on annals.row_key to annals_receiver;

grant on cluster 'main' insert on annals.row_key_local to annals_receiver;

grant on cluster 'main' insert on annals.doc to annals_receiver;

grant on cluster 'main' insert on annals.doc_local to annals_receiver;

grant on cluster 'main' select on annals.record to annals_receiver;

grant on cluster 'main' select on annals.record_local to annals_receiver;

grant on cluster 'main' select on annals.mark to annals_receiver;

grant on cluster 'main' select on annals.mark_local to annals_receiver;

grant on cluster 'main' select on annals.tombstone to annals_receiver;

grant on cluster 'main' select on annals.session to annals_receiver;

grant on cluster 'main' select on annals.session_local to annals_receiver;

grant on cluster 'main' select on annals.document to annals_receiver;

grant on cluster 'main' select on annals.document_local to annals_receiver;

grant on cluster 'main' select on annals.dead_letter to annals_receiver;

grant on cluster 'main' select on annals.dead_letter_local to annals_receiver;

grant on cluster 'main' select on annals.response to annals_receiver;

grant on cluster 'main' select on annals.response_local to annals_receiver;

grant on cluster 'main' select on annals.holder to annals_receiver;

grant on cluster 'main' select on annals.holder_local to annals_receiver;

grant on cluster 'main' select on annals.log to annals_receiver;

grant on cluster 'main' select on annals.log_local to annals_receiver;

grant on cluster 'main' alter delete, alter table on annals.record to annals_receiver;

grant on cluster 'main' alter delete, alter table on annals.record_local to annals_receiver;

grant on cluster 'main' alter delete, alter table on annals.response to annals_receiver;

grant on cluster 'main' alter delete, alter table on annals.response_local to annals_receiver;

grant on cluster 'main' alter delete, alter table on annals.tool_call to annals_receiver;

grant on cluster 'main' alter delete, alter table on annals.tool_call_local to annals_receiver;

grant on cluster 'main' alter delete, alter table on annals.session to annals_receiver;

grant on cluster 'main' alter delete, alter table on annals.session_local to annals_receiver;

grant on cluster 'main' alter delete, alter table on annals.document to annals_receiver;

grant on cluster 'main' alter delete, alter table on annals.document_local to annals_receiver;

grant on cluster 'main' alter delete, alter table on annals.dead_letter to annals_receiver;

grant on cluster 'main' alter delete, alter table on annals.dead_letter_local to annals_receiver;

grant on cluster 'main' alter delete, alter table on annals.holder to annals_receiver;

grant on cluster 'main' alter delete, alter table on annals.holder_local to annals_receiver;

grant on cluster 'main' alter delete, alter table on annals.log to annals_receiver;

grant on cluster 'main' alter delete, alter table on annals.log_local to annals_receiver;

grant on cluster 'main' alter delete, alter table on annals.held to annals_receiver;

grant on cluster 'main' alter delete, alter table on annals.held_local to annals_receiver;

grant on cluster 'main' alter delete, alter table on annals.row_key to annals_receiver;

grant on cluster 'main' alter delete, alter table on annals.row_key_local to annals_receiver;

grant on cluster 'main' alter delete, alter table on annals.doc to annals_receiver;

grant on cluster 'main' alter delete, alter table on annals.doc_local to annals_receiver;

grant on cluster 'main' select on annals.record to annals_reader;

grant on cluster 'main' select on annals.record_local to annals_reader;

grant on cluster 'main' select on annals.response to annals_reader;

grant on cluster 'main' select on annals.response_local to annals_reader;

grant on cluster 'main' select on annals.tool_call to annals_reader;

grant on cluster 'main' select on annals.tool_call_local to annals_reader;

grant on cluster 'main' select on annals.session to annals_reader;

grant on cluster 'main' select on annals.session_local to annals_reader;

grant on cluster 'main' select on annals.document to annals_reader;

grant on cluster 'main' select on annals.document_local to annals_reader;

grant on cluster 'main' select on annals.daily to annals_reader;

grant on cluster 'main' select on annals.log to annals_reader;

grant on cluster 'main' select on annals.log_local to annals_reader;

grant on cluster 'main' select on annals.held to annals_reader;

grant on cluster 'main' select on annals.held_local to annals_reader;

grant on cluster 'main' select on annals.row_key to annals_reader;

grant on cluster 'main' select on annals.row_key_local to annals_reader;

grant on cluster 'main' select on annals.doc to annals_reader;

grant on cluster 'main' select on annals.doc_local to annals_reader;

grant on cluster 'main' select on annals.shared to annals_reader;

grant on cluster 'main' select on annals.member to annals_reader;

grant on cluster 'main' select on annals.granted to annals_reader;

grant on cluster 'main' select, insert, alter delete, alter table on annals.* to annals_admin;

create row policy if not exists annals_reads on cluster 'main' on annals.record using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (project != '' and project in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role)))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on cluster 'main' on annals.record_local using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (project != '' and project in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role)))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on cluster 'main' on annals.response using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (project != '' and project in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role)))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on cluster 'main' on annals.response_local using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (project != '' and project in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role)))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on cluster 'main' on annals.tool_call using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (project != '' and project in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role)))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on cluster 'main' on annals.tool_call_local using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (project != '' and project in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role)))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on cluster 'main' on annals.session using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (project != '' and project in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role)))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on cluster 'main' on annals.session_local using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (project != '' and project in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role)))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on cluster 'main' on annals.document using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (project != '' and project in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role)))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on cluster 'main' on annals.document_local using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (project != '' and project in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role)))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on cluster 'main' on annals.daily using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (project != '' and project in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role)))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on cluster 'main' on annals.log using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (notEmpty(projects) and hasAll((select groupArray(project) from annals.granted where role = currentUser() or has(enabledRoles(), role)), projects))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on cluster 'main' on annals.log_local using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (notEmpty(projects) and hasAll((select groupArray(project) from annals.granted where role = currentUser() or has(enabledRoles(), role)), projects))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on cluster 'main' on annals.held using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (notEmpty(projects) and hasAll((select groupArray(project) from annals.granted where role = currentUser() or has(enabledRoles(), role)), projects))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on cluster 'main' on annals.held_local using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (notEmpty(projects) and hasAll((select groupArray(project) from annals.granted where role = currentUser() or has(enabledRoles(), role)), projects))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on cluster 'main' on annals.row_key using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (notEmpty(projects) and hasAll((select groupArray(project) from annals.granted where role = currentUser() or has(enabledRoles(), role)), projects))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on cluster 'main' on annals.row_key_local using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (notEmpty(projects) and hasAll((select groupArray(project) from annals.granted where role = currentUser() or has(enabledRoles(), role)), projects))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on cluster 'main' on annals.doc using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (notEmpty(projects) and hasAll((select groupArray(project) from annals.granted where role = currentUser() or has(enabledRoles(), role)), projects))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_reads on cluster 'main' on annals.doc_local using '*' in (select project from annals.granted where role = currentUser() or has(enabledRoles(), role))
  or (notEmpty(projects) and hasAll((select groupArray(project) from annals.granted where role = currentUser() or has(enabledRoles(), role)), projects))
  or (person != '' and person in (select person from annals.member where role = currentUser() or has(enabledRoles(), role))) to annals_reader;

create row policy if not exists annals_own on cluster 'main' on annals.member using role = currentUser() or has(enabledRoles(), role) to annals_reader;

create row policy if not exists annals_own on cluster 'main' on annals.granted using role = currentUser() or has(enabledRoles(), role) to annals_reader;

create row policy if not exists annals_all on cluster 'main' on annals.record using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on cluster 'main' on annals.record_local using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on cluster 'main' on annals.response using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on cluster 'main' on annals.response_local using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on cluster 'main' on annals.tool_call using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on cluster 'main' on annals.tool_call_local using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on cluster 'main' on annals.session using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on cluster 'main' on annals.session_local using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on cluster 'main' on annals.document using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on cluster 'main' on annals.document_local using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on cluster 'main' on annals.daily using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on cluster 'main' on annals.log using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on cluster 'main' on annals.log_local using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on cluster 'main' on annals.held using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on cluster 'main' on annals.held_local using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on cluster 'main' on annals.row_key using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on cluster 'main' on annals.row_key_local using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on cluster 'main' on annals.doc using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on cluster 'main' on annals.doc_local using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on cluster 'main' on annals.member using 1 to annals_receiver, annals_admin;

create row policy if not exists annals_all on cluster 'main' on annals.granted using 1 to annals_receiver, annals_admin;

create settings profile if not exists annals_reader on cluster 'main' settings readonly = 2, max_execution_time = 60, max_memory_usage = 4000000000 to annals_reader;

create quota if not exists annals_reader on cluster 'main' keyed by user_name for interval 1 hour max queries = 5000, execution_time = 1800 to annals_reader;
