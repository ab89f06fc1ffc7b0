import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'

/**
 * Connections without a whole request. Only so many may be open: beyond that the oldest is destroyed, so that requests
 * which never end take no place from others, however many there are and however long they may take.
 */
export class HalfSent {
  readonly #most: number
  /** The oldest first. By their other end: a TLS socket and the one below it are two objects. */
  readonly #open = new Map<string, Socket>()

  constructor(most: number) {
    this.#most = most
  }

  /** Counts the connections of a server from now on. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      const end = endOf(socket)
      this.#add(end, socket)
      socket.once('close', () => {
        if (this.#open.get(end) === socket) this.#open.delete(end)
      })
    })
  }

  /** Passes requests on. A connection counts again once its answer was sent. */
  passing(handle: RequestListener): RequestListener {
    return (request, response) => {
      const end = endOf(request.socket)
      const socket = this.#open.get(end)
      if (socket) this.#await(request, response, end, socket)
      handle(request, response)
    }
  }

  #await(request: IncomingMessage, response: ServerResponse, end: string, socket: Socket): void {
    const done = () => this.#open.delete(end)
    if (hasBody(request)) request.once('end', done)
    else done()
    response.once('finish', () => {
      request.off('end', done)
      if (!socket.destroyed) this.#add(end, socket)
    })
  }

  #add(end: string, socket: Socket): void {
    this.#open.delete(end)
    this.#open.set(end, socket)
    for (const [oldest, one] of this.#open) {
      if (this.#open.size <= this.#most) return
      this.#open.delete(oldest)
      one.destroy()
    }
  }
}

function endOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return [remoteAddress, remotePort, localAddress, localPort].join(' ')
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
