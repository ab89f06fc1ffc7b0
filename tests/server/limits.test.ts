import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Served, sendRaw, serveDemo } from './served.ts'

let served: Served
beforeAll(async () => {
  served = await serveDemo({ headMs: 300, requestMs: 600 })
})
afterAll(() => served.remove())

const own = () => [`Host: 127.0.0.1:${served.server.port}`, `Authorization: Bearer ${served.server.token}`]

test('a head that never ends is cut off, while others are served', async () => {
  const { port } = served.server
  const slow = Array.from({ length: 50 }, () => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('error', () => {})
    socket.write('GET / HTTP/1.1\r\nX-Slow: ')
    const timer = setInterval(() => socket.write('x'), 50)
    return new Promise<void>((resolve) => {
      socket.on('close', () => {
        clearInterval(timer)
        resolve()
      })
      // The answer, if there is one, has to be read before the end is seen.
      socket.resume()
    })
  })
  expect((await fetch(`${served.origin}/api/health`)).status).toBe(200)
  await Promise.all(slow)
})

test('a body that never comes is not waited for', async () => {
  const head = ['POST /api/index HTTP/1.1', ...own(), 'Content-Type: application/json', 'Content-Length: 100']
  const { status } = await sendRaw(served.server.port, head)
  expect(status).toBe(408)
})

test('a large head, address or body is refused', async () => {
  const { port } = served.server
  expect((await sendRaw(port, ['GET / HTTP/1.1', ...own(), `Cookie: ${'x'.repeat(20_000)}`])).status).toBe(431)
  expect((await sendRaw(port, [`GET /api/search?regex=true&query=${'a'.repeat(10_000_000)} HTTP/1.1`])).status).toBe(
    431,
  )
  for (const body of [`{"x":"${'x'.repeat(70_000)}"}`, `{"x":"${'x'.repeat(5_000_000)}"}`]) {
    const answer = await fetch(`${served.origin}/api/index`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${served.server.token}`, 'Content-Type': 'application/json' },
      body,
    }).catch(() => undefined)
    // The other end may close before all of it was sent.
    if (answer) expect(answer.status).toBe(413)
  }
  const long = await served.get(`/api/search?query=${'a'.repeat(5000)}`)
  expect(long.status).toBe(400)
  expect((await served.get(`/api/search?${'query=a&'.repeat(150)}`)).status).toBe(400)
})

test('a body without an end is cut off', async () => {
  const { port } = served.server
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {})
  const head = ['POST /api/index HTTP/1.1', ...own(), 'Content-Type: application/json', 'Transfer-Encoding: chunked']
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const timer = setInterval(() => socket.write(`4000\r\n${'x'.repeat(0x4000)}\r\n`), 5)
  await new Promise<void>((resolve) => {
    socket.on('close', () => resolve())
    socket.resume()
  })
  clearInterval(timer)
})

test('two requests in one, to be taken apart differently, are refused', async () => {
  const smuggled = ['POST /api/index HTTP/1.1', ...own(), 'Content-Length: 4', 'Transfer-Encoding: chunked', '', '0']
  expect((await sendRaw(served.server.port, smuggled)).status).toBe(400)
})
