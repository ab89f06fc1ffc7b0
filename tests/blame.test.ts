import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Value } from 'typebox/value'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { formatBlame } from '../src/cli/format/blame.ts'
import { createStyle } from '../src/cli/terminal/style.ts'
import type { View } from '../src/cli/view.ts'
import type { Static } from '../src/core/schema.ts'
import { Library } from '../src/disk/library.ts'
import type { Context } from '../src/history/context.ts'
import { attribution } from '../src/ops/attribution.ts'
import { blame } from '../src/ops/blame.ts'
import { files } from '../src/ops/files.ts'
import { type Log, log, root } from '../src/testing/index.ts'
import { TRACE_RECORD } from './support/agent-trace-schema.ts'
import { readPorcelain } from './support/porcelain.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'annals-blame-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let made = 0
let work: string
let file: string
beforeEach(() => {
  work = join(folder, `work-${made++}`)
  mkdirSync(work)
  file = join(work, 'a.ts')
})

const NOW = '2026-12-01T12:00:00.000Z'

function contextOf(...logs: readonly Log[]): Context {
  const dir = mkdtempSync(join(folder, 'root-'))
  root()
    .add(...logs)
    .write(dir)
  const library = new Library({ roots: [dir] })
  const rest = { cwd: work, home: folder, currentSession: undefined, warn: () => {}, progress: () => {} }
  return { library, now: new Date(NOW), version: '1.2.3', ...rest }
}

const session = (seed: string, startedAt = '2026-03-02T09:00:00.000Z') => log({ seed, cwd: work, startedAt })

async function ask(context: Context, input: Static<typeof blame.input>) {
  const result = await blame.run(context, input)
  expect([...Value.Errors(blame.result, result)]).toEqual([])
  return result
}

/** Each line with its rule, and the prompt behind it. */
async function told(context: Context, input: Static<typeof blame.input> = { file: 'a.ts' }) {
  const { lines } = await ask(context, input)
  return lines.map(({ text, rule, call }) => `${text}: ${call ? call.prompt : rule}`)
}

describe('a file on the disk', () => {
  const sessions = () => {
    const first = session('one').user('make it').writeFile(file, 'one\ntwo\n').assistant('made')
    const second = session('two', '2026-03-03T09:00:00.000Z')
      .user('change it')
      .edit(file, { before: 'one\ntwo\n', after: 'one\n2\nthree\n' })
      .assistant('changed')
    return [first, second] as const
  }

  test('has the prompt of each line, over sessions', async () => {
    const [first, second] = sessions()
    writeFileSync(file, 'one\n2\nthree\nby hand\n')
    const context = contextOf(first, second)
    expect(await told(context)).toEqual(['one: make it', '2: change it', 'three: change it', 'by hand: outside'])
    const { lines, ...result } = await ask(context, { file: 'a.ts:2-3' })
    expect(result).toMatchObject({ path: file, onDisk: true, total: 2, proven: 2, outside: 0 })
    expect(lines[0]).toMatchObject({
      line: 2,
      call: { session: second.sessionId, turn: 1, prompt: 'change it', agent: null, tool: 'Edit' },
      outside: null,
    })
    expect(lines[0]?.call?.model).toMatch(/^claude-/)
    const rows = second.rows().filter((row) => JSON.stringify(row).includes('"name":"Edit"'))
    expect(lines[0]?.call?.uuid).toBe(rows[0]?.uuid)
  })

  test('a change from outside is told by the two times between which it was made', async () => {
    const [first, second] = sessions()
    writeFileSync(file, 'one\n2\nthree\nby hand\n')
    const { lines } = await ask(contextOf(first, second), { file })
    const after = second.rows().findLast((row) => JSON.stringify(row).includes('"tool_result"'))?.timestamp
    expect(lines.at(-1)?.outside).toEqual({ after, before: expect.stringMatching(/^20\d\d-/) })
  })

  test('each edit counts once: forks and resumes repeat it', async () => {
    const [first] = sessions()
    const fork = first.forked({ seed: 'fork', startedAt: '2026-03-05T09:00:00.000Z' }).user('go on').assistant('ok')
    writeFileSync(file, 'one\ntwo\n')
    const { lines } = await ask(contextOf(first, fork), { file })
    expect(lines.map(({ call }) => call?.session)).toEqual([first.sessionId, first.sessionId])
  })

  test('as it was at a point or a time', async () => {
    const [first, second] = sessions()
    const context = contextOf(first, second)
    expect(await told(context, { file, at: `${first.sessionId}:1` })).toEqual(['one: make it', 'two: make it'])
    expect(await told(context, { file, at: '2026-03-02T23:00:00Z' })).toEqual(['one: make it', 'two: make it'])
    expect(await told(context, { file })).toEqual(['one: make it', '2: change it', 'three: change it'])
    expect(await ask(context, { file })).toMatchObject({ onDisk: false })
  })

  test('CRLF on the disk changes nothing', async () => {
    const [first] = sessions()
    writeFileSync(file, 'one\r\ntwo\r\n')
    expect(await told(contextOf(first))).toEqual(['one: make it', 'two: make it'])
  })

  test('that no call touched, nothing is known of', async () => {
    writeFileSync(join(work, 'other.ts'), 'x\n')
    expect(await told(contextOf(sessions()[0]), { file: 'other.ts' })).toEqual(['x: unknown'])
  })

  test('an agent is told with the turn that started it', async () => {
    const asked = session('agent')
      .user('first')
      .assistant('ok')
      .user('let an agent do it')
      .subagent({ description: 'Do', prompt: 'do it', result: 'done', steps: (agent) => agent.writeFile(file, 'x\n') })
      .assistant('done')
    writeFileSync(file, 'x\n')
    const { lines } = await ask(contextOf(asked), { file })
    expect(lines[0]?.call).toMatchObject({ session: asked.sessionId, turn: 2, prompt: 'let an agent do it' })
    expect(lines[0]?.call?.agent).toMatch(/^a[0-9a-f]+$/)
  })

  test.each([
    ['a.ts:9', 'has 2 lines: there is no line 9'],
    ['a.ts:2-1', 'is not a range of lines'],
    ['gone.ts', 'No session here touched a file gone.ts'],
    ['.', 'is a folder'],
  ])('%s gets a sentence', async (named, message) => {
    writeFileSync(file, 'one\ntwo\n')
    await expect(ask(contextOf(sessions()[0]), { file: named })).rejects.toThrow(message)
  })
})

