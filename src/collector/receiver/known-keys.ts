import { keyIdOf, type MachineCredentials } from '../auth.ts'

/** Tokens and keys by their names. */
export type KnownKeys = ReadonlyMap<string, KnownKey>

export interface KnownKey extends MachineCredentials {
  /** The names of all keys of the same line: while one takes the place of another, both speak for the same machine. */
  readonly together: readonly string[]
}

export function keysOf(known: readonly MachineCredentials[]): KnownKeys {
  const secretOf = ({ hmacKey, token }: MachineCredentials) => hmacKey ?? token
  const keys = known.flatMap((one) => {
    const secret = secretOf(one)
    if (secret === undefined) return []
    const isTogether = (other: MachineCredentials) =>
      other === one || (one.line !== undefined && other.line === one.line)
    const together = known.filter(isTogether).flatMap((other) => secretOf(other) ?? [])
    return [[keyIdOf(secret), { ...one, together: together.map(keyIdOf) }] as const]
  })
  return new Map(keys)
}

const LOOK_MS = 1_000

/** The keys that are taken now. Where they can change, it is looked for that at most once a second. */
export class CurrentKeys {
  readonly #reload: (() => readonly MachineCredentials[] | undefined) | undefined
  #keys: KnownKeys
  #lookedAt: number

  constructor(
    known: readonly MachineCredentials[],
    now: number,
    reload?: () => readonly MachineCredentials[] | undefined,
  ) {
    this.#keys = keysOf(known)
    this.#reload = reload
    this.#lookedAt = now
  }

  /** What is taken, and whether that is other than before. */
  at(now: number): { readonly keys: KnownKeys; readonly isNew: boolean } {
    const isDue = this.#reload !== undefined && Math.abs(now - this.#lookedAt) >= LOOK_MS
    if (isDue) this.#lookedAt = now
    const known = isDue ? this.#reload?.() : undefined
    if (known) this.#keys = keysOf(known)
    return { keys: this.#keys, isNew: known !== undefined }
  }
}
