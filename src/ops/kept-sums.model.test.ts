import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { openLibrary } from './library.ts'
import type { Context } from './op.ts'
import { sessions } from './sessions.ts'
import { usage } from './usage.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-kept-sums-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const AGES = { now: 0, minutes: 10 * 60_000, month: 30 * 86_400_000 } as const

/** What happens to a root between two looks at it. */
interface Step {
  readonly session: number
  /** An agent's log of that session, or the session's own. */
  readonly agent: boolean
  /** Messages are few, so that sessions often have the same. */
  readonly message: number
  readonly request: number
  readonly output: number
  readonly age: keyof typeof AGES
}

const step: fc.Arbitrary<Step> = fc.record({
  session: fc.nat(3),
  agent: fc.boolean(),
  message: fc.nat(8),
  request: fc.nat(2),
  output: fc.integer({ min: 1, max: 50 }),
  age: fc.constantFrom('now', 'minutes', 'month'),
})

/** Appends a line to a log, which is then as old as the step says. */
function take(root: string, { session, agent, message, request, output, age }: Step, line: number): void {
  const id = `aaaaaaaa-0000-4000-8000-00000000000${session}`
  const project = join(root, 'projects', '-p')
  const path = agent ? join(project, id, 'subagents', 'agent-a1.jsonl') : join(project, `${id}.jsonl`)
  const row = {
    type: 'assistant',
    uuid: `u${line}`,
    parentUuid: null,
    sessionId: id,
    isSidechain: agent,
    timestamp: new Date(Date.UTC(2026, 2, 1, message, line % 60)).toISOString(),
    ...(request > 0 && { requestId: `req_${request}` }),
    message: {
      id: `msg_${message}`,
      model: 'claude-opus-5-5',
      content: [],
      stop_reason: 'end_turn',
      usage: { input_tokens: 10, output_tokens: output },
    },
  }
  mkdirSync(agent ? join(project, id, 'subagents') : project, { recursive: true })
  appendFileSync(path, `${JSON.stringify(row)}\n`)
  const at = (Date.now() - AGES[age]) / 1000
  utimesSync(path, at, at)
}

async function answers(root: string, cacheDir: string | undefined) {
  const library = openLibrary([root], cacheDir, () => {})
  const context: Context = {
    library,
    now: new Date('2026-03-08T12:00:00Z'),
    cwd: root,
    home: root,
    cacheDir,
    currentSession: undefined,
    warn: () => {},
    progress: () => {},
  }
  try {
    const used = await usage.run(context, { by: 'session' })
    const listed = await sessions.run(context, { full: true, all: true })
    const costs = listed.items.map(({ id, costUsd, ownCostUsd }) => ({ id, costUsd, ownCostUsd }))
    return { rows: used.rows, total: used.total, coverage: used.coverage, costs }
  } finally {
    library.close()
  }
}

test('sums and costs are the same with what was kept as without, while logs rest, grow and share responses', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 5 }), async (rounds) => {
      const root = mkdtempSync(join(folder, 'root-'))
      const cacheDir = mkdtempSync(join(folder, 'cache-'))
      mkdirSync(join(root, 'projects'))
      let line = 0
      for (const steps of rounds) {
        for (const one of steps) take(root, one, line++)
        const kept = await answers(root, cacheDir)
        expect(kept).toEqual(await answers(root, undefined))
        expect(await answers(root, cacheDir)).toEqual(kept)
      }
      rmSync(root, { recursive: true })
      rmSync(cacheDir, { recursive: true })
    }),
    { numRuns: 25 },
  )
}, 120_000)