describe('a file that commands moved', () => {
  const bash = (made: Log, command: string) => made.user('tidy').tool('Bash', { command }).assistant('tidied')

  test.each(['mv old.ts a.ts', 'git mv old.ts a.ts'])('%s: keeps its history', async (command) => {
    const old = join(work, 'old.ts')
    const made = bash(session('moved').user('make it').writeFile(old, 'x\ny\n').assistant('made'), command)
      .user('add')
      .edit(file, { before: 'x\ny\n', after: 'x\ny\nz\n' })
      .assistant('added')
    writeFileSync(file, 'x\ny\nz\n')
    expect(await told(contextOf(made))).toEqual(['x: make it', 'y: make it', 'z: add'])
  })

  test('a folder that was moved took its files along', async () => {
    const made = bash(
      session('dir').user('make it').writeFile(join(work, 'lib/a.ts'), 'x\n').assistant('made'),
      'mv lib src',
    )
    mkdirSync(join(work, 'src'))
    writeFileSync(join(work, 'src/a.ts'), 'x\nnew\n')
    expect(await told(contextOf(made), { file: 'src/a.ts' })).toEqual(['x: make it', 'new: outside'])
  })

  test('what was removed and written again is new', async () => {
    const made = bash(session('removed').user('make it').writeFile(file, 'x\n').assistant('made'), 'rm a.ts')
      .user('again')
      .writeFile(file, 'x\n')
      .assistant('made')
    writeFileSync(file, 'x\n')
    expect(await told(contextOf(made))).toEqual(['x: again'])
  })
})

test('worktrees: what was written in one and merged is told by its prompt', async () => {
  git('init', '-q')
  mkdirSync(join(work, '.claude/worktrees/w'), { recursive: true })
  const copy = join(work, '.claude/worktrees/w/a.ts')
  writeFileSync(join(work, '.claude/worktrees/w/.git'), `gitdir: ${work}/.git/worktrees/w\n`)
  const main = session('main').user('make it').writeFile(file, 'a\nb\n').assistant('made')
  const branch = log({ seed: 'w', cwd: dirname(copy), startedAt: '2026-03-03T09:00:00.000Z' })
    .user('in the worktree')
    .edit(copy, { before: 'a\nb\n', after: 'a\nnew\nb\n' })
    .assistant('done')
  writeFileSync(file, 'a\nnew\nb\nby hand\n')
  expect(await told(contextOf(main, branch))).toEqual([
    'a: make it',
    'new: in the worktree',
    'b: make it',
    'by hand: outside',
  ])
})

