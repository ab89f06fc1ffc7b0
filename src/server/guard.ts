import type { HttpError } from './http-error.ts'
import type { Holder, Keys } from './keys.ts'

/** A request as it came over the wire: nothing of it was normalised yet. */
export interface Asked {
  readonly method?: string | undefined
  /** The request's target: path and query. */
  readonly url?: string | undefined
  /** Names and values in turn, as they stand in the request. */
  readonly rawHeaders: readonly string[]
}

/** What the guard knows of the server it stands before. */
export interface GuardSetup {
  readonly port: number
  /** The names it may be called by: `127.0.0.1`, `localhost`, `[::1]`. */
  readonly names: readonly string[]
  readonly keys: Keys
}

/** May pass, must not, or brought a code for a browser: then there is a cookie, and a place to go. */
export type Verdict =
  | { readonly kind: 'pass'; readonly holder: Holder | undefined }
  | { readonly kind: 'refuse'; readonly error: HttpError }
  | { readonly kind: 'launch'; readonly location: string; readonly code: string; readonly holder: Holder | undefined }

/** The one path that answers without a token. */
export const HEALTH = '/api/health'

/**
 * Judges a request before anything else sees it, whatever it asks for. It must call us by our own name (so that no other
 * name can be bound to this address), come from our own pages or from no page at all, and show a token.
 */
export function judge(asked: Asked, setup: GuardSetup): Verdict {
  const { url = '' } = asked
  const error = refuseStranger(asked, setup)
  if (error) return { kind: 'refuse', error }
  if (url === HEALTH) return { kind: 'pass', holder: undefined }
  const holder = holderOf(asked, setup)
  const launch = isPlain(url) ? launchOf(asked, url) : undefined
  if (launch) return { kind: 'launch', ...launch, holder }
  if (!holder) return { kind: 'refuse', error: UNAUTHORIZED }
  return isPlain(url) ? { kind: 'pass', holder } : { kind: 'refuse', error: NOWHERE }
}

/** The cookie of a browser. Cookies are not kept apart by port, so the name does it. */
export function cookieName(port: number): string {
  return `annals-${port}`
}

/** Whether a request that changes something comes from our own page, or from a program that knows the token. */
export function isOwn(asked: Asked, holder: Holder): boolean {
  return holder.kind === 'token' || valuesOf(asked, 'sec-fetch-site').join() === 'same-origin'
}

/** What is said to who has no token. */
export const UNAUTHORIZED: HttpError = {
  status: 401,
  code: 'UNAUTHORIZED',
  message: 'This browser is not signed in.',
  hint: 'Open the link that `annals serve` printed. It works once, in one browser; for another one, stop it and run `annals serve` again.',
}

/** What is said of a path that leads nowhere. */
export const NOWHERE: HttpError = {
  status: 404,
  code: 'NOT_FOUND',
  message: 'There is nothing here.',
  hint: 'The address may be mistyped, or be of another version.',
}

const BAD_TARGET: HttpError = { status: 400, code: 'BAD_REQUEST', message: 'The request names no path of this server.' }

const BAD_HOST: HttpError = {
  status: 403,
  code: 'FORBIDDEN',
  message: 'This server does not answer to that name.',
  hint: 'Open it at 127.0.0.1 or localhost, with its port.',
}

const BAD_ORIGIN: HttpError = {
  status: 403,
  code: 'FORBIDDEN',
  message: 'Other sites may not use this server.',
}

/** A link on another page, in a chat for one: nothing is shown for it, but who means it can go on. */
const LINKED: HttpError = {
  status: 403,
  code: 'FORBIDDEN',
  message: 'Another page links to this one.',
  hint: 'What annals shows is yours alone, so a link from elsewhere does not open it by itself.',
  leadsOn: true,
}

function refuseStranger(asked: Asked, { port, names }: GuardSetup): HttpError | undefined {
  if (!asked.url?.startsWith('/')) return BAD_TARGET
  const [host, ...others] = valuesOf(asked, 'host')
  if (host === undefined || others.length > 0) return { ...BAD_HOST, status: 400 }
  const isOurs = names.some((name) => host === `${name}:${port}` || (port === 80 && host === name))
  if (!isOurs) return BAD_HOST
  if (valuesOf(asked, 'origin').some((origin) => origin !== `http://${host}`)) return BAD_ORIGIN
  if (valuesOf(asked, 'sec-fetch-site').every((site) => isFine(site, asked))) return undefined
  return isLinked(asked) ? LINKED : BAD_ORIGIN
}

/** `none` is a person's own doing: an address that was typed, a bookmark, a link in a terminal. */
function isFine(site: string, asked: Asked): boolean {
  if (site === 'same-origin') return true
  const isGet = asked.method === 'GET' || asked.method === 'HEAD'
  return site === 'none' && isGet && valuesOf(asked, 'sec-fetch-mode').every((mode) => mode === 'navigate')
}

/** Whether a person followed a link to a page, as far as the browser tells. */
function isLinked(asked: Asked): boolean {
  const isPage = valuesOf(asked, 'sec-fetch-dest').join() === 'document'
  const isByHand = valuesOf(asked, 'sec-fetch-user').join() === '?1'
  return asked.method === 'GET' && isPage && isByHand && isPlain(asked.url ?? '')
}

function holderOf(asked: Asked, { port, keys }: GuardSetup): Holder | undefined {
  const [authorization] = valuesOf(asked, 'authorization')
  const bearer = /^Bearer ([\w-]{1,128})$/i.exec(authorization ?? '')?.[1]
  if (authorization !== undefined) return bearer === undefined ? undefined : keys.holderOf('token', bearer)
  const start = `${cookieName(port)}=`
  const given = valuesOf(asked, 'cookie')
    .flatMap((line) => line.split(/; */))
    .filter((cookie) => cookie.startsWith(start))
  return given.map((cookie) => keys.holderOf('browser', cookie.slice(start.length))).find((holder) => holder)
}

/** A code in the address of a page, and that address without it. What only looks ahead must not use the code up. */
function launchOf(asked: Asked, url: string): { readonly location: string; readonly code: string } | undefined {
  const [path = '', ...rest] = url.split('?')
  const parts = rest.join('?').split('&')
  const code = parts.find((part) => part.startsWith('code='))?.slice('code='.length)
  const isAhead = valuesOf(asked, 'sec-purpose').length > 0 || valuesOf(asked, 'purpose').length > 0
  if (code === undefined || asked.method !== 'GET' || isAhead || path.startsWith('/api/')) return undefined
  const query = parts.filter((part) => !part.startsWith('code=')).join('&')
  return { code, location: query === '' ? path : `${path}?${query}` }
}

/** Only what every reader of a path reads alike: a browser takes `//x` and `/\x` for another server. */
function isPlain(url: string): boolean {
  return /^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/.test(url)
}

function valuesOf({ rawHeaders }: Asked, name: string): readonly string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name)
}
