import { Failure } from '../../../core/failure.ts'
import { codeOf, type Said, WAIT, wayTrouble } from '../../../net/way-trouble.ts'
import { SinkTrouble } from '../../sink.ts'
import type { Address } from './address.ts'

const MIGRATE = 'Whoever owns the database runs `annals team migrate --store postgres://…` once.'
const PASSWORD = 'Give the password in PGPASSWORD, and check the name of the user.'
const TLS = 'Switch `ssl` on in its postgresql.conf.'

/** What codes of PostgreSQL mean to a person. */
const SAID: ReadonlyMap<string, Said> = new Map([
  ['28P01', { what: 'refused the password', hint: PASSWORD }],
  ['28000', { what: 'does not let this user in', hint: PASSWORD }],
  ['3D000', { what: 'has no such database', hint: 'Make it with `createdb`, or mend the name in the address.' }],
  ['3F000', { what: 'is not set up yet', hint: MIGRATE }],
  ['42P01', { what: 'lacks a table', hint: MIGRATE }],
  ['42883', { what: 'lacks a function', hint: MIGRATE }],
  ['42703', { what: 'lacks a column', hint: MIGRATE }],
  [
    '42501',
    { what: 'does not allow this user to do that', hint: 'Ask whoever runs it for the right role; see docs/team.md.' },
  ],
  ['53100', { what: 'has no room left on its disk', hint: WAIT, passes: true }],
  ['53200', { what: 'is out of memory', hint: WAIT, passes: true }],
  ['53300', { what: 'has too many connections', hint: WAIT, passes: true }],
  ['57014', { what: 'took too long and gave up', hint: WAIT, passes: true }],
  ['55P03', { what: 'is locked by other work', hint: WAIT, passes: true }],
  ['40001', { what: 'is busy', passes: true }],
  ['40P01', { what: 'is busy', passes: true }],
  ['57P01', { what: 'is shutting down', hint: WAIT, passes: true }],
  ['57P02', { what: 'crashed and is starting again', hint: WAIT, passes: true }],
  ['57P03', { what: 'is starting', hint: WAIT, passes: true }],
  ['25006', { what: 'is read-only', hint: 'Name the primary server, not a standby.', passes: true }],
])

/** An error of the driver as a sentence. Never says a password nor anything of the rows; what nobody foresaw stays a bug. */
export function asTrouble(error: unknown, { shown }: Pick<Address, 'shown'>): unknown {
  if (error instanceof SinkTrouble || error instanceof Failure) return error
  const code = codeOf(error)
  if (code === undefined) return error
  const said = SAID.get(code) ?? wayTrouble(code, TLS) ?? classOf(code)
  if (!said) return error
  return new SinkTrouble(`The team store at ${shown} ${said.what}${detailOf(error, code)}.`, {
    passes: said.passes ?? false,
    ...(said.hint !== undefined && { hint: said.hint }),
    // The driver's own error holds the rows it was asked to write.
    cause: new Error(`${code} ${error instanceof Error ? error.name : ''}`.trim()),
  })
}

/** Whether a row, not the store, is what is wrong: its values, a constraint, a limit of the program. */
export function isAboutRows(error: unknown): boolean {
  const code = codeOf(error) ?? ''
  return /^(22|23|54)/.test(code) && code !== '54023'
}

/** Whether the tables are not there yet. */
export function isNotSetUp(error: unknown): boolean {
  return ['3F000', '42P01'].includes(codeOf(error) ?? '')
}

/** The reason of PostgreSQL itself, without the values it quotes. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error)
  const constraint = fieldOf(error, 'constraint_name')
  const name = REASONS.get(code?.slice(0, 2) ?? '') ?? 'The team store refused it'
  return `${name}${constraint ? ` (${constraint})` : ''}; PostgreSQL says ${code ?? 'nothing'}.`
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['22', 'A value of it does not fit its column'],
  ['23', 'It breaks a rule of the table'],
  ['54', 'It is too large for PostgreSQL'],
])

function classOf(code: string): Said | undefined {
  if (/^(08|53|57|58|XX)\w{3}$/.test(code)) return { what: 'has trouble of its own', hint: WAIT, passes: true }
  return /^[0-9A-Z]{5}$/.test(code) ? { what: 'refused' } : undefined
}

/** Names of roles, databases and tables help; values of rows never leave. */
function detailOf(error: unknown, code: string): string {
  if (!/^[0-9A-Z]{5}$/.test(code)) return ''
  const isAboutNames = /^(28|3D|3F|42)/.test(code) && error instanceof Error
  return isAboutNames ? ` (${code}: ${error.message})` : ` (${code})`
}

function fieldOf(error: unknown, key: string): string | undefined {
  const value = typeof error === 'object' && error !== null && key in error ? Reflect.get(error, key) : undefined
  return typeof value === 'string' ? value : undefined
}
