import { Failure } from '../../core/failure.ts'
import { nearest } from '../../core/nearest.ts'
import { VIEWS } from './views.ts'

/** What a query was refused for: a table that is no view, a function, or that it does more than read. */
export type Refusal = { readonly table: string } | 'function' | 'writing'

/** What is wrong with a query, as a sentence with what may have been meant. An error that is not the query's stays what it is. */
export function toldError(error: unknown, sql: string, refused?: Refusal): unknown {
  const isDatabase = error instanceof Error && 'code' in error && /SQLITE/.test(String(error.code))
  if (!isDatabase || NOT_OF_QUERIES.test(error.message)) return error
  if (refused) return refusalOf(refused)
  const { message, hint = SEE_VIEWS } = toldMistake(error.message, sql)
  return new Failure('BAD_INPUT', message, { hint, cause: error })
}

/** How SQLite begins to tell of trouble with the database. */
const NOT_OF_QUERIES = /^(?:database |disk |file is not|unable to open|attempt to write|out of memory)/

const SEE_VIEWS = 'Run `annals sql` to see the views and their columns.'

/** Why a query is not run, as a sentence. */
export function refusalOf(refused: Refusal): Failure {
  const { message, hint = SEE_VIEWS } = toldRefusal(refused)
  return new Failure('BAD_INPUT', message, { hint })
}

interface Told {
  readonly message: string
  readonly hint?: string
}

function toldRefusal(refused: Refusal): Told {
  if (refused === 'function') return { message: 'A function in it is not for queries, and is refused.' }
  if (refused === 'writing') return { message: '`annals sql` only reads: it takes a select over the views.' }
  return unknownView(refused.table)
}

/** What is wrong with the words that a query matches: SQLite tells of them only while it runs. */
export function toldWords(error: unknown, sql: string): unknown {
  const isOfWords = error instanceof Error && OF_WORDS.test(error.message) && /\bmatch\b/i.test(sql)
  if (!isOfWords) return toldError(error, sql)
  return new Failure('BAD_INPUT', `The words to match cannot be read: ${error.message}.`, {
    hint: MATCHING,
    cause: error,
  })
}

const OF_WORDS = /^(?:fts5: |unterminated string|unknown special query|no such column)/

function toldMistake(message: string, sql: string): Told {
  const [, what, named = ''] = /^no such (table|column|function): ([^ ]*)/.exec(message) ?? []
  const name = named.replace(/^.*\./, '').replaceAll('"', '')
  if (what === 'table') return unknownView(name)
  if (what === 'column') return unknownColumn(name, sql, message.includes('"'))
  if (what === 'function') return { message: `SQLite has no function "${name}".`, hint: FUNCTIONS }
  if (/^cannot modify /.test(message)) return toldRefusal('writing')
  const [, near] = /^near "(.*)": syntax error$/s.exec(message) ?? []
  if (near !== undefined) return { message: `The query cannot be read at "${near}".${meant(near, KEYWORDS)}` }
  if (message === 'incomplete input') return { message: 'The query ends too early.' }
  if (/MATCH/.test(message)) return { message: 'Only the column `words` of texts can be matched.', hint: MATCHING }
  return { message: `SQLite says: ${message}.` }
}

const MATCHING = "For example: select text from texts where words match 'refresh token'"
const FUNCTIONS = 'Its functions: sqlite.org/lang_corefunc.html, lang_datefunc.html, lang_aggfunc.html and json1.html.'
const KEYWORDS = ['select', 'from', 'where', 'group', 'order', 'having', 'limit', 'join', 'left', 'with', 'and', 'desc']

function unknownView(name: string): Told {
  const names = VIEWS.map((view) => view.name)
  return {
    message: names.includes(name) ? `Write ${name} alone.` : `There is no view "${name}".${meant(name, names)}`,
    hint: `The views are ${names.join(', ')}; \`annals sql\` lists their columns.`,
  }
}

/** What was meant is looked for in the views that the query names, then in all. */
function unknownColumn(name: string, sql: string, isQuoted: boolean): Told {
  const asked = VIEWS.filter((view) => new RegExp(`\\b${view.name}\\b`, 'i').test(sql))
  const columns = asked.flatMap((view) => view.columns.map((column) => column.name))
  const others = VIEWS.filter((view) => view.columns.some((column) => column.name === name)).map((view) => view.name)
  const has = asked.map((view) => `${view.name} has ${view.columns.map((column) => column.name).join(', ')}.`).join(' ')
  const suggested = meant(name, columns) || (others.length > 0 ? ` It is in ${others.join(' and ')}.` : '')
  return {
    message: `There is no column "${name}".${suggested}`,
    hint: isQuoted ? `A text stands in single quotes: '${name}'.` : has || 'Run `annals sql` to see the views.',
  }
}

function meant(typed: string, words: readonly string[]): string {
  const word = nearest(typed.toLowerCase(), words)
  return word ? ` Did you mean ${word}?` : ''
}
