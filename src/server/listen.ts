import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { Failure } from '../core/failure.ts'
import { HalfSent } from '../net/half-sent.ts'
import { HEADERS } from './headers.ts'
import { errorJson, JSON_TYPE } from './http-error.ts'

/** How long and how much a request may take. */
export interface Limits {
  /** For the head of a request, and for all of it. */
  readonly headMs: number
  readonly requestMs: number
  /** Without a byte in either direction. */
  readonly idleMs: number
  readonly headBytes: number
  readonly connections: number
  /** Connections without a whole request: beyond that the oldest ends. */
  readonly halfSent: number
}

/** The port that is tried first, so that addresses stay what they were. */
export const USUAL_PORT = 6174

/** Listens on some addresses, all on one port. Without a port the usual one is taken, or else any that is free. */
export async function listen(
  addresses: readonly string[],
  port: number | undefined,
  limits: Limits,
  handle: RequestListener,
): Promise<{ readonly port: number; readonly servers: readonly Server[] }> {
  const tries = port === undefined ? [USUAL_PORT, 0, 0, 0] : port === 0 ? [0, 0, 0] : [port]
  const halfSent = new HalfSent(limits.halfSent)
  for (const one of tries) {
    const servers = await tryPort(addresses, one, limits, halfSent.passing(handle))
    for (const server of servers ?? []) halfSent.watch(server)
    if (servers) return { port: portOf(servers), servers }
  }
  const message = port ? `Port ${port} is in use.` : 'No free port was found.'
  throw new Failure('CANNOT_RUN', message, { hint: 'Leave --port out to take any that is free.' })
}

/** `undefined` when somebody else has the port at one of the addresses: half of them would be theirs. */
async function tryPort(
  addresses: readonly string[],
  port: number,
  limits: Limits,
  handle: RequestListener,
): Promise<readonly Server[] | undefined> {
  const servers: Server[] = []
  for (const address of addresses) {
    const server = makeServer(limits, handle)
    server.listen({ host: address, port: servers.length > 0 ? portOf(servers) : port, ipv6Only: true })
    const code = await once(server, 'listening').then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code ?? error.message,
    )
    if (code === undefined) servers.push(server)
    else if (code === 'EADDRINUSE') {
      for (const one of servers) one.close()
      return undefined
    } else if (servers.length === 0 || !ABSENT.has(code)) {
      const reason = code === 'EACCES' ? 'that needs more rights' : code
      throw new Failure('CANNOT_RUN', `Could not listen on ${address}, port ${port}: ${reason}.`)
    }
  }
  return servers
}

/** The system has no such address: many have no IPv6. */
const ABSENT = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])

function portOf(servers: readonly Server[]): number {
  const address = servers[0]?.address()
  return typeof address === 'object' && address ? address.port : 0
}

function makeServer(limits: Limits, handle: RequestListener): Server {
  const server = createServer({
    maxHeaderSize: limits.headBytes,
    headersTimeout: limits.headMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: Math.min(1000, limits.headMs),
    keepAliveTimeout: 5000,
    // The guard answers what has no Host, in its own words.
    requireHostHeader: false,
  })
  server.maxConnections = limits.connections
  server.timeout = limits.idleMs
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, handle)
  server.on('clientError', refuseRaw)
  return server
}

const RAW: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request is too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long.'],
}

/** How long somebody may take to read why they were refused. */
const LINGER_MS = 500

/** What is no HTTP gets an answer all the same, with the headers that every answer has; then the connection is destroyed. */
function refuseRaw(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const [status, message] = RAW[error.code ?? ''] ?? ['400 Bad Request', 'The request could not be read.']
  const body = errorJson({ status: 400, code: 'BAD_REQUEST', message })
  const headers = { ...HEADERS, 'Content-Type': JSON_TYPE, Connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status}`, ...lines, `Content-Length: ${Buffer.byteLength(body)}`, '', body].join('\r\n'))
  // Ending says that we are done; whoever stays silent after that would keep the connection.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
