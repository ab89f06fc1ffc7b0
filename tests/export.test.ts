import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { log } from '../src/testing/index.ts'
import { type ExportInput, filesBelow, runExport, textOf } from './export-run.ts'

const first = 'aaaaaaaa-0000-4000-8000-000000000001'
const second = 'bbbbbbbb-0000-4000-8000-000000000002'
const token = `gh${'p_'}${'a1B2c3D4e5F6'.repeat(3)}`

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'annals-export-'))
  const root = join(folder, 'root')
  log({ sessionId: first, cwd: '/home/ana/api', startedAt: '2026-11-01T08:00:00.000Z' })
    .user('Fix the race')
    .assistant('Fixed.')
    .subagent({ type: 'Explore', description: 'find callers', prompt: 'Who calls it?', result: 'Nobody.' })
    .title('Race / in ../../the *store*')
    .write(root)
  log({ sessionId: second, cwd: '/home/ana/web', startedAt: '2026-11-10T08:00:00.000Z' })
    .user(`use ${token}`)
    .assistant('Used.')
    .title('CON')
    .write(root)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const run = (input: ExportInput, more = {}) => runExport(folder, input, more)

describe('where an export goes', () => {
  test('one session gets a file with a readable name, for its owner alone, whatever the umask', async () => {
    const umask = process.umask(0)
    try {
      const result = await run({ sessions: [first], to: 'md' })
      const file = join(folder, '2026-11-01-race-in-the-store-aaaaaaaa.md')
      expect(result).toMatchObject({ to: 'md', out: file, sessions: 1, total: 1, redacted: true, problems: [] })
      expect(result.files).toEqual([{ file, bytes: statSync(file).size, session: first, status: 'new', added: null }])
      expect(statSync(file).mode & 0o777).toBe(0o600)
      await run({ all: true, to: 'md', out: 'deep/er/' })
      for (const made of ['deep', 'deep/er']) expect(statSync(join(folder, made)).mode & 0o077).toBe(0)
      for (const name of filesBelow(join(folder, 'deep/er'))) {
        expect(statSync(join(folder, 'deep/er', name)).mode & 0o777).toBe(0o600)
      }
    } finally {
      process.umask(umask)
    }
  })

  test('several make a folder, the newest first in an index that leads to each', async () => {
    const { files, out } = await run({ all: true, to: 'html' })
    expect(out).toBe(join(folder, 'annals-html-2026-11-15'))
    expect(filesBelow(out)).toEqual([
      '2026-11-01-race-in-the-store-aaaaaaaa.html',
      '2026-11-10-con-bbbbbbbb.html',
      'index.html',
    ])
    expect(files.map(({ session }) => session)).toEqual([second, first, null])
    const index = textOf(out, 'index.html')
    const links = [...index.matchAll(/href="([^"]+)"/g)].map((match) => match[1])
    expect(links).toEqual(['2026-11-10-con-bbbbbbbb.html', '2026-11-01-race-in-the-store-aaaaaaaa.html'])
  })

  test('linked agents lie in a folder of their session, and both lead to each other', async () => {
    await run({ sessions: [first], to: 'md', out: 'notes/', agents: 'linked' })
    const base = '2026-11-01-race-in-the-store-aaaaaaaa'
    const [agent = ''] = filesBelow(join(folder, 'notes', base))
    expect(agent).toMatch(/^agent-\w+\.md$/)
    expect(textOf(folder, 'notes', `${base}.md`)).toContain(`](${base}/${agent})`)
    expect(textOf(folder, 'notes', base, agent)).toContain(`](../${base}.md)`)
    await expect(run({ sessions: [first], to: 'md', out: 'one.md', agents: 'linked' })).rejects.toThrow(/need a folder/)
  })

  test('standard output gets one session, or a table, and nothing of a second', async () => {
    const pieces: Uint8Array[] = []
    const output = (bytes: Uint8Array) => pieces.push(bytes)
    const { out, files } = await run({ sessions: [first], to: 'jsonl', out: '-' }, { output })
    expect([out, files[0]?.file]).toEqual(['-', '-'])
    expect(Buffer.concat(pieces).toString()).toContain('Fix the race')
    await expect(run({ all: true, to: 'md', out: '-' }, { output })).rejects.toThrow(/2 sessions/)
    await expect(run({ sessions: [first], to: 'md', out: '-' })).rejects.toThrow(/Standard output is already used/)
    pieces.length = 0
    await run({ all: true, to: 'csv', out: '-' }, { output })
    expect(Buffer.concat(pieces).toString()).toMatch(/^"timestamp","session"/)
    expect(readdirSync(folder).sort()).toEqual(['data', 'root'])
  })

  test('the name of a file tells the format where none is named', async () => {
    expect((await run({ sessions: [first], out: 'a.html' })).to).toBe('html')
    expect(textOf(folder, 'a.html')).toMatch(/^<!doctype html>/)
    await expect(run({ sessions: [first], out: 'a.txt' })).rejects.toThrow(/Which format/)
    await expect(run({ sessions: [first] })).rejects.toThrow(/Which format/)
  })

  test('filters choose: time, project, and none of them is an answer too', async () => {
    expect((await run({ since: '2026-11-05', to: 'json', out: 'a/' })).sessions).toBe(1)
    expect((await run({ project: '/home/ana/api', to: 'json', out: 'b/' })).files.map((one) => one.session)).toEqual([
      first,
    ])
    const none = await run({ under: '/home/bob', to: 'json', out: 'c/' })
    expect(none).toMatchObject({ sessions: 0, total: 0, files: [] })
    expect(readdirSync(folder)).not.toContain('c')
    await expect(run({ to: 'json' })).rejects.toThrow(/Which sessions/)
  })
})

