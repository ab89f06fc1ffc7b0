import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { textKey } from '../src/core/facts/row-key.ts'
import { openLibrary } from '../src/history/compose.ts'
import { sessions } from '../src/ops/sessions.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-row-keys-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Ids that people and tests write by hand count at their front, and end in the same twelve digits. */
const uuid = (n: number) => `${String(n).padStart(8, '0')}-0000-4000-8000-000000000001`
const SESSIONS = [uuid(101), uuid(102), uuid(103)] as const

/** A prompt and its answer. The prompt of the third session looks like no uuid of a client, so that the parser reads it. */
function conversation(session: string, n: number): readonly object[] {
  const common = { sessionId: session, cwd: '/home/ana/api', version: '2.1.325', isSidechain: false }
  const [prompt, answer] = [n === 3 ? `row-${uuid(n)}` : uuid(n), uuid(10 + n)]
  const usage = { input_tokens: 10, output_tokens: 5 }
  const message = { id: `msg_${n}`, model: 'claude-opus-5-5', role: 'assistant', stop_reason: 'end_turn', usage }
  return [
    {
      ...common,
      type: 'user',
      uuid: prompt,
      parentUuid: null,
      timestamp: `2026-03-0${n}T09:00:00.000Z`,
      message: { role: 'user', content: `Question ${n}` },
    },
    {
      ...common,
      type: 'assistant',
      uuid: answer,
      parentUuid: prompt,
      timestamp: `2026-03-0${n}T09:00:05.000Z`,
      requestId: `req_${n}`,
      message: { ...message, content: [{ type: 'text', text: `Answer ${n}` }] },
    },
  ]
}

function write(dir: string, session: string, rows: readonly object[]): void {
  const project = join(dir, 'projects', '-home-ana-api')
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, `${session}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
}

test('a summary titles the session that has its leaf, whatever other uuids end in', async () => {
  const dir = join(folder, 'root')
  for (const [i, session] of SESSIONS.entries()) write(dir, session, conversation(session, i + 1))
  const titles = SESSIONS.map((_, i) => ({ type: 'summary', summary: `Title ${i + 1}`, leafUuid: uuid(11 + i) }))
  write(dir, uuid(104), titles)
  const library = openLibrary([dir], () => {})
  const never = { warn: () => {}, progress: () => {} }
  const now = new Date('2026-03-09T12:00:00Z')
  const context = { library, now, cwd: dir, home: dir, currentSession: undefined, cacheDir: join(folder, 'cache') }
  const { items } = await sessions.run({ ...context, ...never }, { full: true })
  library.close()
  const told = new Map(items.map(({ id, title }) => [id, title]))
  expect(SESSIONS.map((session) => told.get(session))).toEqual(['Title 1', 'Title 2', 'Title 3'])
})

test('uuids that differ in a digit or two have keys of their own', () => {
  const uuids = new Set<string>()
  for (let n = 0; n < 100_000; n++) {
    const digits = n.toString(16).padStart(8, '0')
    uuids.add(`${digits}-0000-4000-8000-000000000001`)
    uuids.add(`00000000-0000-4000-8000-0000${digits}`)
    uuids.add(`00000000-${digits.slice(0, 4)}-4000-${digits.slice(4)}-000000000000`)
  }
  expect(new Set([...uuids].map(textKey)).size).toBe(uuids.size)
})
