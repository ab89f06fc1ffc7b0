import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exportJob, filesOf } from '../../tests/exporting.ts'
import { inFolder } from '../../tests/support/made-folder.ts'
import { createRedactor } from '../redact/redactor.ts'
import { steps } from './steps.ts'

const ID = '3f9a1b2c-0000-4000-8000-000000000001'
const LOG = `root/projects/-code-api/${ID}.jsonl`
const at = (second: number) => `2026-11-01T10:00:${String(second).padStart(2, '0')}.000Z`
const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

const user = (uuid: string, parentUuid: string | null, second: number, content: unknown, more: object = {}) => ({
  type: 'user',
  uuid,
  parentUuid,
  sessionId: ID,
  timestamp: at(second),
  message: { role: 'user', content },
  ...more,
})
const assistant = (
  uuid: string,
  parentUuid: string,
  second: number,
  content: readonly object[],
  more: object = {},
) => ({
  ...user(uuid, parentUuid, second, content, more),
  type: 'assistant',
  message: { role: 'assistant', id: `m-${uuid}`, model: 'claude-opus-5', content },
})
const call = (id: string, command: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command } })
const result = (id: string, content: string, isError = false) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  is_error: isError,
})

const rows = [
  { type: 'file-history-snapshot', messageId: 'u1', snapshot: {} },
  { type: 'queue-operation', operation: 'enqueue', timestamp: at(0), sessionId: ID },
  user('u1', null, 1, 'Please build it'),
  assistant('a1', 'u1', 2, [{ type: 'thinking', thinking: 'hm' }]),
  assistant('a2', 'a1', 3, [{ type: 'text', text: 'I will.' }, call('t1', 'make')]),
  { type: 'system', subtype: 'turn_duration', uuid: 's1', timestamp: at(4) },
  user('r1', 'a2', 8, [result('t1', 'made', false)]),
  assistant('x1', 'u1', 9, [{ type: 'text', text: 'of an agent' }], { isSidechain: true }),
  user('r1', 'a2', 8, [result('t1', 'made', false)]),
  assistant('a3', 'r1', 10, [call('t2', 'make test')]),
  user('r2', 'a3', 12, [result('t2', 'Exit code 2', true)]),
  assistant('a4', 'r2', 13, [{ type: 'text', text: 'It fails.' }]),
]

async function exported(folder: string, to?: string) {
  const job = await exportJob(join(folder, 'root'), to === undefined ? {} : { folder: to })
  return filesOf(steps, job.sessions[0] as (typeof job.sessions)[number], job)
}

/** Exports into a folder as the command does. */
async function update(folder: string): Promise<{ readonly steps: string; readonly metadata: string }> {
  const to = join(folder, 'out')
  mkdirSync(to, { recursive: true })
  for (const [name, bytes] of await exported(folder, to)) {
    mkdirSync(dirname(join(to, name)), { recursive: true })
    writeFileSync(join(to, name), bytes)
  }
  return {
    steps: readFileSync(join(to, ID, 'steps.jsonl'), 'utf8'),
    metadata: readFileSync(join(to, ID, 'metadata.json'), 'utf8'),
  }
}

test('every block is a step; what frago leaves out is left out', () =>
  inFolder({ [LOG]: lines(rows) }, async (folder) => {
    const files = await exported(folder)
    const [name, content] = [...files][0] as [string, Buffer]
    expect([...files.keys()]).toEqual([`${ID}/steps.jsonl`, `${ID}/metadata.json`])
    expect(name).toBe(`${ID}/steps.jsonl`)
    const made = String(content)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const made1 = { toolUseId: 't1', name: 'Bash', status: 'success', durationMs: 5000 }
    const made2 = { toolUseId: 't2', name: 'Bash', status: 'error', durationMs: 2000 }
    const step = (
      stepId: number,
      rawUuid: string,
      parentUuid: string | null,
      type: string,
      second: number,
      summary: string,
      toolCall: object | null = null,
    ) => ({
      stepId,
      sessionId: ID,
      rawUuid,
      parentUuid,
      type,
      timestamp: at(second),
      summary,
      toolCall,
    })
    expect(made).toEqual([
      step(1, 'u1', null, 'user_message', 1, 'Please build it'),
      step(2, 'a2', 'a1', 'assistant_message', 3, 'I will.'),
      step(3, 'a2', 'a1', 'tool_call', 3, 'Bash: make', made1),
      step(4, 'r1', 'a2', 'tool_result', 8, 'made', made1),
      step(5, 'a3', 'r1', 'tool_call', 10, 'Bash: make test', made2),
      step(6, 'r2', 'a3', 'tool_result', 12, 'Exit code 2', made2),
      step(7, 'a4', 'r2', 'assistant_message', 13, 'It fails.'),
    ])
    const metadata = JSON.parse(String([...files.values()][1]))
    expect(metadata).toMatchObject({
      schema: 'annals/steps/1',
      sessionId: ID,
      steps: 7,
      types: { user_message: 1, assistant_message: 2, tool_call: 2, tool_result: 2 },
      redacted: false,
      log: { bytes: lines(rows).length },
    })
  }))

