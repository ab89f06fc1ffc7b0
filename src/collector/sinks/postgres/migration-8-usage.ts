const TOKENS = ['input', 'output', 'cache_read', 'cache_write_5m', 'cache_write_1h'].map((kind) => `${kind}_tokens`)
const SUMMED = [...TOKENS, 'web_searches']

/** The tokens of single responses, and of groups that were summed before, as every view of usage gives them. */
const SUMS = `count(*) as responses, ${SUMMED.map((name) => `sum(${name}) as ${name}`).join(', ')}`
const SUMS_AGAIN = ['responses', ...SUMMED].map((name) => `sum(${name})::bigint as ${name}`).join(', ')

/** What usage is told by, the most important first: where two of them would tell too much together, the later one gives way. */
const DIMENSIONS = ['team', 'project', 'model', 'day'] as const

const LEAST = `(select value::int from annals.setting where name = 'minimum_group')`

/** The order of the rows of a response where times say nothing. */
const PLACE = 'is_fork, machine, file, generation, "offset"'
const EARLY = `(at at time zone 'UTC') < month + interval '1 hour'`

/**
 * Usage in one pass over the partitions of the months that are asked for. A response counts in every generation of its file,
 * once by its ids. No sum or difference of what is shown tells of fewer people than the setting \`minimum_group\` says.
 */
