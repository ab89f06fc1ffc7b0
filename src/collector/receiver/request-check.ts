import { AUTH_HEADERS, isSame, signatureOf } from '../auth.ts'
import type { KnownKeys } from './known-keys.ts'
import type { Nonces } from './nonces.ts'
import type { RefusalReason, Refused } from './refusal.ts'

/** Somebody we know. */
export interface Caller {
  readonly key: string
  /** The sum that the body has to have; `undefined` where it was not signed. */
  readonly sum: string | undefined
}

/** How far the clocks of a collector and a receiver may be apart. */
const WINDOW_MS = 5 * 60_000

/** Judges a request by its headers alone: the same little work for everybody, however many keys there are. */
export function checkRequest(keys: KnownKeys, nonces: Nonces, request: Request, now: number): Caller | Refused {
  const header = (name: keyof typeof AUTH_HEADERS) => request.headers.get(AUTH_HEADERS[name]) ?? undefined
  const [key, time, nonce] = [header('key'), header('time'), header('nonce')]
  const authorization = request.headers.get('authorization') ?? undefined
  if (key === undefined || time === undefined || nonce === undefined || !NONCE.test(nonce)) {
    return refused('no-key', 'A token or key is missing, or the time and nonce of the request.')
  }
  const known = keys.get(key)
  if (!known) return refused('unknown-key', 'The token or key is unknown.')
  const at = Date.parse(time)
  if (!(Math.abs(now - at) <= WINDOW_MS)) {
    const said = Number.isNaN(at) ? 'at no time' : `at ${new Date(at).toISOString()}`
    const here = new Date(now).toISOString()
    return refused('clock', `The request was made ${said}, and here it is ${here}: is a clock wrong?`)
  }
  const sum = header('sum')
  if (known.hmacKey === undefined) {
    if (!isSame(authorization ?? '', `Bearer ${known.token}`)) return refused('unknown-key', 'The token is unknown.')
  } else {
    const { pathname, search } = new URL(request.url)
    const signed = { method: request.method, target: `${pathname}${search}`, time, nonce, sum: sum ?? '' }
    const isSigned = isSame(header('signature') ?? '', signatureOf(known.hmacKey, signed))
    if (!isSigned) return refused('signature', 'The signature is not that of the key.')
  }
  const taken = nonces.take(key, nonce, at + WINDOW_MS, now)
  if (taken === 'known') return refused('replay', 'This request came before; each is taken once.')
  if (taken === 'full') return { status: 429, reason: 'too-often', message: 'Too many requests in a few minutes.' }
  return { key, sum: known.hmacKey === undefined ? undefined : sum }
}

const NONCE = /^[\w-]{16,64}$/

function refused(reason: RefusalReason, message: string): Refused {
  return { status: 401, reason, message }
}