/** What `--porcelain` writes of a file that a session wrote, another changed, and a person after them. */
async function porcelain() {
  const made = session('p').user('make it\nnow').writeFile(file, 'one\n\n\ttwo\n').assistant('made')
  const later = session('q', '2026-03-03T09:00:00.000Z')
    .user('put something before it')
    .edit(file, { before: 'one\n\n\ttwo\n', after: 'zero\none\n\n\ttwo\n' })
    .assistant('done')
  writeFileSync(file, 'zero\none\nby hand\n\n\ttwo\n')
  const result = await ask(contextOf(made, later), { file, porcelain: true })
  const view = {
    width: Number.POSITIVE_INFINITY,
    now: new Date(NOW),
    style: createStyle({ colour: false }),
    home: '/',
    input: { porcelain: true },
  }
  return { made, later, text: `${formatBlame(result, view as unknown as View).join('\n')}\n` }
}

test('--porcelain is what git documents: a strict parser reads it', async () => {
  const { made, later, text } = await porcelain()
  const lines = readPorcelain(text)
  expect(lines.map(({ content }) => content)).toEqual(['zero', 'one', 'by hand', '', '\ttwo'])
  expect(lines.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5])
  // What the first call wrote as lines 1, 2 and 3 stands two lines further down, and around the line of a person.
  expect(lines.map(({ original }) => original)).toEqual([1, 1, 3, 2, 3])
  expect(lines[2]?.commit).toBe('0'.repeat(40))
  expect(lines[1]?.commit).toMatch(/^(?!0{40})[0-9a-f]{40}$/)
  expect(lines.map(({ commit }) => commit === lines[1]?.commit)).toEqual([false, true, false, true, true])
  expect(lines[0]?.header).toMatchObject({ 'author-mail': `<${later.sessionId}>`, summary: 'put something before it' })
  expect(lines[4]?.header).toMatchObject({
    author: expect.stringMatching(/^claude-/),
    'author-mail': `<${made.sessionId}>`,
    summary: 'make it now',
    filename: file,
  })
})

/** Another program that reads it: GitPython asks `git blame -p`, and takes ours for that. */
const GITPYTHON = `
import sys, git
git.Git.blame = lambda self, *args, **options: sys.stdin.buffer.read()
for commit, lines in git.Repo.init(sys.argv[1]).blame('HEAD', 'a.ts'):
    print(commit.hexsha[:8], commit.author.name, commit.author.email, commit.authored_date, [str(line) for line in lines], sep='|')
`
const hasGitPython = spawnSync('python3', ['-c', 'import git']).status === 0
const without = hasGitPython ? '' : ' (skipped: python3-git is not installed)'

test.skipIf(!hasGitPython)(`--porcelain is read by GitPython${without}`, async () => {
  const { made, later, text } = await porcelain()
  const ran = spawnSync('python3', ['-c', GITPYTHON, join(folder, 'gitpython')], { input: text, encoding: 'utf8' })
  expect(ran.stderr).toBe('')
  const told = ran.stdout
    .trim()
    .split('\n')
    .map((line) => line.split('|').slice(1))
  expect(told).toEqual([
    [expect.stringMatching(/^claude-/), later.sessionId, expect.stringMatching(/^\d+$/), "['zero']"],
    [expect.stringMatching(/^claude-/), made.sessionId, expect.stringMatching(/^\d+$/), "['one']"],
    ['Not recorded', 'outside', String(Date.parse(NOW) / 1000), "['by hand']"],
    [expect.stringMatching(/^claude-/), made.sessionId, expect.stringMatching(/^\d+$/), "['', '\\ttwo']"],
  ])
})

