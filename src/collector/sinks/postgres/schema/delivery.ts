/** The columns of a record, as a delivery sends them. */
const RECORD = `file text, generation integer, "offset" bigint, month date, line bigint, length bigint, person text, project text,
  session text, agent text, at timestamptz, type text, kind text, role text, uuid text, parent_uuid text, version text, git_branch text,
  message_id text, request_id text, model text, is_error boolean, content_hash text`
const RESPONSE = `input_tokens bigint, output_tokens bigint, cache_read_tokens bigint, cache_write_5m_tokens bigint,
  cache_write_1h_tokens bigint, web_searches bigint, is_fork boolean, is_placeholder boolean`
const TOOL = 'tool_id text, name text, path text, is_result boolean, is_error boolean'
/** Where the content is in the bytes that are sent along. */
const CONTENT = 'start integer, size integer'

const PLACE = 'file, generation, "offset", month'
const WHOSE = 'person, project, session, agent, at'

/** Inserts rows into their tables and updates sessions, in one statement without temporary tables. */
function putRows(orNot: string): string {
  const response = `${PLACE}, ${WHOSE}, message_id, request_id, model, ${namesOf(RESPONSE)}`
  return `
    with row as materialized (
      select * from json_to_recordset(given) as r (${RECORD}, ${RESPONSE}, ${CONTENT}, tools json)
      where session is null or session <> all (gone)
    ), put as (
      insert into annals.record (machine, ${namesOf(RECORD)}, content)
      select asked, ${namesOf(RECORD)}, substring(contents from start + 1 for size) from row ${orNot} returning 1
    ), billed as (
      select * from row where input_tokens is not null and message_id is not null and model <> '<synthetic>'
    ), responses as (
      insert into annals.response (machine, ${response}) select asked, ${response} from billed ${orNot}
    ), calls as (
      insert into annals.tool_call (machine, ${PLACE}, ${WHOSE}, number, ${namesOf(TOOL)})
      select asked, ${PLACE}, ${WHOSE}, t.number - 1, ${namesOf(TOOL, 't.')} from row, rows from (
        json_to_recordset(coalesce(tools, '[]')) as (${TOOL})) with ordinality as t (${namesOf(TOOL)}, number) ${orNot}
    ), sessions as (
      insert into annals.session as s (machine, file, generation, session, project, agent, person, first_at, last_at)
      select asked, file, generation, coalesce(session, ''), coalesce(project, ''),
        case when count(*) = count(agent) and min(agent) = max(agent) then min(agent) end, min(person), min(at), max(at)
      from row group by 2, 3, 4, 5 order by 2, 3, 4, 5
      on conflict (machine, file, generation, session, project) do update
      set first_at = least(s.first_at, excluded.first_at), last_at = greatest(s.last_at, excluded.last_at),
        agent = case when s.agent = excluded.agent then s.agent end
      where excluded.first_at < s.first_at or excluded.last_at > s.last_at or s.agent is distinct from excluded.agent
        or (s.first_at is null and excluded.first_at is not null)
    )
    select (select count(*) from put), array_agg(distinct message_id), array_agg(distinct month) into added, messages, months from billed;`
}

/**
 * What a collector calls to deliver. The functions run with the owner's rights, so each checks first that the machine is the caller's, and
 * that the records are of its person. None takes a name of a table or a piece of SQL.
 */
