import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { setMaxListeners } from 'node:events'

/** Somebody who may ask, until the signal: who knows the token, or a browser that came with a code. */
export interface Holder {
  readonly kind: 'token' | 'browser'
  readonly signal: AbortSignal
}

interface Known {
  readonly holder: Holder
  readonly digest: Buffer
  readonly revoked: AbortController
}

/**
 * Who may ask. Secrets are random, live in memory only, and are compared as digests in constant time. A code is worth
 * one browser: it is gone when it is used.
 */
export class Keys {
  readonly token = secret()
  #known: Known[] = []
  #codes: Buffer[] = []

  constructor() {
    this.#add('token', this.token)
  }

  /** A new code, for one browser. */
  newCode(): string {
    const code = secret()
    this.#codes.push(digest(code))
    return code
  }

  /** Takes a code and gives the secret that the browser keeps; `undefined` for a code that is none, or none any more. */
  exchange(code: string): string | undefined {
    const given = digest(code)
    const left = this.#codes.filter((one) => !timingSafeEqual(one, given))
    if (left.length === this.#codes.length) return undefined
    this.#codes = left
    const kept = secret()
    this.#add('browser', kept)
    return kept
  }

  /** Who has this secret. */
  holderOf(kind: Holder['kind'], given: string): Holder | undefined {
    const wanted = digest(given)
    // All are compared, found or not.
    const found = this.#known.filter((one) => timingSafeEqual(one.digest, wanted) && one.holder.kind === kind)
    return found[0]?.holder
  }

  /** From now on the holder is nobody; what is open for them ends. */
  revoke(holder: Holder): void {
    const gone = this.#known.find((one) => one.holder === holder)
    this.#known = this.#known.filter((one) => one !== gone)
    gone?.revoked.abort()
  }

  #add(kind: Holder['kind'], given: string): void {
    const revoked = new AbortController()
    // Each stream listens to it: their number has a limit of its own.
    setMaxListeners(0, revoked.signal)
    this.#known.push({ holder: { kind, signal: revoked.signal }, digest: digest(given), revoked })
  }
}

function secret(): string {
  return randomBytes(24).toString('base64url')
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
