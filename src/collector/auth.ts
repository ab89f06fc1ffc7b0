import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** What a collector and a receiver share: a token that is sent along, or a key that only signs. */
export interface Credentials {
  readonly token?: string | undefined
  readonly hmacKey?: string | undefined
}

/** Credentials that a receiver takes, for any machine or for one. */
export interface MachineCredentials extends Credentials {
  readonly machine?: string | undefined
}

/** The header that carries a signature. */
export const SIGNATURE = 'x-annals-signature'

/** What is signed: what is asked for, and every byte that comes with it. */
export function signatureOf(key: string, method: string, target: string, body: Uint8Array): string {
  const sum = createHash('sha256').update(body).digest('hex')
  return `sha256=${createHmac('sha256', key).update(`annals\n${method}\n${target}\n${sum}`).digest('hex')}`
}

/** The headers by which a request says who asks. */
export function authHeaders(
  { token, hmacKey }: Credentials,
  method: string,
  target: string,
  body: Uint8Array,
): Readonly<Record<string, string>> {
  return {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(hmacKey !== undefined && { [SIGNATURE]: signatureOf(hmacKey, method, target, body) }),
  }
}

/** Whether two texts are equal, in a time that does not tell how far they are. */
export function isSame(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => createHash('sha256').update(text).digest())
  return timingSafeEqual(one as Buffer, other as Buffer)
}
