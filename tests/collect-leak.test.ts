import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Choices } from '../src/collector/choices.ts'
import type { Sink } from '../src/collector/sink.ts'
import { folderSink } from '../src/collector/sinks/folder.ts'
import { httpSink } from '../src/collector/sinks/http.ts'
import type { Cluster } from '../src/collector/sinks/postgres/cluster.ts'
import { postgresSink } from '../src/collector/sinks/postgres.ts'
import { annals, temporaryFolder } from './cli/annals.ts'
import { ALL, collectorOf, FACTS, MemoryState } from './collector/made-collector.ts'
import { ID, LOG, line, type MadeRoot, withRoot } from './collector/made-root.ts'
import { hasPostgres, newDatabase, testCluster, withoutPostgres } from './postgres.ts'

const TALK = Array.from({ length: 30 }, (_, at) => line(at, `my salary is ${48_000 + at} a year`)).join('')
const SHORT = 'projects/-p/bbbb2222-0000-4000-8000-000000000002.jsonl'
const AGENT = `projects/-p/${ID}/subagents/agent-a1.jsonl`
const LOGS = [LOG, SHORT, AGENT, 'history.jsonl']
const FILES = {
  [LOG]: TALK,
  [SHORT]: line(90, 'yes'),
  [AGENT]: `${line(91, 'asked', { agentId: 'a1', isSidechain: true })}torn { and not JSON\n${line(92, 'x'.repeat(9_000))}`,
  [`projects/-p/${ID}/subagents/agent-a1.meta.json`]: '{"agentType":"Explore","description":"find my salary"}',
  'history.jsonl': `{"display":"what is my salary?","timestamp":1763114400000,"sessionId":"${ID}"}\n`,
}
const PROMPTS: Choices = { ...FACTS, content: 'prompts' }

let cluster: Cluster
beforeAll(() => {
  if (hasPostgres) cluster = testCluster()
})
afterAll(() => cluster?.remove())

/** Every short name that somebody could make of the bytes of a log, without a key. */
function namesOf(made: MadeRoot) {
  const digests = new Set<string>()
  const base64 = new Set<string>()
  const sums = new Set<string>()
  for (const path of LOGS.filter((one) => existsSync(join(made.root, one)))) {
    const bytes = readFileSync(join(made.root, path))
    const ends = [...bytes.keys()].filter((at) => bytes[at] === 0x0a)
    const starts = [0, ...ends.map((end) => end + 1)]
    const lengths = new Set([...Array.from({ length: 1200 }, (_, at) => at + 1), 2048, 4096, 8192, ...starts, ...ends])
    const pieces = [
      ...[...lengths]
        .filter((length) => length > 0 && length <= bytes.length)
        .map((length) => bytes.subarray(0, length)),
      ...[...lengths].filter((length) => length > 0 && length <= bytes.length).map((length) => bytes.subarray(-length)),
      // What lies before a place where somebody paused, as far back as a window reaches.
      ...starts.flatMap((end) => [1024, 4096].map((size) => bytes.subarray(Math.max(0, end - size), end))),
      ...ends.flatMap((end, at) => [bytes.subarray(starts[at], end), bytes.subarray(starts[at], end + 1)]),
    ].filter((piece) => piece.length > 0)
    for (const piece of pieces) {
      for (const kind of ['sha256', 'sha1', 'md5', 'sha512']) {
        const digest = createHash(kind).update(piece).digest()
        digests.add(digest.toString('hex').slice(0, HEX))
        base64.add(digest.toString('base64').slice(0, BASE64))
        base64.add(digest.toString('base64url').slice(0, BASE64))
      }
      const sum = crc32(piece)
      sums
        .add(String(sum))
        .add(String(sum | 0))
        .add(sum.toString(16))
        .add(sum.toString(16).padStart(8, '0'))
    }
  }
  return { digests, base64, sums }
}

const HEX = 16
const BASE64 = 14

/** What of the logs can be recognised in what left. */
function leaks(made: MadeRoot, left: string, { digests, base64, sums } = namesOf(made)): readonly string[] {
  const found: string[] = []
  for (const [run] of left.matchAll(/[0-9a-f]{16,}/gi)) {
    for (let at = 0; at + HEX <= run.length; at++) {
      const window = run.slice(at, at + HEX).toLowerCase()
      if (digests.has(window)) found.push(window)
    }
  }
  for (const [run] of left.matchAll(/[\w+/-]{14,}/g)) {
    for (let at = 0; at + BASE64 <= run.length; at++) {
      if (base64.has(run.slice(at, at + BASE64))) found.push(run.slice(at, at + BASE64))
    }
  }
  for (const [word] of left.matchAll(/(?<![\w.])-?[0-9a-f]{6,10}(?![\w.])/gi))
    if (sums.has(word.toLowerCase())) found.push(word)
  for (const path of LOGS.filter((one) => existsSync(join(made.root, one)))) {
    const { dev, ino, mtimeMs } = statSync(join(made.root, path))
    for (const one of [`${dev}:${ino}`, `"ino":${ino}`, String(mtimeMs)]) if (left.includes(one)) found.push(one)
  }
  return found
}

async function run(made: MadeRoot, sink: Sink, choices: Choices, state = new MemoryState()): Promise<void> {
  const source = made.source(choices)
  // A line too long to hold leaves as its place and a hash.
  const collector = collectorOf(source, sink, { choices, state, reading: { chunkBytes: 512, maxLineBytes: 4_000 } })
  await collector.start()
  await collector.pass()
  source.close()
}

