/** The number in the name of the index file. A change of the tables below raises it; there are no migrations. */
export const SCHEMA = 15

/** What is true of a response or not, by the bits of `flags`: to bind each by itself would cost a third of writing a response. */
export const RESPONSE_FLAGS = [
  'marked',
  'forked',
  'made',
  'named',
  'fast',
  'sidechain',
  'abandoned',
  'placeholder',
] as const

/**
 * `log`: every log seen and its cursor, with how far its facts (`read`) and its words (`worded`) go. `fact`: what a log says of
 * itself; the others below it hold a log's rows of one kind. All rows of a log are made from its bytes alone, but for `owner` and
 * `counts` of a response, which compare logs (`owner.ts`), and `bucket`, which adds up the responses that a log owns.
 * `carry`: what reading on from the end of a log needs, apart from what lists read. `rows`: the rows of a log's tree, packed (`core/row-table`); `link`: those of them that other logs name.
 * `sidecar`: the small files beside logs that tell a title or what an agent is.
 * `doc`: every record that can be found, by its place; its id is made of its log's and rises with its place there. `words`: its text
 * and the parts of its words, contentless: the text is read back from the log.
 * `call`: every tool call, with what its answer told; an answer whose call stands in another log has no place of a call. `place`: rows
 * that are neither responses nor answers, by what they are: counted, or read back from the log when they are asked for.
 */
export const TABLES = `
create table if not exists log (
  id integer primary key,
  root text not null,
  path text not null unique,
  project text not null,
  session text not null,
  agent text,
  run text,
  state text not null check (state in ('disk', 'archive', 'lost')),
  inode text,
  generation int not null,
  size int not null,
  modified real not null,
  settled int not null,
  head_length int not null,
  head_hash text not null,
  tail_length int not null,
  tail_hash text not null,
  prefix_sum int not null,
  read int not null,
  read_line int not null,
  worded int not null default 0,
  worded_line int not null default 0,
  -- The \`read\` for which there is no whole line left behind \`worded\`.
  worded_to int not null default 0,
  -- Each of its docs has a time, none before that of the doc above it, and no two are copies: the last that matches is the newest.
  orderly int not null default 1
) strict;
create table if not exists fact (
  log integer primary key,
  kind text not null,
  lines int not null,
  rows int not null,
  prompts int not null,
  messages int not null,
  turns int not null,
  tool_calls int not null,
  branches int not null,
  compactions int not null,
  all_compactions int not null,
  interrupts int not null,
  cwd text,
  relocated_cwd text,
  git_branch text,
  git_branches text not null,
  version text,
  slug text,
  custom_title text,
  tag text,
  ai_title text,
  asked text,
  first_at text,
  last_at text,
  ended int not null,
  active_ms int not null,
  head text not null,
  own_id text,
  inner_ids text not null,
  models text not null,
  continued_in text,
  forked_from text,
  parent_key int,
  ledger text,
  synthetic text not null,
  agents text not null
) strict;
create table if not exists carry (log integer primary key, value text not null) strict;
create table if not exists slug (slug text not null, log int not null, primary key (slug, log)) without rowid, strict;
create table if not exists summary (
  leaf int not null, log int not null, line int not null, text text not null, primary key (leaf, log, line)
) without rowid, strict;
create table if not exists rows (log int not null, piece int not null, packed blob not null, primary key (log, piece)) strict;
create table if not exists link (
  key int not null, log int not null, active int not null, primary key (key, log)
) without rowid, strict;
create table if not exists turn (
  log int not null, n int not null, key text not null, label text, started text, primary key (log, n)
) without rowid, strict;
create table if not exists response (
  id integer primary key,
  log int not null,
  message text not null,
  request text,
  line int not null,
  offset int not null,
  length int not null,
  rows int not null,
  time int,
  last_offset int not null,
  written int not null,
  flags int not null,
  ${RESPONSE_FLAGS.map((name, bit) => `${name} int as ((flags >> ${bit}) & 1)`).join(',\n  ')},
  owner int not null default 1,
  counts int,
  seen_rows int not null,
  seen_logs int not null default 1,
  model int not null,
  geo int,
  input int not null,
  output int not null,
  cache_read int not null,
  write_5m int not null,
  write_1h int not null,
  web_searches int not null,
  turn int
) strict;
create table if not exists bucket (
  log int not null,
  quarter int,
  model int not null,
  geo int,
  fast int not null,
  prompt_class int not null,
  sidechain int not null,
  abandoned int not null,
  responses int not null,
  rows int not null,
  copies int not null,
  placeholders int not null,
  input int not null,
  output int not null,
  cache_read int not null,
  write_5m int not null,
  write_1h int not null,
  web_searches int not null
) strict;
create table if not exists sidecar (
  path text primary key, size int not null, modified real not null, value text
) without rowid, strict;
create table if not exists doc (
  id integer primary key,
  line int not null,
  offset int not null,
  length int not null,
  time int,
  role int not null,
  kind int not null,
  tool int,
  model int,
  branch int,
  target int,
  error int not null,
  copy int not null
) strict;
create virtual table if not exists words using fts5 (
  text, parts, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2"
);
create table if not exists call (
  log int not null,
  tool_use text not null,
  tool int,
  by_api int,
  target int,
  line int,
  offset int,
  length int,
  time int,
  answer_line int,
  answer_offset int,
  answer_length int,
  ended int,
  took real,
  is_error int,
  result_bytes int,
  added int,
  removed int,
  primary key (log, tool_use)
) without rowid, strict;
create table if not exists place (
  log int not null,
  kind text not null,
  offset int not null,
  line int not null,
  length int not null,
  time int,
  key int,
  parent int,
  sidechain int,
  fork int,
  custom int,
  primary key (log, kind, offset)
) without rowid, strict;
create table if not exists name (id integer primary key, text text not null unique) strict;
create table if not exists meta (key text primary key, value) without rowid;
`

/** Made when the tables are first filled: adding to them row by row would cost twice as much. */
export const INDEXES = `
create index if not exists response_message on response (message);
create index if not exists response_log on response (log, last_offset);
create index if not exists response_copied on response (log) where owner = 0;
create index if not exists bucket_log on bucket (log);
create index if not exists fact_parent on fact (parent_key) where parent_key is not null;
create index if not exists link_log on link (log);
`

/** A doc's id is the number of its log times this, and how many docs precede it there. */
export const DOCS_OF_A_LOG = 2 ** 24

/** The tables that hold rows of one log, by its number; those of its text go by themselves. */
export const OF_A_LOG = ['fact', 'carry', 'slug', 'summary', 'rows', 'link', 'turn', 'response', 'bucket'] as const
