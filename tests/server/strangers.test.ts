import { afterAll, beforeAll, expect, test } from 'vitest'
import { cookieFor, inParallel, type RawAnswer, type Served, sendRaw, serveDemo } from './served.ts'

let served: Served
let cookie: string

beforeAll(async () => {
  served = await serveDemo()
  cookie = await cookieFor(served)
})
afterAll(() => served.remove())

/** Ways to call the server that are not its name, each the Host lines of a request. */
const hosts = (port: number): readonly (readonly string[])[] => [
  [`Host: evil.example:${port}`],
  [`Host: localhost.evil.com:${port}`],
  [`Host: 127.0.0.1.nip.io:${port}`],
  ['Host:'],
  [],
  [`Host: 127.0.0.1:${port}`, `Host: evil.example:${port}`],
  [`Host: evil.example:${port}`, `Host: 127.0.0.1:${port}`],
  [`Host: 127.0.0.1:${port}`, `Host: 127.0.0.1:${port}`],
  [`Host: localhost.:${port}`],
  [`Host: 127.0.0.1.:${port}`],
  [`Host: [::ffff:127.0.0.1]:${port}`],
  [`Host: localhost:${port + 1}`],
  ['Host: localhost'],
  [`Host: evil@127.0.0.1:${port}`],
  [`Host: 0.0.0.0:${port}`],
  [`Host: 2130706433:${port}`],
  [`Host: 127.0.0.1:${port}, evil.example`],
  [`Host: LOCALHOST.EVIL.COM:${port}`, `X-Forwarded-Host: 127.0.0.1:${port}`],
]

const origins = (port: number): readonly string[] => [
  'Origin: https://evil.example',
  'Origin: null',
  `Origin: http://localhost:${port + 1}`,
  'Origin: chrome-extension://abcdefgh',
  `Origin: https://127.0.0.1:${port}`,
  `Origin: http://127.0.0.1:${port}.evil.example`,
  'Origin: file://',
]

const sites = ['cross-site', 'same-site', 'none\r\nSec-Fetch-Mode: no-cors', 'none\r\nSec-Fetch-Mode: cors', 'whatever']

function expectNothing(answer: RawAnswer, about: string): void {
  expect([400, 403], about).toContain(answer.status)
  expect(answer.head.toLowerCase(), about).not.toContain('access-control-')
  expect(answer.text.includes('/home/ana') || answer.text.includes('the app'), about).toBe(false)
}

test('the routes are told by the server itself, and are all there are', () => {
  const paths = served.routes.map(({ path }) => path)
  for (const path of [
    '/api/health',
    '/api/events',
    '/api/about',
    '/api/sessions',
    '/assets/index-Ab12.js',
    '/',
    '/s/last',
  ])
    expect(paths).toContain(path)
  expect(new Set(served.routes.map(({ method, path }) => `${method} ${path}`)).size).toBe(served.routes.length)
})

test('another name, with or without an origin, gets nothing from any route', async () => {
  const { port, token } = served.server
  const jobs = served.routes.flatMap((route) =>
    hosts(port).flatMap((host) => ['', ...origins(port)].map((origin) => ({ route, host, origin }))),
  )
  expect(jobs.length).toBeGreaterThan(12 * 6 * 40)
  await inParallel(jobs, async ({ route, host, origin }) => {
    const lines = [`${route.method} ${route.path} HTTP/1.1`, ...host, ...(origin === '' ? [] : [origin])]
    const answer = await sendRaw(port, [...lines, `Authorization: Bearer ${token}`, 'Connection: close'])
    expectNothing(answer, lines.join(' | '))
  })
}, 120_000)

test('the address of another server in the request line gets nothing from any route', async () => {
  const { port, token } = served.server
  const targets = [`http://evil.example`, `http://127.0.0.1:${port}`, 'http://localhost', '*', 'api']
  const jobs = served.routes.flatMap((route) => targets.map((target) => ({ route, target })))
  await inParallel(jobs, async ({ route, target }) => {
    const line = `${route.method} ${target.includes(':') ? target + route.path : target} HTTP/1.1`
    const lines = [line, `Host: 127.0.0.1:${port}`, `Authorization: Bearer ${token}`, 'Connection: close']
    expectNothing(await sendRaw(port, lines), line)
  })
})

