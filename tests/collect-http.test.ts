import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, createServer as createTcp, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { authHeaders } from '../src/collector/auth.ts'
import { startReceiver } from '../src/collector/receiver/start.ts'
import { SinkTrouble } from '../src/collector/sink.ts'
import { httpSink } from '../src/collector/sinks/http.ts'
import { httpPlace } from './collector/http-place.ts'
import { batch, machine, row } from './collector/made-batches.ts'
import { collectorOf } from './collector/made-collector.ts'
import { LOG, line, withRoot } from './collector/made-root.ts'
import { MemorySink } from './collector/memory-sink.ts'

async function troubleOf(work: Promise<unknown>): Promise<SinkTrouble> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(SinkTrouble)
  return error as SinkTrouble
}

async function withServer<T>(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  use: (address: string) => Promise<T>,
): Promise<T> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await use(`http://127.0.0.1:${portOf(server)}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

function portOf(server: Pick<Server, 'address'>): number {
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

test('who has no token, or a wrong one, delivers nothing and sees nothing', async () => {
  for (const good of [{ token: 'right' }, { hmacKey: 'right' }, { token: 'right', hmacKey: 'also right' }]) {
    const place = await httpPlace(good)
    try {
      const address = `http://127.0.0.1:${place.port}`
      for (const wrong of [{}, { token: 'wrong' }, { hmacKey: 'wrong' }, { token: 'righ' }, { token: 'right2' }]) {
        const sink = httpSink(address, wrong)
        for (const ask of [
          () => sink.open(machine()),
          () => sink.marks(machine().id),
          () => sink.deliver(batch('x', [row(0)])),
        ]) {
          expect((await troubleOf(ask())).passes).toBe(false)
        }
      }
      expect(await place.rows()).toEqual([])
      expect((await fetch(`${address}/v1/health`)).status).toBe(200)
      expect((await fetch(`${address}/else`)).status).toBe(404)
    } finally {
      await place.remove()
    }
  }
})

test('a signature is for what it was made of, and nothing else', async () => {
  const place = await httpPlace({ hmacKey: 'key' })
  try {
    const sink = place.open()
    await sink.open(machine())
    const headers = () =>
      authHeaders({ hmacKey: 'key' }, 'GET', `/v1/marks?machine=${machine(1).id}`, new Uint8Array(0))
    const ask = (id: string) => fetch(`http://127.0.0.1:${place.port}/v1/marks?machine=${id}`, { headers: headers() })
    expect([(await ask(machine(1).id)).status, (await ask(machine(2).id)).status]).toEqual([200, 401])
  } finally {
    await place.remove()
  }
})

test('a body that is too large, packed or unpacked, is refused; so is what is no batch', async () => {
  const place = await httpPlace({ token: 't' }, { bodyBytes: 20_000, unpackedBytes: 100_000 })
  try {
    const send = (body: Uint8Array, more: Record<string, string> = { 'content-encoding': 'gzip' }) =>
      fetch(`http://127.0.0.1:${place.port}/v1/batches`, {
        method: 'POST',
        headers: { ...authHeaders({ token: 't' }, 'POST', '/v1/batches', body), ...more },
        body,
      }).then(({ status }) => status)
    const bomb = gzipSync(Buffer.alloc(10_000_000))
    expect(await send(bomb)).toBe(413)
    expect(await send(Buffer.alloc(30_000), {})).toBe(413)
    expect(await send(Buffer.from('not gzip'))).toBe(400)
    for (const text of ['', '{', '[]', '{"id":"x"}', '{"id":"x","machine":{"id":"../../etc"}}']) {
      expect(await send(gzipSync(text))).toBe(400)
    }
    const foreign = { ...row(0), machine: machine(2).id, content: '{}' }
    expect(await send(gzipSync(JSON.stringify({ id: 'x', machine: machine(), rows: [foreign], marks: [] })))).toBe(400)
    expect(await place.rows()).toEqual([])
  } finally {
    await place.remove()
  }
})

test('off this machine only encrypted, and no password in an address (X9)', () => {
  expect(() => httpSink('http://annals.example.com')).toThrow(/only encrypted/)
  expect(() => httpSink('https://ana:secret@annals.example.com')).toThrow(/password/)
  expect(() => httpSink('https://ana:secret@annals.example.com')).not.toThrow(/secret/)
  expect(() => httpSink('nonsense')).toThrow(/"nonsense" is not an address/)
  expect(() => httpSink('https://annals.example.com')).not.toThrow()
  for (const token of ['', ' x', 'x\n', 'größe']) {
    expect(() => httpSink('https://annals.example.com', { token })).toThrow(/cannot carry/)
  }
})