function git(...args: readonly string[]): string {
  const safe = [
    '-c',
    'user.name=Ana',
    '-c',
    'user.email=ana@example.com',
    '-c',
    'init.defaultBranch=main',
    '-c',
    'commit.gpgSign=false',
  ]
  return execFileSync('git', [...safe, ...args], {
    cwd: work,
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      GIT_COMMITTER_DATE: '2026-03-04T09:00:00Z',
      GIT_AUTHOR_DATE: '2026-03-04T09:00:00Z',
    },
  }).trim()
}

describe('with git', () => {
  const twoSessions = () => [
    session('one').user('make it').writeFile(file, 'one\ntwo\n').assistant('made'),
    session('two', '2026-03-03T09:00:00.000Z')
      .user('change it')
      .edit(file, { before: 'one\ntwo\n', after: 'one\n2\n' })
      .assistant('changed'),
  ]

  test('--git has the commit beside the prompt', async () => {
    git('init', '-q')
    writeFileSync(file, 'one\n2\n')
    git('add', '.')
    git('commit', '-qm', 'Count')
    writeFileSync(file, 'one\n2\nnew\n')
    const { lines } = await ask(contextOf(...twoSessions()), { file, git: true })
    expect(lines.map(({ git: said }) => said?.summary ?? null)).toEqual(['Count', 'Count', null])
    expect(lines[0]?.git).toMatchObject({ commit: git('rev-parse', 'HEAD'), author: 'Ana' })
  })

  test('--commit says which sessions made it, and what share is proven', async () => {
    const logs = twoSessions()
    git('init', '-q')
    writeFileSync(file, 'one\n2\nby hand\n')
    writeFileSync(join(work, 'blob.bin'), Buffer.from([0, 1, 2]))
    git('add', '.')
    git('commit', '-qm', 'Count')
    const { commit, total, proven, outside } = await ask(contextOf(...logs), { commit: 'HEAD' })
    expect({ total, proven, outside }).toEqual({ total: 3, proven: 2, outside: 1 })
    expect(commit).toMatchObject({ sha: git('rev-parse', 'HEAD'), summary: 'Count', added: 3, share: 2 / 3 })
    expect(commit?.sessions.map(({ session: id, lines }) => [id, lines])).toEqual(logs.map((one) => [one.sessionId, 1]))
    expect(commit?.files).toEqual([{ path: 'a.ts', added: 3, proven: 2 }])
  })

  test('attribution adds up, and its records fit the published schema, one for each commit', async () => {
    const logs = twoSessions()
    git('init', '-q')
    writeFileSync(file, 'one\n2\n')
    git('add', '.')
    git('commit', '-qm', 'Count')
    writeFileSync(file, 'one\n2\nby hand\n')
    git('commit', '-qam', 'By hand')
    const context = contextOf(...logs)
    const result = await attribution.run(context, { 'agent-trace': true })
    expect([...Value.Errors(attribution.result, result)]).toEqual([])
    expect(result).toMatchObject({ repository: work, total: 2, added: 3, proven: 2, outside: 1, share: 2 / 3 })
    expect(result.sessions.map(({ lines, commits }) => [lines, commits])).toEqual([
      [1, 1],
      [1, 1],
    ])
    expect(result.models).toMatchObject([{ lines: 2, commits: 1, sessions: 2 }])
    expect(result.records).toHaveLength(2)
    for (const record of result.records ?? []) expect([...Value.Errors(TRACE_RECORD, record)]).toEqual([])
    const first = result.records?.find(
      ({ vcs }) => (vcs as { revision: string }).revision === git('rev-parse', 'HEAD~1'),
    )
    expect(first).toMatchObject({ version: '0.1', tool: { name: 'annals', version: '1.2.3' } })
    expect(first?.files).toMatchObject([
      {
        path: 'a.ts',
        conversations: [
          { contributor: { type: 'ai' } },
          { contributor: { type: 'ai' }, ranges: [{ start_line: 2, end_line: 2 }] },
        ],
      },
    ])
    expect((await attribution.run(context, { since: '2026-11-01' })).total).toBe(0)
  })

  test('a repository whose settings name programs starts none of them', async () => {
    git('init', '-q')
    const trap = join(work, 'trap.sh')
    const sprung = join(work, 'sprung')
    writeFileSync(trap, `#!/bin/sh\necho "$0 $@" >> ${sprung}\ncat\n`)
    chmodSync(trap, 0o755)
    writeFileSync(file, 'one\n2\n')
    writeFileSync(join(work, '.gitattributes'), '*.ts diff=evil filter=evil\n')
    git('add', 'a.ts')
    git('commit', '-qm', 'Count')
    git('commit', '-q', '--allow-empty', '-m', 'Nothing')
    const names = [
      'core.fsmonitor',
      'core.pager',
      'core.sshCommand',
      'core.askPass',
      'core.gitProxy',
      'diff.external',
      'diff.evil.textconv',
      'diff.evil.command',
      'filter.evil.clean',
      'filter.evil.smudge',
      'filter.evil.process',
      'gpg.program',
      'credential.helper',
      'pager.blame',
      'alias.blame',
      'alias.rev-parse',
    ]
    for (const name of names) git('config', name, name.startsWith('alias') ? `!${trap}` : trap)
    git('config', 'log.showSignature', 'true')
    git('config', 'core.hooksPath', work)
    git('config', 'extensions.partialClone', 'evil')
    git('config', 'remote.evil.promisor', 'true')
    git('config', 'remote.evil.url', `ext::${trap} %S`)
    git('config', 'protocol.ext.allow', 'always')
    rmSync(sprung, { force: true })
    const context = contextOf(...twoSessions())
    await ask(context, { file, git: true })
    await ask(context, { commit: 'HEAD~1' })
    await attribution.run(context, {})
    // An object that is missing would be fetched, by whatever program the remote names.
    const blob = git('rev-parse', 'HEAD~1:a.ts')
    rmSync(sprung, { force: true })
    rmSync(join(work, '.git/objects', blob.slice(0, 2), blob.slice(2)), { force: true })
    await ask(context, { commit: 'HEAD~1' }).catch(() => {})
    expect(existsSync(sprung) ? readFileSync(sprung, 'utf8') : '').toBe('')
  })

  test.each([
    ['--output=x', 'has no commit "--output=x"'],
    ['nowhere', 'has no commit "nowhere"'],
  ])('the commit %s gets a sentence', async (name, message) => {
    git('init', '-q')
    await expect(ask(contextOf(), { commit: name })).rejects.toThrow(message)
  })

  test('where there is no repository, that is said', async () => {
    await expect(ask(contextOf(), { commit: 'HEAD' })).rejects.toThrow('is not in a git repository')
    await expect(attribution.run(contextOf(), {})).rejects.toThrow('is not in a git repository')
  })
})

