/** A time in the first hour of its month: a response that began in the month before may continue there. */
export const EARLY = `(at at time zone 'UTC') < month + interval '1 hour'`

/**
 * Tables of delivered rows. Every unique key begins with `machine`, so that the tables can be distributed by it. Large tables are
 * partitioned by `month`, which is computed from the row, so that a row that is sent again falls into the same partition.
 */
export const TABLES = `
create table annals.setting (name text primary key, value text not null);
alter table annals.setting add constraint setting_known
  check (name in ('minimum_group', 'retain_days') and value ~ '^[1-9][0-9]{0,5}$') not valid;
insert into annals.setting values ('minimum_group', '5');

create table annals.machine (
  id text primary key,
  person text,
  name text,
  role name not null,
  first_seen timestamptz not null default now(),
  last_seen timestamptz not null default now(),
  -- Who counts as one person where no name is sent: the login, or for a receiver the machine.
  speaker text
);

create table annals.person (person text primary key, team text, role name);
create table annals.granted (role name not null, project text not null, primary key (role, project));
create table annals.login (role name primary key, person text, at timestamptz not null default now());

-- Without a machine it concerns all machines of its role.
create table annals.tombstone (
  hash text not null,
  role name not null,
  at timestamptz not null default now(),
  machine text not null default '',
  primary key (hash, role, machine)
);

create table annals.session (
  machine text not null,
  file text not null,
  generation integer not null,
  session text not null,
  project text not null,
  agent text,
  person text,
  first_at timestamptz,
  last_at timestamptz,
  arrived_at timestamptz not null default now(),
  primary key (machine, file, generation, session, project)
);
create index on annals.session (session);
create index on annals.session (project);

create table annals.mark (
  machine text not null,
  file text not null,
  generation integer not null,
  "offset" bigint not null,
  cursor text,
  at timestamptz not null default now(),
  primary key (machine, file, generation)
);

create table annals.document (
  machine text not null,
  file text not null,
  person text,
  project text,
  session text,
  kind text not null,
  modified_at timestamptz,
  content bytea not null,
  content_hash text not null,
  arrived_at timestamptz not null default now(),
  primary key (machine, file)
);
create index on annals.document (session);

create table annals.dead_letter (
  machine text not null,
  file text not null,
  generation integer not null,
  "offset" bigint not null,
  session text,
  reason text not null,
  content bytea,
  at timestamptz not null default now(),
  primary key (machine, file, generation, "offset")
);

create table annals.record (
  machine text not null,
  file text not null,
  generation integer not null,
  "offset" bigint not null,
  month date not null,
  line bigint not null,
  length bigint not null,
  person text,
  project text,
  session text,
  agent text,
  at timestamptz,
  type text not null,
  kind text,
  role text,
  uuid text,
  parent_uuid text,
  version text,
  git_branch text,
  message_id text,
  request_id text,
  model text,
  is_error boolean not null,
  content bytea not null,
  content_hash text not null,
  arrived_at timestamptz not null default now(),
  primary key (machine, file, generation, "offset", month)
) partition by range (month);

create table annals.response (
  machine text not null,
  file text not null,
  generation integer not null,
  "offset" bigint not null,
  month date not null,
  person text,
  project text,
  session text,
  agent text,
  at timestamptz,
  message_id text not null,
  request_id text,
  model text not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_write_5m_tokens bigint not null,
  cache_write_1h_tokens bigint not null,
  web_searches bigint not null,
  is_fork boolean not null,
  is_placeholder boolean not null,
  primary key (machine, file, generation, "offset", month)
) partition by range (month);
create index response_early on annals.response (message_id) where ${EARLY};
create index response_message on annals.response (message_id);

create table annals.tool_call (
  machine text not null,
  file text not null,
  generation integer not null,
  "offset" bigint not null,
  month date not null,
  number integer not null,
  person text,
  project text,
  session text,
  agent text,
  at timestamptz,
  tool_id text not null,
  name text,
  path text,
  is_result boolean not null,
  is_error boolean,
  primary key (machine, file, generation, "offset", month, number)
) partition by range (month);

create table annals.record_rest partition of annals.record default;
create table annals.response_rest partition of annals.response default;
create table annals.tool_call_rest partition of annals.tool_call default;
`
