import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { authHeaders, type Credentials } from '../src/collector/auth.ts'
import { HeldMemory } from '../src/collector/receiver/held-memory.ts'
import { type Receiver, type ReceiverOptions, startReceiver } from '../src/collector/receiver/start.ts'
import { readCollectSettings } from '../src/collector/settings.ts'
import { SinkTrouble } from '../src/collector/sink.ts'
import { postgresSink } from '../src/collector/sinks/postgres.ts'
import { batchToJson } from '../src/collector/wire.ts'
import { openReceiver } from '../src/ops/receive.ts'
import { batch, machine, row } from './collector/made-batches.ts'
import { MemorySink } from './collector/memory-sink.ts'
import { hasPostgres, newDatabase, testCluster, withoutPostgres } from './postgres.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-running-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const START = { host: '127.0.0.1', port: 0 }
const TOKEN = { token: 't' }

async function withReceiver(more: Partial<ReceiverOptions>, use: (receiver: Receiver) => Promise<void>) {
  const receiver = await startReceiver({ sink: new MemorySink(), credentials: TOKEN, ...more }, START)
  try {
    await use(receiver)
  } finally {
    await receiver.close()
  }
}

const get = (port: number, path: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${port}${path}`, { headers })

function send(port: number, body: Uint8Array, credentials: Credentials = TOKEN) {
  const headers = authHeaders(credentials, 'POST', '/v1/batches', body)
  const packed = { 'content-encoding': 'gzip', 'content-type': 'application/json' }
  return fetch(`http://127.0.0.1:${port}/v1/batches`, { method: 'POST', headers: { ...headers, ...packed }, body })
}

const packed = (id: string, more: Parameters<typeof row>[1] = {}) =>
  gzipSync(JSON.stringify(batchToJson(batch(id, [row(0, more)]))))

describe('tokens that change while it runs', () => {
  const configDir = join(folder, 'config')
  const set = (value: object | string) =>
    writeFileSync(join(configDir, 'collect.json'), typeof value === 'string' ? value : JSON.stringify(value))

  test('a new one is taken without a restart, two at once speak for the same machine, and one that is gone is refused', async () => {
    mkdirSync(configDir, { recursive: true })
    const said: string[] = []
    let time = Date.now()
    const asked = { cwd: '/', home: '/', configDir, dataDir: join(folder, 'data'), access: {}, newToken: 'n' }
    set({ tokens: [{ token: 'old' }] })
    const onLog = (line: string) => void said.push(line)
    const receiver = await openReceiver({
      ...{ ...asked, ...START, isPublic: false, onLog, onBug: () => {} },
      to: `folder:${join(folder, 'out')}`,
      now: () => time,
    })
    const status = async (token: string, id: string) => {
      time += 1_500
      return (await send(receiver.port, packed(id), { token })).status
    }
    try {
      expect([await status('old', '1'), await status('new', '2')]).toEqual([200, 401])
      set({ tokens: [{ token: ['new', 'old'] }] })
      // The machine was settled with the old one: the new one speaks for it too, and for no other.
      expect([await status('new', '3'), await status('old', '4')]).toEqual([200, 200])
      const other = gzipSync(JSON.stringify(batchToJson(batch('5', [], { machine: machine(2) }))))
      time += 1_500
      expect((await send(receiver.port, other, { token: 'new' })).status).toBe(403)
      set('{ "tokens": [')
      expect([await status('new', '6'), await status('old', '7')], 'nonsense changes nothing').toEqual([200, 200])
      expect(said.some((line) => JSON.parse(line).level === 'error' && /cannot be used/.test(line))).toBe(true)
      set({ tokens: [{ token: 'new' }] })
      expect([await status('new', '8'), await status('old', '9')]).toEqual([200, 401])
      expect(said.join('')).not.toMatch(/"(old|new)"/)
    } finally {
      await receiver.close()
    }
  })

  test('a line has one secret or two, and what cannot be meant is a sentence', () => {
    set({ tokens: [{ hmacKey: ['a', 'b'], machine: machine(1).id }] })
    expect(readCollectSettings(configDir).tokens).toMatchObject([
      { hmacKey: 'a', machine: machine(1).id, line: 0 },
      { hmacKey: 'b', machine: machine(1).id, line: 0 },
    ])
    for (const token of [[], ['a', 'b', 'c'], ['a', 7], ['a', ''], ['a', 'a']]) {
      set({ tokens: [{ token }] })
      expect(() => readCollectSettings(configDir), JSON.stringify(token)).toThrow(/cannot be used/)
    }
  })
})

