import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { log, root as newRoot } from '../../src/testing/index.ts'
import { commandsToTry } from '../support/command-arguments.ts'
import { annals, temporaryFolder } from './annals.ts'
import { openTerminal } from './terminal.ts'
import { terminalRuns } from './terminal-runs.ts'

const folder = temporaryFolder()
const root = join(folder.path, 'root')
const large = join(folder.path, 'large')
const env = { PATH: process.env.PATH ?? '', HOME: folder.path, ANNALS_HOME: join(folder.path, 'home') }
const tried = await commandsToTry()

/** Titles that are hard to lay out, and one that looks like a point. */
const TITLES = ['• One • two', '修正 認証の競合', '🚀 Ship 👩‍👩‍👧 it', 'إصلاح الخطأ', 'Deploy: phase two']
const idOf = (start: string, nth: number) => `${start}aaaaaaa-0000-4000-8000-00000000000${nth}`

beforeAll(() => {
  const made = newRoot()
  TITLES.forEach((title, nth) => {
    made.add(
      log({ cwd: '/home/ana/api', sessionId: idOf('c', nth), startedAt: `2026-11-0${nth + 1}T09:00:00.000Z` })
        .user(title)
        .subagent({ type: 'Explore', description: title, prompt: title, result: title })
        .assistant(title)
        .title(title),
    )
  })
  made.write(root)
  writeLargeRoot(large)
})
afterAll(folder.remove)

/** As much text as ripgrep is given in three batches of 16 MB. */
function writeLargeRoot(path: string): void {
  const made = newRoot()
  for (let nth = 0; nth < 3; nth++) {
    const one = log({ cwd: '/home/ana/large', sessionId: idOf('b', nth) })
    for (let row = 0; row < 20; row++) one.user(`row ${row} `.repeat(125_000))
    made.add(one)
  }
  made.write(path)
}

/** Every command that takes a session, as it is asked for one. */
const WITH_SESSION: readonly ((session: string) => readonly string[])[] = [
  (s) => ['show', s],
  (s) => ['show', `${s}:1`],
  (s) => ['outline', s],
  (s) => ['read', s],
  (s) => ['find', s, 'word'],
  (s) => ['tail', s],
  (s) => ['tree', s],
  (s) => ['timeline', s],
  (s) => ['context', s],
  (s) => ['agents', s],
  (s) => ['plans', s],
  (s) => ['todos', s],
  (s) => ['files', '--session', s],
  (s) => ['search', 'word', '--session', s],
  (s) => ['receipt', s],
  (s) => ['resume', s, '--print'],
  (s) => ['path', '--session', s],
  (s) => ['record', s, '53100b0e'],
  (s) => ['redact', 'scan', s],
  (s) => ['keep', s],
  (s) => ['keep', 'restore', s],
  (s) => ['edit', 'delete', s, '--dry-run'],
  (s) => ['edit', 'fork', `${s}:1`, '--dry-run'],
  (s) => ['edit', 'rewind', `${s}:1`, '--dry-run'],
  (s) => ['edit', 'prune', s, '--dry-run'],
  (s) => ['rename', s, 'Another title', '--dry-run'],
  (s) => ['move', s, '--to', '/home/ana/web', '--dry-run'],
  (s) => ['tag', s, 'auth', '--dry-run'],
  (s) => ['star', s],
  (s) => ['note', s, 'for later'],
  (s) => ['export', s, '--to', 'md', '--out', '-'],
  (s) => ['purge', s, '--yes'],
]

/** What may never be shown: a stack, a line of the program, or an invitation to report a bug. */
const NOT_SHOWN = /This is a bug|\n\s+at |loadWideText|\.[cm]js:\d|=>|\bfunction\b/

function expectSentence(text: string): void {
  expect(text).toMatch(/^\S[\s\S]*?[.?:]\n/)
  expect(text).not.toMatch(NOT_SHOWN)
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(400)
}

/** Runs command lines piped and in a terminal: each gives this exit code and a sentence, and nothing but that. */
async function expectErrors(code: 1 | 2, argvs: readonly (readonly string[])[]): Promise<void> {
  for (const argv of argvs) {
    const ran = annals(argv, { env })
    expect([argv, ran.code, ran.stdout]).toEqual([argv, code, ''])
    expectSentence(ran.stderr)
  }
  const shown = await terminalRuns(argvs, { cwd: folder.path, env })
  argvs.forEach((argv, nth) => {
    expect([argv, shown[nth]?.code]).toEqual([argv, code])
    expectSentence(shown[nth]?.text ?? '')
  })
}

