/** Something that went wrong on the way to somebody, for people. */
export interface Said {
  /** What happened, after the name of whom we asked. */
  readonly what: string
  readonly hint?: string
  readonly passes?: true
}

export const WAIT = 'Nothing is lost: the logs are the queue, and what is missing is sent later.'
const STORE_CERTIFICATE = 'Ask whoever runs it for a valid certificate, or name its authority with ?sslrootcert=FILE.'

const AWAY = { what: 'is not running, or not there', hint: WAIT, passes: true } as const
const UNREACHED = { what: 'cannot be reached', hint: WAIT, passes: true } as const
const SILENT = { what: 'does not answer', hint: WAIT, passes: true } as const
const ENDED = { what: 'ended the connection', hint: WAIT, passes: true } as const

/** What codes of networks, of certificates and of drivers mean to a person; `tls` says what to do where none is spoken. */
export function wayTrouble(code: string, tls: string): Said | undefined {
  if (code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER') return { what: 'does not speak TLS', hint: tls }
  const wrong = certificateTrouble(code)
  return wrong === undefined ? SAID.get(code) : { what: `shows a certificate that ${wrong}`, hint: STORE_CERTIFICATE }
}

/** What is wrong with a certificate, after "The certificate …"; `undefined` where the code is of something else. */
export function certificateTrouble(code: string): string | undefined {
  const isOne = /CERT|SIGNATURE|SELF_SIGNED|ISSUER|ALTNAME|TLS|SSL/.test(code)
  return CERTIFICATES.get(code) ?? (isOne ? `cannot be trusted (${code})` : undefined)
}

const UNKNOWN_SIGNER = 'is signed by somebody this machine does not know'

const CERTIFICATES: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', 'has expired'],
  ['CERT_NOT_YET_VALID', 'is not valid yet'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'is signed by nobody but itself'],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNKNOWN_SIGNER],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNKNOWN_SIGNER],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNKNOWN_SIGNER],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'is for another name'],
])

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
])

/** The code of an error, looking into those that were gathered from several tries. */
export function codeOf(error: unknown): string | undefined {
  const own = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  if (typeof own === 'string') return own
  // Several addresses were tried: each has its own reason.
  return error instanceof AggregateError ? codeOf(error.errors[0]) : undefined
}