describe('what is said of it', () => {
  test('figures for Prometheus: requests, refusals by reason, records, lag; and each line of them is one that it reads', async () => {
    const now = () => Date.parse('2026-11-14T10:10:00.000Z')
    const said: string[] = []
    await withReceiver({ now, onLog: (line) => void said.push(line) }, async ({ port }) => {
      const at = (credentials: Credentials, body: Uint8Array, when = now()) => {
        const headers = authHeaders(credentials, 'POST', '/v1/batches', body, when)
        const encoding = { 'content-encoding': 'gzip' }
        return fetch(`http://127.0.0.1:${port}/v1/batches`, {
          method: 'POST',
          headers: { ...headers, ...encoding },
          body,
        })
      }
      const body = packed('one', { timestamp: '2026-11-14T10:00:00.000Z' })
      await at(TOKEN, body)
      await at(TOKEN, packed('one'))
      await at({ token: 'x' }, body)
      await at(TOKEN, body, now() - 3_600_000)
      await at(TOKEN, Buffer.from('not gzip'))
      await get(port, '/nowhere')
      const response = await get(port, '/metrics')
      expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
      const text = await response.text()
      const value = (name: string) =>
        Number(
          text
            .split('\n')
            .find((line) => line.startsWith(`${name} `))
            ?.split(' ')[1],
        )
      expect(value('annals_receiver_requests_total{route="/v1/batches",status="200"}')).toBe(2)
      expect(value('annals_receiver_refusals_total{reason="unknown-key"}')).toBe(1)
      expect(value('annals_receiver_refusals_total{reason="clock"}')).toBe(1)
      expect(value('annals_receiver_refusals_total{reason="not-gzip"}')).toBe(1)
      expect(value('annals_receiver_refusals_total{reason="not-found"}')).toBe(1)
      expect(value('annals_receiver_batches_total')).toBe(2)
      expect(value('annals_receiver_records_total')).toBe(2)
      expect(value('annals_receiver_records_added_total')).toBe(1)
      // Ten minutes after the newest record was written.
      expect(value('annals_receiver_lag_seconds_bucket{le="300"}')).toBe(0)
      expect(value('annals_receiver_lag_seconds_bucket{le="900"}')).toBe(2)
      expect(value('annals_receiver_lag_seconds_count')).toBe(2)
      expect(value('annals_receiver_store_up')).toBe(1)
      expect(value('annals_receiver_connections')).toBeGreaterThan(0)
      expect(value('annals_receiver_machines')).toBe(1)
      const SAMPLE = /^[a-z_]+(\{[a-z]+="[^"\\\n]*"(,[a-z]+="[^"\\\n]*")*\})? [0-9.e+-]+$/
      for (const line of text.trimEnd().split('\n')) {
        expect(line).toMatch(/^#/.test(line) ? /^# (HELP|TYPE) annals_receiver_\w+ \S/ : SAMPLE)
      }
      expect(text).not.toMatch(/ana|machine-0001/)
    })
    const lines = said.map((line) => JSON.parse(line))
    expect(lines.map(({ route, status, reason }) => [route, status, reason])).toEqual([
      ['/v1/batches', 200, undefined],
      ['/v1/batches', 200, undefined],
      ['/v1/batches', 401, 'unknown-key'],
      ['/v1/batches', 401, 'clock'],
      ['/v1/batches', 400, 'not-gzip'],
      ['other', 404, 'not-found'],
      ['/metrics', 200, undefined],
    ])
    expect(lines[0]).toMatchObject({ level: 'info', records: 1, added: 1, lagMs: 600_000, machine: machine().id })
    for (const line of said) expect(line.endsWith('\n') && line.indexOf('\n') === line.length - 1).toBe(true)
  })

  test('where others can reach it, figures are for who shows the token; knocking for ever fills no log', async () => {
    await withReceiver({ isPublic: true }, async ({ port }) => {
      expect((await get(port, '/metrics')).status).toBe(401)
    })
    const said: string[] = []
    const now = () => 1_000_000
    await withReceiver(
      { isPublic: true, metricsToken: 'm', now, onLog: (line) => void said.push(line) },
      async ({ port }) => {
        expect((await get(port, '/metrics', { authorization: 'Bearer x' })).status).toBe(401)
        expect((await get(port, '/metrics', { authorization: 'Bearer m' })).status).toBe(200)
        for (let round = 0; round < 80; round++) await get(port, '/v1/marks?machine=machine-0001')
      },
    )
    expect(said.length).toBeLessThan(60)
  })

  test('/v1/health asks the store, at most once in two seconds', async () => {
    const sink = new MemorySink()
    let asked = 0
    let isDown = false
    const check = async () => {
      asked += 1
      if (isDown) throw new SinkTrouble('It is gone.', { passes: true })
    }
    let time = 0
    await withReceiver({ sink: Object.assign(sink, { check }), now: () => time }, async ({ port }) => {
      const health = async () => {
        const response = await get(port, '/v1/health')
        return [response.status, await response.json()]
      }
      expect(await health()).toEqual([200, { ok: true, store: 'up' }])
      isDown = true
      expect(await health()).toEqual([200, { ok: true, store: 'up' }])
      expect(asked).toBe(1)
      time += 3_000
      expect(await health()).toEqual([503, { ok: false, store: 'down' }])
      expect(await (await get(port, '/metrics')).text()).toContain('annals_receiver_store_up 0\n')
    })
  })

  const cluster = hasPostgres ? testCluster() : undefined
  afterAll(() => cluster?.remove())
  test.skipIf(!hasPostgres)(
    `a PostgreSQL that answers is up, one that is not there is down${withoutPostgres}`,
    async () => {
      if (!cluster) return
      const url = cluster.url(newDatabase(cluster))
      let time = 0
      const sink = postgresSink(url)
      await withReceiver({ sink, now: () => time }, async ({ port }) => {
        const status = async () => {
          time += 3_000
          return (await get(port, '/v1/health')).status
        }
        expect(await status()).toBe(200)
      })
      const gone = postgresSink('postgres://nobody@127.0.0.1:1/none')
      await withReceiver({ sink: gone }, async ({ port }) => {
        expect((await get(port, '/v1/health')).status).toBe(503)
      })
    },
    60_000,
  )
})

