import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Value } from 'typebox/value'
import { afterAll, describe, expect, test } from 'vitest'
import { parseJson, stringAt } from '../core/json.ts'
import type { Static } from '../core/schema.ts'
import { Library } from '../disk/library.ts'
import type { Context } from '../history/context.ts'
import { linkedAgents } from '../history/family.ts'
import { log } from '../testing/index.ts'
import { record } from './record.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-record-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const root = join(folder, 'root')
const made = log({ sessionId: 'aaaaaaaa-0000-4000-8000-000000000001', attachments: false })
  .user('Where is Zoë?')
  .subagent({ description: 'look', prompt: 'Look.', result: 'Nothing.' })
  .raw({ type: 'api-request-shape', shape: { system: [{ text: 'SECRET' }] } })
  .raw((at) => at.row({ type: 'attachment', attachment: { type: 'prompt_snapshot', content: 'SECRET' } }))
  .raw((at) =>
    at.row({ type: 'attachment', attachment: { type: 'date', date: 'today' }, rendered: [{ content: 'SECRET' }] }),
  )
  .bytes('{"type":"user","uuid":"torn\n')
  .bytes('{"type":"api-request-blob","message":{"content":"SECRET\n')
  .bytes('{"type":"mode","mode":"one"}{"type":"mode","mode":"two"}\n')
const { path } = made.write(root)
const file = join(root, path)
const content = Buffer.from(made.content())
const context: Context = {
  library: new Library({ roots: [root] }),
  now: new Date('2026-03-08T12:00:00Z'),
  cwd: join(root, 'projects'),
  home: folder,
  currentSession: undefined,
  warn: () => {},
  progress: () => {},
}
const recordOf = async (input: Static<typeof record.input>) => {
  const result = (await record.run(context, input)) as Static<typeof record.result>
  expect([...Value.Errors(record.result, result)]).toEqual([])
  return result
}
const offsetOf = (text: string) => content.lastIndexOf('\n', content.indexOf(text)) + 1
const lineOf = (text: string) => content.subarray(0, content.indexOf(text)).toString().split('\n').length

describe('a record', () => {
  const prompt = made.rows().find((row) => row.type === 'user' && JSON.stringify(row).includes('Zoë'))

  test('is found by its uuid, and the start of it', async () => {
    const uuid = stringAt(prompt, 'uuid') ?? ''
    for (const name of [uuid, uuid.slice(0, 12)]) {
      const found = await recordOf({ session: 'last', uuid: name })
      expect(found).toMatchObject({ file, line: lineOf('Zoë'), offset: offsetOf('Zoë'), type: 'user', withheld: false })
      expect(found.raw).toEqual(prompt)
      expect(parseJson(found.text)).toEqual(prompt)
      expect(found.length).toBe(Buffer.byteLength(found.text))
    }
  })

  test('is found in the log of an agent, named or not', async () => {
    const [agent] = linkedAgents(context.library, context.library.sessions()[0] as never)
    const uuid = agent?.nodes[0]?.uuid ?? ''
    const found = await recordOf({ session: `agent-${agent?.id}`, uuid })
    expect(found).toMatchObject({ file: agent?.entry.path, line: 1, offset: 0, raw: { uuid } })
    expect(await recordOf({ session: 'last', uuid })).toEqual(found)
  })

  test('is found by any of its bytes', async () => {
    const uuid = stringAt(prompt, 'uuid') ?? ''
    const found = await recordOf({ session: 'last', uuid })
    for (const offset of [found.offset, found.offset + 5, found.offset + found.length - 1]) {
      expect(await recordOf({ file, offset })).toEqual(found)
    }
    expect(await recordOf({ file: path.replace('projects/', ''), offset: found.offset })).toEqual(found)
  })

  test('is one of two that share a line', async () => {
    const second = content.indexOf('{"type":"mode","mode":"two"}')
    expect(await recordOf({ file, offset: second })).toMatchObject({ offset: second, length: 28, raw: { mode: 'two' } })
    expect(await recordOf({ file, offset: second - 1 })).toMatchObject({ offset: second - 28, raw: { mode: 'one' } })
  })

  test('that cannot be read is given as text', async () => {
    const offset = offsetOf('"torn')
    const torn = { line: lineOf('"torn'), offset, type: null, raw: null, text: '{"type":"user","uuid":"torn' }
    expect(await recordOf({ file, offset })).toMatchObject(torn)
  })
})

describe("the client's own system prompt", () => {
  const secrets = ['api-request-shape', 'prompt_snapshot', 'api-request-blob']
  test.each(secrets)('is withheld: %s', async (text) => {
    const offset = offsetOf(text)
    expect(await recordOf({ file, offset })).toMatchObject({ raw: null, text: '', withheld: true })
    expect((await recordOf({ file, offset, raw: true })).text).toContain('SECRET')
  })

  test('is left out of an attachment', async () => {
    const offset = offsetOf('"rendered"')
    const found = await recordOf({ file, offset })
    expect(found).toMatchObject({ withheld: true, raw: { attachment: { type: 'date' } } })
    expect(JSON.stringify(found)).not.toContain('SECRET')
    expect(await recordOf({ file, offset, raw: true })).toMatchObject({ withheld: false, raw: { rendered: [{}] } })
  })
})

test('reads no file but the logs of its roots', async () => {
  const outside = join(folder, 'outside.jsonl')
  writeFileSync(outside, '{"type":"user"}\n')
  const settings = join(root, 'settings.json')
  writeFileSync(settings, '{}\n')
  for (const other of [outside, settings, '/etc/passwd', `${file}/../../../../outside.jsonl`, 'no such file']) {
    await expect(recordOf({ file: other, offset: 0 })).rejects.toThrow(/is not one of the logs/)
  }
})

test('says what is missing', async () => {
  await expect(recordOf({})).rejects.toThrow(/named by its session and uuid/)
  await expect(recordOf({ session: 'last', uuid: '' })).rejects.toThrow(/named by/)
  await expect(recordOf({ session: 'last', uuid: 'zzz' })).rejects.toThrow(/starts with "zzz"/)
  await expect(recordOf({ file, offset: content.length })).rejects.toThrow(/has no byte/)
})
