import { isTitle, type Title, titleOf } from '../core/facts/title.ts'
import { parseJson, textAt } from '../core/json.ts'
import { type Database, type Query, type Row, type SqlValue, selectAll } from '../index/driver.ts'
import { whileUnchanged } from '../index/unchanged.ts'
import { familyKey, idOfKey } from './families.ts'

/** What other files than its own log tell of a session's title. */
export interface TitleLinks {
  /** By the number of its log. */
  readonly summaryOf: ReadonlyMap<number, string>
  /** By the folder beside its log. */
  readonly titleOf: ReadonlyMap<string, string | null>
}

/** What a session is called that has a log of its own. */
export interface TitledSession {
  readonly file: string
  readonly title: string | null
}

/** The titles of some sessions, by what they are known by; one without a log of its own has none. */
export function titlesOf(database: Database, keys: Iterable<string>): ReadonlyMap<string, TitledSession> {
  const known = whileUnchanged(database, 'titles', () => new Map<string, TitledSession | undefined>())
  const wanted = [...new Set(keys)]
  const unknown = wanted.filter((key) => !known.has(key))
  if (unknown.length > 0) {
    for (const key of unknown) known.set(key, undefined)
    for (const [key, titled] of readTitles(database, unknown)) if (known.has(key)) known.set(key, titled)
  }
  return new Map(wanted.flatMap((key) => pairOf(key, known.get(key))))
}

function pairOf(key: string, titled: TitledSession | undefined): readonly [string, TitledSession][] {
  return titled ? [[key, titled]] : []
}

function readTitles(database: Database, keys: readonly string[]): readonly (readonly [string, TitledSession])[] {
  const rows = selectAll(database, SESSIONS, JSON.stringify(keys.map(idOfKey)))
  const links = titleLinks(database, rows)
  return rows.map((row) => [
    familyKey(row.root as string, row.project as string, row.session as string),
    { file: row.path as string, title: titleOfRow(row, links).text },
  ])
}

const SESSIONS: Query = {
  columns: ['id', 'root', 'path', 'project', 'session', 'custom_title', 'ai_title', 'asked'],
  from: `log join fact on fact.log = log.id
    where agent is null and session in (select value from json_each(?))`,
}

/** The title of a row of `log` and `fact`. */
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

/** What other files tell: of the sessions of some rows, or of all. */
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

/** One whose leaf was abandoned is the title of that branch alone. A log that is gone tells only of itself. */
const SUMMARIES = `
select k.log, s.text from summary s join link k on k.key = s.leaf and k.active = 1 join log on log.id = s.log
where (log.state <> 'lost' or s.log = k.log)`
/** The newest file's summary wins, in it the last. */
const NEWEST_LAST = ' order by log.modified, log.path desc, s.line'