test('summaries have 200 characters, and no secret however it is cut', () =>
  inFolder(
    { [LOG]: lines([user('u1', null, 1, `${'w'.repeat(190)} ${`gh${'p_'}${'a1B2c3D4e5F6'.repeat(3)}`}`)]) },
    async (folder) => {
      const job = await exportJob(join(folder, 'root'), { redactor: createRedactor({ key: new Uint8Array(32) }) })
      const [content] = (await filesOf(steps, job.sessions[0] as (typeof job.sessions)[number], job)).values()
      const { summary } = JSON.parse(String(content))
      expect(summary).toBe(`${'w'.repeat(190)} [REDACTED`)
    },
  ))

test('a call that was not answered is pending, and is told anew when it was', () =>
  inFolder({ [LOG]: lines(rows.slice(0, 10)) }, async (folder) => {
    const before = await update(folder)
    expect(JSON.parse(before.steps.trim().split('\n').at(-1) as string).toolCall).toEqual({
      toolUseId: 't2',
      name: 'Bash',
      status: 'pending',
      durationMs: null,
    })
    appendFileSync(join(folder, LOG), lines(rows.slice(10)))
    const after = await update(folder)
    const [whole, metadata] = (await exported(folder)).values()
    expect(after).toEqual({ steps: String(whole), metadata: String(metadata) })
  }))

test('a log that grew keeps its steps, and one that did not is left alone', () =>
  inFolder({ [LOG]: lines(rows.slice(0, 8)) }, async (folder) => {
    const before = await update(folder)
    const files = async () => {
      const job = await exportJob(join(folder, 'root'), { folder: join(folder, 'out') })
      const made = []
      for await (const file of steps.session?.(job.sessions[0] as (typeof job.sessions)[number], job) ?? [])
        made.push(file)
      return made
    }
    expect((await files()).map(({ isUnchanged }) => isUnchanged)).toEqual([true, true])
    appendFileSync(join(folder, LOG), lines(rows.slice(8)))
    const [grown] = await files()
    expect(grown).toMatchObject({ replaces: true, isUnchanged: false, added: 3 })
    const after = await update(folder)
    expect(after.steps.startsWith(before.steps)).toBe(true)
    expect(after.steps.trim().split('\n')).toHaveLength(7)
  }))

test('a log that was rewritten, and steps that someone changed, are made anew', () =>
  inFolder({ [LOG]: lines(rows) }, async (folder) => {
    await update(folder)
    writeFileSync(join(folder, LOG), lines(rows.slice(0, 7)))
    expect((await update(folder)).steps).toBe(String([...(await exported(folder)).values()][0]))
    writeFileSync(join(folder, 'out', ID, 'steps.jsonl'), 'not ours\n')
    expect((await update(folder)).steps).toBe(String([...(await exported(folder)).values()][0]))
    writeFileSync(join(folder, 'out', ID, 'metadata.json'), '{"schema":"something else"}')
    const job = await exportJob(join(folder, 'root'), { folder: join(folder, 'out') })
    for await (const file of steps.session?.(job.sessions[0] as (typeof job.sessions)[number], job) ?? []) {
      expect(file.replaces).toBe(false)
    }
  }))

test('exporting again and again gives what exporting once at the end gives', async () => {
  const text = lines(rows)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(text.length), { maxLength: 6 }), (cuts) =>
      inFolder({ [LOG]: '' }, async (folder) => {
        let done = 0
        for (const cut of [...cuts, text.length].sort((a, b) => a - b)) {
          appendFileSync(join(folder, LOG), text.slice(done, cut))
          done = cut
          await update(folder)
        }
        const [whole, metadata] = (await exported(folder)).values()
        expect(await update(folder)).toEqual({ steps: String(whole), metadata: String(metadata) })
      }),
    ),
    { numRuns: 15 },
  )
})
