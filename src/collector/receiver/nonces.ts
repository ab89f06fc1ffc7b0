import { closeSync, openSync, writeSync } from 'node:fs'
import { readWhole, writePrivateFile } from '../../state/private-file.ts'

/** How many requests are remembered at most; who asks more often has to wait. */
export interface NonceLimits {
  readonly perKey: number
  readonly total: number
}

const LIMITS: NonceLimits = { perKey: 10_000, total: 500_000 }
const SWEEP_MS = 60_000

/**
 * Remembers which requests came, for as long as their times would let them come again. With a file also over a restart; it is
 * not flushed each time: a power cut may lose the last of them, and a batch that comes again changes nothing.
 */
export class Nonces {
  readonly #until = new Map<string, number>()
  readonly #counts = new Map<string, number>()
  readonly #path: string | undefined
  readonly #limits: NonceLimits
  #fd: number | undefined
  #sweptAt: number

  constructor(path: string | undefined, now: number, limits: NonceLimits = LIMITS) {
    this.#path = path
    this.#limits = limits
    this.#sweptAt = now
    const kept = path === undefined ? undefined : readWhole(path)
    for (const line of kept?.toString('utf8').split('\n') ?? []) {
      const [until, key, nonce] = line.split(' ')
      if (key && nonce && Number(until) >= now) this.#add(key, nonce, Number(until))
    }
    this.#rewrite()
  }

  /** Notes a request; says why not where it came before, or where there are too many. */
  take(key: string, nonce: string, until: number, now: number): 'new' | 'known' | 'full' {
    this.#sweep(now)
    if (this.#until.has(`${key} ${nonce}`)) return 'known'
    const { perKey, total } = this.#limits
    if ((this.#counts.get(key) ?? 0) >= perKey || this.#until.size >= total) return 'full'
    this.#add(key, nonce, until)
    if (this.#fd !== undefined) writeSync(this.#fd, `${until} ${key} ${nonce}\n`)
    return 'new'
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
  }

  #add(key: string, nonce: string, until: number): void {
    this.#until.set(`${key} ${nonce}`, until)
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  #sweep(now: number): void {
    if (Math.abs(now - this.#sweptAt) < SWEEP_MS) return
    this.#sweptAt = now
    for (const [name, until] of this.#until) {
      if (until >= now) continue
      this.#until.delete(name)
      const key = name.slice(0, name.indexOf(' '))
      this.#counts.set(key, (this.#counts.get(key) ?? 1) - 1)
    }
    this.#rewrite()
  }

  #rewrite(): void {
    if (this.#path === undefined) return
    this.close()
    const lines = [...this.#until].map(([name, until]) => `${until} ${name}\n`)
    writePrivateFile(this.#path, Buffer.from(lines.join('')))
    this.#fd = openSync(this.#path, 'a', 0o600)
  }
}
