/** Something that went wrong with a store, for people. */
export interface Said {
  /** What happened, after "The team store at … ". */
  readonly what: string
  readonly hint?: string
  readonly passes?: true
}

export const WAIT = 'Nothing is lost: the logs are the queue, and what is missing is sent later.'
const CERTIFICATE = 'Ask whoever runs it for a valid certificate, or name its authority with ?sslrootcert=FILE.'

const AWAY = { what: 'is not running, or not there', hint: WAIT, passes: true } as const
const UNREACHED = { what: 'cannot be reached', hint: WAIT, passes: true } as const
const SILENT = { what: 'does not answer', hint: WAIT, passes: true } as const
const ENDED = { what: 'ended the connection', hint: WAIT, passes: true } as const
const UNTRUSTED = { what: 'shows a certificate that is not trusted', hint: CERTIFICATE }

/** What codes of networks, of certificates and of drivers mean to a person; `tls` says what to do where none is spoken. */
export function wayTrouble(code: string, tls: string): Said | undefined {
  if (code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER') return { what: 'does not speak TLS', hint: tls }
  return SAID.get(code)
}

const SAID: ReadonlyMap<string, Said> = new Map<string, Said>([
  ['ECONNREFUSED', AWAY],
  ['ENOENT', AWAY],
  [
    'ENOTFOUND',
    { what: 'cannot be found: no such host', hint: 'Check the name of the host, and the network.', passes: true },
  ],
  ['EAI_AGAIN', { what: 'cannot be found: the network is down', hint: WAIT, passes: true }],
  ['EHOSTUNREACH', UNREACHED],
  ['ENETUNREACH', UNREACHED],
  ['ETIMEDOUT', SILENT],
  ['CONNECT_TIMEOUT', SILENT],
  ['ECONNRESET', ENDED],
  ['EPIPE', ENDED],
  ['CONNECTION_CLOSED', ENDED],
  ['CONNECTION_ENDED', ENDED],
  ['CONNECTION_DESTROYED', ENDED],
  ['CERT_HAS_EXPIRED', { what: 'shows a certificate that has expired', hint: CERTIFICATE }],
  ['CERT_NOT_YET_VALID', { what: 'shows a certificate that is not valid yet', hint: CERTIFICATE }],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNTRUSTED],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNTRUSTED],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNTRUSTED],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNTRUSTED],
  ['ERR_TLS_CERT_ALTNAME_INVALID', { what: 'shows a certificate for another host', hint: CERTIFICATE }],
])

/** The code of an error, looking into those that were gathered from several tries. */
export function codeOf(error: unknown): string | undefined {
  const own = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  if (typeof own === 'string') return own
  return error instanceof AggregateError ? codeOf(error.errors[0]) : undefined
}
