import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { cookieName, judge, UNAUTHORIZED, type Verdict } from './guard.ts'
import { HEADERS } from './headers.ts'
import { errorBody, type HttpError } from './http-error.ts'
import { type Holder, type Keys, SIGNED_IN_MS } from './keys.ts'
import { isOtherUser } from './socket-owner.ts'

/** What a route knows beside the request: who asks. */
export interface Bindings extends HttpBindings {
  readonly holder: Holder | undefined
}

export interface GateOptions {
  /** The names the server may be called by. */
  readonly names: readonly string[]
  readonly keys: Keys
}

/**
 * What stands before the application: every request passes the guard, and every answer has its headers before anybody
 * writes it.
 */
export function openGate(
  { names, keys }: GateOptions,
  fetch: (request: Request, bindings: Bindings) => Response | Promise<Response>,
): RequestListener {
  const holders = new WeakMap<object, Holder>()
  const others = new WeakMap<object, boolean>()
  /** What a browser keeps could have been had by who took our port while we were away: from others it is worth nothing. */
  function isStolen({ socket }: IncomingMessage, holder: Holder | undefined): boolean {
    if (holder?.kind !== 'browser') return false
    const isOther = others.get(socket) ?? isOtherUser(socket)
    others.set(socket, isOther)
    return isOther
  }
  const pass = getRequestListener(
    (request, env) => fetch(request, { ...(env as HttpBindings), holder: holders.get(env.incoming) }),
    { overrideGlobalObjects: false },
  )
  return (request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    const port = request.socket.localPort ?? 0
    const verdict = judge(request, { port, names, keys })
    if (verdict.kind === 'refuse') refuse(request, response, verdict.error)
    else if (isStolen(request, verdict.holder)) refuse(request, response, UNAUTHORIZED)
    else if (verdict.kind === 'launch') launch(request, response, verdict, keys)
    else {
      if (verdict.holder) holders.set(request, verdict.holder)
      if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue()
      void pass(request, response)
    }
  }
}

/** Takes the code of an address for a cookie, and leads on to the address without it. */
function launch(
  request: IncomingMessage,
  response: ServerResponse,
  { code, location, holder }: Verdict & { readonly kind: 'launch' },
  keys: Keys,
): void {
  // A browser that is known already, and comes with its link again, need not use the code.
  const kept = holder || isOtherUser(request.socket) ? undefined : keys.exchange(code)
  if (!holder && kept === undefined) {
    refuse(request, response, UNAUTHORIZED)
    return
  }
  const name = cookieName(request.socket.localPort ?? 0)
  const age = keys.remembers ? `; Max-Age=${SIGNED_IN_MS / 1000}` : ''
  if (kept !== undefined) response.setHeader('Set-Cookie', `${name}=${kept}; HttpOnly; SameSite=Strict; Path=/${age}`)
  response.writeHead(303, { Location: location })
  response.end()
}

function refuse(request: IncomingMessage, response: ServerResponse, error: HttpError): void {
  const { headers, body } = errorBody(error, request.url ?? '', request.headers.accept)
  // What else such a connection would say is not read.
  response.writeHead(error.status, { ...headers, Connection: 'close' })
  response.end(body)
}
