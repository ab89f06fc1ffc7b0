import { expect, test } from 'vitest'
import { openFirstScreen } from './first-screen.ts'
import type { Answer, Question } from './op-runner.ts'
import type { WorkerPool } from './worker-pool.ts'

/** A pool whose answers are given one by one, by hand. */
function slowPool() {
  const asked: { readonly question: Question; readonly give: (answer: Answer) => void }[] = []
  const pool: Pick<WorkerPool, 'ask'> = {
    ask: (question) => new Promise((give) => asked.push({ question, give })),
  }
  const give = (at: number, text: string, status = 200) =>
    asked[at]?.give({ status, body: new TextEncoder().encode(text) })
  return { pool, asked, give }
}

const textOf = async (answer: Promise<Answer>) => new TextDecoder().decode((await answer).body)

test('the first screen is made before anybody asks, given at once, and made anew behind who asked', async () => {
  const { pool, asked, give } = slowPool()
  const first = openFirstScreen(pool)
  expect(asked.map(({ question }) => question)).toEqual([{ op: 'sessions', input: { limit: 60 } }])
  const early = first.answer()
  give(0, 'one')
  expect(await textOf(early)).toBe('one')
  expect(await textOf(first.answer())).toBe('one')
  expect(asked).toHaveLength(2)
  give(1, 'two')
  await new Promise((done) => setImmediate(done))
  expect(await textOf(first.answer())).toBe('two')
})

test('what failed is told, and not kept', async () => {
  const { pool, asked, give } = slowPool()
  const first = openFirstScreen(pool)
  const early = first.answer()
  give(0, 'no such folder', 500)
  expect((await early).status).toBe(500)
  const again = first.answer()
  expect(asked).toHaveLength(2)
  give(1, 'here')
  expect(await textOf(again)).toBe('here')
})