describe('what is there', () => {
  test('is never overwritten without --force, and then in one step', async () => {
    writeFileSync(join(folder, 'mine.md'), 'mine')
    await expect(run({ sessions: [first], to: 'md', out: 'mine.md' })).rejects.toThrow(/already exists/)
    expect(textOf(folder, 'mine.md')).toBe('mine')
    await run({ sessions: [first], to: 'md', out: 'mine.md', force: true })
    expect(textOf(folder, 'mine.md')).toContain('Fix the race')
    expect(statSync(join(folder, 'mine.md')).mode & 0o777).toBe(0o600)
  })

  test('stops a folder export before any of its files is in place', async () => {
    mkdirSync(join(folder, 'out'))
    writeFileSync(join(folder, 'out', 'index.md'), 'mine')
    await expect(run({ all: true, to: 'md', out: 'out' })).rejects.toThrow(/index\.md already exists/)
    expect(readdirSync(join(folder, 'out'))).toEqual(['index.md'])
    await run({ all: true, to: 'md', out: 'out', force: true })
    expect(filesBelow(join(folder, 'out'))).toHaveLength(3)
    expect(readdirSync(join(folder, 'out')).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('a planted link is not followed: it is replaced, or it is in the way', async () => {
    writeFileSync(join(folder, 'victim'), 'safe')
    symlinkSync(join(folder, 'victim'), join(folder, 'link.md'))
    await expect(run({ sessions: [first], to: 'md', out: 'link.md' })).rejects.toThrow(/already exists/)
    await run({ sessions: [first], to: 'md', out: 'link.md', force: true })
    expect(lstatSync(join(folder, 'link.md')).isFile()).toBe(true)
    expect(textOf(folder, 'victim')).toBe('safe')
    mkdirSync(join(folder, 'out'))
    mkdirSync(join(folder, 'elsewhere'))
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'out', '2026-11-01-race-in-the-store-aaaaaaaa'))
    const linked: ExportInput = { sessions: [first], to: 'md', out: 'out/', agents: 'linked', force: true }
    await expect(run(linked)).rejects.toThrow(/is not a folder/)
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual([])
  })

  test('a place that cannot be written leaves nothing behind', async () => {
    await expect(run({ sessions: [first], to: 'md', out: 'no/such/file.md' })).rejects.toThrow(/There is no folder/)
    mkdirSync(join(folder, 'special'))
    await expect(run({ sessions: [first], to: 'md', out: '/dev/null', force: true })).rejects.toThrow(/is not a file/)
    expect(readdirSync(folder).sort()).toEqual(['data', 'root', 'special'])
  })
})

describe('secrets', () => {
  test('are masked and counted', async () => {
    const { redactions, redacted } = await run({ sessions: [second], to: 'json', out: 'a.json' })
    expect(redacted).toBe(true)
    expect(redactions['github-token']).toBeGreaterThan(0)
    expect(textOf(folder, 'a.json')).not.toContain(token)
  })

  test('stay only where a person at the terminal says so twice', async () => {
    const asked: string[] = []
    const confirm = (answer: boolean) => async (question: string) => {
      asked.push(question)
      return answer
    }
    const input: ExportInput = { sessions: [second], to: 'md', out: 'a.md', 'no-redact': true }
    await expect(run(input, { confirm: confirm(false) })).rejects.toThrow('Nothing was written.')
    expect(readdirSync(folder)).not.toContain('a.md')
    await expect(run(input, { rootsOnly: true })).rejects.toThrow(/command line/)
    const { redacted, redactions } = await run(input, { confirm: confirm(true) })
    expect([redacted, redactions]).toEqual([false, {}])
    expect(textOf(folder, 'a.md')).toContain(token)
    expect(asked).toHaveLength(2)
  })

  test('a page of the server chooses no place', async () => {
    await expect(run({ sessions: [first], to: 'md', out: '/tmp/x' }, { rootsOnly: true })).rejects.toThrow(/Where an/)
    await expect(run({ sessions: [first], to: 'md', force: true }, { rootsOnly: true })).rejects.toThrow(/Where an/)
    expect((await run({ sessions: [first], to: 'md' }, { rootsOnly: true })).sessions).toBe(1)
  })
})

describe('raw records', () => {
  const odd = [
    '\ufeff{"type":"user","uuid":"a","message":{"role":"user","content":"hi"}}\r\n',
    '\0\0\0{"type":"user","uuid":"b","message":{"role":"user","content":"after a crash"}}\n',
    '{"type":"novel","n":1}{"type":"novel","n":2}\n\n',
    '{"type":"attachment","uuid":"c","attachment":{"type":"prompt_snapshot","text":"SYSTEM"}}\n',
    '{"type":"api-request-shape","shape":{"system":["SYSTEM"]}}\n',
    '{"type":"attachment","uuid":"d","attachment":{"type":"date"},"rendered":[{"content":"SYSTEM"}]}\n',
    '{"type":"user","uuid":"e","message":{"role":"user","content":"torn',
  ]
  const bytes = Buffer.concat([
    Buffer.from(odd.slice(0, 3).join('')),
    Buffer.from([0xff, 0xfe, 0x0a]),
    Buffer.from(odd.slice(3).join('')),
  ])
  const path = () => join(folder, 'root', 'projects', '-x', 'odd.jsonl')

  beforeEach(() => {
    mkdirSync(join(folder, 'root', 'projects', '-x'))
    writeFileSync(path(), bytes)
  })

  test('with secrets are the bytes of the log, all of them', async () => {
    await run({ sessions: ['odd'], to: 'jsonl', out: 'odd.jsonl', 'no-redact': true })
    expect(readFileSync(join(folder, 'odd.jsonl')).equals(bytes)).toBe(true)
    for (const id of [first, second]) {
      const { files } = await run({ sessions: [id], to: 'jsonl', out: `${id}/`, 'no-redact': true })
      const own = readdirSync(join(folder, 'root', 'projects'), { recursive: true, encoding: 'utf8' })
      const source = own.find((name) => name.endsWith(`${id}.jsonl`)) ?? ''
      const [log] = files
      expect(readFileSync(log?.file ?? '').equals(readFileSync(join(folder, 'root', 'projects', source)))).toBe(true)
    }
  })

  test('without them are one record on a line, and nothing of the system prompt', async () => {
    await run({ sessions: ['odd'], to: 'jsonl', out: 'odd.jsonl' })
    expect(textOf(folder, 'odd.jsonl').split('\n')).toEqual([
      '{"type":"user","uuid":"a","message":{"role":"user","content":"hi"}}',
      '{"type":"user","uuid":"b","message":{"role":"user","content":"after a crash"}}',
      '{"type":"novel","n":1}',
      '{"type":"novel","n":2}',
      '\ufffd\ufffd',
      '{"type":"attachment","uuid":"d","attachment":{"type":"date"}}',
      '{"type":"user","uuid":"e","message":{"role":"user","content":"torn',
      '',
    ])
  })

  test('no other format has the system prompt either', async () => {
    for (const to of ['md', 'html', 'json', 'csv'] as const) {
      await run({ sessions: ['odd'], to, out: `${to}/`, 'no-redact': true, thinking: true })
      for (const name of filesBelow(join(folder, to))) expect(textOf(folder, to, name), name).not.toContain('SYSTEM')
    }
  })
})
