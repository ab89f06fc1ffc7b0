/** Columns of a record, as a delivery tells them. */
const RECORD = `file text, generation integer, "offset" bigint, month date, line bigint, length bigint, person text, project text,
  session text, agent text, at timestamptz, type text, kind text, role text, uuid text, parent_uuid text, version text, git_branch text,
  message_id text, request_id text, model text, is_error boolean, content_hash text`
const RESPONSE = `input_tokens bigint, output_tokens bigint, cache_read_tokens bigint, cache_write_5m_tokens bigint,
  cache_write_1h_tokens bigint, web_searches bigint, is_fork boolean, is_placeholder boolean`
const TOOL = 'tool_id text, name text, path text, is_result boolean, is_error boolean'
/** Where the content lies among the bytes that come with it. */
const CONTENT = 'start integer, size integer'

const PLACE = 'file, generation, "offset", month'
const WHOSE = 'person, project, session, agent, at'

/** Rows into their tables, and what they tell of sessions, in one statement: nothing is written on the way. */
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
 * A delivery is one call: whoever makes it needs no table of its own to gather rows in, and a store that is far away is asked once.
 * It runs with the owner's rights, and looks first whose machine it is, and whose records these are.
 */
export const DELIVERY = `
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
revoke all on function annals.deliver from public;
grant execute on function annals.deliver to annals_collector;
`

function namesOf(columns: string, prefix = ''): string {
  return columns
    .split(',')
    .map((column) => `${prefix}${column.trim().split(' ')[0]}`)
    .join(', ')
}
