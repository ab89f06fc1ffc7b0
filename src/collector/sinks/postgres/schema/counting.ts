import { SUMMED } from './summed.ts'
import { EARLY } from './tables.ts'

/** The order of the rows of a response where times do not decide. */
const PLACE = 'is_fork, machine, file, generation, "offset"'

/** Counts every response once over all machines, files and generations. */
export const COUNTING = `
create view annals.newest as select machine, file, max(generation) as generation from annals.session group by machine, file;

create view annals.record_now as select r.* from annals.record r join annals.newest using (machine, file, generation);

-- Records that several machines or files have, by their content.
create view annals.copies as
  select content_hash, count(*) as records, count(distinct machine) as machines, min(at) as first_at
  from annals.record_now group by content_hash having count(*) > 1;

-- Whether a response continues after the end of a month. A function, so that it is not planned for every two partitions.
create function annals.is_continued(message text, of_month date) returns boolean
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  return exists (select from annals.response where message_id = message and month = (of_month + interval '1 month')::date and ${EARLY});
end $fn$;

-- The row with the most output tokens counts; the earliest says whose it is. Two requests under one message are two responses.
-- Copies have the times of their originals, so a response is within one month; one written at the end of a month is in the next.
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

-- Counts some messages again, or without any all of some months. A message at the end of a month may continue in the next.
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

-- For a collector: counts again only what its machine holds.
create function annals.bill_own(asked text, messages text[], months date[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
begin
  perform annals.must_be_mine(asked);
  perform annals.bill(messages, months);
end $fn$;

create view annals.response_once as select * from annals.billed;
`
