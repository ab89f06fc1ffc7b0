import { once } from 'node:events'
import { createServer as createPlain } from 'node:http'
import { createServer as createSecure } from 'node:https'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { getRequestListener } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { Failure } from '../core/failure.ts'
import { type JsonValue, parseJson } from '../core/json.ts'
import { jsonText } from '../core/json-text.ts'
import { HalfSent } from '../net/half-sent.ts'
import { type Credentials, contentSumOf, type MachineCredentials } from './auth.ts'
import { Bindings } from './bindings.ts'
import { Nonces } from './nonces.ts'
import { type Caller, checkRequest, keysOf } from './request-check.ts'
import { type Batch, type Sink, SinkTrouble } from './sink.ts'
import { batchFromJson, MACHINE_ID, machineFromJson, markToJson } from './wire.ts'

export interface ReceiverOptions {
  readonly sink: Sink
  /** Who may deliver: whoever has one of these, for one machine and one person. */
  readonly credentials: Credentials
  /** Others who may. */
  readonly tokens?: readonly MachineCredentials[] | undefined
  readonly limits?: Partial<ReceiverLimits>
  /** Where it remembers who speaks for whom and which requests came; without it, only as long as it runs. */
  readonly stateFolder?: string | undefined
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** Hears of what nobody foresaw. */
  readonly onBug?: (error: unknown) => void
}

export interface ReceiverLimits {
  readonly bodyBytes: number
  /** Unpacked: a small body may hold much. */
  readonly unpackedBytes: number
  /** For the head of a request, and for all of it. */
  readonly headMs: number
  readonly bodyMs: number
  /** Connections without a whole request: beyond that the oldest ends, and its machine comes again. */
  readonly halfSent: number
}

const LIMITS: ReceiverLimits = {
  bodyBytes: 64 * 1024 * 1024,
  unpackedBytes: 256 * 1024 * 1024,
  headMs: 10_000,
  bodyMs: 120_000,
  halfSent: 400,
}

/** What answers requests, until it is closed. */
export interface Routes {
  fetch(request: Request): Response | Promise<Response>
  close(): void
}

/** The routes of a receiver: it checks who speaks, reads a batch, and hands it to its sink. A batch that comes again changes nothing. */
export function receiverApp(options: ReceiverOptions): Routes {
  const { sink, credentials, tokens = [], limits, stateFolder, now = Date.now, onBug } = options
  const { bodyBytes, unpackedBytes } = { ...LIMITS, ...limits }
  const { token, hmacKey } = credentials
  const keys = keysOf([{ token }, { hmacKey }, ...tokens])
  const stateFile = (name: string) => stateFolder && join(stateFolder, name)
  const nonces = new Nonces(stateFile('nonces'), now())
  const bindings = new Bindings(keys, stateFile('bindings.json'))
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

  const app = new Hono<{ Variables: { caller: Caller } }>()
  app.get('/v1/health', (c) => c.json({ ok: true }))
  // Before the body is read: whoever is not known costs us nothing.
  app.use('/v1/*', async (c, next) => {
    const caller = checkRequest(keys, nonces, c.req.raw, now())
    if ('status' in caller)
      return refuse(c, caller.status, caller.message, caller.status === 429 ? { 'retry-after': '60' } : {})
    c.set('caller', caller)
    return next()
  })

  /** The body of a request, as JSON. */
  async function read(c: Context): Promise<{ readonly value: JsonValue | undefined } | Response> {
    const raw = await bodyOf(c.req.raw, bodyBytes)
    if (!raw) return refuse(c, 413, `A request has at most ${bodyBytes} bytes.`)
    const { sum } = c.get('caller') as Caller
    if (sum !== undefined && sum !== contentSumOf(raw))
      return refuse(c, 401, 'The body is not the one that was signed.')
    let text: Buffer
    try {
      text = c.req.header('content-encoding') === 'gzip' ? await unpack(raw, { maxOutputLength: unpackedBytes }) : raw
    } catch (error) {
      const isLarge = error instanceof RangeError
      return isLarge
        ? refuse(c, 413, `A request has at most ${unpackedBytes} bytes when it is unpacked.`)
        : refuse(c, 400, 'The request is not gzip.')
    }
    return { value: parseJson(text.toString('utf8')) }
  }

  app.post('/v1/machines', async (c) => {
    const body = await read(c)
    if (body instanceof Response) return body
    const machine = machineFromJson(body.value)
    if (!machine) return refuse(c, 400, 'The request names no machine.')
    const foreign = bindings.claim(c.get('caller').key, machine.id, machine.user)
    if (foreign !== undefined) return refuse(c, 403, foreign)
    await inTurn(machine.id, () => sink.open(machine))
    opened.add(machine.id)
    return c.json({ ok: true })
  })

  app.get('/v1/marks', async (c) => {
    const id = c.req.query('machine') ?? ''
    if (!MACHINE_ID.test(id)) return refuse(c, 400, 'The request names no machine.')
    const foreign = bindings.claim(c.get('caller').key, id)
    if (foreign !== undefined) return refuse(c, 403, foreign)
    const marks = await inTurn(id, () => sink.marks(id))
    return c.body(jsonText({ marks: marks.map(markToJson) }), 200, JSON_TYPE)
  })

  app.post('/v1/batches', async (c) => {
    const body = await read(c)
    if (body instanceof Response) return body
    const batch = batchFromJson(body.value)
    if (!batch) return refuse(c, 400, 'The request is no batch.')
    const { machine } = batch
    const foreign = bindings.claim(c.get('caller').key, machine.id, machine.user) ?? strangerIn(batch)
    if (foreign !== undefined) return refuse(c, 403, foreign)
    const delivery = await inTurn(machine.id, async () => {
      if (!opened.has(machine.id)) await sink.open(machine)
      opened.add(machine.id)
      return sink.deliver({ ...batch, isOwnPurge: true })
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
  return { fetch: app.fetch, close: () => nonces.close() }
}

/** Says which other person a batch names beside that of its machine. */
function strangerIn({ machine, rows, documents }: Batch): string | undefined {
  const other = [...rows, ...documents].find(({ user }) => user !== machine.user)
  return (
    other &&
    `The batch names ${other.user ?? 'nobody'} beside ${machine.user ?? 'nobody'}: a machine speaks for one person.`
  )
}

const unpack = promisify(gunzip)
const JSON_TYPE = { 'content-type': 'application/json' }

function refuse(c: Context, status: number, message: string, headers: Record<string, string> = {}): Response {
  return c.body(jsonText({ message }), status as 400, { ...JSON_TYPE, ...headers })
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
  const { fetch, close } = receiverApp(options)
  const { headMs, bodyMs, halfSent } = { ...LIMITS, ...options.limits }
  const open = new HalfSent(halfSent)
  const handle = open.passing(getRequestListener(fetch))
  const limits = {
    headersTimeout: headMs,
    requestTimeout: bodyMs,
    connectionsCheckingInterval: Math.min(1000, headMs),
    maxHeaderSize: 16 * 1024,
  }
  const secure = tls && { cert: Buffer.from(tls.cert), key: Buffer.from(tls.key), handshakeTimeout: headMs }
  const server = secure ? createSecure({ ...limits, ...secure }, handle) : createPlain(limits, handle)
  open.watch(server)
  server.maxConnections = 2_000
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
      close()
      await options.sink.close()
    },
  }
}