export const USAGE = `
drop view annals.usage_by_person, annals.usage_by_team, annals.usage_by_project, annals.usage_by_model, annals.usage_by_day,
  annals.usage_total, annals.response_once;

create index response_early on annals.response (message_id) where ${EARLY};

-- Whether a response goes on after the end of a month. A function, so that it is not planned for every two partitions.
create function annals.is_continued(message text, of_month date) returns boolean
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  return exists (select from annals.response where message_id = message and month = (of_month + interval '1 month')::date and ${EARLY});
end $fn$;
revoke all on function annals.is_continued from public;
grant execute on function annals.is_continued to annals_reader, annals_admin;

-- The row with the most output tokens counts; the earliest says whose it is. Two requests under one message are two responses.
-- Copies have the times of their originals, so a response is within one month; one that was written as a month ended is in the next.
create view annals.response_counted as
select message_id, request as request_id, first_machine as machine, first_person as person, first_project as project,
  first_session as session, first_agent as agent, first_at as at, month, (first_at at time zone 'UTC')::date as day, model,
  ${SUMMED.join(', ')}
from (
  select *, row_number() over best as rank, first_value(machine) over earliest as first_machine,
    first_value(person) over earliest as first_person, first_value(project) over earliest as first_project,
    first_value(session) over earliest as first_session, first_value(agent) over earliest as first_agent,
    first_value(at) over earliest as first_at
  from (
    select r.*, coalesce(nullif(request_id, ''), first_value(nullif(request_id, '')) over (
      partition by month, message_id order by (coalesce(request_id, '') = ''), at nulls last, ${PLACE}
    ), '') as request
    from annals.response r
    where not ((r.at at time zone 'UTC') >= r.month + interval '1 month' - interval '1 hour'
      and annals.is_continued(r.message_id, r.month))
  ) asked
  window best as (partition by month, message_id, request order by output_tokens desc, is_placeholder, at nulls last, ${PLACE}),
    earliest as (partition by month, message_id, request order by at nulls last, ${PLACE})
) ranked where rank = 1;

-- The same, kept: what the delivery of a row changes is counted again with it. Sums read these rows, and nothing is sorted for them.
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
create table annals.billed_rest partition of annals.billed default;
alter table annals.billed enable row level security;
create policy admin on annals.billed for all to annals_admin using (true) with check (true);
grant select, insert, update, delete on annals.billed to annals_admin;
create index response_message on annals.response (message_id);
select annals.make_partitions(12, 6);

-- Counts some messages again, or without any named all of some months. One that ends a month may go on in the next.
create function annals.bill(messages text[], months date[]) returns void
language plpgsql as $fn$
declare
  meant date[] := (select array_agg(distinct m) from (
    select unnest(months) as m union all select (unnest(months) - interval '1 month')::date) t);
  one date;
begin
  foreach one in array coalesce(meant, '{}') loop
    if messages is null then
      delete from annals.billed where month = one;
      insert into annals.billed select * from annals.response_counted where month = one;
    else
      delete from annals.billed where month = one and message_id = any (messages);
      -- Two that deliver the same at once do not see each other's rows: of both the better counts, and the earlier says whose it is.
      insert into annals.billed as b select * from annals.response_counted where month = one and message_id = any (messages)
      on conflict (month, message_id, request_id) do update set
        ${[...SUMMED, 'model'].map((name) => `${name} = case when excluded.output_tokens > b.output_tokens then excluded.${name} else b.${name} end`).join(', ')},
        ${['machine', 'person', 'project', 'session', 'agent', 'at', 'day'].map((name) => `${name} = case when excluded.at < b.at then excluded.${name} else b.${name} end`).join(', ')};
    end if;
  end loop;
end $fn$;
revoke all on function annals.bill from public;
grant execute on function annals.bill to annals_admin;
grant select on annals.response_counted to annals_admin;

create view annals.response_once as select * from annals.billed;
select annals.bill(null, (select array_agg(distinct month) from annals.response));

-- For a delivery: only what the caller's machine holds is counted again.
create function annals.bill_own(asked text, messages text[], months date[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  perform annals.must_be_mine(asked);
  perform annals.bill(messages, months);
end $fn$;
revoke all on function annals.bill_own from public;
grant execute on function annals.bill_own to annals_collector;

-- Of persons one sees oneself, and who works in projects that were granted.
create view annals.usage_by_person as
select month, person, ${SUMS} from annals.response_once
where person in (select person from annals.my_person)
  or project in (select project from annals.my_project)
  or exists (select from annals.my_project where project = '*')
  or pg_has_role(current_user, 'annals_admin', 'member')
group by month, person;

-- The months in which something may lie; 1970 is for rows without a time. From an array, which the planner takes for a short list.
create view annals.usage_month as
select unnest(array(select date '1970-01-01' union all select generate_series(
  date_trunc('month', min(first_at) at time zone 'UTC'), max(last_at) at time zone 'UTC', interval '1 month')::date
from annals.session)) as month;

-- All that is shown of a month, in every dimension: blocks of people enough, which together are the whole. Nothing is joined
-- to what was made of responses: the planner does not know how much that is.
create view annals.usage_shown as
select m.month, s.* from annals.usage_month m cross join lateral (
  with summed as (
    select machine, person, coalesce(project, '') as project, model, coalesce(day::text, '') as day, ${SUMS}
    from annals.response_once o where o.month = m.month group by 1, 2, 3, 4, 5
  ), cell as materialized (
    select coalesce('p' || person, 'm' || coalesce(speakers ->> machine, machine)) as who,
      coalesce(teams ->> person, '') as team, project, model, day, responses, ${SUMMED.join(', ')}
    from summed, (select (select jsonb_object_agg(id, speaker) from annals.machine) as speakers,
      (select jsonb_object_agg(person, team) from annals.person) as teams) known
  ), sized as materialized (
    select dimension, key, who, count(*) over (partition by dimension, key) as people from (
      ${DIMENSIONS.map((name) => `select '${name}' as dimension, ${name} as key, who from cell group by 2, 3`).join(' union all ')}
    ) keyed
  ), rest as (
    select dimension, count(distinct who) filter (where people < ${LEAST}) as people from sized group by 1
  ), named as (
    -- A rest of too few people takes the smallest of the other groups in, which has enough.
    select jsonb_object_agg(dimension || key, case
      when s.people < ${LEAST} or (place = 1 and r.people between 1 and ${LEAST} - 1) then '~' else '=' || key end) as blocks
    from (
      select *, row_number() over (partition by dimension order by people < ${LEAST}, people, key) as place
      from (select distinct dimension, key, people from sized) each
    ) s join rest r using (dimension)
  ), placed as materialized (
    select c.*, ${DIMENSIONS.map((name) => `blocks ->> ('${name}' || ${name}) as ${name}_block`).join(', ')} from cell c, named
  ), unsafe as materialized (
    ${pairs().join(' union all\n    ')}
  ), shown as (
    ${DIMENSIONS.map((name) => `select '${name}' as dimension, case when '${name}' in (select dimension from unsafe) then '~' else ${name}_block end as block, placed.* from placed`).join(' union all ')}
    union all select 'total', '=', placed.* from placed
  )
  select dimension, nullif(substr(block, 2), '') as key, block = '~' as is_rest, count(distinct who) as people, ${SUMS_AGAIN}
  from shown group by dimension, block having count(distinct who) >= ${LEAST}
) s;

${['team', 'project', 'model'].map((name) => usageView(name, 'key')).join('')}
${usageView('day', 'key::date')}
create view annals.usage_total as
select month, people, responses, ${SUMMED.join(', ')} from annals.usage_shown where dimension = 'total';

grant select on annals.usage_by_person, annals.usage_by_team, annals.usage_by_project, annals.usage_by_model,
  annals.usage_by_day, annals.usage_total to annals_reader, annals_admin;
grant select on annals.response_once to annals_admin;
`

function usageView(name: string, key: string): string {
  return `
create view annals.usage_by_${name} as
select month, ${key} as ${name}, is_rest, people, responses, ${SUMMED.join(', ')} from annals.usage_shown where dimension = '${name}';
comment on view annals.usage_by_${name} is 'Usage by month, ${name}';
`
}

/** For every two dimensions: whether a block of one, less the blocks of the other that lie within it, leaves too few people. */
function pairs(): readonly string[] {
  return DIMENSIONS.flatMap((later, at) =>
    DIMENSIONS.slice(0, at).flatMap((earlier) =>
      [
        [earlier, later],
        [later, earlier],
      ].map(
        ([one, other]) => `select '${later}' as dimension where exists (
      select from (
        select one, who, min(one) over (partition by other) <> max(one) over (partition by other) as is_across
        from (select distinct ${one}_block as one, ${other}_block as other, who from placed) t
      ) t where is_across group by one having count(distinct who) < ${LEAST})`,
      ),
    ),
  )
}
