import { spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { log, root as newRoot } from '../../src/testing/index.ts'
import { annals, temporaryFolder } from './annals.ts'

const folder = temporaryFolder()
afterAll(folder.remove)

const id = 'aaaaaaaa-0000-4000-8000-000000000001'
let place: string
let root: string
let env: Record<string, string>

/** A session in a folder that exists, with a long output. */
const session = (cwd: string) =>
  log({ cwd, seed: 'daily', sessionId: id })
    .user('Fix the token race')
    .tool('Bash', { command: 'npm test' }, { output: 'a line of output\n'.repeat(1_700) })
    .assistant('Fixed.')

beforeEach(() => {
  place = mkdtempSync(join(folder.path, 'day-'))
  root = join(place, 'root')
  env = { ANNALS_HOME: join(place, 'state'), HOME: place }
  mkdirSync(join(place, 'work'))
  newRoot()
    .add(session(join(place, 'work')))
    .write(root)
})

const run = (...args: readonly string[]) => annals([...args, '--root', root], { env })
const json = (...args: readonly string[]) => JSON.parse(run(...args, '--json').stdout)
const logPath = () => {
  const [project] = readdirSync(join(root, 'projects'))
  return join(root, 'projects', project as string, `${id}.jsonl`)
}

describe('resume', () => {
  const withClaude = (args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const bin = join(place, 'bin')
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, 'claude'), '#!/bin/sh\necho "dir=$CLAUDE_CONFIG_DIR at $(pwd) $*"\n')
    chmodSync(join(bin, 'claude'), 0o755)
    return annals(args, { env: { ...env, ...more, PATH: `${bin}:${process.env.PATH}` } }).stdout.trim()
  }

  test('tells the client where the session lies', () => {
    expect(withClaude(['resume', id, '--root', root]).split('\n').at(-1)).toBe(
      `dir=${root} at ${join(place, 'work')} --resume ${id}`,
    )
    const printed = withClaude(['resume', id, '--root', root, '--print'])
    expect(printed).toBe(`cd ${join(place, 'work')} && CLAUDE_CONFIG_DIR=${root} claude --resume ${id}`)
  })

  test('leaves the usual folder to the client, whatever the environment says', () => {
    const usual = join(place, '.claude')
    newRoot()
      .add(session(join(place, 'work')))
      .write(usual)
    const said = withClaude(['resume', id, '--root', usual], { CLAUDE_CONFIG_DIR: '/elsewhere' })
    expect(said.split('\n').at(-1)).toContain('dir= at')
    expect(withClaude(['resume', id, '--root', usual, '--print'])).not.toContain('CLAUDE_CONFIG_DIR')
  })
})

test('a session that was put back byte for byte has not grown', () => {
  run('keep')
  rmSync(logPath())
  expect(json('keep', 'list').items).toMatchObject([{ state: 'gone' }])
  run('keep', 'restore', id)
  expect(json('keep', 'list').items).toMatchObject([{ state: 'kept' }])
  expect(run('keep', 'list').stdout).not.toContain('has grown since')
  appendFileSync(logPath(), `${JSON.stringify({ type: 'mode', mode: 'normal', sessionId: id })}\n`)
  expect(json('keep', 'list').items).toMatchObject([{ state: 'behind' }])
})

test('tail --follow names the call that failed', async () => {
  const cli = resolve(import.meta.dirname, '../../dist/cli.cjs')
  const child = spawn(process.execPath, [cli, 'tail', id, '-f', '--root', root], {
    env: { ...env, PATH: process.env.PATH ?? '' },
  })
  let said = ''
  child.stdout.on('data', (data) => {
    said += data
  })
  try {
    await until(() => said.includes('Fixed.'))
    const more = log({ cwd: join(place, 'work'), seed: 'more', sessionId: id })
      .user('again')
      .tool('Bash', { command: 'npm run lint' }, { output: 'lint: 3 problems', isError: true })
    for (const row of more.rows()) appendFileSync(logPath(), `${JSON.stringify(row)}\n`)
    await until(() => said.includes('✗'))
    expect(said).toContain('✗ bash npm run lint failed · ')
    expect(said).toContain('lint: 3 problems')
  } finally {
    child.kill('SIGINT')
  }
})

async function until(isSo: () => boolean): Promise<void> {
  for (let waited = 0; !isSo() && waited < 1200; waited++) await new Promise((done) => setTimeout(done, 50))
  expect(isSo()).toBe(true)
}

