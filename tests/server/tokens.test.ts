import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cookieFor, type Served, sendRaw, serveDemo } from './served.ts'

let served: Served
beforeAll(async () => {
  served = await serveDemo()
})
afterAll(() => served.remove())

describe('without a token', () => {
  test('every route but health says 401, and tells nothing', async () => {
    for (const { method, path } of served.routes) {
      const answer = await fetch(served.origin + path, { method })
      const text = await answer.text()
      expect(answer.status, path).toBe(path === '/api/health' ? 200 : 401)
      expect(text, path).not.toMatch(/\/home\/ana|the app|export/)
    }
  })

  test('health says that it is well, and nothing else', async () => {
    const answer = await fetch(`${served.origin}/api/health`)
    expect(await answer.text()).toBe('{"ok":true}')
  })

  test('only health itself is open: not its neighbours', async () => {
    for (const path of [
      '/api/health/',
      '/api//health',
      '/api/health?x=1',
      '/api/./health',
      '/api/%68ealth',
      '/API/HEALTH',
    ]) {
      const { status } = await sendRaw(served.server.port, [
        `GET ${path} HTTP/1.1`,
        `Host: 127.0.0.1:${served.server.port}`,
        'Connection: close',
      ])
      expect(status, path).toBe(401)
    }
  })

  test('a wrong one is as good as none', async () => {
    const { token, port } = served.server
    const cookie = await cookieFor(served)
    const kept = cookie.slice(cookie.indexOf('=') + 1)
    const wrong = [
      { Authorization: 'Bearer ' },
      { Authorization: `Bearer ${token}x` },
      { Authorization: `Bearer ${token.slice(0, -1)}` },
      { Authorization: `Bearer ${token.toLowerCase()}` },
      { Authorization: `Basic ${token}` },
      { Authorization: token },
      // The two kinds of secret are not taken for each other.
      { Authorization: `Bearer ${kept}` },
      { Cookie: `annals-${port}=${token}` },
      { Cookie: `annals-${port}=` },
      { Cookie: `annals=${kept}` },
      { Cookie: `annals-${port + 1}=${kept}` },
      // Who shows a wrong token is not looked at further.
      { Authorization: 'Bearer wrong', Cookie: cookie },
    ]
    for (const headers of wrong) {
      const answer = await fetch(`${served.origin}/api/about`, { headers: headers as Record<string, string> })
      expect(answer.status, JSON.stringify(headers)).toBe(401)
    }
    for (const query of [`token=${token}`, `access_token=${token}`, `code=${token}`, `code=${kept}`]) {
      expect((await fetch(`${served.origin}/api/about?${query}`)).status, query).toBe(401)
    }
  })
})

describe('the link', () => {
  test('is exchanged for a strict cookie, and leads to the address without the code', async () => {
    const url = served.server.launchUrl('/s/last')
    const answer = await fetch(`${url}&at=abc`, { redirect: 'manual' })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe('/s/last?at=abc')
    const cookie = answer.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/^annals-\d+=[\w-]{32}; HttpOnly; SameSite=Strict; Path=\/$/)
    const headers = { Cookie: `other=1; ${cookie.split(';')[0]}` }
    expect((await fetch(`${served.origin}/api/about`, { headers })).status).toBe(200)
    expect(await (await fetch(`${served.origin}/s/last`, { headers })).text()).toContain('the app')
  })

  test('works once; after that a page for people says what to do', async () => {
    const url = served.server.launchUrl()
    await fetch(url, { redirect: 'manual' })
    const again = await fetch(url, { redirect: 'manual', headers: { Accept: 'text/html,*/*' } })
    expect(again.status).toBe(401)
    expect(again.headers.get('set-cookie')).toBeNull()
    expect(again.headers.get('content-type')).toContain('text/html')
    const page = await again.text()
    expect(page).toContain('This browser is not signed in.')
    expect(page).toContain('annals serve')
    expect(page).not.toMatch(/<script| style=/)
  })

  test('of twenty who come with one code at once, one gets in', async () => {
    const url = served.server.launchUrl()
    const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(url, { redirect: 'manual' })))
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
  })

  test('opened again in the same browser, it just leads on', async () => {
    const url = served.server.launchUrl('/search')
    const first = await fetch(url, { redirect: 'manual' })
    const Cookie = (first.headers.get('set-cookie') ?? '').split(';')[0] as string
    const again = await fetch(url, { redirect: 'manual', headers: { Cookie } })
    expect([again.status, again.headers.get('location')]).toEqual([303, '/search'])
  })

  test('is not used up by who only looks ahead', async () => {
    const url = served.server.launchUrl()
    expect((await fetch(url, { redirect: 'manual', headers: { 'Sec-Purpose': 'prefetch' } })).status).toBe(401)
    expect((await fetch(url, { redirect: 'manual', method: 'HEAD' })).status).toBe(401)
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(303)
  })

  test('never leads to another server', async () => {
    const { port } = served.server
    for (const path of ['//evil.example', '/\\evil.example', '/%09/evil.example', '///evil.example/x']) {
      const code = new URL(served.server.launchUrl()).searchParams.get('code')
      const lines = [`GET ${path}?code=${code} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Connection: close']
      const { headers } = await sendRaw(port, lines)
      expect(headers.get('location') ?? '/', path).toMatch(/^\/(?![/\\])/)
    }
  })
})

describe('signing out', () => {
  const asked = { method: 'POST', body: '{}' }
  const own = { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' }

  test('ends that browser and its streams, and no other', async () => {
    const cookie = await cookieFor(served)
    const other = await cookieFor(served)
    const stream = await fetch(`${served.origin}/api/events`, { headers: { Cookie: cookie } })
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    const out = await fetch(`${served.origin}/api/sign-out`, { ...asked, headers: { ...own, Cookie: cookie } })
    expect(out.status).toBe(200)
    expect(out.headers.get('set-cookie')).toContain('Max-Age=0')
    for (let read = await reader.read(); !read.done; ) read = await reader.read()
    expect((await fetch(`${served.origin}/api/about`, { headers: { Cookie: cookie } })).status).toBe(401)
    expect((await fetch(`${served.origin}/api/about`, { headers: { Cookie: other } })).status).toBe(200)
  })
})
