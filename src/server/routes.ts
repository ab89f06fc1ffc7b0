import { type Context, Hono } from 'hono'
import { isObject, parseJson } from '../core/json.ts'
import { resultText } from '../core/json-text.ts'
import { type Static, Type } from '../core/schema.ts'
import type { Op } from '../ops/op.ts'
import { ALERTS, openAlertRules, SET_ALERTS } from './alert-routes.ts'
import type { Asset } from './assets.ts'
import { readText } from './body.ts'
import { downloadRoutes } from './download.ts'
import { encodingsFor, packed } from './encoding.ts'
import type { Events } from './events.ts'
import type { FirstScreen } from './first-screen.ts'
import type { Bindings } from './gate.ts'
import { cookieName, HEALTH, isOwn, NOWHERE } from './guard.ts'
import { errorBody, type HttpError, JSON_TYPE } from './http-error.ts'
import type { Keys } from './keys.ts'
import { type Answer, failed } from './op-runner.ts'
import { PAGE_HEADERS, pageOf } from './plain-page.ts'
import { FIRST_SCREEN, PAGES, type PreloadLinks, preloadLinks } from './preload-links.ts'
import { type Asking, readBody, readQuery } from './query.ts'
import type { WorkerPool } from './worker-pool.ts'
import type { Writer } from './writer.ts'

/** What the routes are made of. */
export interface Parts {
  /** The operations that are served. */
  readonly ops: readonly Op[]
  readonly pool: Pick<WorkerPool, 'ask'>
  readonly first: FirstScreen
  readonly events: Events
  readonly keys: Keys
  readonly assets: ReadonlyMap<string, Asset>
  /** What the server says about itself. */
  readonly about: { readonly version: string; readonly demo: boolean; readonly roots: readonly string[] }
  /** Hears of what nobody foresaw. */
  readonly onBug: (text: string) => void
  readonly writer: Pick<Writer, 'look'>
  /** Where a person's own choices are written down; without it they hold until the server ends. */
  readonly dataDir: string | undefined
}

type Env = { Bindings: Bindings }
type Asked = Context<Env>

/** One route: there are no others, and nothing is served but by one of them. */
export interface Route {
  readonly method: 'GET' | 'POST'
  /** A path, or a pattern such as `/s/:session`. */
  readonly path: string
  readonly handle: (asked: Asked) => Response | Promise<Response>
}

/** All routes, in the order in which they are tried. */
export function routesOf(parts: Parts): readonly Route[] {
  const { assets } = parts
  const alerts = openAlertRules(parts.dataDir)
  return [
    { method: 'GET', path: HEALTH, handle: () => sendJson(200, '{"ok":true}') },
    { method: 'GET', path: '/api/about', handle: () => sendJson(200, aboutOf(parts)) },
    {
      method: 'GET',
      path: FIRST_SCREEN,
      handle: async (asked) => sendAnswer(parts, asked, await parts.first.answer()),
    },
    { method: 'GET', path: '/api/events', handle: (asked) => openStream(parts, asked) },
    {
      method: 'POST',
      path: '/api/sign-out',
      handle: (asked) => changing(asked, SIGN_OUT, () => signOut(parts, asked)),
    },
    { method: 'GET', path: ALERTS, handle: () => sendJson(200, alerts.text()) },
    {
      method: 'POST',
      path: ALERTS,
      handle: (asked) => changing(asked, SET_ALERTS, (input) => sendJson(200, alerts.set(input))),
    },
    ...downloadRoutes(parts),
    ...parts.ops.map((op): Route => {
      const asking = { name: op.name, input: { ...op.input, properties: askedOf(op) } }
      const path = `/api/${op.name}`
      const ask = async (asked: Asked, input: Record<string, unknown>) => {
        const { signal } = asked.req.raw
        const question = () => parts.pool.ask({ op: op.name, input }, signal)
        const answer = await question()
        // Who types on has asked something else by now.
        if (!op.changes && (!answer.isNothing || signal.aborted)) return sendAnswer(parts, asked, answer)
        // Who changed something sees it in the next answer; and what was written a moment ago may not be noticed yet.
        await parts.writer.look()
        return sendAnswer(parts, asked, op.changes ? answer : await question())
      }
      if (op.changes)
        return { method: 'POST', path, handle: (asked) => changing(asked, asking, (input) => ask(asked, input)) }
      return { method: 'GET', path, handle: (asked) => ask(asked, readQuery(asking, queryOf(asked))) }
    }),
    ...[...assets]
      .filter(([path]) => path !== '/index.html')
      .map(([path, asset]): Route => ({ method: 'GET', path, handle: (asked) => sendAsset(asked, asset) })),
    ...PAGES.map((page): Route => {
      const links = preloadLinks(page, assets)
      return { method: 'GET', path: page.path, handle: (asked) => sendPage(asked, assets.get('/index.html'), links) }
    }),
  ]
}

/** What may be asked of an operation here: who wants to stay and watch listens to the events, and no GET writes a file. */
function askedOf({ input, changes, follow }: Op): Op['input']['properties'] {
  const left = new Set([...(follow ? ['follow'] : []), ...(changes ? [] : ['out', 'force'])])
  return Object.fromEntries(Object.entries(input.properties).filter(([name]) => !left.has(name)))
}

/** The application: the routes, and what is said where there is none. */
export function appOf(routes: readonly Route[], onBug: (text: string) => void): Hono<Env> {
  const app = new Hono<Env>()
  for (const { method, path, handle } of routes) app.on(method, path, handle)
  app.notFound((asked) => {
    const methods = routes.filter(({ path }) => path === asked.req.path).map(({ method }) => method)
    if (methods.length === 0) return refuse(asked, NOWHERE)
    asked.header('Allow', methods.join(', '))
    return refuse(asked, WRONG_METHOD)
  })
  app.onError((error, asked) => sendAnswer({ onBug }, asked, failed(error)))
  return app
}

