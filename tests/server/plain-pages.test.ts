import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Served, sendRaw, serveDemo } from './served.ts'

let served: Served
beforeAll(async () => {
  served = await serveDemo()
})
afterAll(() => served.remove())

const HTML = { Accept: 'text/html' }

test('who is not signed in, and who is nowhere, gets a page that looks like ours and leads home', async () => {
  const stranger = await fetch(`${served.origin}/`, { headers: HTML })
  const nowhere = await served.get('/nowhere', HTML)
  for (const [answer, status, text] of [
    [stranger, 401, 'This browser is not signed in.'],
    [nowhere, 404, 'There is nothing here.'],
  ] as const) {
    const page = await answer.text()
    expect(answer.status).toBe(status)
    expect(page).toContain(`<h1>${text}</h1>`)
    expect(page).toContain('<a href="/">annals</a>')
    // The style of the page is the one thing that may stand in it.
    const style = /<style>([\s\S]*)<\/style>/.exec(page)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    expect(answer.headers.get('content-security-policy')).toContain(`style-src 'sha256-${hash}'`)
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'")
  }
  const unsigned = await (await fetch(`${served.origin}/`, { headers: HTML })).text()
  expect(unsigned).toContain('<code>annals serve</code>')
})

test('a link from another page leads on by a click, and shows nothing before it', async () => {
  const { port } = served.server
  const lines = (user: string[]) => [
    'GET /s/last?q=%3Cb%3E HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Accept: text/html',
    'Sec-Fetch-Site: cross-site',
    'Sec-Fetch-Mode: navigate',
    'Sec-Fetch-Dest: document',
    ...user,
    'Connection: close',
  ]
  const linked = await sendRaw(port, lines(['Sec-Fetch-User: ?1']))
  expect(linked.status).toBe(403)
  expect(linked.text).toContain('<a href="/s/last?q=%3Cb%3E">Open it here</a>')
  const opened = await sendRaw(port, lines([]))
  expect(opened.status).toBe(403)
  expect(opened.text).not.toContain('Open it here')
})

test('answers are packed for who takes that, and only then', async () => {
  const { port, token } = served.server
  const ask = (accept: string[]) =>
    sendRaw(port, [
      'GET /api/sessions HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      `Authorization: Bearer ${token}`,
      ...accept,
      'Connection: close',
    ])
  expect((await ask([])).headers.get('content-encoding')).toBeUndefined()
  expect((await ask(['Accept-Encoding: gzip;q=0, br'])).headers.get('content-encoding')).toBeUndefined()
  const packed = await served.get('/api/sessions', { 'Accept-Encoding': 'gzip' })
  expect(packed.headers.get('content-encoding')).toBe('gzip')
  expect(JSON.parse(await packed.text()).total).toBe(15)
})

test('a session is sent as a file, and what there is none of is an error', async () => {
  const page = await served.get('/api/download?session=last&to=html')
  expect(page.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+\.html"$/)
  expect(await page.text()).toContain('<!doctype html>')
  const text = await served.get('/api/download?session=last&to=md')
  expect(await text.text()).toContain('# ')
  expect((await served.get('/api/download?session=no-such&to=md')).status).toBe(404)
  expect((await served.get('/api/download?session=last&to=exe')).status).toBe(400)
})

test('notifications are off until somebody wants them, and only our own page sets them', async () => {
  expect(await (await served.get('/api/notifications')).json()).toMatchObject({ waits: false, costUsd: null })
  const set = (headers: Record<string, string>, body: object) =>
    fetch(`${served.origin}/api/notifications`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const own = { Authorization: `Bearer ${served.server.token}` }
  expect((await set({}, { waits: true })).status).toBe(401)
  expect((await set(own, { waits: true, costUsd: 2.5 })).status).toBe(200)
  expect(await (await served.get('/api/notifications')).json()).toMatchObject({
    waits: true,
    ended: false,
    costUsd: 2.5,
  })
  expect((await set(own, { waits: 'yes' })).status).toBe(400)
  expect((await set(own, { nonsense: true })).status).toBe(400)
})
