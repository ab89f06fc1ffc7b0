/** The number in the name of the index file. A change of the tables below raises it; there are no migrations. */
export const SCHEMA = 6

/**
 * `file`: every log seen, with the cursor that says how far it was read. `doc`: every record that can be found, by its
 * place; its text is read back from the log. `words`: the text itself, contentless. `facts`: the folds of whole logs, each with
 * the cursor of the log it was made from. `folded`: what single logs came to for an operation, in the state of the stamp; what
 * is known of a log goes with its facts.
 */
export const TABLES = `
create table if not exists file (
  id integer primary key,
  root text not null,
  path text not null unique,
  project text not null,
  session text not null,
  agent text,
  cwd text,
  cursor text not null,
  gone integer not null default 0
);
create table if not exists name (id integer primary key, text text not null unique);
create table if not exists doc (
  id integer primary key,
  file integer not null references file (id),
  line integer not null,
  offset integer not null,
  length integer not null,
  time integer,
  role integer not null,
  kind integer not null,
  tool integer,
  model integer,
  branch integer,
  target integer,
  error integer not null default 0,
  copy integer not null,
  uuid text
);
create table if not exists facts (path text primary key, cursor text not null, rows blob);
create table if not exists folded (
  path text not null,
  name text not null,
  stamp text not null,
  value blob not null,
  primary key (path, name)
);
create trigger if not exists facts_forgotten after delete on facts begin
  delete from folded where path = old.path;
end;
create table if not exists call (id text primary key, tool integer, target integer) without rowid;
create index if not exists doc_file on doc (file, offset);
create virtual table if not exists words using fts5 (
  text, parts, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2"
);
`
