import { LOG_SUMMED, SUMMED } from './summed.ts'

/**
 * Tables derived from the delivered rows, by the collector that delivered them or by the store itself. Lists, sums, statistics and search
 * query these tables. They can be rebuilt from the records.
 */
export const FACT_TABLES = `
-- The newest generation of each file. \`reached\` says how far its rows were read; 0 asks to read them again.
create table annals.log (
  id bigint generated always as identity primary key,
  machine text not null,
  file text not null,
  generation integer not null,
  person text,
  projects text[] not null,
  place text not null,
  reached bigint not null,
  bytes bigint not null,
  records bigint not null,
  first_at timestamptz,
  last_at timestamptz,
  arrived_at timestamptz not null default now(),
  facts text,
  turns text,
  calls text,
  tree bytea,
  offsets bytea,
  keys bigint[],
  unique (machine, file)
);
create index on annals.log (last_at);
create index log_keys on annals.log using gin (keys);

-- The responses that a log holds, each once. \`shared\`: another log holds it too, and the owner depends on what the reader may see.
create table annals.held (
  log bigint not null,
  number integer not null,
  month date not null,
  shared boolean not null default false,
  message text not null,
  request text,
  model text not null,
  geo text,
  line bigint not null,
  "offset" bigint not null,
  length bigint not null,
  rows bigint not null,
  time bigint,
  last_offset bigint not null,
  written bigint not null,
  marked smallint not null,
  forked smallint not null,
  made smallint not null,
  named smallint not null,
  fast smallint not null,
  input bigint not null,
  output bigint not null,
  cache_read bigint not null,
  write_5m bigint not null,
  write_1h bigint not null,
  web_searches bigint not null,
  turn integer,
  sidechain smallint not null,
  abandoned smallint not null,
  placeholder smallint not null,
  primary key (log, number, month)
) partition by range (month);
create index on annals.held (message);
create index on annals.held (log) where shared;

-- Every record that can be found. \`is_long\`: it has more words than a tsvector has positions. Only then \`spaced\` holds its words between
-- blanks, and \`spaced_parts\` the parts of these, to look for phrases in.
create table annals.doc (
  log bigint not null,
  number integer not null,
  month date not null,
  line bigint not null,
  "offset" bigint not null,
  length bigint not null,
  time bigint,
  role text not null,
  kind text not null,
  tool text,
  model text,
  branch text,
  target text,
  is_error boolean not null,
  copy bigint not null,
  is_long boolean not null,
  words tsvector not null,
  spaced text,
  spaced_parts text,
  primary key (log, number, month)
) partition by range (month);
create index on annals.doc using gin (words);
create index on annals.doc (tool);
create index on annals.doc (time);
create index doc_long on annals.doc using gin (words) where is_long;

-- Tokens of a log by quarter of an hour, without shared responses.
create table annals.log_sum (
  log bigint not null,
  quarter bigint,
  model text not null,
  geo text,
  fast smallint not null,
  prompt_class integer not null,
  sidechain smallint not null,
  abandoned smallint not null,
  responses bigint not null,
  rows bigint not null,
  placeholders bigint not null,
  ${LOG_SUMMED.map((name) => `${name} bigint not null`).join(', ')}
);
create index on annals.log_sum (log);
create index on annals.log_sum (quarter);

-- Every response of \`annals.response\` once: the view \`response_counted\`, stored. A delivery updates the messages that it brings.
create table annals.billed (
  message_id text not null,
  request_id text not null,
  machine text not null,
  person text,
  project text,
  session text,
  agent text,
  at timestamptz,
  month date not null,
  day date,
  model text not null,
  ${SUMMED.map((name) => `${name} bigint not null`).join(', ')},
  primary key (month, message_id, request_id)
) partition by range (month);

create table annals.held_rest partition of annals.held default;
create table annals.doc_rest partition of annals.doc default;
create table annals.billed_rest partition of annals.billed default;
`
