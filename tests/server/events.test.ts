import { appendFileSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openLibrary } from '../../src/history/compose.ts'
import { search } from '../../src/ops/search.ts'
import { jsonOf, type Served, serveDemo } from './served.ts'

let served: Served
let project: string
beforeAll(async () => {
  served = await serveDemo({ streams: 4, keepAliveMs: 50 })
  project = join(served.root, 'projects', '-home-ana-live')
  mkdirSync(project)
})
afterAll(() => served.remove())

interface Event {
  readonly event: string | undefined
  readonly id: string | undefined
  readonly data: { readonly [name: string]: unknown }
}

/** A stream as a browser reads it: event by event, and what it would say when it comes back. */
async function listen(query: string, headers: Record<string, string> = {}) {
  const stop = new AbortController()
  const answer = await fetch(`${served.origin}/api/events${query}`, {
    headers: { Authorization: `Bearer ${served.server.token}`, ...headers },
    signal: stop.signal,
  })
  const events: Event[] = []
  const raw: string[] = []
  let lastId = ''
  let isOpen = true
  const reading = (async () => {
    let text = ''
    for await (const bytes of answer.body as unknown as AsyncIterable<Uint8Array>) {
      text += new TextDecoder().decode(bytes)
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        const block = text.slice(0, end)
        text = text.slice(end + 2)
        raw.push(block)
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
        lastId = field('id') ?? lastId
        const data = field('data')
        if (data !== undefined) events.push({ event: field('event'), id: field('id'), data: JSON.parse(data) })
      }
    }
  })()
    .catch(() => {})
    .finally(() => {
      isOpen = false
    })
  const until = async (isThere: () => boolean) => {
    for (let i = 0; i < 1500 && !isThere(); i += 1) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(isThere()).toBe(true)
  }
  return {
    answer,
    events,
    raw,
    until,
    lastId: () => lastId,
    isOpen: () => isOpen,
    rows: () => events.filter(({ event }) => event === 'rows'),
    async close() {
      stop.abort()
      await reading
    },
  }
}

function row(i: number): string {
  return `${JSON.stringify({ type: 'user', uuid: `u${i}`, message: { role: 'user', content: `row ${i} ${'é'.repeat(i % 7)}` } })}\n`
}

test('who comes back goes on where it was: every row once, none missed', async () => {
  const id = 'cccccccc-0000-4000-8000-000000000001'
  const file = join(project, `${id}.jsonl`)
  writeFileSync(file, row(0) + row(1))
  let written = row(0) + row(1)
  let next = 2
  const append = (text: string) => {
    appendFileSync(file, text)
    written += text
  }
  let records = 0
  let reached = 0
  let last = ''
  for (let round = 0; round < 4; round += 1) {
    const stream = await listen(`?session=${id}&from=0`, last === '' ? {} : { 'Last-Event-ID': last })
    append(row(next++))
    append(row(next++) + row(next++))
    // Half a row waits for its newline, also while nobody listens.
    const half = row(next++)
    append(half.slice(0, 25))
    const whole = Buffer.byteLength(written.slice(0, written.lastIndexOf('\n') + 1))
    await stream.until(() => Number(stream.lastId()) === whole)
    for (const { id: at, data } of stream.rows()) {
      expect(Number(at)).toBe(data.offset)
      expect(Number(at)).toBeGreaterThan(reached)
      reached = Number(at)
      records += data.records as number
    }
    last = stream.lastId()
    await stream.close()
    append(half.slice(25) + row(next++))
  }
  const end = await listen(`?session=${id}&from=0`, { 'Last-Event-ID': last })
  await end.until(() => Number(end.lastId()) === Buffer.byteLength(written))
  records += end.rows().reduce((sum, { data }) => sum + (data.records as number), 0)
  expect(records).toBe(next)
  await end.close()
})

test('without an offset it begins at the end, and says where that is before anything happens', async () => {
  const id = 'cccccccc-0000-4000-8000-000000000002'
  writeFileSync(join(project, `${id}.jsonl`), row(0) + row(1))
  const stream = await listen(`?session=${id}`)
  await stream.until(() => stream.lastId() === String(Buffer.byteLength(row(0) + row(1))))
  expect(stream.rows()).toEqual([])
  expect(stream.answer.headers.get('content-type')).toBe('text/event-stream')
  await stream.close()
})

test('a log that is written anew is told as such, then read from its start', async () => {
  const id = 'cccccccc-0000-4000-8000-000000000003'
  const file = join(project, `${id}.jsonl`)
  writeFileSync(file, row(0) + row(1) + row(2))
  const stream = await listen(`?session=${id}`)
  await stream.until(() => stream.lastId() !== '')
  truncateSync(file, 0)
  appendFileSync(file, row(3))
  await stream.until(() => stream.rows().length > 0)
  const kinds = stream.events.map(({ event }) => event).filter((event) => event !== 'change' && event !== 'index')
  expect(kinds).toEqual(['rewritten', 'rows'])
  rmSync(file)
  await stream.until(() => stream.events.some(({ event }) => event === 'gone') && !stream.isOpen())
})

