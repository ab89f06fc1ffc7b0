import { once } from 'node:events'
import { createServer as createPlain } from 'node:http'
import { createServer as createSecure } from 'node:https'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { getRequestListener } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { Failure } from '../core/failure.ts'
import { type JsonValue, parseJson, stringAt } from '../core/json.ts'
import { jsonText } from '../core/json-text.ts'
import type { Credentials, MachineCredentials } from './auth.ts'
import { type Sink, SinkTrouble } from './sink.ts'
import { mayBeKnown, type Speaker, shownBy, speakerOf } from './speaker.ts'
import { batchFromJson, MACHINE_ID, markToJson } from './wire.ts'

export interface ReceiverOptions {
  readonly sink: Sink
  /** Who may deliver for any machine: whoever has one of these. */
  readonly credentials: Credentials
  /** Others who may, for any machine or for one. */
  readonly tokens?: readonly MachineCredentials[] | undefined
  readonly limits?: Partial<ReceiverLimits>
  /** Hears of what nobody foresaw. */
  readonly onBug?: (error: unknown) => void
}

export interface ReceiverLimits {
  readonly bodyBytes: number
  /** Unpacked: a small body may hold much. */
  readonly unpackedBytes: number
}

const LIMITS: ReceiverLimits = { bodyBytes: 64 * 1024 * 1024, unpackedBytes: 256 * 1024 * 1024 }

/** The routes of a receiver: it checks who speaks, reads a batch, and hands it to its sink. A batch that comes again changes nothing. */
export function receiverApp({ sink, credentials, tokens = [], limits, onBug }: ReceiverOptions): Hono {
  const { bodyBytes, unpackedBytes } = { ...LIMITS, ...limits }
  const { token, hmacKey } = credentials
  const known: readonly MachineCredentials[] = [{ token }, { hmacKey }, ...tokens]
  const opened = new Set<string>()
  /** The deliveries of a machine, one after the other; those of others do not wait for them. */
  const queues = new Map<string, Promise<unknown>>()

  async function inTurn<T>(machine: string, work: () => Promise<T>): Promise<T> {
    const done = (queues.get(machine) ?? Promise.resolve()).then(work)
    const settled = done.catch(() => {})
    queues.set(machine, settled)
    try {
      return await done
    } finally {
      if (queues.get(machine) === settled) queues.delete(machine)
    }
  }

  const app = new Hono()
  app.get('/v1/health', (c) => c.json({ ok: true }))
  app.use('/v1/*', async (c, next) => {
    if (!mayBeKnown(known, shownBy(c.req.raw))) return refuse(c, 401, 'The token is missing or not ours.')
    return next()
  })

  /** The body of a request from somebody we know, as JSON, and who they are. */
  async function read(c: Context): Promise<Asked | Response> {
    const raw = await bodyOf(c.req.raw, bodyBytes)
    if (!raw) return refuse(c, 413, `A request has at most ${bodyBytes} bytes.`)
    const maySpeakFor = speakerOf(known, shownBy(c.req.raw), raw)
    if (!maySpeakFor) return refuse(c, 401, 'The token or signature is missing or not ours.')
    if (raw.length === 0) return { value: undefined, maySpeakFor }
    let text: Buffer
    try {
      text = c.req.header('content-encoding') === 'gzip' ? await unpack(raw, { maxOutputLength: unpackedBytes }) : raw
    } catch (error) {
      const isLarge = error instanceof RangeError
      return isLarge
        ? refuse(c, 413, `A request has at most ${unpackedBytes} bytes when it is unpacked.`)
        : refuse(c, 400, 'The request is not gzip.')
    }
    return { value: parseJson(text.toString('utf8')), maySpeakFor }
  }

  app.post('/v1/machines', async (c) => {
    const body = await read(c)
    if (body instanceof Response) return body
    const id = stringAt(body.value, 'id') ?? ''
    if (!MACHINE_ID.test(id)) return refuse(c, 400, 'The request names no machine.')
    if (!body.maySpeakFor(id)) return refuseMachine(c, id)
    const machine = { id, user: stringAt(body.value, 'user') ?? null, name: stringAt(body.value, 'name') ?? null }
    await inTurn(id, () => sink.open(machine))
    opened.add(id)
    return c.json({ ok: true })
  })

  app.get('/v1/marks', async (c) => {
    const body = await read(c)
    if (body instanceof Response) return body
    const id = c.req.query('machine') ?? ''
    if (!MACHINE_ID.test(id)) return refuse(c, 400, 'The request names no machine.')
    if (!body.maySpeakFor(id)) return refuseMachine(c, id)
    const marks = await inTurn(id, () => sink.marks(id))
    return c.body(jsonText({ marks: marks.map(markToJson) }), 200, JSON_TYPE)
  })

  app.post('/v1/batches', async (c) => {
    const body = await read(c)
    if (body instanceof Response) return body
    const batch = batchFromJson(body.value)
    if (!batch) return refuse(c, 400, 'The request is no batch.')
    const { machine } = batch
    if (!body.maySpeakFor(machine.id)) return refuseMachine(c, machine.id)
    const delivery = await inTurn(machine.id, async () => {
      if (!opened.has(machine.id)) await sink.open(machine)
      opened.add(machine.id)
      return sink.deliver(batch)
    })
    return c.body(jsonText(delivery), 200, JSON_TYPE)
  })

  app.notFound((c) => refuse(c, 404, 'There is nothing here.'))
  app.onError((error, c) => {
    if (error instanceof SinkTrouble) {
      const wait = Math.ceil((error.retryAfterMs ?? 5_000) / 1000)
      return refuse(c, 503, error.message, { 'retry-after': String(wait) })
    }
    onBug?.(error)
    return refuse(c, 500, 'Something went wrong here.')
  })
  return app
}

