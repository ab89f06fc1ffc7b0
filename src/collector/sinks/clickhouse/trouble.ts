import { Failure } from '../../../core/failure.ts'
import { SinkTrouble } from '../../sink.ts'
import type { ClickHouseAddress } from './address.ts'

interface Said {
  /** What happened, after "The team store at … ". */
  readonly what: string
  readonly hint?: string
  readonly passes?: true
}

const WAIT = 'Nothing is lost: the logs are the queue, and what is missing is sent later.'
const PASSWORD = 'Give the password in CLICKHOUSE_PASSWORD, and check the name of the user.'
const MAKE = 'Whoever runs it makes the tables once: see docs/clickhouse.md.'
const CERTIFICATE =
  'Ask whoever runs it for a valid certificate, or name the file of its authority with ?sslrootcert=FILE.'

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

/** The same of networks and certificates. */
const BY_NAME: ReadonlyMap<string, Said> = new Map([
  ['ECONNREFUSED', { what: 'is not running, or not there', hint: WAIT, passes: true }],
  ['ENOTFOUND', { what: 'cannot be found: no such host', hint: 'Check the name of the host.', passes: true }],
  ['EAI_AGAIN', { what: 'cannot be found: the network is down', hint: WAIT, passes: true }],
  ['ECONNRESET', { what: 'ended the connection', hint: WAIT, passes: true }],
  ['EPIPE', { what: 'ended the connection', hint: WAIT, passes: true }],
  ['EHOSTUNREACH', { what: 'cannot be reached', hint: WAIT, passes: true }],
  ['ENETUNREACH', { what: 'cannot be reached', hint: WAIT, passes: true }],
  ['ETIMEDOUT', { what: 'does not answer', hint: WAIT, passes: true }],
  ['CERT_HAS_EXPIRED', { what: 'shows a certificate that has expired', hint: CERTIFICATE }],
  ['CERT_NOT_YET_VALID', { what: 'shows a certificate that is not valid yet', hint: CERTIFICATE }],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', { what: 'shows a certificate that is not trusted', hint: CERTIFICATE }],
  ['SELF_SIGNED_CERT_IN_CHAIN', { what: 'shows a certificate that is not trusted', hint: CERTIFICATE }],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', { what: 'shows a certificate that is not trusted', hint: CERTIFICATE }],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', { what: 'shows a certificate that is not trusted', hint: CERTIFICATE }],
  ['ERR_TLS_CERT_ALTNAME_INVALID', { what: 'shows a certificate for another host', hint: CERTIFICATE }],
  ['EPROTO', { what: 'does not speak TLS', hint: 'Is that the port for HTTPS? It is mostly 8443.' }],
  [
    'ERR_SSL_WRONG_VERSION_NUMBER',
    { what: 'does not speak TLS', hint: 'Is that the port for HTTPS? It is mostly 8443.' },
  ],
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
    const known = BY_CODE.get(code) ?? BY_NAME.get(code)
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

/** The code of an error, looking into those that were gathered from several tries. */
function codeOf(error: unknown): string | undefined {
  const own = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  if (typeof own === 'string') return own
  return error instanceof AggregateError ? codeOf(error.errors[0]) : undefined
}