test('one stream follows several sessions, each by its name; one that is not there is gone, and the others go on', async () => {
  const ids = [5, 6].map((i) => `cccccccc-0000-4000-8000-00000000000${i}`)
  const [one, other] = ids.map((id) => join(project, `${id}.jsonl`)) as [string, string]
  writeFileSync(one, row(0))
  writeFileSync(other, row(0) + row(1))
  const at = Buffer.byteLength(row(0))
  const stream = await listen(`?session=${ids[0]}&from=${at}&session=${ids[1]}&from=${at}&session=none-such&from=0`)
  const rowsOf = (id: string | undefined) => stream.rows().filter(({ data }) => data.session === id)
  await stream.until(() => rowsOf(ids[1]).length === 1)
  appendFileSync(one, row(1))
  await stream.until(() => rowsOf(ids[0]).length === 1)
  expect(rowsOf(ids[0])[0]?.data).toMatchObject({ offset: Buffer.byteLength(row(0) + row(1)), records: 1 })
  const gone = () => stream.events.filter(({ event }) => event === 'gone').map(({ data }) => data.session)
  expect(gone()).toEqual(['none-such'])
  rmSync(one)
  await stream.until(() => gone().includes(ids[0]))
  appendFileSync(other, row(2))
  await stream.until(() => rowsOf(ids[1]).length === 2)
  await stream.close()
})

test('the index is made without a search, and every stream is told how far it is', async () => {
  const stream = await listen('')
  const states = () => stream.events.filter(({ event }) => event === 'index').map(({ data }) => data)
  await stream.until(() => states().some(({ doneBytes, totalBytes }) => doneBytes === totalBytes))
  await stream.close()
  const late = await listen('')
  await late.until(() => late.events.some(({ event }) => event === 'index'))
  await late.close()
  // A search that does not index finds all of it there.
  const cacheDir = join(served.folder, 'cache')
  const library = openLibrary([served.root], () => {})
  const context = { library, cacheDir, now: new Date(), cwd: '', home: '', currentSession: undefined, isIndexing: true }
  const look = async () => {
    const asked = { ...context, warn: () => {}, progress: () => {} }
    const { total, behindBytes } = await search.run(asked, { query: ['refresh'] })
    expect(total).toBeGreaterThan(0)
    expect(behindBytes).toBe(0)
  }
  // What the test before this one wrote may be on its way.
  await vi.waitFor(look, { timeout: 30_000, interval: 100 })
  library.close()
})

test('a change in any log names its session, new ones too', async () => {
  const stream = await listen('')
  const id = 'cccccccc-0000-4000-8000-000000000004'
  const named = () =>
    stream.events.some(({ event, data }) => event === 'change' && (data.sessions as string[]).includes(id))
  await stream.until(() => stream.raw.length > 0)
  writeFileSync(join(project, `${id}.jsonl`), row(0))
  await stream.until(named)
  await stream.close()
})

test('a quiet stream is kept alive', async () => {
  const stream = await listen('')
  await stream.until(() => stream.raw.filter((block) => block.startsWith(': ')).length >= 2)
  await stream.close()
})

test('an unknown session, an offset that is none, or a path are refused with a sentence', async () => {
  for (const [query, status] of [
    ['?session=ffffffff-ffff', 404],
    ['?session=%2Fetc%2Fpasswd', 404],
    ['?session=last&from=-1', 400],
    ['?session=last&from=x', 400],
    ['?nonsense=1', 400],
  ] as const) {
    const answer = await served.get(`/api/events${query}`)
    expect(answer.status, query).toBe(status)
    expect((await jsonOf(answer)).error.message, query).toMatch(/\.$/)
  }
})

test('so many streams and no more; one that ends makes room', async () => {
  const streams = await Promise.all(Array.from({ length: 4 }, () => listen('')))
  for (const stream of streams) await stream.until(() => stream.raw.length > 0)
  expect((await served.get('/api/events')).status).toBe(503)
  await streams[0]?.close()
  for (let status = 503; status === 503; ) {
    const again = await listen('')
    status = again.answer.status
    await again.close()
  }
  for (const stream of streams) await stream.close()
})

test('asking only for the head of a stream opens none', async () => {
  const answer = await fetch(`${served.origin}/api/events`, {
    method: 'HEAD',
    headers: { Authorization: `Bearer ${served.server.token}` },
  })
  expect(answer.status).toBe(405)
})

test('streams end when the server does', async () => {
  const other = await serveDemo()
  const answer = await other.get('/api/events?session=last')
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  await other.remove()
  for (let read = await reader.read(); !read.done; ) read = await reader.read()
})