describe('files over all sessions', () => {
  const logs = () => [
    session('one').user('make it').writeFile(file, 'one\n').assistant('made'),
    session('two', '2026-03-03T09:00:00.000Z')
      .user('change it')
      .edit(file, { before: 'one\nx\n', after: 'one\ny\n' })
      .assistant('ok'),
  ]

  test('--log has each version with its prompt', async () => {
    const { log: versions } = await files.run(contextOf(...logs()), { path: 'a.ts', log: true })
    expect(versions?.map(({ operation, lines, call }) => [operation, lines, call?.prompt ?? null])).toEqual([
      ['found', null, null],
      ['write', 1, 'make it'],
      ['outside', 2, null],
      ['edit', 2, 'change it'],
    ])
  })

  test('--at takes a point of any session, and a time', async () => {
    const [first, second] = logs() as [Log, Log]
    const context = contextOf(first, second)
    expect(await files.run(context, { path: file, at: `${first.sessionId}:1` })).toMatchObject({
      text: 'one\n',
      session: first.sessionId,
    })
    expect(await files.run(context, { path: file, at: `${second.sessionId}:1` })).toMatchObject({ text: 'one\ny\n' })
    expect(await files.run(context, { path: file, at: '2026-03-01' })).toMatchObject({ exists: false })
    expect(await files.run(context, { path: file, at: '2026-11-01' })).toMatchObject({
      text: 'one\ny\n',
      session: second.sessionId,
    })
  })

  test('--diff takes two points', async () => {
    const [first, second] = logs() as [Log, Log]
    const between = { path: file, diff: `${first.sessionId}:1`, to: `${second.sessionId}:1` }
    const { text, against } = await files.run(contextOf(first, second), between)
    expect([text, against?.text]).toEqual(['one\n', 'one\ny\n'])
  })

  test('a second point without --diff gets a sentence', async () => {
    await expect(files.run(contextOf(...logs()), { path: file, to: 'x' })).rejects.toThrow(
      'A second point goes with --diff',
    )
  })
})
