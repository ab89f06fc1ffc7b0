import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { SignedInFile } from './signed-in.ts'

/** Somebody who may ask, until the signal: who knows the token, or a browser that came with a code. */
export interface Holder {
  readonly kind: 'token' | 'browser'
  readonly signal: AbortSignal
}

interface Known {
  readonly holder: Holder
  readonly digest: Buffer
  readonly untilMs: number
  readonly revoked: AbortController
}

/** A browser stays signed in for so long, over restarts too. */
export const SIGNED_IN_MS = 30 * 86_400_000
/** The browser that signed in first is forgotten when there are more. */
const MOST_BROWSERS = 20

/**
 * Who may ask. Secrets are random and compared as digests in constant time; only digests of browsers' secrets are ever
 * written down. A code is worth one browser: it is gone when it is used.
 */
export class Keys {
  readonly token = secret()
  #known: Known[] = []
  #codes: Buffer[] = []
  #file: SignedInFile | undefined

  constructor() {
    this.#add('token', digest(this.token), Number.POSITIVE_INFINITY)
  }

  /** From now on browsers stay signed in when the server is started again: those of the file are, too. */
  remember(file: SignedInFile): void {
    this.#file = file
    const now = Date.now()
    for (const one of file.read()) if (one.untilMs > now) this.#add('browser', one.digest, one.untilMs)
  }

  /** Whether a browser stays signed in when the server is started again. */
  get remembers(): boolean {
    return this.#file !== undefined
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
    this.#add('browser', digest(kept), Date.now() + SIGNED_IN_MS)
    const [oldest, ...others] = this.#browsers()
    if (oldest && others.length >= MOST_BROWSERS) this.revoke(oldest.holder)
    else this.#save()
    return kept
  }

  /** Who has this secret. */
  holderOf(kind: Holder['kind'], given: string): Holder | undefined {
    const wanted = digest(given)
    // All are compared, found or not.
    const found = this.#known.filter((one) => timingSafeEqual(one.digest, wanted) && one.holder.kind === kind)
    const [known] = found
    if (!known || known.untilMs > Date.now()) return known?.holder
    this.revoke(known.holder)
    return undefined
  }

  /** From now on the holder is nobody, after a restart too; what is open for them ends. */
  revoke(holder: Holder): void {
    const gone = this.#known.find((one) => one.holder === holder)
    this.#known = this.#known.filter((one) => one !== gone)
    if (gone?.holder.kind === 'browser') this.#save()
    gone?.revoked.abort()
  }

  #browsers(): readonly Known[] {
    return this.#known.filter(({ holder }) => holder.kind === 'browser')
  }

  #save(): void {
    this.#file?.write(this.#browsers())
  }

  #add(kind: Holder['kind'], known: Buffer, untilMs: number): void {
    const revoked = new AbortController()
    // Each stream listens to it: their number has a limit of its own.
    setMaxListeners(0, revoked.signal)
    this.#known.push({ holder: { kind, signal: revoked.signal }, digest: known, untilMs, revoked })
  }
}

function secret(): string {
  return randomBytes(24).toString('base64url')
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