test('busy, broken, gone and reset pass by themselves; a redirect and nonsense do not', async () => {
  const told = (status: number, headers: Record<string, string> = {}, body = '{"message":"Later."}') =>
    withServer(
      (_, response) => response.writeHead(status, headers).end(body),
      (address) => troubleOf(httpSink(address).marks(machine().id)),
    )
  expect(await told(503)).toMatchObject({ passes: true, retryAfterMs: undefined })
  expect(await told(429, { 'retry-after': '7' })).toMatchObject({ passes: true, retryAfterMs: 7000 })
  expect((await told(500)).message).toContain('Later.')
  expect(await told(400)).toMatchObject({ passes: false })
  expect(await told(302, { location: 'http://127.0.0.1:1/' })).toMatchObject({ passes: false })
  expect(await told(200, {}, '<html>')).toMatchObject({ passes: false })
  const reset = withServer(
    (request) => request.socket.resetAndDestroy(),
    (address) => troubleOf(httpSink(address).deliver(batch('x', [row(0)]))),
  )
  expect(await reset).toMatchObject({ passes: true })
  const closed = await withServer(
    () => {},
    async (address) => address,
  )
  expect(await troubleOf(httpSink(closed).open(machine()))).toMatchObject({ passes: true })
})

const hasOpenssl = spawnSync('openssl', ['version']).status === 0

test.skipIf(!hasOpenssl)('a certificate that nobody vouches for is a sentence, and nothing is sent (X9)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'annals-tls-'))
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name)) as [string, string]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '1', ...subject]
  execFileSync('openssl', made, { stdio: 'ignore' })
  const sink = new MemorySink()
  const receiver = await startReceiver(
    { sink, credentials: { token: 't' } },
    { host: '127.0.0.1', port: 0, tls: { cert: readFileSync(cert), key: readFileSync(key) } },
  )
  try {
    const trouble = await troubleOf(
      httpSink(`https://localhost:${receiver.port}`, { token: 't' }).deliver(batch('x', [row(0)])),
    )
    expect(trouble).toMatchObject({ passes: false })
    expect(trouble.message).toMatch(/certificate of localhost:\d+ is signed by nobody but itself/)
    expect(trouble.hint).toContain('NODE_EXTRA_CA_CERTS')
    expect(sink.batches).toEqual([])
  } finally {
    await receiver.close()
    rmSync(folder, { recursive: true })
  }
})

/** Passes bytes on, and every time it is told to, cuts the line when the answer to a delivery comes. */
async function cuttingProxy(port: number, isCut: () => boolean) {
  const server = createTcp((near) => {
    const far = connect(port, '127.0.0.1')
    let isDelivery = false
    near.on('data', (data) => {
      if (data.includes('POST /v1/batches')) isDelivery = true
      far.write(data)
    })
    far.on('data', (data) => {
      if (isDelivery && isCut()) {
        near.resetAndDestroy()
        far.destroy()
      } else near.write(data)
    })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: portOf(server), close: () => server.close() }
}

test('answers that are lost after the batch was taken double nothing (T5); 1,000 rounds by ANNALS_ROUNDS', async () => {
  const rounds = Number(process.env.ANNALS_ROUNDS ?? 20)
  const place = await httpPlace({ token: 't' })
  let lost = 0
  let isTurn = false
  const proxy = await cuttingProxy(place.port, () => {
    isTurn = !isTurn
    if (isTurn) lost += 1
    return isTurn
  })
  try {
    await withRoot({ [LOG]: '' }, async ({ source, append }) => {
      const collector = collectorOf(source(), httpSink(`http://127.0.0.1:${proxy.port}`, { token: 't' }))
      await collector.start()
      for (let round = 0; round < rounds; round++) {
        append(LOG, line(round) + line(round + 100_000))
        await collector.pass()
      }
      const rows = await place.rows()
      expect(rows.length).toBe(2 * rounds)
      expect(new Set(rows.map(({ offset }) => offset)).size).toBe(2 * rounds)
      expect(lost).toBeGreaterThanOrEqual(rounds / 2)
    })
  } finally {
    proxy.close()
    await place.remove()
  }
}, 600_000)
