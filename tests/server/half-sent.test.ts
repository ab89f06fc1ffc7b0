import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { startReceiver } from '../../src/collector/receiver/start.ts'
import { temporaryFolder } from '../cli/annals.ts'
import { MemorySink } from '../collector/memory-sink.ts'
import { serveDemo } from './served.ts'

const sockets: Socket[] = []
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const close of closers.splice(0)) await close()
})

/** Connections that say the beginning of a request, and then nothing; they do not close when the other end does. */
async function halfSent(port: number, count: number, text: string): Promise<readonly Socket[]> {
  const made = Array.from({ length: count }, () => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => {})
    socket.write(text)
    socket.resume()
    return socket
  })
  sockets.push(...made)
  await Promise.all(made.map((socket) => new Promise((done) => socket.once('connect', done).once('close', done))))
  return made
}

const ended = (all: readonly Socket[]) =>
  Promise.all(
    all.map((socket) =>
      socket.readableEnded || socket.destroyed
        ? undefined
        : new Promise((done) => socket.once('end', done).once('close', done)),
    ),
  )

const HALF_HEAD = 'GET / HTTP/1.1\r\nX-Slow: '
const HALF_BODY = (port: number) =>
  `POST /v1/batches HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer of-any\r\nContent-Length: 100000\r\n\r\n{`

async function served(limits: Parameters<typeof serveDemo>[0]): Promise<number> {
  const one = await serveDemo(limits)
  closers.push(() => one.remove())
  return one.server.port
}

async function receiving(limits: object = {}, tls?: { cert: Uint8Array; key: Uint8Array }): Promise<number> {
  const options = { sink: new MemorySink(), credentials: { token: 'of-any' }, limits }
  const receiver = await startReceiver(options, { host: '127.0.0.1', port: 0, tls })
  closers.push(() => receiver.close())
  return receiver.port
}

/** Whether somebody who comes now is answered, before any limit of time could have helped. */
async function answers(url: string): Promise<boolean> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined)
  return answer?.status === 200
}

describe('500 requests that are never whole leave room for others, long before their time is up', () => {
  const patient = { headMs: 600_000, requestMs: 600_000 }

  test('annals serve', async () => {
    const port = await served(patient)
    await halfSent(port, 500, HALF_HEAD)
    expect(await answers(`http://127.0.0.1:${port}/api/health`)).toBe(true)
  })

  test('annals serve, where each connection had an answer before', async () => {
    const port = await served(patient)
    const first = `GET /api/health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`
    await halfSent(port, 500, first + HALF_HEAD)
    expect(await answers(`http://127.0.0.1:${port}/api/health`)).toBe(true)
  })

  test('annals receive, half a head and half a body', async () => {
    const port = await receiving({ headMs: 600_000, bodyMs: 600_000 })
    await halfSent(port, 1100, HALF_HEAD)
    expect(await answers(`http://127.0.0.1:${port}/v1/health`)).toBe(true)
    await halfSent(port, 1100, HALF_BODY(port))
    expect(await answers(`http://127.0.0.1:${port}/v1/health`)).toBe(true)
  })
})

describe('when its time is up a connection is destroyed, whether or not the other end closes too', () => {
  test('annals serve', async () => {
    const port = await served({ headMs: 300, requestMs: 600, connections: 20, halfSent: 1000 })
    await ended(await halfSent(port, 20, HALF_HEAD))
    await expect.poll(() => answers(`http://127.0.0.1:${port}/api/health`), { timeout: 20_000 }).toBe(true)
  })

  test('annals receive', async () => {
    const port = await receiving({ headMs: 300, bodyMs: 600 })
    // Without a check every second they would stay for half a minute.
    await ended(await halfSent(port, 20, HALF_HEAD))
    await ended(await halfSent(port, 20, HALF_BODY(port)))
  }, 20_000)

  const hasOpenssl = !spawnSync('openssl', ['version']).error
  test.runIf(hasOpenssl)(
    `annals receive with a certificate, and who never says hello${hasOpenssl ? '' : ' (skipped: openssl is not installed)'}`,
    async () => {
      const folder = temporaryFolder()
      const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')]
      const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '2']
      spawnSync('openssl', [...made, '-subj', '/CN=127.0.0.1'])
      const port = await receiving({ headMs: 300, halfSent: 50 }, { cert: readFileSync(cert), key: readFileSync(key) })
      folder.remove()
      const silent = await halfSent(port, 100, '')
      // Half of them at once, for there are too many; the others when their time is up.
      await ended(silent)
    },
    20_000,
  )
})

test('more than ten streams of one browser are no reason for a warning', async () => {
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)
  process.on('warning', note)
  const one = await serveDemo()
  closers.push(() => one.remove())
  const streams = await Promise.all(Array.from({ length: 14 }, () => one.get('/api/events')))
  expect(streams.map(({ status }) => status)).toEqual(Array(14).fill(200))
  await new Promise((done) => setTimeout(done, 50))
  process.off('warning', note)
  expect(warnings.map(({ name, message }) => `${name}: ${message}`)).toEqual([])
  await Promise.all(streams.map(({ body }) => body?.cancel()))
})