test('another page gets nothing from any route, though the browser sends the cookie', async () => {
  const { port } = served.server
  const from = [...origins(port), ...sites.map((site) => `Sec-Fetch-Site: ${site}`)]
  const jobs = served.routes.flatMap((route) => from.map((header) => ({ route, header })))
  await inParallel(jobs, async ({ route, header }) => {
    const lines = [`${route.method} ${route.path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, header, `Cookie: ${cookie}`]
    expectNothing(await sendRaw(port, [...lines, 'Connection: close']), lines.join(' | '))
  })
})

test('a web socket from another page is refused before any data', async () => {
  const { port } = served.server
  const upgrade = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==']
  for (const path of ['/', '/api/events', '/ws']) {
    const lines = [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Origin: https://evil.example', ...upgrade]
    expectNothing(await sendRaw(port, [...lines, `Cookie: ${cookie}`]), path)
  }
})

test('a browser that asks first whether it may, is never told that it may', async () => {
  const { port } = served.server
  const ask = ['Access-Control-Request-Method: POST', 'Access-Control-Request-Headers: authorization']
  for (const origin of [...origins(port), `Origin: http://127.0.0.1:${port}`]) {
    const lines = ['OPTIONS /api/index HTTP/1.1', `Host: 127.0.0.1:${port}`, origin, ...ask, 'Connection: close']
    const { status, head } = await sendRaw(port, lines)
    expect([401, 403]).toContain(status)
    expect(head.toLowerCase()).not.toContain('access-control-')
  }
})

test('its own names, its own origin and a person at the address bar are let in', async () => {
  const { port, token } = served.server
  for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
    const own = [`Host: ${name}:${port}`, `Authorization: Bearer ${token}`, 'Connection: close']
    for (const more of [
      [],
      [`Origin: http://${name}:${port}`],
      ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Mode: cors'],
      ['Sec-Fetch-Site: none', 'Sec-Fetch-Mode: navigate'],
    ]) {
      const { status } = await sendRaw(port, ['GET /api/about HTTP/1.1', ...own, ...more])
      expect(status, [name, ...more].join(' ')).toBe(200)
    }
  }
})

test('every answer has the headers that keep a page in', async () => {
  const { port, token } = served.server
  const csp =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; object-src 'none'"
  const own = [`Host: 127.0.0.1:${port}`, `Authorization: Bearer ${token}`]
  const requests = [
    ...served.routes.map(({ method, path }) => [`${method} ${path} HTTP/1.1`, ...own]),
    ['GET /nowhere HTTP/1.1', ...own],
    ['GET /api/nowhere HTTP/1.1', ...own],
    ['DELETE /api/sessions HTTP/1.1', ...own],
    ['GET / HTTP/1.1', `Host: 127.0.0.1:${port}`],
    ['GET / HTTP/1.1', 'Host: evil.example'],
    ['GET / HTTP/1.1'],
    ['GET /?code=wrong HTTP/1.1', `Host: 127.0.0.1:${port}`],
    [`GET ${served.server.launchUrl().slice(served.origin.length)} HTTP/1.1`, `Host: 127.0.0.1:${port}`],
    ['this is no request'],
    [`GET / HTTP/1.1`, `X-Long: ${'x'.repeat(20_000)}`],
    ['POST /api/index HTTP/1.1', ...own, 'Content-Length: 999999999'],
    ['GET / HTTP/1.1', ...own, 'Expect: something'],
  ]
  await inParallel(requests, async ([line = '', ...lines]) => {
    const isStream = line.includes('/api/events')
    const answer = await sendRaw(port, [line, ...lines, 'Connection: close'], { isStream })
    expect(answer.status, line).toBeGreaterThan(0)
    expect(answer.headers.get('content-security-policy'), line).toBe(csp)
    expect(answer.headers.get('x-content-type-options'), line).toBe('nosniff')
    expect(answer.headers.get('referrer-policy'), line).toBe('no-referrer')
    expect(answer.headers.get('cross-origin-opener-policy'), line).toBe('same-origin')
    expect(answer.headers.get('cross-origin-resource-policy'), line).toBe('same-origin')
    expect(answer.headers.get('x-frame-options'), line).toBe('DENY')
    const isKept = answer.status === 200 && line.includes('/assets/')
    expect(answer.headers.get('cache-control'), line).toBe(isKept ? 'private, max-age=31536000, immutable' : 'no-store')
    expect(answer.head.toLowerCase(), line).not.toContain('access-control-')
    expect(answer.head.toLowerCase(), line).not.toContain('x-powered-by')
  })
})