describe('attacks', () => {
  /** A connection that says something, and when it was ended by the other side. */
  function knock(port: number, words: string): { readonly socket: Socket; readonly ended: Promise<string> } {
    const socket = connect(port, '127.0.0.1', () => socket.write(words))
    let said = ''
    socket.on('data', (data) => {
      said += data
    })
    socket.on('error', () => {})
    return { socket, ended: new Promise((resolve) => socket.once('close', () => resolve(said))) }
  }

  test('slow heads: who never ends a request is cut off, and others are answered meanwhile', async () => {
    await withReceiver({ limits: { headMs: 700, halfSent: 20 } }, async ({ port }) => {
      const slow = Array.from({ length: 60 }, () => knock(port, 'POST /v1/batches HTTP/1.1\r\nHost: x\r\nX-a: '))
      const drip = setInterval(() => {
        for (const { socket } of slow) if (!socket.destroyed) socket.write('a')
      }, 100)
      expect((await send(port, packed('one'))).status).toBe(200)
      const answers = await Promise.all(slow.map(({ ended }) => ended))
      clearInterval(drip)
      expect(answers.every((said) => said === '' || said.startsWith('HTTP/1.1 408'))).toBe(true)
      expect((await send(port, packed('two'))).status).toBe(200)
    })
  }, 30_000)

  test('no more connections than may be', async () => {
    await withReceiver({ limits: { connections: 3 } }, async ({ port }) => {
      const open = Array.from({ length: 10 }, () => knock(port, ''))
      const ended = await Promise.race([Promise.any(open.map(({ ended }) => ended)), undefined])
      expect(ended === undefined || ended === '').toBe(true)
      await new Promise((resolve) => setTimeout(resolve, 300))
      expect(open.filter(({ socket }) => !socket.destroyed).length).toBeLessThanOrEqual(3)
      for (const { socket } of open) socket.destroy()
    })
  })

  test('bombs: a body that unpacks to far more than it is costs no more than may be held', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, 0x20))
    expect(bomb.length).toBeLessThan(300_000)
    await withReceiver({ limits: { unpackedBytes: 8 * 1024 * 1024 } }, async ({ port }) => {
      const before = process.memoryUsage.rss()
      const all = await Promise.all(Array.from({ length: 12 }, () => send(port, bomb)))
      expect(new Set(all.map(({ status }) => status))).toEqual(new Set([413]))
      expect(process.memoryUsage.rss() - before).toBeLessThan(150 * 1024 * 1024)
    })
  })

  test('what requests hold together has an end: whoever comes then is told to come again', async () => {
    const sink = new MemorySink()
    let go = () => {}
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    let entered = () => {}
    const isIn = new Promise<void>((resolve) => {
      entered = resolve
    })
    sink.onDeliver = () => {
      entered()
      return gate
    }
    const tokens = ['t', 'other'].map((token) => ({ token, person: 'ana' }))
    await withReceiver({ sink, credentials: {}, tokens, limits: { memoryBytes: 100_000 } }, async ({ port }) => {
      const large = packed('large', { content: Buffer.from(`{"text":"${'x'.repeat(50_000)}"}`) })
      // Whoever is alone may always go on.
      const first = send(port, large)
      await isIn
      const who = machine(2)
      const second = gzipSync(
        JSON.stringify(batchToJson(batch('second', [row(0, { machine: who.id })], { machine: who }))),
      )
      const refused = await send(port, second, { token: 'other' })
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
      expect(await (await get(port, '/metrics')).text()).toMatch(/held_bytes [1-9]\d{5}/)
      go()
      expect((await first).status).toBe(200)
      expect((await send(port, second, { token: 'other' })).status).toBe(200)
      expect(await (await get(port, '/metrics')).text()).toMatch(/held_bytes 0\n/)
    })
  })

  test('what is held is given back, whatever was taken', () => {
    const memory = new HeldMemory(10)
    const [one, two] = [memory.share(), memory.share()]
    expect([one.take(6), two.take(4), two.take(1), memory.bytes]).toEqual([true, true, false, 10])
    one.release()
    expect([two.take(100), memory.bytes]).toEqual([true, 104])
    two.release()
    expect(memory.bytes).toBe(0)
  })
})