const text = (bytes: Uint8Array) => {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b
  return Buffer.from(isPacked ? gunzipSync(bytes) : bytes).toString('utf8')
}

/** Each way out, and all that has left by it. */
const WAYS: Readonly<Record<string, (use: (sink: Sink) => Promise<void>) => Promise<string>>> = {
  async 'a folder'(use) {
    const folder = mkdtempSync(join(tmpdir(), 'annals-leak-'))
    try {
      await use(folderSink(folder))
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      const files = names.filter((name) => statSync(join(folder, name)).isFile())
      return [...names, ...files.map((name) => text(readFileSync(join(folder, name))))].join('\n')
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
  async 'a receiver'(use) {
    const asked: string[] = []
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      asked.push(`${request.url}\n${JSON.stringify(request.headers)}\n${text(Buffer.concat(chunks))}`)
      response.end(request.method === 'GET' ? '{"marks":[]}' : '{"added":1}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const sink = httpSink(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`)
    try {
      await use(sink)
    } finally {
      await sink.close()
      server.closeAllConnections()
      server.close()
    }
    return asked.join('\n')
  },
  async 'a team store'(use) {
    const database = newDatabase(cluster)
    const sink = postgresSink(cluster.url(database))
    await use(sink)
    await sink.close()
    const tables = [
      'machine',
      'mark',
      'record',
      'response',
      'tool_call',
      'document',
      'session',
      'billed',
      'log',
      'held',
      'doc',
    ]
    const kept = tables.map((name) => cluster.psql(`select t::text from annals.${name} t`, database)).join('\n')
    return `${kept}\n${cluster.psql("select convert_from(content, 'UTF8') from annals.record", database)}`
  },
}

test.each(
  Object.keys(WAYS).flatMap((way) => [FACTS, PROMPTS, ALL].map((choices) => [way, choices.content, choices] as const)),
)(
  'no hash that was made without a key of anything in a log leaves, nor an inode: to %s, content %s',
  async (way, _, choices) => {
    if (way === 'a team store' && !hasPostgres) return expect(withoutPostgres).not.toBe('')
    await withRoot(FILES, async (made) => {
      const left = await (WAYS[way] as (typeof WAYS)[string])(async (sink) => {
        await run(made, sink, choices)
        made.append(LOG, line(99, 'and grown'))
        await run(made, sink, choices)
      })
      expect(left, 'something has left').toContain('00000000-0000-4000-8000-000000000029')
      expect(left.includes('salary')).toBe(choices.content !== 'none')
      expect(leaks(made, left)).toEqual([])
    })
  },
  120_000,
)

test('what the test looks for is found where it is', () =>
  withRoot(FILES, async (made) => {
    const bytes = readFileSync(join(made.root, LOG))
    const head = createHash('sha256').update(bytes.subarray(0, 1024)).digest()
    const { dev, ino } = statSync(join(made.root, LOG))
    const names = namesOf(made)
    for (const left of [
      `{"headHash":"${head.toString('hex')}"}`,
      `{"id":"${head.toString('hex').slice(0, 20)}"}`,
      `{"headHash":"${head.toString('base64')}"}`,
      `{"prefixSum":${crc32(bytes)},"a":1}`,
      `{"inode":"${dev}:${ino}"}`,
      createHash('md5').update(line(3, 'my salary is 48003 a year').trimEnd()).digest('hex'),
    ]) {
      expect(leaks(made, left, names).length, left).toBeGreaterThan(0)
    }
  }))

test('--dry-run shows all that leaves, byte for byte', async () => {
  const folder = temporaryFolder()
  try {
    await withRoot(FILES, async ({ root }) => {
      const bodies: Record<string, unknown>[] = []
      const server = createServer(async (request, response) => {
        const chunks: Buffer[] = []
        for await (const chunk of request) chunks.push(chunk)
        if (request.method === 'POST') bodies.push(JSON.parse(text(Buffer.concat(chunks))))
        response.end(request.method === 'GET' ? '{"marks":[]}' : '{"added":1}')
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const address = server.address()
      const to = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
      const env = { ANNALS_HOME: join(folder.path, 'home') }
      const args = ['collect', '--to', to, '--root', root, '--json', '--content', 'none']
      const { preview } = JSON.parse(annals([...args, '--dry-run', '--limit', '1000'], { env }).stdout)
      expect(bodies, 'nothing was sent').toEqual([])
      const cli = join(import.meta.dirname, '../dist/cli.cjs')
      const child = spawn(process.execPath, [cli, ...args], {
        env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ...env },
        stdio: 'ignore',
      })
      expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0)
      server.closeAllConnections()
      server.close()
      // What says that it was us who came is made at random each time.
      const token = /"path":"[0-9a-f-]{36}"/
      const same = (part: object) => JSON.stringify(part).replace(token, '"path":""')
      const shown = new Set<string>(preview.map((one: string) => one.replace(token, '"path":""')))
      const [who, ...batches] = bodies as [object, ...Record<string, readonly object[]>[]]
      expect(shown.has(JSON.stringify(who))).toBe(true)
      let parts = 1
      for (const { id, machine, rows, documents, marks, tombstones } of batches) {
        expect(shown).toContain(JSON.stringify({ id, tombstones }))
        expect(machine).toEqual(who)
        for (const part of [...(rows ?? []), ...(documents ?? []), ...(marks ?? [])]) {
          expect(shown).toContain(same(part))
          parts += 1
        }
        parts += 1
      }
      expect(parts).toBe(shown.size)
      expect(batches.flatMap(({ marks }) => marks ?? []).length).toBeGreaterThan(3)
    })
  } finally {
    folder.remove()
  }
}, 120_000)
