import { once } from 'node:events'
import { createServer as createPlain } from 'node:http'
import { createServer as createSecure } from 'node:https'
import { getRequestListener } from '@hono/node-server'
import { Failure } from '../../core/failure.ts'
import { HalfSent } from '../../net/half-sent.ts'
import { type RouteLimits, type RouteOptions, receiverRoutes } from './routes.ts'

export interface ReceiverOptions extends Omit<RouteOptions, 'limits'> {
  readonly limits?: Partial<ReceiverLimits>
}

export interface ReceiverLimits extends RouteLimits {
  /** For the head of a request, and for all of it. */
  readonly headMs: number
  readonly bodyMs: number
  readonly connections: number
  /** Connections without a whole request: beyond that the oldest ends, and its machine comes again. */
  readonly halfSent: number
}

const LIMITS = { headMs: 10_000, bodyMs: 120_000, connections: 2_000, halfSent: 400 }

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
  const { headMs, bodyMs, halfSent, connections } = { ...LIMITS, ...options.limits }
  let count = 0
  const { fetch, close } = receiverRoutes(options, () => count)
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
  server.maxConnections = connections
  server.on('connection', (socket) => {
    count += 1
    socket.once('close', () => {
      count -= 1
    })
  })
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
