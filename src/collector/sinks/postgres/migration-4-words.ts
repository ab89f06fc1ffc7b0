/**
 * Search in SQL. Words are made from records after they came, by whoever has a quiet moment: making them takes several times
 * as long as bringing the records in.
 */
export const WORDS = String.raw`
-- The words of a record: of what was said, asked and answered; not of pictures and signatures.
create function annals.words_of(content bytea) returns tsvector language plpgsql immutable as $fn$
declare
  line text;
  said json;
begin
  line := regexp_replace(convert_from(content, 'UTF8'), '"(type|data|signature)":"[^"\\]*"', '"\1":0', 'g');
  said := line::json;
  said := json_build_array(said #> '{message,content}', said -> 'content', said -> 'summary', said -> 'aiTitle',
    said -> 'customTitle', said -> 'display', said #> '{attachment,prompt}');
  return json_to_tsvector('simple', said, '["string"]');
exception when others then -- NUL, lone surrogates, too deep, more words than a tsvector holds
  return to_tsvector('simple', left(regexp_replace(coalesce(line, encode(content, 'escape')), '\\[a-z]', ' ', 'g'), 100000));
end $fn$;

-- Makes words for records that have none yet, a few hundred at a time; several may do it at once.
create function annals.index_words(most integer default 500) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $fn$
declare
  stretch annals.unindexed;
  made integer := 0;
  count integer;
begin
  perform pg_advisory_xact_lock_shared(7305001, 2); -- a purge must not be overtaken
  while made < most loop
    delete from annals.unindexed u where u.ctid = (
      select ctid from annals.unindexed order by machine, file, generation, from_offset limit 1 for update skip locked
    ) returning u.* into stretch;
    exit when stretch.machine is null;
    insert into annals.words
    select machine, file, generation, "offset", month, person, project, session, words from (
      select r.*, annals.words_of(r.content) as words from annals.record r
      where r.machine = stretch.machine and r.file = stretch.file and r.generation = stretch.generation
        and r."offset" >= stretch.from_offset and r."offset" <= stretch.to_offset
    ) made where words <> '' on conflict do nothing;
    get diagnostics count = row_count;
    made := made + greatest(count, 1);
  end loop;
  return made;
end $fn$;

-- Records that hold some words, of those that one may see: select * from annals.search('flaky test').
create function annals.search(query text) returns setof annals.record language sql stable as $fn$
  select r.* from annals.words w join annals.record r using (machine, file, generation, "offset", month)
  where w.words @@ websearch_to_tsquery('simple', query) order by r.at desc
$fn$;

revoke all on function annals.words_of, annals.index_words, annals.search from public;
grant execute on function annals.index_words to annals_collector, annals_admin;
grant execute on function annals.search to annals_reader, annals_admin;
`
