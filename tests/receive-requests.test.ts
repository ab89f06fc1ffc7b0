import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { authHeaders, type Credentials, keyIdOf } from '../src/collector/auth.ts'
import { Nonces } from '../src/collector/receiver/nonces.ts'
import { type Receiver, type ReceiverOptions, startReceiver } from '../src/collector/receiver/start.ts'
import { batchToJson } from '../src/collector/wire.ts'
import { batch, row } from './collector/made-batches.ts'
import { MemorySink } from './collector/memory-sink.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-requests-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const NOW = Date.parse('2026-11-15T12:00:00.000Z')
const MINUTE = 60_000
const START = { host: '127.0.0.1', port: 0 }

async function withReceiver(
  more: Partial<ReceiverOptions>,
  use: (receiver: Receiver, sink: MemorySink) => Promise<void>,
) {
  const sink = new MemorySink()
  const receiver = await startReceiver({ sink, credentials: {}, now: () => NOW, ...more }, START)
  try {
    await use(receiver, sink)
  } finally {
    await receiver.close()
  }
}

/** The bytes of a delivery, as a collector would send them at a time. */
function delivery(credentials: Credentials, now: number, id = 'one') {
  const body = gzipSync(JSON.stringify(batchToJson(batch(id, [row(0)]))))
  return { body, headers: authHeaders(credentials, 'POST', '/v1/batches', body, now) }
}

async function send(
  { port }: Receiver,
  { headers, body }: { headers: Readonly<Record<string, string>>; body: Uint8Array },
) {
  const response = await fetch(`http://127.0.0.1:${port}/v1/batches`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body,
  })
  return `${response.status} ${((await response.json()) as { message?: string }).message ?? ''}`.trim()
}

