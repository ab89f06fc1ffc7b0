import { basename, relative, sep } from 'node:path'
import type { Cursor } from '../disk/cursor.ts'
import { placeOf } from '../disk/layout.ts'
import type { SourceEntry } from '../disk/source.ts'
import type { Database, SqlValue, Statement } from './driver.ts'
import type { HeldResponse, LogRows } from './facts.ts'
import { Names } from './names.ts'
import { noteShared } from './owner.ts'
import { OF_A_LOG } from './schema.ts'
import { CURSOR_COLUMNS, cursorValues, stateOf } from './survey.ts'

/** Whose log a file is. */
export interface Whose {
  readonly project: string
  /** `null` for the flat logs of agents, whose rows name their session. */
  readonly session: string | null
  readonly agent: string | null
  readonly run: string | null
}

/** Tells whose a log is. */
export type WhoseLog = (entry: SourceEntry) => Whose

/** The same for logs that lie where clients put them. */
export const whoseLog: WhoseLog = ({ root, path }) => {
  const place = placeOf(relative(root, path).split(sep).join('/'))
  if (place.kind === 'session') return { project: place.project, session: place.session, agent: null, run: null }
  if (place.kind === 'agent')
    return { project: place.project, session: place.session, agent: place.agent, run: place.run }
  return { project: '', session: basename(path, '.jsonl'), agent: null, run: null }
}

/** Writes the rows of logs. Every call belongs into the transaction that its caller has begun. */
export class LogWriter {
  readonly #database: Database
  readonly #whose: WhoseLog
  readonly #names: Names
  readonly #statements = new Map<string, Statement>()

  constructor(database: Database, whose: WhoseLog) {
    this.#database = database
    this.#whose = whose
    this.#names = new Names(database)
  }

