import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Answer } from './op-runner.ts'
import { openWorkerPool, type WorkerPool } from './worker-pool.ts'

const setup = { roots: [], cwd: '/', home: '/', configDir: undefined, cacheDir: undefined, currentSession: undefined }

/** A thread that does as it is told. */
const SCRIPT = `
import { appendFileSync } from 'node:fs'
import { parentPort, threadId } from 'node:worker_threads'
process.on('exit', () => appendFileSync(new URL('ended', import.meta.url), threadId + '\\n'))
parentPort.on('message', (told) => {
  if (told === 'end') process.exit()
  if (told.update) return
  const { op } = told.question
  if (op === 'exit') process.exit(1)
  if (op === 'throw') throw new Error('inside')
  while (op === 'hang') {}
  parentPort.postMessage({ progress: { op, doneBytes: 1, totalBytes: 2 } })
  parentPort.postMessage({ answer: { status: 200, body: new TextEncoder().encode(op === 'who' ? String(threadId) : op) } })
})
`

const folder = mkdtempSync(join(tmpdir(), 'annals-pool-'))
const script = join(folder, 'worker.mjs')
const heard: string[] = []
let pool: WorkerPool

beforeAll(() => {
  writeFileSync(script, SCRIPT)
  pool = openWorkerPool(setup, {
    script,
    threads: 2,
    timeLimitMs: 1000,
    longOps: new Set(),
    onProgress: (op) => heard.push(op),
  })
})
afterAll(async () => {
  await pool.close()
  rmSync(folder, { recursive: true, force: true })
})

function ask(op: string, signal?: AbortSignal): Promise<Answer> {
  return pool.ask({ op, input: {} }, signal)
}

function told({ status, body }: Answer): readonly [number, string] {
  return [status, new TextDecoder().decode(body)]
}

describe('a pool with threads', () => {
  test('answers many questions, each with its own answer, and tells how far they are', async () => {
    const names = Array.from({ length: 50 }, (_, i) => `q${i}`)
    const answers = await Promise.all(names.map((name) => ask(name)))
    expect(answers.map(told)).toEqual(names.map((name) => [200, name]))
    expect(new Set(heard)).toEqual(new Set(names))
  })

  test('a thread that dies takes one question with it, and is replaced', async () => {
    for (const op of ['exit', 'throw', 'exit', 'throw', 'exit']) {
      const { status, body, bug } = await ask(op)
      expect(status).toBe(500)
      expect(new TextDecoder().decode(body)).not.toContain('inside')
      expect(bug).toMatch(/inside|ended by itself/)
      expect(told(await ask('after'))).toEqual([200, 'after'])
    }
  })

  test('what takes too long is stopped; others are answered meanwhile', async () => {
    const hanging = ask('hang')
    expect(told(await ask('quick'))).toEqual([200, 'quick'])
    const [status, body] = told(await hanging)
    expect([status, JSON.parse(body).error.code]).toEqual([503, 'TOO_SLOW'])
    expect(told(await ask('after'))).toEqual([200, 'after'])
  })

  test('a question that nobody waits for any more is not begun', async () => {
    const blocking = [ask('hang'), ask('hang')]
    const gone = new AbortController()
    const dropped = ask('dropped', gone.signal)
    gone.abort()
    await Promise.all(blocking)
    expect((await dropped).status).toBe(503)
    expect(heard).not.toContain('dropped')
  })

  test('there is an end to what may wait', async () => {
    const asked = [ask('hang'), ask('hang'), ...Array.from({ length: 250 }, () => ask('x'))]
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(200)
  })

  test('a thread that nobody needs any more ends; the one that worked last stays', async () => {
    const resting = openWorkerPool(setup, {
      script,
      threads: 2,
      timeLimitMs: 9000,
      longOps: new Set(),
      spareMs: 20,
      onProgress: () => {},
    })
    const who = async () => told(await resting.ask({ op: 'who', input: {} }))[1]
    const both = await Promise.all([who(), who()])
    expect(new Set(both).size).toBe(2)
    const ended = () => both.filter((id) => readFileSync(join(folder, 'ended'), 'utf8').split('\n').includes(id))
    await vi.waitFor(() => expect(ended()).toHaveLength(1), { timeout: 20_000 })
    expect(both).toContain(await who())
    expect(ended()).not.toContain(await who())
    await resting.close()
  })
})
