import { type Database, prepared, type Statement } from './driver.ts'

/**
 * What a change touches, for the connection that makes it: `touched` are the messages that several logs hold, or held before the
 * change; `stale` the logs whose buckets no longer hold, `fresh` those of them whose responses are all to be looked at.
 */
const CHANGES = `
create temp table if not exists touched (message text primary key) without rowid;
create temp table if not exists stale (log integer primary key);
create temp table if not exists fresh (log integer primary key);
`

const SHARED = `
insert or ignore into touched select r.message from response r
where exists (select 1 from response o where o.message = r.message and o.id <> r.id) and`

/** Notes what changes, and decides at the end of a transaction who owns what. */
export class OwnerWriter {
  readonly #database: Database
  readonly #shared: Statement
  readonly #sharedMessages: Statement
  readonly #fresh: Statement
  readonly #stale: Statement

  constructor(database: Database) {
    database.exec(CHANGES)
    this.#database = database
    this.#shared = prepared(database, `${SHARED} r.log = ?`)
    this.#sharedMessages = prepared(database, `${SHARED} r.message in (select value from json_each(?))`)
    this.#fresh = prepared(database, 'insert or ignore into fresh values (?)')
    this.#stale = prepared(database, 'insert or ignore into stale values (?)')
  }

  /** Notes what a log holds that others hold too, before its rows go, or count no longer. */
  noteShared(log: number): void {
    this.#shared.run(log)
    this.#stale.run(log)
  }

  /** Notes that all that a log holds is new. */
  noteFresh(log: number): void {
    this.#fresh.run(log)
  }

  /** Notes that a log now holds some messages; where it grew by others alone, all sums stay as they are. */
  noteMessages(log: number, messages: readonly string[]): void {
    if (messages.length === 0) return
    this.#sharedMessages.run(JSON.stringify(messages))
    this.#stale.run(log)
  }

  /**
   * Decides who owns the responses that were touched, by the rule of docs/decisions/0014, and adds up the buckets of all logs for
   * which something changed. A lost log owns nothing.
   */
  settle(): void {
    this.#run([`${SHARED} r.log in (select log from fresh)`])
    this.#run(['insert or ignore into stale select log from fresh', 'delete from fresh'])
    // A log that grows seldom has what another has.
    const isTouched = prepared(this.#database, 'select 1 from touched limit 1').get() !== undefined
    if (isTouched) this.#run(OWNERS)
    this.#run(BUCKETS)
  }

  #run(statements: readonly string[]): void {
    for (const sql of statements) prepared(this.#database, sql).run()
  }
}

/**
 * Rows without a request id belong to the earliest request of their message: copies drop the id. The numbers that count are
 * those of the holding with the most output; of equal ones a final one, then the owner's.
 */
const OWNERS = [
  `insert or ignore into stale select log from response where message in (select message from touched)`,
  `update response set owner = 0, counts = null, seen_rows = rows, seen_logs = 1 where message in (select message from touched)`,
  `update response set owner = x.own, counts = x.counts, seen_rows = x.seen_rows, seen_logs = x.seen_logs from (
  with held as (
    select r.id, r.log, r.rows, r.message, r.output, r.placeholder, r.marked, r.made, r.written, r.named, f.ended, f.head, l.path,
      coalesce(r.request, first_value(r.request) over (
        partition by r.message order by r.request is null, r.written, r.request)) as req
    from response r join log l on l.id = r.log join fact f on f.log = r.log
    where l.state <> 'lost' and r.message in (select message from touched)),
  placed as (
    select *, row_number() over (partition by message, req
      order by marked, made desc, written, named desc, ended, head, path) = 1 as own
    from held)
  select id, own,
    first_value(id) over (partition by message, req
      order by output desc, placeholder, own desc, written, head, path) as counts,
    sum(rows) over (partition by message, req) as seen_rows,
    dense_rank() over (partition by message, req order by log) + dense_rank() over (partition by message, req order by log desc) - 1 as seen_logs
  from placed) x
where response.id = x.id`,
  `delete from touched`,
]

const QUARTER_MS = 15 * 60_000

/** A prompt's class is how many of these it exceeds: prices of long prompts begin at one of them. */
export const PROMPT_CLASSES = [100_000, 200_000, 272_000] as const

const PROMPT = 'c.input + c.cache_read + c.write_5m + c.write_1h'
const PROMPT_CLASS = PROMPT_CLASSES.map((above) => `(${PROMPT} > ${above})`).join(' + ')

const BUCKETS = [
  `delete from bucket where log in (select log from stale)`,
  `insert into bucket
select r.log, r.time / ${QUARTER_MS}, c.model, c.geo, c.fast,
  ${PROMPT_CLASS}, r.sidechain, r.abandoned,
  count(*), sum(r.seen_rows), sum(r.seen_logs - 1), sum(c.placeholder),
  sum(c.input), sum(c.output), sum(c.cache_read), sum(c.write_5m), sum(c.write_1h), sum(c.web_searches)
from response r join response c on c.id = coalesce(r.counts, r.id) join log l on l.id = r.log
where r.owner = 1 and l.state <> 'lost' and r.log in (select log from stale)
group by 1, 2, 3, 4, 5, 6, 7, 8`,
  `delete from stale`,
]
