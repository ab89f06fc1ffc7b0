import { REFUSALS, type RefusalReason } from './refusal.ts'

/** What was answered to one request. */
export interface Answered {
  readonly route: string
  readonly status: number
  readonly ms: number
  readonly reason?: RefusalReason | undefined
  /** Of a batch that was taken. */
  readonly batch?: BatchFigures | undefined
}

export interface BatchFigures {
  readonly machine: string
  readonly records: number
  readonly added: number
  readonly bytes: number
  /** How long before it came the newest of its records was written; null where none has a time. */
  readonly lagMs: number | null
}

/** What is true at the moment of asking. */
export interface Now {
  readonly heldBytes: number
  readonly connections: number
  readonly isStoreUp: boolean
  readonly now: number
}

const LAG_SECONDS = [5, 30, 60, 300, 900, 3_600, 86_400]
const TOOK_SECONDS = [0.01, 0.05, 0.25, 1, 5, 30]
const SEEN_MS = 3_600_000

/** Counts what a receiver does, as Prometheus reads it. Nothing in it names a person or a machine. */
export class Metrics {
  readonly #requests = new Map<string, number>()
  readonly #refusals = new Map<RefusalReason, number>(REFUSALS.map((reason) => [reason, 0]))
  readonly #lag = new Histogram(LAG_SECONDS)
  readonly #took = new Histogram(TOOK_SECONDS)
  /** When each machine was here last; as many as there are keys. */
  readonly #seen = new Map<string, number>()
  readonly #total = { batches: 0, records: 0, added: 0, bytes: 0 }

  count({ route, status, ms, reason, batch }: Answered, now: number): void {
    const key = `route="${route}",status="${status}"`
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1)
    if (reason) this.#refusals.set(reason, (this.#refusals.get(reason) ?? 0) + 1)
    if (!batch) return
    const total = this.#total
    total.batches += 1
    total.records += batch.records
    total.added += batch.added
    total.bytes += batch.bytes
    this.#took.add(ms / 1000)
    if (batch.lagMs !== null) this.#lag.add(Math.max(0, batch.lagMs) / 1000)
    this.#seen.set(batch.machine, now)
  }

  text({ heldBytes, connections, isStoreUp, now }: Now): string {
    for (const [machine, at] of this.#seen) if (now - at > SEEN_MS) this.#seen.delete(machine)
    const { batches, records, added, bytes } = this.#total
    return [
      ...family('requests_total', 'counter', 'Requests by route and status.', [...this.#requests]),
      ...family(
        'refusals_total',
        'counter',
        'Requests that were refused, by reason.',
        Array.from(this.#refusals, ([reason, count]) => [`reason="${reason}"`, count]),
      ),
      ...family('batches_total', 'counter', 'Batches that were delivered.', [['', batches]]),
      ...family('records_total', 'counter', 'Records in them.', [['', records]]),
      ...family('records_added_total', 'counter', 'Records that were not in the store before.', [['', added]]),
      ...family('body_bytes_total', 'counter', 'Bytes of batches as they came.', [['', bytes]]),
      ...this.#lag.lines('lag_seconds', 'From when the newest record of a batch was written to when it was stored.'),
      ...this.#took.lines('deliver_seconds', 'From the headers of a batch to when it was stored.'),
      ...family('machines', 'gauge', 'Machines that delivered within the last hour.', [['', this.#seen.size]]),
      ...family('held_bytes', 'gauge', 'Memory that requests under way may use.', [['', heldBytes]]),
      ...family('connections', 'gauge', 'Open connections.', [['', connections]]),
      ...family('store_up', 'gauge', 'Whether the store answered when it was asked last.', [['', isStoreUp ? 1 : 0]]),
      ...family('resident_bytes', 'gauge', 'Memory of the process.', [['', process.memoryUsage.rss()]]),
      '',
    ].join('\n')
  }
}

/** Counts values by upper bounds. */
class Histogram {
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0
  #count = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = bounds.map(() => 0)
  }

  add(value: number): void {
    this.#sum += value
    this.#count += 1
    this.#bounds.forEach((bound, at) => {
      if (value <= bound) this.#counts[at] = (this.#counts[at] ?? 0) + 1
    })
  }

  lines(name: string, help: string): string[] {
    const buckets = this.#bounds.map((bound, at) => `${NAME}${name}_bucket{le="${bound}"} ${this.#counts[at]}`)
    return [
      ...head(name, 'histogram', help),
      ...buckets,
      `${NAME}${name}_bucket{le="+Inf"} ${this.#count}`,
      `${NAME}${name}_sum ${this.#sum}`,
      `${NAME}${name}_count ${this.#count}`,
    ]
  }
}

const NAME = 'annals_receiver_'

function head(name: string, type: string, help: string): string[] {
  return [`# HELP ${NAME}${name} ${help}`, `# TYPE ${NAME}${name} ${type}`]
}

function family(name: string, type: string, help: string, values: readonly (readonly [string, number])[]): string[] {
  return [
    ...head(name, type, help),
    ...values.map(([labels, value]) => `${NAME}${name}${labels && `{${labels}}`} ${value}`),
  ]
}