describe('an export', () => {
  test('of no session to standard output says that none matches', () => {
    const ran = run('export', '--all', '--until', '1999-01-01', '--to', 'xml', '--out', '-')
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain('No session matches.')
  })

  test('as XML says what it saved, and fills its budget', () => {
    const out = join(place, 'out.xml')
    const usual = json('export', id, '--to', 'xml', '--out', out)
    expect(usual.compressed.rawBytes).toBeGreaterThanOrEqual(statSync(logPath()).size)
    expect(usual.compressed.tokens).toBe(Math.ceil(usual.bytes / 4))
    expect(run('export', id, '--to', 'xml', '--out', out, '--force').stdout).toMatch(
      /\d+ kB of logs as [\d.]+ kB: about [\d,]+ tokens instead of [\d,]+\./,
    )
    // The output has 28,900 characters, of which the usual export has 1,200.
    const sizeFor = (budget: number) =>
      json('export', id, '--to', 'xml', '--out', out, '--force', '--budget', String(budget)).bytes
    expect(sizeFor(20_000)).toBeGreaterThan(28_900)
    expect(sizeFor(5_000)).toBeGreaterThan(usual.bytes)
    expect(sizeFor(5_000)).toBeLessThanOrEqual(20_000)
    expect(sizeFor(500)).toBeLessThanOrEqual(2_000)
  })

  test('as steps leaves alone what has not changed, and says what is new', () => {
    const out = join(place, 'steps')
    const steps = () => json('export', id, '--to', 'steps', '--out', `${out}/`)
    const first = steps()
    expect(first.files).toMatchObject([{ status: 'new', added: 4 }, { status: 'new' }])
    const file = first.files[0].file
    const before = statSync(file)
    expect(steps().files).toMatchObject([{ status: 'unchanged', added: 0 }, { status: 'unchanged' }])
    expect([statSync(file).ino, statSync(file).mtimeMs]).toEqual([before.ino, before.mtimeMs])
    const more = log({ cwd: join(place, 'work'), seed: 'more', sessionId: id })
      .user('again')
      .assistant('Done.')
    for (const row of more.rows()) appendFileSync(logPath(), `${JSON.stringify(row)}\n`)
    expect(run('export', id, '--to', 'steps', '--out', `${out}/`).stdout).toContain('1 updated · 2 steps added')
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(6)
    expect(run('export', id, '--to', 'steps', '--out', `${out}/`).stdout).toContain('1 unchanged · 0 steps added')
  })
})

test('doctor names the session-env folders that belong to no session', () => {
  for (const name of [id, 'bbbbbbbb-0000-4000-8000-000000000002'])
    mkdirSync(join(root, 'session-env', name), { recursive: true })
  const check = json('doctor').checks.find((one: { name: string }) => one.name === 'session-env')
  expect(check.detail).toContain('1 belongs to no session: bbbbbbbb-0000-4000-8000-000000000002.')
  expect(check.fix).toContain(join(root, 'session-env'))
})

test('stats has the days and hours that the client counted, also where the logs are gone', () => {
  const told = {
    lastComputedDate: '2025-03-02',
    dailyActivity: [{ date: '2025-03-01', messageCount: 5, sessionCount: 1, toolCallCount: 7 }],
    hourCounts: { '9': 4 },
  }
  writeFileSync(join(root, 'stats-cache.json'), JSON.stringify(told))
  const { clientCache } = json('stats')
  expect(clientCache.days).toEqual([{ date: '2025-03-01', sessions: 1, messages: 5, toolCalls: 7 }])
  expect(clientCache.hours[9]).toBe(4)
  expect(run('stats').stdout).toContain('1 of them in no log (2025-03-01 …) · most begun at 09:00')
})

test('skills shows the text of a command, and the colour of an agent', () => {
  mkdirSync(join(root, 'commands'))
  mkdirSync(join(root, 'agents'))
  writeFileSync(
    join(root, 'commands/review.md'),
    '---\ndescription: Reviews a branch.\n---\nNames first, then tests.\n',
  )
  writeFileSync(
    join(root, 'agents/critic.md'),
    '---\nname: critic\ndescription: Reads.\ncolor: purple\n---\nYou read.\n',
  )
  expect(json('skills').items.map((item: { color: string | null }) => item.color)).toContain('purple')
  expect(run('skills').stdout).toContain('purple\tReads.')
  for (const name of ['review', '/review', 'REVIEW'])
    expect(run('skills', name).stdout).toContain('Names first, then tests.')
  expect(run('skills', 'nothing')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Nothing called "nothing"'),
  })
})

test('prompts without a history says so', () => {
  rmSync(join(root, 'history.jsonl'), { force: true })
  const { code, stderr } = run('prompts', 'token')
  expect(code).toBe(1)
  expect(stderr).toContain('There is no prompt history here (history.jsonl).')
  expect(stderr).not.toContain('Fewer words')
})
