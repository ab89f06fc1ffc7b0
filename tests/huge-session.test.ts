import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Library } from '../src/disk/library.ts'
import { show } from '../src/ops/show.ts'

const root = mkdtempSync(join(tmpdir(), 'annals-huge-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const TURNS = 21
const ANSWERS = 1000
const session = '0b9a2c1e-1111-4222-8333-444455556666'
const uuidOf = (row: number) => `00000000-0000-4000-8000-${String(row).padStart(12, '0')}`

/** More rows and more responses than are held at a time. */
function writeLog(): void {
  const lines = Array.from({ length: TURNS * (ANSWERS + 1) }, (_, row) => {
    const at = row % (ANSWERS + 1)
    const said = {
      id: `msg_${row}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-4-5-20251101',
      content: [{ type: 'text', text: `Answer ${row}` }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    }
    const own =
      at === 0
        ? { type: 'user', message: { role: 'user', content: `Question ${row}` } }
        : { type: 'assistant', requestId: `req_${row}`, message: said }
    return JSON.stringify({
      parentUuid: row === 0 ? null : uuidOf(row - 1),
      isSidechain: false,
      userType: 'external',
      cwd: '/home/ana/p',
      sessionId: session,
      version: '2.1.325',
      uuid: uuidOf(row),
      timestamp: new Date(Date.UTC(2026, 2, 1) + row * 1000).toISOString(),
      ...own,
    })
  })
  const folder = join(root, 'projects', '-home-ana-p')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${session}.jsonl`), `${lines.join('\n')}\n`)
}

test('a session too long to be held is shown whole, with what each turn cost', async () => {
  writeLog()
  const rest = { cwd: root, home: root, currentSession: undefined, warn: () => {}, progress: () => {} }
  const context = { library: new Library({ roots: [root] }), now: new Date('2026-03-08T12:00:00Z'), ...rest }
  const { turns, totalTurns } = await show.run(context, { session })
  expect(totalTurns).toBe(TURNS)
  turns.forEach((turn, number) => {
    const first = number * (ANSWERS + 1)
    expect(turn.prompt?.text).toBe(`Question ${first}`)
    const answers = Array.from({ length: ANSWERS }, (_, at) => `Answer ${first + 1 + at}`)
    expect(Array.from(turn.items, (item) => (item.kind === 'text' ? item.text : item.kind))).toEqual(answers)
    expect(turn.usage).toMatchObject({ inputTokens: ANSWERS, outputTokens: 2 * ANSWERS })
    // Five dollars for a million tokens of input, twenty-five for output.
    expect(turn.costUsd).toBeCloseTo((ANSWERS * (5 + 2 * 25)) / 1e6, 9)
  })
  expect(JSON.parse(JSON.stringify(turns[20])).items).toHaveLength(ANSWERS)
  // Its items are not held, and reading them is no secret of a field: they are iterated, as often as one likes.
  const last = turns[20] as (typeof turns)[number]
  expect(Array.isArray(last.items)).toBe(false)
  expect([...last.items]).toEqual([...last.items])
  const fields = Object.values(Object.getOwnPropertyDescriptors(last))
  expect(fields.filter((field) => field.get !== undefined)).toEqual([])
})
