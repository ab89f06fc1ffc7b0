import { type Clock, untilDone } from './retry.ts'
import { type Batch, type Delivery, type Sink, SinkTrouble } from './sink.ts'
import type { StateStore } from './state.ts'

/** How batches are brought to a sink. */
export interface DeliveringOptions {
  readonly sink: Sink
  readonly state: Pick<StateStore, 'bury'>
  readonly clock: Clock
  /** How long a delivery that is under way may go on after the signal to stop. */
  readonly stopMs: number
  readonly attempts?: number | undefined
  readonly onNotice?: ((message: string) => void) | undefined
  readonly onBatch?: ((batch: Batch, delivery: Delivery) => void) | undefined
  readonly onTrouble?: ((trouble: SinkTrouble, waitMs: number) => void) | undefined
}

/** Brings batches to a sink, one at a time, again and again until it has them. */
export class Delivering {
  readonly total = { records: 0, bytes: 0, batches: 0, deadLetters: 0 }
  readonly #options: DeliveringOptions
  readonly #refused = new Set<string>()

  constructor(options: DeliveringOptions) {
    this.#options = options
  }

  /** Tries until it works, as often as may be; a try that hangs is given up soon after the signal. */
  untilDone<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const { clock, attempts, onTrouble } = this.#options
    return untilDone(() => this.#orStop(work(), signal), {
      clock,
      signal,
      ...(attempts !== undefined && { attempts }),
      ...(onTrouble && { onTrouble }),
    })
  }

  async deliver(batch: Batch, signal: AbortSignal | undefined): Promise<void> {
    const { sink, onBatch } = this.#options
    const delivery = await this.untilDone(signal, () => sink.deliver(batch))
    this.#bury(batch, delivery)
    this.#tellRefused(delivery)
    for (const notice of delivery.notices ?? []) this.#options.onNotice?.(notice)
    const { total } = this
    total.records += batch.rows.length - delivery.deadLetters.length
    total.bytes += [...batch.rows, ...batch.documents].reduce((sum, { content }) => sum + content.length, 0)
    total.batches += 1
    total.deadLetters += delivery.deadLetters.length
    onBatch?.(batch, delivery)
  }

  #bury(batch: Batch, { deadLetters }: Delivery): void {
    if (deadLetters.length === 0) return
    const { state, onNotice } = this.#options
    const rows = new Map(batch.rows.map((row) => [`${row.generation} ${row.offset} ${row.file}`, row]))
    state.bury(
      deadLetters.map((letter) => {
        const row = rows.get(`${letter.generation} ${letter.offset} ${letter.file}`)
        const content = Buffer.from(row?.content ?? new Uint8Array(0)).toString('utf8')
        return { ...letter, session: row?.session ?? null, content }
      }),
    )
    const count = deadLetters.length === 1 ? 'A record was' : `${deadLetters.length} records were`
    onNotice?.(`${count} not taken (${deadLetters[0]?.reason}) It is kept here, with the reason.`)
  }

  #tellRefused({ refused }: Delivery): void {
    for (const one of refused) {
      if (this.#refused.has(one)) continue
      this.#refused.add(one)
      const message = 'A session was purged elsewhere; nothing of it was sent. `annals purge` forgets it here too.'
      this.#options.onNotice?.(message)
    }
  }

  /** What hangs must not keep us from stopping: a delivery that is sent again changes nothing. */
  async #orStop<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    if (!signal) return work
    const { clock, stopMs } = this.#options
    const settled = new AbortController()
    const late = new Promise<never>((_, reject) => {
      const wait = async () => {
        await clock.sleep(stopMs, settled.signal)
        reject(new SinkTrouble('It was told to stop, and did not wait for the destination.', { passes: true }))
      }
      if (signal.aborted) void wait()
      else signal.addEventListener('abort', () => void wait(), { once: true, signal: settled.signal })
    })
    // Whichever comes second has nobody who listens.
    late.catch(() => {})
    work.catch(() => {})
    try {
      return await Promise.race([work, late])
    } finally {
      settled.abort()
    }
  }
}
