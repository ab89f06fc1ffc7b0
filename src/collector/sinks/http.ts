import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Failure } from '../../core/failure.ts'
import { fieldAt, type JsonValue, objectsAt, parseJson, stringAt } from '../../core/json.ts'
import { jsonText } from '../../core/json-text.ts'
import { certificateTrouble, codeOf } from '../../net/way-trouble.ts'
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
/** What a header can hold as it is: no blanks at its ends, and ASCII only. */
const TOKEN = /^[!-~]([ -~]*[!-~])?$/

/** Sends batches to `annals receive`, or to anything that speaks like it. Off this machine only encrypted. */
export function httpSink(address: string, options: HttpOptions = {}): Sink {
  const base = baseOf(address)
  if (options.token !== undefined && !TOKEN.test(options.token)) {
    throw new Failure('BAD_INPUT', 'The token holds characters that a request cannot carry.', {
      hint: 'Use letters, digits and signs of ASCII.',
    })
  }
  const { timeoutMs = 60_000, maxRowBytes = 48 * 1024 * 1024 } = options
  const underway = new Set<AbortController>()

  async function ask(method: 'GET' | 'POST', path: string, value?: object): Promise<JsonValue | undefined> {
    const url = new URL(path, base)
    const body = value === undefined ? new Uint8Array(0) : await pack(jsonText(value))
    const headers = {
      ...authHeaders(options, method, `${url.pathname}${url.search}`, body),
      ...(value !== undefined && { 'content-type': 'application/json', 'content-encoding': 'gzip' }),
    }
    // By hand: with a signal made of several others, a request that hung was once not broken off.
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(new DOMException('It took too long.', 'TimeoutError')), timeoutMs)
    underway.add(stop)
    let status: number
    let text: string
    let retryAfter: string | null
    try {
      const response = await fetch(url, {
        method,
        headers,
        // A redirect could lead anywhere, and what we send with it.
        redirect: 'error',
        signal: stop.signal,
        ...(value !== undefined && { body }),
      })
      status = response.status
      retryAfter = response.headers.get('retry-after')
      text = await response.text()
    } catch (error) {
      throw unreachable(error, base)
    } finally {
      clearTimeout(timer)
      underway.delete(stop)
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
    // A request that hangs would keep the process for as long as it may take.
    close: async () => {
      for (const stop of underway) stop.abort()
    },
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
    throw new Failure('USAGE', `"${address}" is not an address.`, { hint: 'It looks like https://annals.example.com.' })
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
  const code = codeOf(cause) ?? (cause instanceof Error ? cause.name : '')
  const wrong = certificateTrouble(code)
  if (wrong !== undefined) {
    return new SinkTrouble(`The certificate of ${host} ${wrong}.`, {
      passes: false,
      hint: `Nothing was sent. ${CERTIFICATE_HINTS.get(code) ?? OWN_CERTIFICATE}`,
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

const OWN_CERTIFICATE = 'If it is your own, name its PEM file, or that of who signed it, in NODE_EXTRA_CA_CERTS.'

/** What to do where another certificate, not another authority, is what is missing. */
const CERTIFICATE_HINTS: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', 'Whoever runs the receiver has to renew it; is the clock of this machine right?'],
  ['CERT_NOT_YET_VALID', 'Is the clock of this machine right?'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'Use the name that it was made for.'],
])

function refused(status: number, text: string, retryAfter: string | null, { host }: URL): SinkTrouble {
  const said = stringAt(parseJson(text), 'message')
  const words = said === undefined ? '' : ` It says: ${said}`
  if (status === 403) {
    return new SinkTrouble(`${host} takes nothing from this machine (403).${words}`, {
      passes: false,
      hint: 'Nothing was sent. Whoever runs the receiver says in "tokens" of its collect.json whom a token is for.',
    })
  }
  if (status === 401) {
    return new SinkTrouble(`${host} does not know us (401).${words}`, {
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
