/** The tokens of a group, as every view of usage gives them. */
const SUMS = `count(*) as responses, sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens,
  sum(cache_read_tokens) as cache_read_tokens, sum(cache_write_5m_tokens) as cache_write_5m_tokens,
  sum(cache_write_1h_tokens) as cache_write_1h_tokens, sum(web_searches) as web_searches`

/**
 * Usage, each response counted once over all machines and files. A group of fewer people than the setting `minimum_group`
 * says is not told apart: such groups are one row without a name, which is told only where it has people enough itself.
 */
export const VIEWS = `
create view annals.newest as select machine, file, max(generation) as generation from annals.session group by machine, file;

create view annals.record_now as select r.* from annals.record r join annals.newest using (machine, file, generation);

-- Records that several machines or files have, by what is in them.
create view annals.copies as
  select content_hash, count(*) as records, count(distinct machine) as machines, min(at) as first_at
  from annals.record_now group by content_hash having count(*) > 1;

-- The row with the most output tokens counts; the earliest says whose it is. Two requests under one message are two responses.
create view annals.response_once as
with rows as (
  select r.*, coalesce(nullif(request_id, ''), first_value(nullif(request_id, '')) over (
    partition by message_id order by (coalesce(request_id, '') = ''), at nulls last, is_fork, machine, file, "offset"
  ), '') as request
  from annals.response r join annals.newest using (machine, file, generation)
), kept as (
  select distinct on (message_id, request) message_id, request, model, input_tokens, output_tokens, cache_read_tokens,
    cache_write_5m_tokens, cache_write_1h_tokens, web_searches
  from rows order by message_id, request, output_tokens desc, is_placeholder, at nulls last, is_fork, machine, file, "offset"
), first as (
  select distinct on (message_id, request) message_id, request, machine, person, project, session, agent, at
  from rows order by message_id, request, at nulls last, is_fork, machine, file, "offset"
)
select f.message_id, f.request as request_id, f.machine, f.person, p.team, f.project, f.session, f.agent, f.at,
  (f.at at time zone 'UTC')::date as day, to_char(f.at at time zone 'UTC', 'YYYY-MM') as month, k.model, k.input_tokens,
  k.output_tokens, k.cache_read_tokens, k.cache_write_5m_tokens, k.cache_write_1h_tokens, k.web_searches
from kept k join first f using (message_id, request) left join annals.person p on p.person = f.person;

-- Of persons one sees oneself, and who works in projects that were granted.
create view annals.usage_by_person as
select month, person, ${SUMS} from annals.response_once
where person in (select person from annals.my_person)
  or project in (select project from annals.my_project)
  or exists (select from annals.my_project where project = '*')
  or pg_has_role(current_user, 'annals_admin', 'member')
group by month, person;

${['team', 'project', 'model'].map((key) => usageView(`usage_by_${key}`, `month, ${key}`, key)).join('')}
${usageView('usage_by_day', 'day', 'day')}

create view annals.usage_total as
select month, count(distinct coalesce(person, machine)) as people, ${SUMS} from annals.response_once
group by month having count(distinct coalesce(person, machine)) >= (select value::int from annals.setting where name = 'minimum_group');

grant select on annals.newest to annals_admin;
grant select on annals.usage_by_person, annals.usage_by_team, annals.usage_by_project, annals.usage_by_model,
  annals.usage_by_day, annals.usage_total to annals_reader, annals_admin;
grant select on annals.response_once, annals.record_now, annals.copies to annals_admin;
`

/** A view whose groups are people enough; the small ones are one. */
function usageView(name: string, keys: string, folded: string): string {
  const others = keys.split(', ').filter((key) => key !== folded)
  const shown = [...others, folded].join(', ')
  const by = ['', ...others].join(', ')
  return `
create view annals.${name} as
with sized as (
  select ${keys}, count(distinct coalesce(person, machine)) >= (select value::int from annals.setting where name = 'minimum_group')
    as is_shown
  from annals.response_once group by ${keys}
), named as (
  select o.*, case when s.is_shown then s.${folded} end as shown_${folded}, s.is_shown
  from annals.response_once o join sized s on ${keys
    .split(', ')
    .map((key) => `s.${key} is not distinct from o.${key}`)
    .join(' and ')}
)
select ${[...others, `shown_${folded} as ${folded}`].join(', ')}, not is_shown as is_rest,
  count(distinct coalesce(person, machine)) as people, ${SUMS}
from named group by shown_${folded}, is_shown${by}
having count(distinct coalesce(person, machine)) >= (select value::int from annals.setting where name = 'minimum_group');
comment on view annals.${name} is 'Usage by ${shown}';
`
}