function refuse(asked: Pick<Asked, 'req' | 'body'>, error: HttpError): Response {
  const { headers, body } = errorBody(error, asked.req.path, asked.req.header('accept'))
  return asked.body(body, error.status, headers)
}

const TOO_LARGE: HttpError = { status: 413, code: 'TOO_LARGE', message: 'The request is too large.' }
const NOT_JSON: HttpError = {
  status: 415,
  code: 'NOT_JSON',
  message: 'Changes are sent as a JSON object.',
}
const NOT_OURS: HttpError = {
  status: 403,
  code: 'FORBIDDEN',
  message: 'Only the pages of annals may change something.',
}
const WRONG_METHOD: HttpError = { status: 405, code: 'WRONG_METHOD', message: 'This needs another HTTP method.' }

const SIGN_OUT: Asking = { name: 'sign-out', input: Type.Object({}) }

const EVENTS = {
  name: 'events',
  input: Type.Object({
    session: Type.Optional(Type.Array(Type.String())),
    from: Type.Optional(Type.Array(Type.Integer({ minimum: 0 }), 'An offset for each session')),
    stay: Type.Optional(Type.Boolean('Go on although a session is gone')),
  }),
} as const satisfies Asking

function aboutOf({ about }: Parts): string {
  return resultText({ schema: 'annals/about/1', ...about })
}

/** What changes something comes from our own page, or with the token itself, and as JSON, which no form can send. */
async function changing(
  asked: Asked,
  asking: Asking,
  act: (input: Record<string, unknown>) => Response | Promise<Response>,
): Promise<Response> {
  const { incoming, holder } = asked.env
  if (!holder || !isOwn(incoming, holder)) return refuse(asked, NOT_OURS)
  const type = asked.req.header('content-type') ?? ''
  if (!/^application\/json(; *charset=utf-8)?$/i.test(type)) return refuse(asked, NOT_JSON)
  const text = await readText(incoming)
  if (text === undefined) return refuse(asked, TOO_LARGE)
  const body = parseJson(text)
  return isObject(body) ? act(readBody(asking, body)) : refuse(asked, NOT_JSON)
}

function signOut({ keys }: Parts, asked: Asked): Response {
  const { holder, incoming } = asked.env
  if (holder) keys.revoke(holder)
  const cookie = `${cookieName(incoming.socket.localPort ?? 0)}=; Max-Age=0; HttpOnly; SameSite=Strict; Path=/`
  return new Response('{"ok":true}', { headers: { 'Content-Type': JSON_TYPE, 'Set-Cookie': cookie } })
}

async function openStream(parts: Parts, asked: Asked): Promise<Response> {
  const { holder, outgoing } = asked.env
  if (asked.req.method !== 'GET' || !holder) return refuse(asked, WRONG_METHOD)
  const input = readQuery(EVENTS, queryOf(asked)) as Static<typeof EVENTS.input>
  const { session = [], from = [], stay = false } = input
  const last = /^\d{1,15}$/.exec(asked.req.header('last-event-id') ?? '')?.[0]
  const isOfOne = session.length === 1 && last !== undefined
  const stream = await parts.events.open({
    sessions: session.map((one, at) => ({ session: one, from: isOfOne ? Number(last) : from[at] })),
    stays: stay,
    until: holder.signal,
    reader: outgoing,
  })
  if (!(stream instanceof ReadableStream)) return sendAnswer(parts, asked, stream)
  return new Response(stream, { headers: { 'Content-Type': 'text/event-stream' } })
}

/** Sends an answer, packed where that saves something. */
async function sendAnswer({ onBug }: Pick<Parts, 'onBug'>, asked: Asked, answer: Answer): Promise<Response> {
  if (answer.bug !== undefined) onBug(answer.bug)
  const { body, headers } = await packed(answer.body, asked.req.header('accept-encoding'))
  return new Response(body, { status: answer.status, headers: { 'Content-Type': JSON_TYPE, ...headers } })
}

function sendJson(status: number, text: string): Response {
  return new Response(text, { status, headers: { 'Content-Type': JSON_TYPE } })
}

function sendAsset(
  asked: Asked,
  asset: Asset,
  {
    status = 200,
    headers = {},
  }: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  const [encoding] = encodingsFor(asked.req.header('accept-encoding')).filter((one) => asset.packed[one])
  const all = {
    'Content-Type': asset.type,
    ...(encoding && { 'Content-Encoding': encoding }),
    ...(Object.keys(asset.packed).length > 0 && { Vary: 'Accept-Encoding' }),
    ...(asset.isHashed && { 'Cache-Control': 'private, max-age=31536000, immutable' }),
    ...headers,
  }
  return new Response((encoding && asset.packed[encoding]) ?? asset.body, { status, headers: all })
}

/** A name in an address is a name: one that could be a path leads nowhere. */
function sendPage(asked: Asked, index: Asset | undefined, links: PreloadLinks): Response {
  const names: Record<string, string> = asked.req.param()
  if (Object.values(names).some((name) => /[\\/%\0]|^\.*$|\.\./.test(name))) return refuse(asked, NOWHERE)
  if (index) return sendAsset(asked, index, { headers: links(names, queryOf(asked)) })
  const page = pageOf(
    'The pages of annals are not built.',
    'The API works: see /api/about. To build the pages, run `npm run build`.',
    undefined,
  )
  return new Response(page, { headers: PAGE_HEADERS })
}

function queryOf(asked: Asked): URLSearchParams {
  return new URL(asked.req.url).searchParams
}