const unpack = promisify(gunzip)
const JSON_TYPE = { 'content-type': 'application/json' }

function refuse(c: Context, status: number, message: string, headers: Record<string, string> = {}): Response {
  return c.body(jsonText({ message }), status as 400, { ...JSON_TYPE, ...headers })
}

function refuseMachine(c: Context, id: string): Response {
  return refuse(c, 403, `This token or key is not for machine ${id}.`)
}

interface Asked {
  readonly value: JsonValue | undefined
  readonly maySpeakFor: Speaker
}

/** All bytes of a body; `undefined` where there are more than may be. */
async function bodyOf(request: Request, most: number): Promise<Buffer | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > most) return undefined
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = request.body?.getReader()
  for (;;) {
    const { value } = (await reader?.read()) ?? {}
    if (!value) return Buffer.concat(chunks)
    size += value.length
    if (size > most) {
      await reader?.cancel()
      return undefined
    }
    chunks.push(value)
  }
}

/** Where a receiver listens. */
export interface ListenOptions {
  readonly host: string
  readonly port: number
  /** Without them only this machine can be listened to. */
  readonly tls?: { readonly cert: Uint8Array; readonly key: Uint8Array } | undefined
}

/** A receiver that runs. */
export interface Receiver {
  readonly port: number
  close(): Promise<void>
}

/** Starts a receiver. */
export async function startReceiver(options: ReceiverOptions, { host, port, tls }: ListenOptions): Promise<Receiver> {
  const handle = getRequestListener(receiverApp(options).fetch)
  const limits = { headersTimeout: 10_000, requestTimeout: 120_000, maxHeaderSize: 16 * 1024 }
  const server = tls
    ? createSecure({ ...limits, cert: Buffer.from(tls.cert), key: Buffer.from(tls.key) }, handle)
    : createPlain(limits, handle)
  server.maxConnections = 1_000
  server.listen({ host, port })
  try {
    await once(server, 'listening')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const reason = code === 'EADDRINUSE' ? 'the port is in use' : code
    throw new Failure('CANNOT_RUN', `Could not listen on ${host}, port ${port}: ${reason}.`, {
      hint: 'Choose another --port.',
    })
  }
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      await options.sink.close()
    },
  }
}
