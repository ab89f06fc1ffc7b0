import { jsonText } from '../../core/json-text.ts'
import type { Answered } from './metrics.ts'

/** How many lines of refusals are written in a second: whoever knocks for ever fills no disk. */
const MOST_REFUSALS = 50

/** Tells what was answered, a JSON object to a line: no content, no name, no token. */
export class RequestLog {
  readonly #write: (line: string) => void
  #second = 0
  #refusals = 0

  constructor(write: (line: string) => void) {
    this.#write = write
  }

  request(answered: Answered, who: { readonly key?: string | undefined; readonly method: string }, now: number): void {
    const { route, status, ms, reason, batch } = answered
    if (status >= 400 && !this.#hasRoom(now)) return
    this.#line(now, status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info', 'request', {
      method: who.method,
      route,
      status,
      ms: Math.round(ms),
      ...(who.key !== undefined && { key: who.key }),
      ...(reason !== undefined && { reason }),
      ...batch,
    })
  }

  /** Something that is no request: keys that were read anew, a store that is gone. */
  event(level: 'info' | 'warn' | 'error', event: string, message: string, now: number): void {
    this.#line(now, level, event, { message })
  }

  #line(now: number, level: string, event: string, more: object): void {
    this.#write(`${jsonText({ time: new Date(now).toISOString(), level, event, ...more })}\n`)
  }

  #hasRoom(now: number): boolean {
    const second = Math.floor(now / 1000)
    if (second !== this.#second) {
      if (this.#refusals > MOST_REFUSALS) {
        const left = this.#refusals - MOST_REFUSALS
        this.event('warn', 'unsaid', `${left} more requests were refused in that second.`, now)
      }
      this.#second = second
      this.#refusals = 0
    }
    this.#refusals += 1
    return this.#refusals <= MOST_REFUSALS
  }
}
