import { isSame, type MachineCredentials, SIGNATURE, signatureOf } from './auth.ts'

/** What somebody who asks has brought to show who they are. */
export interface Shown {
  readonly authorization: string | undefined
  readonly signature: string | undefined
  readonly method: string
  readonly target: string
}

/** Reads it from a request. */
export function shownBy(request: Request): Shown {
  const { pathname, search } = new URL(request.url)
  return {
    authorization: request.headers.get('authorization') ?? undefined,
    signature: request.headers.get(SIGNATURE) ?? undefined,
    method: request.method,
    target: `${pathname}${search}`,
  }
}

/** Says for which machines somebody may speak. */
export type Speaker = (machine: string) => boolean

/** Who somebody is, by their token or by the signature of what they sent; `undefined` for nobody we know. */
export function speakerOf(known: readonly MachineCredentials[], shown: Shown, body: Uint8Array): Speaker | undefined {
  const held = known.filter(({ token, hmacKey }) => {
    if (token !== undefined && hasToken(shown, token)) return true
    if (hmacKey === undefined || shown.signature === undefined) return false
    return isSame(shown.signature, signatureOf(hmacKey, shown.method, shown.target, body))
  })
  if (held.length === 0) return undefined
  return (id) => held.some(({ machine }) => machine === undefined || machine === id)
}

/** Whether somebody may be known once their whole request was read: a signature needs it, a token does not. */
export function mayBeKnown(known: readonly MachineCredentials[], shown: Shown): boolean {
  return known.some(({ token, hmacKey }) => hmacKey !== undefined || (token !== undefined && hasToken(shown, token)))
}

function hasToken({ authorization }: Shown, token: string): boolean {
  const given = /^Bearer (.{1,4096})$/.exec(authorization ?? '')?.[1]
  return given !== undefined && isSame(given, token)
}