  /** Puts what was read of a log in the place of what was known of it. */
  put(entry: SourceEntry, rows: LogRows): void {
    const log = this.#logRow(entry, rows)
    this.#clear(log)
    this.#addFact(log, rows)
    for (const slug of rows.slugs) this.#insert('slug', [slug, log])
    for (const { leaf, line, text } of rows.summaries) this.#insert('summary', [leaf, log, line, text], 'or ignore')
    for (const { key, offset, time, isActive, isOwn } of rows.rowKeys) {
      this.#insert('row_key', [key, log, offset, time, Number(isActive), Number(isOwn)])
    }
    for (const [n, { key, label, startedAt }] of rows.turns.entries())
      this.#insert('turn', [log, n, key, label, startedAt])
    for (const holding of rows.responses) this.#addResponse(log, holding)
    noteShared(this.#database, log)
  }

  /** A log that has moved keeps its rows; where it lies says whose it is. */
  move(from: string, entry: SourceEntry): void {
    const { project, session, agent, run } = this.#whose(entry)
    const known = this.#database.prepare('select id, session from log where path = ?').get(from)
    if (!known) return
    this.#database
      .prepare('update log set root = ?, path = ?, project = ?, session = ?, agent = ?, run = ? where id = ?')
      .run(entry.root, entry.path, project, session ?? (known.session as string), agent, run, known.id as number)
    noteShared(this.#database, known.id as number)
  }

  /** Notes a cursor whose times or inode changed, and nothing else. */
  touch(cursor: Cursor, entry: SourceEntry): void {
    const columns = CURSOR_COLUMNS.split(', ').map((name) => `${name} = ?`)
    this.#database
      .prepare(`update log set ${columns.join(', ')}, state = ? where path = ?`)
      .run(...cursorValues(cursor), stateOf(entry), cursor.path)
  }

  /** A vanished log that the archive does not have: in no sum, still known. */
  lose(path: string): void {
    const log = this.#database.prepare('select id from log where path = ?').get(path)?.id
    if (log === undefined) return
    noteShared(this.#database, log as number)
    this.#database.prepare("update log set state = 'lost' where id = ?").run(log as number)
  }

  /** Forgets a log. */
  remove(path: string): void {
    const log = this.#database.prepare('select id from log where path = ?').get(path)?.id
    if (log === undefined) return
    this.#clear(log as number)
    this.#database.prepare('delete from log where id = ?').run(log as number)
  }

  /** What was named in a transaction that did not happen is no longer known. */
  rollBack(): void {
    this.#names.forget()
  }

  #logRow(entry: SourceEntry, { cursor, facts }: LogRows): number {
    const { project, session, agent, run } = this.#whose(entry)
    const columns = `root, project, session, agent, run, state, ${CURSOR_COLUMNS}`
    const values = [
      entry.root,
      project,
      session ?? facts.sessionIds[0] ?? agent ?? '',
      agent,
      run,
      stateOf(entry),
      ...cursorValues(cursor),
    ]
    const names = columns.split(', ')
    const updates = names.map((name) => `${name} = excluded.${name}`).join(', ')
    const row = this.#statement(
      `insert into log (${columns}) values (${names.map(() => '?').join(', ')})
       on conflict (path) do update set ${updates}, worded = iif(generation = excluded.generation, worded, 0),
         worded_line = iif(generation = excluded.generation, worded_line, 0) returning id`,
    ).get(...values)
    return row?.id as number
  }

  #clear(log: number): void {
    noteShared(this.#database, log)
    for (const table of OF_A_LOG) this.#statement(`delete from ${table} where log = ?`).run(log)
  }

  #addFact(log: number, rows: LogRows): void {
    const { facts, whole, agents } = rows
    const { counts } = whole
    this.#insert('fact', [
      log,
      rows.kind,
      whole.lines,
      counts.rows,
      counts.prompts,
      counts.messages,
      counts.turns,
      counts.toolCalls,
      whole.branches,
      whole.compactions,
      whole.allCompactions,
      whole.interrupts,
      facts.cwd,
      facts.relocatedCwd,
      facts.gitBranch,
      facts.version,
      facts.slug,
      facts.customTitle?.text ?? null,
      facts.aiTitle?.text ?? null,
      facts.asked,
      facts.firstAt,
      facts.lastAt,
      rows.ended,
      rows.head,
      rows.ownId,
      JSON.stringify(facts.sessionIds),
      JSON.stringify(whole.models),
      facts.continuedIn,
      facts.forkedFrom,
      rows.parentKey,
      facts.costState && JSON.stringify(facts.costState),
      JSON.stringify(whole.synthetic),
      JSON.stringify(agents),
    ])
  }

  #addResponse(log: number, one: HeldResponse): void {
    const { kept, first, evidence } = one
    const { line, offset, length } = first.place
    this.#statement(
      `insert into response (log, message, request, line, offset, length, rows, seen_rows, time, last_offset, written, marked, forked, made, named,
         model, geo, fast, input, output, cache_read, write_5m, write_1h, web_searches, turn, sidechain, abandoned, placeholder)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      log,
      first.messageId,
      one.request,
      line,
      offset,
      length,
      one.rows,
      one.rows,
      one.time,
      one.lastOffset,
      evidence.writtenAt,
      Number(evidence.isMarked),
      Number(first.isFork),
      Number(evidence.isMadeHere),
      Number(evidence.isNamed),
      this.#names.id(kept.model),
      this.#names.id(kept.geo),
      Number(kept.speed === 'fast'),
      kept.inputTokens,
      kept.outputTokens,
      kept.cacheReadTokens,
      kept.cacheWrite5mTokens,
      kept.cacheWrite1hTokens,
      kept.webSearches,
      one.turn,
      Number(first.isSidechain),
      Number(one.isAbandoned),
      Number(kept.isPlaceholder),
    )
  }

  #insert(table: string, values: readonly SqlValue[], how = ''): void {
    this.#statement(`insert ${how} into ${table} values (${values.map(() => '?').join(', ')})`).run(...values)
  }

  #statement(sql: string): Statement {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql)
    this.#statements.set(sql, known)
    return known
  }
}
