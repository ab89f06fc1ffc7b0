import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** What a collector and a receiver share: a token that is sent along, or a key that only signs. */
export interface Credentials {
  readonly token?: string | undefined
  readonly hmacKey?: string | undefined
}

/** Credentials that a receiver takes. Each speaks for one machine and one person; where none is named, for the first it names. */
export interface MachineCredentials extends Credentials {
  readonly machine?: string | undefined
  readonly person?: string | undefined
  /** Which line of the settings it is from: one that names two, while the one takes the place of the other, is one identity. */
  readonly line?: number | undefined
}

/** The headers of every request. All of them can be judged before the first byte of the body is read. */
export const AUTH_HEADERS = {
  key: 'x-annals-key',
  time: 'x-annals-time',
  nonce: 'x-annals-nonce',
  sum: 'x-annals-content-sha256',
  signature: 'x-annals-signature',
} as const

/** The name of a token or key, from which nobody can tell it: a receiver finds one among thousands at once. */
export function keyIdOf(secret: string): string {
  return createHash('sha256').update(`annals key\n${secret}`).digest('hex').slice(0, 32)
}

/** What is signed: what is asked for, when, which time of asking it is, and the sum of every byte that comes with it. */
export interface Signed {
  readonly method: string
  readonly target: string
  readonly time: string
  readonly nonce: string
  readonly sum: string
}

export function signatureOf(key: string, { method, target, time, nonce, sum }: Signed): string {
  const text = ['annals 2', method, target, time, nonce, sum].join('\n')
  return `sha256=${createHmac('sha256', key).update(text).digest('hex')}`
}

export function contentSumOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex')
}

/** The headers by which a request says who asks, and that it is asked now and once. Where both are set, the key signs. */
export function authHeaders(
  { token, hmacKey }: Credentials,
  method: string,
  target: string,
  body: Uint8Array,
  now = Date.now(),
): Readonly<Record<string, string>> {
  const secret = hmacKey ?? token
  if (secret === undefined) return {}
  const time = new Date(now).toISOString()
  const nonce = randomBytes(16).toString('base64url')
  const sum = contentSumOf(body)
  return {
    [AUTH_HEADERS.key]: keyIdOf(secret),
    [AUTH_HEADERS.time]: time,
    [AUTH_HEADERS.nonce]: nonce,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(hmacKey !== undefined && {
      [AUTH_HEADERS.sum]: sum,
      [AUTH_HEADERS.signature]: signatureOf(hmacKey, { method, target, time, nonce, sum }),
    }),
  }
}

/** Whether two texts are equal, in a time that does not tell how far they are. */
export function isSame(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => createHash('sha256').update(text).digest())
  return timingSafeEqual(one as Buffer, other as Buffer)
}
