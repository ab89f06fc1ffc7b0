import { isTitle, type Title, titleOf } from '../../core/facts/title.ts'
import { parseJson, textAt } from '../../core/json.ts'
import { type Database, type Query, type Row, type SqlValue, selectAll } from '../driver.ts'
import { familyKey, idOfKey } from './family-key.ts'

/** Sources of session titles outside of the session's own log. */
export interface TitleLinks {
  /** Summary by log id. */
  readonly summaryOf: ReadonlyMap<number, string>
  /** Title in `custom-title.json`, by the folder beside the log. */
  readonly titleOf: ReadonlyMap<string, string | null>
}

/** Title and log of a session. */
export interface TitledSession {
  readonly file: string
  readonly title: string | null
}

/** Titles of sessions by family key. A session without a log of its own is left out. */
export function titlesOf(database: Database, keys: Iterable<string>): ReadonlyMap<string, TitledSession> {
  const wanted = new Set(keys)
  const rows = selectAll(database, SESSIONS, JSON.stringify([...wanted].map(idOfKey)))
  const links = titleLinks(database, rows)
  const titles = new Map<string, TitledSession>()
  for (const row of rows) {
    const key = familyKey(row.root as string, row.project as string, row.session as string)
    if (wanted.has(key)) titles.set(key, { file: row.path as string, title: titleOfRow(row, links).text })
  }
  return titles
}

const SESSIONS: Query = {
  columns: ['id', 'root', 'path', 'project', 'session', 'custom_title', 'ai_title', 'asked'],
  from: `log join fact on fact.log = log.id
    where agent is null and session in (select value from json_each(?))`,
}

/** The title of a session, from its row of `log` and `fact`. */
export function titleOfRow(row: Row, links: TitleLinks): Title {
  const titled = {
    customTitle: placed(row.custom_title as string | null),
    aiTitle: placed(row.ai_title as string | null),
    asked: row.asked as string | null,
  }
  const beside = links.titleOf.size === 0 ? undefined : links.titleOf.get(folderOf(row))
  return titleOf(titled, beside, links.summaryOf.get(row.id as number))
}

function placed(text: string | null): { readonly text: string; readonly line: number } | null {
  return text === null ? null : { text, line: 0 }
}

/** Reads titles from other files: for the sessions of the given rows, or for all. */
export function titleLinks(database: Database, rows?: readonly Row[]): TitleLinks {
  const only = (column: string) => (rows ? ` and ${column} in (select value from json_each(?))` : '')
  const listOf = (toValue: (row: Row) => SqlValue) => (rows ? [JSON.stringify(rows.map(toValue))] : [])
  const summaryOf = new Map<number, string>()
  const summaries = database
    .prepare(`${SUMMARIES}${only('k.log')}${NEWEST_LAST}`)
    .all(...listOf(({ id }) => id as number))
  for (const { log, text } of summaries) if (isTitle(text as string)) summaryOf.set(log as number, text as string)
  const titles = database
    .prepare(`select path, value from sidecar where path like '%${SIDECAR}'${only('path')}`)
    .all(...listOf((row) => folderOf(row) + SIDECAR))
  return { summaryOf, titleOf: new Map(titles.map(toTitle)) }
}

const SIDECAR = '/custom-title.json'

function toTitle({ path, value }: Row): [string, string | null] {
  const title = textAt(parseJson((value as string | null) ?? ''), 'customTitle') ?? null
  return [(path as string).slice(0, -SIDECAR.length), title]
}

function folderOf({ path }: Row): string {
  return (path as string).replace(/\.jsonl$/, '')
}

/** A summary whose leaf is on an abandoned branch titles that branch only. A lost log only titles itself. */
const SUMMARIES = `
select k.log, s.text from summary s join link k on k.key = s.leaf and k.active = 1 join log on log.id = s.log
where (log.state <> 'lost' or s.log = k.log)`
/** The summary of the newest file wins; within a file, the last. */
const NEWEST_LAST = ' order by log.modified, log.path desc, s.line'