const onRoot = (argv: readonly string[]) => [...argv, '--root', root]

const UNKNOWN = [
  'ffffffff-0000-4000-8000-000000000000',
  '• Nobody • said',
  'Deploy: phase three',
  '誰も 言わない',
  '🦖',
  'لا أحد',
]

describe('one unknown session, or several that are meant', () => {
  test('a session that is not there is exit code 1', async () => {
    // Each command with an id, and with one of the other names.
    const argvs = WITH_SESSION.flatMap((argv, nth) => [
      argv(UNKNOWN[0] as string),
      argv(UNKNOWN[1 + (nth % 5)] as string),
    ])
    await expectErrors(1, argvs.map(onRoot))
  }, 300_000)

  test('an ambiguous id is exit code 2, and its sessions with their titles', async () => {
    // Nothing is kept, so there is nothing to restore.
    const argvs = WITH_SESSION.map((argv) => onRoot(argv('c'))).filter(([, action]) => action !== 'restore')
    await expectErrors(2, argvs)
    const { stderr } = annals(onRoot(['show', 'c']), { env })
    for (const title of TITLES) expect(stderr).toContain(title)
  }, 300_000)

  test.each(TITLES)('a session is found by its title: %s', async (title) => {
    const [shown, turn] = await terminalRuns(
      [title, `${title}:1`].map((name) => onRoot(['show', name, '--no-pager'])),
      { cwd: folder.path, env },
    )
    expect([shown?.code, turn?.code]).toEqual([0, 0])
    expect(shown?.text).toContain(title)
    expect(turn?.text).not.toMatch(NOT_SHOWN)
    expect(annals(onRoot(['show', `${title}:1`]), { env }).code).toBe(0)
  })

  test.each([
    ['a number that is none of them', '9\r', 2, 'Answer with a number from 1 to 5.'],
    ['the end of input', '\u0004', 2, 'Nothing was done.'],
    ['an interrupt', '\u0003', 130, 'Which one?'],
  ])('asked which one, the answer may be %s', async (_, keys, code, shown) => {
    const terminal = openTerminal({ args: onRoot(['show', 'c']), cwd: folder.path, env, columns: 100 })
    try {
      await terminal.shows('Which one?')
      for (const title of TITLES) expect(terminal.text()).toContain(title.slice(-4))
      terminal.type(keys)
      expect(await terminal.exit()).toBe(code)
      expect(terminal.text()).toContain(shown)
      expect(terminal.text()).not.toMatch(NOT_SHOWN)
    } finally {
      terminal.close()
    }
  })
})

describe('a pattern that ripgrep cannot read, over several batches of text', () => {
  test.each(['[', '(', 'a{2,1}', '*', '\\p{Nope}', '(?<'])('%s', async (pattern) => {
    await expectErrors(2, [['search', '--regex', pattern, '--root', large]])
  })

  test('fails the call of a library once, and leaves the process running', () => {
    const index = pathToFileURL('dist/index.mjs').href
    const program = `
      import { setTimeout } from 'node:timers/promises'
      import { openHistory } from ${JSON.stringify(index)}
      const history = await openHistory({ roots: [${JSON.stringify(large)}] })
      try {
        for await (const hit of history.search('[', { as: 'regex' })) console.log(hit)
      } catch (error) {
        console.log(error.message)
      }
      await setTimeout(500)
      await history.close()
      console.log('still here')`
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
      env,
    })
    expect([status, stdout, stderr]).toEqual([
      0,
      'The pattern cannot be used: unclosed character class.\nstill here\n',
      '',
    ])
  })
})

test('what is asked for in a wrong way is exit code 2', async () => {
  const wrong = tried.flatMap(({ name, input }) => [
    ...('since' in input.properties ? [[name, '--since', 'whenever']] : []),
    ...('limit' in input.properties ? [[name, '--limit', 'some']] : []),
  ])
  await expectErrors(2, wrong.map(onRoot))
}, 300_000)