/** What is answered to the headers of a large body of which not one byte follows. */
function answerToHeaders({ port }: Receiver, headers: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      const lines = Object.entries({ host: 'x', 'content-length': String(4 * 1024 * 1024), ...headers })
      socket.write(`POST /v1/batches HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
    })
    const timer = setTimeout(() => {
      socket.destroy()
      resolve('no answer before the body came')
    }, 10_000)
    socket.on('error', reject)
    socket.once('data', (data) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(data.toString('utf8').split('\r\n')[0] ?? '')
    })
  })
}

test('who is not known is answered before a byte of the body came, however many keys there are', async () => {
  const tokens = Array.from({ length: 3_000 }, (_, at) => ({ hmacKey: `key ${at}` }))
  await withReceiver({ tokens }, async (receiver) => {
    const bytes = new Uint8Array(0)
    const made = (credentials: Credentials, now = NOW) => authHeaders(credentials, 'POST', '/v1/batches', bytes, now)
    const refused = 'HTTP/1.1 401 Unauthorized'
    expect(await answerToHeaders(receiver, {})).toBe(refused)
    expect(await answerToHeaders(receiver, { 'x-annals-signature': 'sha256=00' })).toBe(refused)
    expect(await answerToHeaders(receiver, made({ hmacKey: 'of nobody' }))).toBe(refused)
    expect(await answerToHeaders(receiver, made({ hmacKey: 'key 7' }, NOW - 6 * MINUTE))).toBe(refused)
    expect(await answerToHeaders(receiver, { ...made({ hmacKey: 'key 7' }), 'x-annals-content-sha256': 'other' })).toBe(
      refused,
    )
    // The name of a key is known to whoever saw a request; the key itself is not.
    expect(await answerToHeaders(receiver, { ...made({ hmacKey: 'wrong' }), 'x-annals-key': keyIdOf('key 7') })).toBe(
      refused,
    )
  })
})

test('a request is taken within five minutes of its time, before and after, and told what is wrong otherwise', async () => {
  for (const credentials of [{ token: 't' }, { hmacKey: 'k' }]) {
    await withReceiver({ credentials }, async (receiver, sink) => {
      const at = (minutes: number) => send(receiver, delivery(credentials, NOW + minutes * MINUTE, String(minutes)))
      for (const minutes of [-4.9, 0, 4.9]) expect(await at(minutes)).toBe('200')
      for (const minutes of [-5.1, 5.1]) {
        expect(await at(minutes)).toMatch(
          /^401 The request was made at 2026-11-15T1[12]:.*, and here it is 2026-11-15T12:00:00\.000Z: is a clock wrong\?$/,
        )
      }
      expect(
        await send(receiver, {
          ...delivery(credentials, NOW),
          headers: { ...delivery(credentials, NOW).headers, 'x-annals-time': 'soon' },
        }),
      ).toMatch(/^401 The request was made at no time/)
      expect(sink.batches.length).toBe(3)
    })
  }
})

test('a request is taken once, also by a receiver that was started anew', async () => {
  for (const [credentials, name] of [
    [{ token: 't' }, 'token'],
    [{ hmacKey: 'k' }, 'key'],
  ] as const) {
    const stateFolder = mkdtempSync(join(folder, name))
    const first = delivery(credentials, NOW)
    // Its clock is ahead, so its request could come again long after.
    const ahead = delivery(credentials, NOW + 4 * MINUTE, 'ahead')
    const again = '401 This request came before; each is taken once.'
    await withReceiver({ credentials, stateFolder }, async (receiver, sink) => {
      for (const one of [first, ahead])
        expect([await send(receiver, one), await send(receiver, one)]).toEqual(['200', again])
      expect(sink.batches.length).toBe(2)
    })
    expect(statSync(join(stateFolder, 'nonces')).mode & 0o077).toBe(0)
    await withReceiver({ credentials, stateFolder, now: () => NOW + MINUTE }, async (receiver, sink) => {
      expect(await send(receiver, first)).toBe(again)
      expect(await send(receiver, ahead)).toBe(again)
      expect(sink.batches).toEqual([])
      expect(await send(receiver, delivery(credentials, NOW + MINUTE, 'new'))).toBe('200')
    })
  }
})

test('a body that is not the one that was signed is refused', async () => {
  await withReceiver({ credentials: { hmacKey: 'k' } }, async (receiver, sink) => {
    const { headers } = delivery({ hmacKey: 'k' }, NOW)
    const { body } = delivery({ hmacKey: 'k' }, NOW, 'another')
    expect(await send(receiver, { headers, body })).toBe('401 The body is not the one that was signed.')
    expect(sink.batches).toEqual([])
  })
})

test('a request without a key id, a time and a nonce is refused', async () => {
  await withReceiver({ credentials: { token: 't', hmacKey: 'k' } }, async (receiver, sink) => {
    const { body } = delivery({}, NOW)
    for (const headers of [{}, { authorization: 'Bearer t' }, { 'x-annals-signature': 'sha256=00' }]) {
      const answer = await send(receiver, { headers, body })
      expect(answer).toBe('401 A token or key is missing, or the time and nonce of the request.')
    }
    expect(sink.batches).toEqual([])
  })
})

test('who a token is for is remembered when the receiver is started anew', async () => {
  const stateFolder = mkdtempSync(join(folder, 'bound'))
  const credentials = { token: 't' }
  await withReceiver({ credentials, stateFolder }, async (receiver) => {
    expect(await send(receiver, delivery(credentials, NOW))).toBe('200')
  })
  expect(readFileSync(join(stateFolder, 'bindings.json'), 'utf8')).not.toContain('"t"')
  await withReceiver({ credentials, stateFolder }, async (receiver, sink) => {
    const who = { id: 'machine-0002', user: 'ana', name: null }
    const body = gzipSync(JSON.stringify(batchToJson(batch('x', [], { machine: who }))))
    const headers = authHeaders(credentials, 'POST', '/v1/batches', body, NOW)
    expect(await send(receiver, { headers, body })).toBe('403 This token or key is not for machine machine-0002.')
    expect(sink.batches).toEqual([])
  })
})

test('what is remembered has an end: who asks too often waits, and what is too old to come again is forgotten', () => {
  const path = join(folder, 'few')
  const nonces = new Nonces(path, 0, { perKey: 2, total: 3 })
  const take = (key: string, nonce: string, now: number) => nonces.take(key, nonce, now + 5 * MINUTE, now)
  expect([take('a', '1', 0), take('a', '2', 0), take('a', '2', 0), take('a', '3', 0)]).toEqual([
    'new',
    'new',
    'known',
    'full',
  ])
  expect([take('b', '1', 0), take('b', '2', 0)]).toEqual(['new', 'full'])
  expect([take('a', '1', 5 * MINUTE), take('a', '3', 6 * MINUTE + 1)]).toEqual(['known', 'new'])
  nonces.close()
  expect(readFileSync(path, 'utf8').split('\n').filter(Boolean).length).toBe(1)
  const later = new Nonces(path, 7 * MINUTE, { perKey: 2, total: 3 })
  expect(later.take('a', '3', 12 * MINUTE, 7 * MINUTE)).toBe('known')
  later.close()
})