test('a second receiver of a folder does not start, whoever runs it; one whose folder was taken over takes nothing', async () => {
  const out = join(folder, 'shared')
  const configDir = join(folder, 'config-shared')
  mkdirSync(configDir, { recursive: true })
  writeFileSync(join(configDir, 'collect.json'), JSON.stringify({ tokens: [{ token: 't' }] }))
  const start = (name: string) =>
    openReceiver({
      ...{ cwd: '/', home: '/', configDir, access: {}, newToken: 'n', ...START, isPublic: false, onBug: () => {} },
      dataDir: join(folder, name),
      to: `folder:${out}`,
    })
  const one = await start('one')
  try {
    await expect(start('two')).rejects.toThrow(`Another receiver writes into ${out}, and a folder has one.`)
    expect((await send(one.port, packed('a'))).status).toBe(200)
    writeFileSync(join(out, '_annals', 'receiver', 'lock'), '{"pid":1}')
    expect((await send(one.port, packed('b'))).status).toBe(503)
    rmSync(join(out, '_annals', 'receiver', 'lock'))
  } finally {
    await one.close()
  }
  const two = await start('two')
  await two.close()
})

test('a connection that is cut is a line of the log, and no bug', async () => {
  const said: string[] = []
  const bugs: unknown[] = []
  const onLog = (line: string) => void said.push(line)
  await withReceiver({ onLog, onBug: (error) => void bugs.push(error) }, async ({ port }) => {
    const socket = connect(port, '127.0.0.1')
    const shown = Object.entries(authHeaders(TOKEN, 'POST', '/v1/batches', Buffer.from('half')))
    const named = shown.map(([name, value]) => `${name}: ${value}`)
    const head = ['POST /v1/batches HTTP/1.1', 'Host: x', ...named, 'Content-Length: 1000']
    await new Promise<void>((resolve) => socket.write(`${head.join('\r\n')}\r\n\r\nhalf`, () => resolve()))
    while ((await get(port, '/v1/health')).status !== 200);
    socket.destroy()
    for (let waited = 0; !said.some((line) => line.includes('"cut"')) && waited < 5000; waited += 20)
      await new Promise((resolve) => setTimeout(resolve, 20))
  })
  expect(bugs).toEqual([])
  expect(said.filter((line) => line.includes('/v1/batches')).map((line) => JSON.parse(line).reason)).toEqual(['cut'])
})