export const DELIVERY = `
create function annals.purged_hash(name text) returns text language sql immutable parallel safe as $fn$
  select encode(sha256(convert_to('annals purged' || chr(10) || name, 'UTF8')), 'hex')
$fn$;

-- Which of some sessions were purged, by an administrator or by the caller.
create function annals.refused(hashes text[]) returns setof text
language sql stable security definer set search_path = pg_catalog, pg_temp as $fn$
  select distinct hash from annals.tombstone where hash = any (hashes) and role in ('*', annals.me()) and machine = ''
$fn$;

create function annals.refused_of(asked text, hashes text[]) returns setof text
language sql stable security definer set search_path = pg_catalog, pg_temp as $fn$
  select distinct hash from annals.tombstone
  where hash = any (hashes) and (role = '*' or (role = annals.me() and machine in ('', asked)))
$fn$;

-- How far some files were delivered.
create function annals.reached(asked text, files text[], generations integer[])
returns table (file text, generation integer, "offset" bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  perform annals.must_be_mine(asked);
  return query select m.file, m.generation, m."offset" from unnest(files, generations) as t (f, g)
    join annals.mark m on m.machine = asked and m.file = f and m.generation = g;
end $fn$;

create function annals.marks_of(asked text)
returns table (file text, generation integer, "offset" bigint, cursor text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  perform annals.must_be_mine(asked);
  return query select m.file, m.generation, m."offset", m.cursor from annals.mark m
    where m.machine = asked order by m.file, m.generation;
end $fn$;

create function annals.put_marks(asked text, files text[], generations integer[], offsets bigint[], cursors text[])
returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  perform annals.must_be_mine(asked);
  insert into annals.mark (machine, file, generation, "offset", cursor)
  select asked, f, g, o, c from unnest(files, generations, offsets, cursors) as t (f, g, o, c) order by f, g
  on conflict (machine, file, generation) do update
  set "offset" = excluded."offset", cursor = excluded.cursor, at = now()
  where annals.mark."offset" <= excluded."offset";
end $fn$;

create function annals.put_sessions(
  asked text, files text[], generations integer[], sessions text[], projects text[], agents text[], persons text[],
  firsts timestamptz[], lasts timestamptz[]
) returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  perform annals.must_speak_for(asked, persons);
  insert into annals.session as s (machine, file, generation, session, project, agent, person, first_at, last_at)
  select asked, * from unnest(files, generations, sessions, projects, agents, persons, firsts, lasts) order by 2, 3, 4, 5
  on conflict (machine, file, generation, session, project) do update
  set first_at = least(s.first_at, excluded.first_at), last_at = greatest(s.last_at, excluded.last_at),
    agent = case when s.agent = excluded.agent then s.agent end
  where excluded.first_at < s.first_at or excluded.last_at > s.last_at or s.agent is distinct from excluded.agent
    or (s.first_at is null and excluded.first_at is not null);
end $fn$;

create function annals.put_document(
  asked text, of_file text, of_person text, of_project text, of_session text, of_kind text, modified timestamptz,
  bytes bytea, hash text
) returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  perform annals.must_speak_for(asked, array[of_person]);
  insert into annals.document as d (machine, file, person, project, session, kind, modified_at, content, content_hash)
  values (asked, of_file, of_person, of_project, of_session, of_kind, modified, bytes, hash)
  on conflict (machine, file) do update set
    person = excluded.person, project = excluded.project, session = excluded.session, kind = excluded.kind,
    modified_at = excluded.modified_at, content = excluded.content, content_hash = excluded.content_hash, arrived_at = now()
  where d.content_hash <> excluded.content_hash or d.modified_at is distinct from excluded.modified_at;
end $fn$;

-- A whole delivery in one call and one transaction: a distant store costs one round trip, and a pooler may stand between.
create function annals.deliver(asked text, told json, given json, contents bytea) returns json
language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
#variable_conflict use_column
declare
  tombstones text[] := array(select json_array_elements_text(told -> 'tombstones'));
  sessions text[] := array(select json_array_elements_text(told -> 'sessions'));
  gone text[];
  refused text[];
  is_foreign boolean := false;
  added bigint;
  messages text[];
  months date[];
begin
  -- Held until the end, shared with other deliveries: a purge and a migration wait for us, and we for them.
  perform pg_advisory_xact_lock_shared(7305001, 2);
  perform annals.must_speak_for(asked, array(select json_array_elements_text(told -> 'persons')));
  if exists (select from json_array_elements_text(told -> 'machines') m where m <> asked) then
    raise exception 'these are records of another machine' using errcode = '42501';
  end if;
  if tombstones <> '{}' and (told ->> 'isOwnPurge')::boolean then
    is_foreign := exists (select from annals.forget_own(asked, tombstones));
  elsif tombstones <> '{}' then
    perform annals.forget(tombstones);
  end if;
  refused := array(select annals.refused_of(asked, array(select annals.purged_hash(s) from unnest(sessions) s)));
  gone := array(select s from unnest(sessions) s where annals.purged_hash(s) = any (refused));

  -- To look for each row before it is added takes as long again, and rarely is one there.
  begin ${putRows('')}
  exception when unique_violation then ${putRows('on conflict do nothing')}
  end;
  if added > 0 then perform annals.bill(messages, months); end if;

  perform annals.put_document(asked, file, person, project, session, kind, modified, substring(contents from start + 1 for size), hash)
  from json_to_recordset(told -> 'documents')
    as d (file text, person text, project text, session text, kind text, modified timestamptz, hash text, ${CONTENT})
  where session is null or session <> all (gone);
  insert into annals.dead_letter (machine, file, generation, "offset", session, reason, content)
  select asked, file, generation, "offset", session, reason, substring(contents from start + 1 for size)
  from json_to_recordset(told -> 'dead') as d (file text, generation integer, "offset" bigint, session text, reason text, ${CONTENT})
  where session is null or session <> all (gone) on conflict do nothing;
  perform annals.put_marks(asked, array_agg(file), array_agg(generation), array_agg("offset"), array_agg(cursor))
  from json_to_recordset(told -> 'marks') as m (file text, generation integer, "offset" bigint, cursor text) having count(*) > 0;
  return json_build_object('added', added, 'refused', refused, 'isForeign', is_foreign);
end $fn$;
`

function namesOf(columns: string, prefix = ''): string {
  return columns
    .split(',')
    .map((column) => `${prefix}${column.trim().split(' ')[0]}`)
    .join(', ')
}
