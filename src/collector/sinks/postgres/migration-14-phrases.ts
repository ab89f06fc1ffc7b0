/** What a search for a phrase asks is asked of fewer texts, and with words that are read once. */
export const PHRASES = `
-- The words that are looked for are read once for a question: as they stood here before, they were made anew for every text that has all of them.
create or replace view annals.found with (security_barrier) as
select d.* from annals.doc d
where d.words @@ (select current_setting('annals.query', true)::tsquery)
  and (exists (select from annals.my_log l where l.id = d.log)) is true;

-- Long texts are few and are looked for by themselves.
create index doc_long on annals.doc using gin (words) where is_long;

-- How a column is packed is not inherited by partitions that there are; rows are packed anew when they are written.
do $do$
declare part regclass;
begin
  for part in select inhrelid from pg_inherits where inhparent = 'annals.doc'::regclass loop
    execute format('alter table %s alter column spaced set compression lz4, alter column spaced_parts set compression lz4', part);
  end loop;
  update annals.doc set spaced = spaced || '', spaced_parts = spaced_parts || '' where is_long;
exception when feature_not_supported or syntax_error then null; -- an older server, or one without lz4
end $do$;
`
