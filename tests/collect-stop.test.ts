import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { receiverRoutes } from '../src/collector/receiver/routes.ts'
import { temporaryFolder } from './cli/annals.ts'
import { rowsIn } from './collector/folder-place.ts'
import { LOG, line } from './collector/made-root.ts'
import { MemorySink } from './collector/memory-sink.ts'

const cli = join(import.meta.dirname, '../dist/cli.cjs')
const folder = temporaryFolder()
const base = join(folder.path, 'base')
/** How often it is told to stop; 200 times by ANNALS_CRASH=all. */
const ROUNDS = process.env.ANNALS_CRASH === 'all' ? 200 : 6
/** What a service manager gives it; two seconds are usual. */
const BOUND_MS = 10_000
const logAt = (number: number) => `projects/-q/bbbb2222-0000-4000-8000-${String(number).padStart(12, '0')}.jsonl`
const FILES = 24
const LINES = 40

beforeAll(() => {
  for (let file = 0; file < FILES; file++) {
    const lines = Array.from({ length: LINES }, (_, at) => line(file * LINES + at, 'x'.repeat(20_000)))
    append(base, logAt(file), lines.join(''))
  }
})
afterAll(folder.remove)

function append(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  appendFileSync(join(root, path), text)
}

const envOf = (place: string, more: Readonly<Record<string, string>> = {}) => ({
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  ANNALS_HOME: join(place, 'home'),
  ...more,
})
const argsOf = (to: string, root: string, more: readonly string[]) => [
  ...[cli, 'collect', '--to', to, '--root', root, '--content', 'all', '--json', ...more],
]

/** Tells a process to stop; gives how long it took. */
async function stop(child: ChildProcess): Promise<number> {
  const ended = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    else child.once('close', () => resolve())
  })
  const at = performance.now()
  child.kill('SIGTERM')
  await ended
  return performance.now() - at
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test(`told to stop at any time it ends soon, and the next run neither misses nor doubles (T32); ${ROUNDS} rounds, 200 by ANNALS_CRASH=all`, async () => {
  const startedAt = performance.now()
  const whole = join(folder.path, 'whole')
  expect(spawnSync(process.execPath, argsOf(`folder:${whole}/out`, base, []), { env: envOf(whole) }).status).toBe(0)
  const runMs = performance.now() - startedAt
  const before = (await rowsIn(join(whole, 'out'))).length
  expect(before).toBe(FILES * LINES)
  let broken = 0
  for (let round = 0; round < ROUNDS; round++) {
    const place = join(folder.path, `place-${round}`)
    const root = join(place, 'root')
    cpSync(base, root, { recursive: true })
    const to = `folder:${join(place, 'out')}`
    const child = spawn(process.execPath, argsOf(to, root, ['--follow']), { env: envOf(place), stdio: 'ignore' })
    // Spread over the first delivery and the time after it, in which others write.
    const until = performance.now() + ((round + 0.5) / ROUNDS) * 2 * runMs
    let written = 0
    for (; performance.now() < until; written++) {
      append(root, LOG, line(written, `live ${written} ${'y'.repeat(5_000)}`))
      await wait(5)
    }
    expect(await stop(child), `round ${round}`).toBeLessThan(BOUND_MS)
    const partly = await rowsIn(join(place, 'out'))
    if (partly.length > 0 && partly.length < before + written) broken += 1
    const next = spawnSync(process.execPath, argsOf(to, root, []), { env: envOf(place), encoding: 'utf8' })
    expect([next.status, next.stderr]).toEqual([0, ''])
    const rows = await rowsIn(join(place, 'out'))
    const keys = rows.map(({ file, generation, offset }) => `${file} ${generation} ${offset}`)
    expect(new Set(keys).size, 'nothing is doubled').toBe(keys.length)
    expect(keys.length, 'nothing is lost').toBe(before + written)
    expect(new Set(rows.map(({ generation }) => generation))).toEqual(new Set([1]))
    rmSync(place, { recursive: true })
  }
  console.log(`collector told to stop ${ROUNDS} times, ${broken} of them half-way`)
  expect(broken, 'some were stopped half-way').toBeGreaterThan(0)
}, 3_600_000)

test.each(['hangs', 'hangs when it is opened', 'is busy'])(
  'told to stop while the destination %s, it ends soon, and nothing is lost or doubled (T32)',
  async (trouble) => {
    const place = join(folder.path, trouble)
    const root = join(place, 'root')
    append(root, LOG, line(1))
    const sink = new MemorySink()
    const app = receiverRoutes({ sink, credentials: { token: 't' } })
    let isIll = false
    let ill = 0
    let asked = 0
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      if (request.method === 'GET') asked += 1
      if (isIll && request.method === 'POST') {
        ill += 1
        if (trouble === 'is busy') response.writeHead(503, { 'retry-after': '3600' }).end('{}')
        return
      }
      await answer(app, request.method ?? '', request.url ?? '', request.headers, Buffer.concat(chunks), response)
      // The first round is over with its first batch.
      if (trouble === 'hangs when it is opened' && request.url === '/v1/batches' && ill === 0) isIll = true
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const to = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
    const env = envOf(place, { ANNALS_COLLECT_TOKEN: 't' })
    const args = (more: readonly string[]) => argsOf(to, root, ['--paths', 'real', ...more])
    const child = spawn(process.execPath, args(['--follow']), { env, stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    child.stdout.on('data', (data) => (said += data))
    while (!said.includes('\n') || !isHeld(place, child.pid)) await wait(20)
    // Until it has asked how far the destination is: what comes then is a delivery.
    while (trouble === 'hangs' && asked < 2) await wait(20)
    isIll = true
    append(root, LOG, line(2))
    while (ill === 0 || (trouble === 'is busy' && !said.includes('took nothing'))) await wait(20)
    expect(await stop(child), trouble).toBeLessThan(BOUND_MS)
    expect(child.exitCode).toBe(130)
    isIll = false
    const next = spawn(process.execPath, args([]), { env, stdio: 'ignore' })
    expect(await new Promise((resolve) => next.once('close', resolve))).toBe(0)
    expect(sink.rows.size).toBe(2)
    server.closeAllConnections()
    server.close()
  },
  120_000,
)

/** Whether the collector that stays has the lock; the first round lets it go. */
function isHeld(place: string, pid: number | undefined): boolean {
  try {
    return JSON.parse(readFileSync(join(place, 'home', 'collect', 'lock'), 'utf8')).pid === pid
  } catch {
    return false
  }
}

async function answer(
  app: ReturnType<typeof receiverRoutes>,
  method: string,
  url: string,
  headers: NodeJS.Dict<string | string[]>,
  body: Buffer,
  response: ServerResponse,
): Promise<void> {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as [string, string]] : [],
  )
  const got = await app.fetch(
    new Request(`http://127.0.0.1${url}`, { method, headers: given, ...(method === 'POST' && { body }) }),
  )
  response.writeHead(got.status, { 'content-type': 'application/json' }).end(Buffer.from(await got.arrayBuffer()))
}
