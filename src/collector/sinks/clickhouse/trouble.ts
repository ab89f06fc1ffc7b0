import { Failure } from '../../../core/failure.ts'
import { codeOf, type Said, WAIT, wayTrouble } from '../../../net/way-trouble.ts'
import { SinkTrouble } from '../../sink.ts'
import type { ClickHouseAddress } from './address.ts'

const PASSWORD = 'Give the password in CLICKHOUSE_PASSWORD, and check the name of the user.'
const MAKE = 'Whoever runs it makes the tables once: see docs/clickhouse.md.'
const TLS = 'Is that the port for HTTPS? It is mostly 8443.'

/** What codes of ClickHouse mean to a person. */
const BY_CODE: ReadonlyMap<string, Said> = new Map([
  ['516', { what: 'refused the user or the password', hint: PASSWORD }],
  ['192', { what: 'does not know this user', hint: PASSWORD }],
  ['193', { what: 'refused the password', hint: PASSWORD }],
  ['194', { what: 'wants a password', hint: PASSWORD }],
  [
    '497',
    {
      what: 'does not allow this user to do that',
      hint: 'Ask whoever runs it for the right role; docs/clickhouse.md.',
    },
  ],
  ['81', { what: 'has no such database', hint: MAKE }],
  ['60', { what: 'lacks a table', hint: MAKE }],
  ['16', { what: 'lacks a column', hint: 'Its tables are older than this annals: the newest makes what is missing.' }],
  ['47', { what: 'lacks a column', hint: 'Its tables are older than this annals: the newest makes what is missing.' }],
  ['164', { what: 'is read-only for this user', hint: 'Name a user that may insert.' }],
  ['201', { what: 'has no more to give this user for now: a quota is used up', hint: WAIT, passes: true }],
  ['241', { what: 'is out of memory', hint: WAIT, passes: true }],
  ['252', { what: 'has too many small parts to merge', hint: WAIT, passes: true }],
  ['202', { what: 'has too many questions at once', hint: WAIT, passes: true }],
  ['159', { what: 'took too long and gave up', hint: WAIT, passes: true }],
  ['160', { what: 'would take too long', hint: WAIT, passes: true }],
  ['209', { what: 'does not answer', hint: WAIT, passes: true }],
  ['210', { what: 'has trouble with its network', hint: WAIT, passes: true }],
  ['242', { what: 'is read-only just now', hint: WAIT, passes: true }],
  ['243', { what: 'has no room left on its disk', hint: WAIT, passes: true }],
  ['279', { what: 'reaches none of its other servers', hint: WAIT, passes: true }],
  ['285', { what: 'has too few of its servers', hint: WAIT, passes: true }],
  ['319', { what: 'does not know whether it took the rows', hint: WAIT, passes: true }],
  ['394', { what: 'was told to stop', hint: WAIT, passes: true }],
  ['425', { what: 'has trouble of its own', hint: WAIT, passes: true }],
  ['999', { what: 'has trouble with its keeper', hint: WAIT, passes: true }],
])

/** An error of the driver as a sentence. Never says a password nor anything of the rows; what nobody foresaw stays a bug. */
export function asTrouble(error: unknown, { shown }: Pick<ClickHouseAddress, 'shown'>): unknown {
  if (error instanceof SinkTrouble || error instanceof Failure || !(error instanceof Error)) return error
  const said = saidOf(error)
  if (!said) return error
  const code = codeOf(error)
  return new SinkTrouble(`The team store at ${shown} ${said.what}${code === undefined ? '' : ` (${code})`}.`, {
    passes: said.passes ?? false,
    ...(said.hint !== undefined && { hint: said.hint }),
    // The driver's own error may quote the rows it was asked to write.
    cause: new Error(`${error.name} ${code ?? ''}`.trim()),
  })
}

function saidOf(error: Error): Said | undefined {
  const code = codeOf(error)
  if (code !== undefined) {
    const known = BY_CODE.get(code) ?? wayTrouble(code, TLS)
    if (known) return known
    if (/^\d+$/.test(code))
      return { what: 'refused', hint: 'Is it as new as 25.8, and are its tables those of annals?' }
  }
  if (/timeout/i.test(error.message)) return { what: 'does not answer', hint: WAIT, passes: true }
  if (/socket hang up|aborted/i.test(error.message)) return { what: 'ended the connection', hint: WAIT, passes: true }
  // A gateway before it answers in its own words.
  const isAnswer = error.name === 'Error' && code === undefined
  return isAnswer
    ? { what: 'answers what a ClickHouse would not', hint: 'Is the address right?', passes: true }
    : undefined
}
