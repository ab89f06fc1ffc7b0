import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { httpSink } from '../src/collector/sinks/http.ts'
import { openReceiver } from '../src/ops/receive.ts'
import { batch, machine, marksOf, row } from './collector/made-batches.ts'
import { clickhousePlace, type Engine, noClickHouse, startClickHouse } from './support/clickhouse.ts'
import { clickhousePeer } from './support/clickhouse-peer.ts'

/** `annals receive --to …` for the time of a test. */
async function receiving<T>(to: string, use: (url: string, token: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-receive-'))
  const receiver = await openReceiver({
    to,
    access: { clickhousePassword: 'pass-4711' },
    cwd: folder,
    home: folder,
    configDir: folder,
    dataDir: folder,
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    format: undefined,
    isPublic: false,
    newToken: 'a-token-of-this-run',
    onBug: (error: unknown) => {
      throw error
    },
  } as Parameters<typeof openReceiver>[0])
  try {
    return await use(`http://127.0.0.1:${receiver.port}`, 'a-token-of-this-run')
  } finally {
    await receiver.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

test('a receiver passes on what machines send, with the password of the environment', async () => {
  const peer = await clickhousePeer(() => undefined)
  try {
    await receiving(peer.url, async (url, token) => {
      const sink = httpSink(url, { token })
      await sink.open(machine())
      expect(await sink.deliver(batch('one', [row(0), row(1)]))).toMatchObject({ added: 2, deadLetters: [] })
      await sink.close()
    })
    const [rows] = peer.inserts().filter(({ table }) => table === 'record')
    expect(rows?.rows.map(({ offset }) => offset)).toEqual([0, 100])
    expect(rows?.headers.authorization).toBe(`Basic ${Buffer.from('box:pass-4711').toString('base64')}`)
  } finally {
    await peer.close()
  }
})

describe.skipIf(noClickHouse !== undefined)('a receiver before ClickHouse', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await startClickHouse()
  }, 300_000)
  afterAll(() => engine?.stop())

  test('has rows and marks of a machine there, each once', async () => {
    const place = clickhousePlace(engine)
    try {
      await receiving(place.url, async (url, token) => {
        const sink = httpSink(url, { token })
        await sink.open(machine())
        const rows = [row(0), row(1)]
        const one = batch('one', rows)
        const added = [await sink.deliver(one), await sink.deliver(one)].map((done) => done.added)
        expect(added).toEqual([2, 0])
        expect(await sink.marks(machine().id)).toEqual(marksOf(rows))
        await sink.close()
      })
      expect((await place.rows()).length).toBe(2)
    } finally {
      await place.remove()
    }
  }, 120_000)
})
