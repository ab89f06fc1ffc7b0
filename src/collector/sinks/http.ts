import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Failure } from '../../core/failure.ts'
import { fieldAt, type JsonValue, objectsAt, parseJson, stringAt } from '../../core/json.ts'
import { jsonText } from '../../core/json-text.ts'
import { authHeaders, type Credentials } from '../auth.ts'
import { type Batch, type DeadLetter, type Delivery, type Machine, type Mark, type Sink, SinkTrouble } from '../sink.ts'
import { batchToJson, deliveryFromJson, markFromJson } from '../wire.ts'

/** How to reach a receiver. */
export interface HttpOptions extends Credentials {
  readonly timeoutMs?: number
  /** A record larger than this is not sent. */
  readonly maxRowBytes?: number
}

const pack = promisify(gzip)

/** Sends batches to `annals receive`, or to anything that speaks like it. Off this machine only encrypted. */
export function httpSink(address: string, options: HttpOptions = {}): Sink {
  const base = baseOf(address)
  const { timeoutMs = 60_000, maxRowBytes = 48 * 1024 * 1024 } = options

  async function ask(method: 'GET' | 'POST', path: string, value?: object): Promise<JsonValue | undefined> {
    const url = new URL(path, base)
    const body = value === undefined ? new Uint8Array(0) : await pack(jsonText(value))
    const headers = {
      ...authHeaders(options, method, `${url.pathname}${url.search}`, body),
      ...(value !== undefined && { 'content-type': 'application/json', 'content-encoding': 'gzip' }),
    }
    let status: number
    let text: string
    let retryAfter: string | null
    try {
      const response = await fetch(url, {
        method,
        headers,
        // A redirect could lead anywhere, and what we send with it.
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
        ...(value !== undefined && { body }),
      })
      status = response.status
      retryAfter = response.headers.get('retry-after')
      text = await response.text()
    } catch (error) {
      throw unreachable(error, base)
    }
    if (status >= 200 && status < 300) return parseJson(text)
    throw refused(status, text, retryAfter, base)
  }

  return {
    open: async (machine: Machine) => void (await ask('POST', 'v1/machines', { ...machine })),
    async marks(machine) {
      const answer = await ask('GET', `v1/marks?machine=${encodeURIComponent(machine)}`)
      if (!Array.isArray(fieldAt(answer, 'marks'))) throw strange(base)
      return objectsAt(answer, 'marks')
        .map(markFromJson)
        .filter((mark): mark is Mark => mark !== undefined)
    },
    async deliver(batch) {
      const { batch: fitting, deadLetters } = withoutLarge(batch, maxRowBytes)
      const delivery = deliveryFromJson(await ask('POST', 'v1/batches', batchToJson(fitting)))
      if (!delivery) throw strange(base)
      return withLetters(delivery, deadLetters)
    },
    close: async () => {},
  }
}

function withoutLarge(batch: Batch, maxRowBytes: number) {
  const isLarge = ({ content }: Batch['rows'][number]) => content.length > maxRowBytes
  const deadLetters = batch.rows.filter(isLarge).map(({ machine, file, generation, offset, content }): DeadLetter => {
    return { machine, file, generation, offset, reason: `Its ${content.length} bytes are more than can be sent.` }
  })
  return {
    batch: deadLetters.length === 0 ? batch : { ...batch, rows: batch.rows.filter((row) => !isLarge(row)) },
    deadLetters,
  }
}

function withLetters(delivery: Delivery, letters: readonly DeadLetter[]): Delivery {
  return letters.length === 0 ? delivery : { ...delivery, deadLetters: [...delivery.deadLetters, ...letters] }
}

/** The address with a slash at its end. Without encryption only this machine itself may be meant. */
function baseOf(address: string): URL {
  let url: URL
  try {
    url = new URL(address.endsWith('/') ? address : `${address}/`)
  } catch {
    throw new Failure('USAGE', `"${address}" is no address.`, { hint: 'It looks like https://annals.example.com.' })
  }
  if (url.username || url.password) {
    throw new Failure('USAGE', 'An address must not hold a password: others can read it.', {
      hint: 'Put "token" or "hmacKey" into collect.json, or ANNALS_COLLECT_TOKEN into the environment.',
    })
  }
  if (url.protocol !== 'https:' && !LOOPBACK.has(url.hostname)) {
    throw new Failure('USAGE', `${url.host} is another machine; records go there only encrypted.`, {
      hint: 'Use https://.',
    })
  }
  return url
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Errors of connections by their codes: a certificate that is not right does not become so by trying again. */
function unreachable(error: unknown, { host }: URL): SinkTrouble {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const code = stringAt({ ...(cause as object), code: codeOf(cause) }, 'code') ?? ''
  if (/CERT|SIGNATURE|SELF_SIGNED|ISSUER|ALTNAME|TLS|SSL/.test(code)) {
    const expired = code === 'CERT_HAS_EXPIRED'
    return new SinkTrouble(`The certificate of ${host} ${expired ? 'has expired' : `cannot be trusted (${code})`}.`, {
      passes: false,
      hint: expired
        ? 'Nothing was sent. Whoever runs the receiver has to renew it.'
        : 'Nothing was sent. For a certificate of your own, set NODE_EXTRA_CA_CERTS.',
      cause: error,
    })
  }
  const isRedirect = error instanceof Error && /redirect/i.test(String(cause))
  if (isRedirect) {
    return new SinkTrouble(`${host} answers with another address.`, {
      passes: false,
      hint: 'Name that one.',
      cause: error,
    })
  }
  return new SinkTrouble(`${host} cannot be reached${code ? ` (${code})` : ''}.`, { passes: true, cause: error })
}

function codeOf(value: unknown): string | undefined {
  if (!(value instanceof Error)) return undefined
  if ('code' in value && typeof value.code === 'string') return value.code
  // Several addresses were tried: each has its own reason.
  return value instanceof AggregateError ? codeOf(value.errors[0]) : value.name
}

function refused(status: number, text: string, retryAfter: string | null, { host }: URL): SinkTrouble {
  const said = stringAt(parseJson(text), 'message')
  const words = said === undefined ? '' : ` It says: ${said}`
  if (status === 401 || status === 403) {
    return new SinkTrouble(`${host} does not know us (${status}).${words}`, {
      passes: false,
      hint: 'Set "token" or "hmacKey" in collect.json, or ANNALS_COLLECT_TOKEN.',
    })
  }
  const passes = status === 408 || status === 425 || status === 429 || status >= 500
  const seconds = Number(retryAfter ?? Number.NaN)
  return new SinkTrouble(`${host} took nothing (${status}).${words}`, {
    passes,
    ...(seconds > 0 && { retryAfterMs: Math.min(seconds, 3600) * 1000 }),
    ...(!passes && { hint: 'Nothing is lost. Is it `annals receive`, and as new as this annals?' }),
  })
}

function strange({ host }: URL): SinkTrouble {
  return new SinkTrouble(`What ${host} answers is not what a receiver would.`, {
    passes: false,
    hint: 'Is the address right?',
  })
}
