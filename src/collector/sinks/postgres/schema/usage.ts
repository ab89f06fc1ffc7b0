import { SUMMED } from './summed.ts'

/** The tokens of single responses, and of groups that were summed before, as every view of usage gives them. */
const SUMS = `count(*) as responses, ${SUMMED.map((name) => `sum(${name}) as ${name}`).join(', ')}`
const SUMS_AGAIN = ['responses', ...SUMMED].map((name) => `sum(${name})::bigint as ${name}`).join(', ')

/** What usage is told by, the most important first: where two of them would tell too much together, the later one gives way. */
const DIMENSIONS = ['team', 'project', 'model', 'day'] as const

const LEAST = `(select value::int from annals.setting where name = 'minimum_group')`

/** Usage by month. No sum or difference of the figures shown is about fewer people than the setting `minimum_group`. */
export const USAGE = `
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