/** Root reads everything, so that commands are run as nobody then. */
const uid = process.getuid?.() === 0 ? 65_534 : undefined

describe('a root that cannot be read now', () => {
  const closed = join(folder.path, 'closed')
  const projects = join(closed, 'projects')
  const home = join(folder.path, 'home-of-nobody')
  const as = { env: { ...env, ANNALS_HOME: home }, cwd: folder.path, ...(uid !== undefined && { uid }) }
  const id = idOf('c', 4)
  const log = join(projects, '-home-ana-api', `${id}.jsonl`)

  beforeAll(() => {
    cpSync(root, closed, { recursive: true })
    mkdirSync(home)
    chmodSync(folder.path, 0o755)
    spawnSync('chmod', ['-R', 'a+rX', closed])
    if (uid !== undefined) chownSync(home, uid, uid)
    expect(annals(['search', 'two', '--root', closed], as).code).toBe(0)
    chmodSync(projects, 0)
  })
  afterAll(() => chmodSync(projects, 0o755))

  test('its sessions are listed as they were, with the reason', () => {
    const { code, stdout, stderr } = annals(['sessions', '--root', closed], as)
    expect(code).toBe(0)
    for (const title of TITLES) expect(stdout).toContain(title)
    expect(stdout.trim().split('\n')).toHaveLength(TITLES.length)
    for (const line of stdout.trim().split('\n')) expect(line).toMatch(/cannot be read now: permission denied$/)
    expect(stderr).toContain(`${projects}: 10 logs in it cannot be read now (permission denied)`)
    const { items } = JSON.parse(annals(['sessions', '--root', closed, '--json'], as).stdout)
    expect(items[0]).toMatchObject({ id, kind: 'conversation', file: log, unreadable: 'permission denied' })
    expect(annals(['sessions', '--root', closed, '--strict'], as).code).toBe(1)
  })

  test('what they cost is still known', () => {
    const usage = (path: string) => JSON.parse(annals(['usage', '--all', '--json', '--root', path], as).stdout).total
    expect(usage(closed)).toEqual(
      JSON.parse(annals(['usage', '--all', '--json', '--root', root], { env }).stdout).total,
    )
  })

  test('no command calls them gone, or shows a stack', async () => {
    const lists = ['sessions', 'agents', 'projects', 'plans', 'todos', 'stats', 'recap', 'usage', 'status', 'files']
    const argvs = [...WITH_SESSION.map((argv) => argv(id)), ...lists.map((name) => [name]), ['search', 'two']]
      // To forget a session is what `purge` is for, whether its log can be read or not.
      .filter(([name]) => name !== 'purge')
      .map((argv) => [...argv, '--root', closed])
    const shown = await terminalRuns(argvs, as)
    argvs.forEach((argv, nth) => {
      const { code, text = '' } = shown[nth] ?? {}
      expect([argv, [0, 1, 2].includes(code ?? -1)]).toEqual([argv, true])
      expect([argv, NOT_SHOWN.exec(text)?.[0]]).toEqual([argv, undefined])
      expect([argv, /is gone, and was not kept|No session matches/.test(text)]).toEqual([argv, false])
      expect([argv, /permission denied/.test(text.replace(/\s+/g, ' '))]).toEqual([argv, true])
    })
  }, 300_000)

  test('`show` says why it cannot show one', () => {
    const { code, stdout, stderr } = annals(['show', id, '--root', closed], as)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`${log} cannot be read now: permission denied.\n`)
  })

  test('they are back when it can be read again, and `check` says which log cannot', () => {
    chmodSync(projects, 0o755)
    expect(annals(['sessions', '--root', closed], as).stdout).not.toContain('cannot be read now')
    chmodSync(log, 0)
    const { code, stdout, stderr } = annals(['check', '--root', closed], as)
    expect(code).toBe(0)
    expect(stderr).toContain(`${log}: It could not be read: permission denied.`)
    expect(stdout).toContain(`${log.replace(folder.path, '~')}  It could not be read: permission denied.`)
    expect(stdout).toContain('✗ 1 file or folder could not be opened; everything else was.')
    expect(stdout).not.toContain('Everything was read')
    expect(annals(['check', '--strict', '--root', closed], as).code).toBe(1)
    expect(annals(['check', log], as).code).toBe(1)
  })
})
