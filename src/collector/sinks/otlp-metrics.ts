import type { TeamRow } from '../row.ts'
import type { Machine } from '../sink.ts'
import { attributes, inputOf, nanos, resourceOf, SCOPE } from './otlp-logs.ts'

/** As the conventions ask for. */
const BOUNDS = Array.from({ length: 14 }, (_, power) => 4 ** power)
const MOST_KNOWN = 20_000

interface Series {
  readonly model: string
  readonly type: 'input' | 'output'
  readonly values: number[]
}

interface Counted {
  readonly input: number
  readonly output: number
}

/**
 * Tokens as `gen_ai.client.token.usage`. A response is written in several rows, and each has its tokens so far: what was counted of
 * it is remembered, and only the rest is added.
 */
export class TokenMetrics {
  readonly #counted = new Map<string, Counted>()
  #since: number

  constructor(now: number) {
    this.#since = now
  }

  /** A request for `/v1/metrics` with what is new in some rows; `undefined` where nothing is. */
  take(machine: Machine, rows: readonly TeamRow[], now: number): object | undefined {
    const series = new Map<string, Series>()
    const add = (model: string, type: Series['type'], tokens: number) => {
      if (tokens <= 0) return
      const key = `${type} ${model}`
      const one = series.get(key) ?? { model, type, values: [] }
      one.values.push(tokens)
      series.set(key, one)
    }
    for (const [key, { model, input, output }] of newest(rows)) {
      const before = this.#counted.get(key) ?? { input: 0, output: 0 }
      add(model, 'input', input - before.input)
      add(model, 'output', output - before.output)
      this.#counted.delete(key)
      this.#counted.set(key, { input: Math.max(input, before.input), output: Math.max(output, before.output) })
    }
    for (const oldest of this.#counted.keys()) {
      if (this.#counted.size <= MOST_KNOWN) break
      this.#counted.delete(oldest)
    }
    if (series.size === 0) return undefined
    const dataPoints = Array.from(series.values(), (one) => this.#point(one, now))
    this.#since = now
    const histogram = { aggregationTemporality: 1, dataPoints }
    const metric = { name: 'gen_ai.client.token.usage', unit: '{token}', histogram }
    return { resourceMetrics: [{ resource: resourceOf(machine), scopeMetrics: [{ scope: SCOPE, metrics: [metric] }] }] }
  }

  #point({ model, type, values }: Series, now: number): object {
    const counts = [...BOUNDS, Number.POSITIVE_INFINITY].map((bound, at) => {
      const above = BOUNDS[at - 1] ?? Number.NEGATIVE_INFINITY
      return String(values.filter((one) => one > above && one <= bound).length)
    })
    return {
      attributes: attributes({
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'anthropic',
        'gen_ai.response.model': model,
        'gen_ai.token.type': type,
      }),
      startTimeUnixNano: nanos(this.#since),
      timeUnixNano: nanos(now),
      count: String(values.length),
      sum: values.reduce((sum, one) => sum + one, 0),
      bucketCounts: counts,
      explicitBounds: BOUNDS,
    }
  }
}

/** The most of each response among some rows. */
function newest(rows: readonly TeamRow[]): ReadonlyMap<string, Counted & { readonly model: string }> {
  const found = new Map<string, Counted & { readonly model: string }>()
  for (const { tokens, model, messageId, requestId } of rows) {
    if (!tokens || messageId === null) continue
    const key = `${messageId} ${requestId ?? ''}`
    const before = found.get(key)
    found.set(key, {
      model: model ?? 'unknown',
      input: Math.max(inputOf(tokens), before?.input ?? 0),
      output: Math.max(tokens.outputTokens, before?.output ?? 0),
    })
  }
  return found
}
