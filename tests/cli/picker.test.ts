import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { log, root as newRoot } from '../../src/testing/index.ts'
import { annals, temporaryFolder } from './annals.ts'
import { openTerminal, type Terminal, type TerminalOptions } from './terminal.ts'

const ENTER = '\r'
const TAB = '\t'
const ESCAPE = '\u001b'
const UP = '\u001b[A'
const DOWN = '\u001b[B'
const CTRL_C = '\u0003'
const CTRL_A = '\u0001'
const CTRL_F = '\u0006'
const CTRL_O = '\u000f'
const CTRL_R = '\u0012'
const CTRL_S = '\u0013'
const CTRL_X = '\u0018'
const RIGHT = '\u001b[C'
const LEFT = '\u001b[D'
const CTRL_T = '\u0014'
const CTRL_U = '\u0015'
const CTRL_Y = '\u0019'

const folder = temporaryFolder()
const root = join(folder.path, 'root')
const empty = join(folder.path, 'empty')
const api = join(folder.path, 'api')
const bin = join(folder.path, 'bin')
const id = (number: number) => `aaaaaaaa-0000-4000-8000-00000000000${number}`
const HOSTILE = 'Evil \u001b]0;owned\u0007\u001b[2J\u001b[6n\u0007\u009b31m\u202e title'

beforeAll(() => {
  const at = (day: number) => `2026-03-0${day}T09:00:00.000Z`
  mkdirSync(join(api, '.git'), { recursive: true })
  mkdirSync(join(empty, 'projects'), { recursive: true })
  mkdirSync(bin)
  newRoot()
    .add(
      log({ cwd: api, sessionId: id(1), startedAt: at(1) })
        .user('why are users logged out?')
        .assistant('Let me look at the code first.')
        .user('now fix it')
        .edit(join(api, 'src/refresh.ts'), { before: 'a', after: 'zanzibar' })
        .assistant('Both tabs spend the same zanzibar token.')
        .title('Fix token refresh race'),
      log({ cwd: api, sessionId: id(2), startedAt: at(2) })
        .user('add tests for the login')
        .assistant('They pass.')
        .title('Add login tests'),
      log({ cwd: '/home/ana/web', sessionId: id(3), startedAt: at(3) })
        .user('spike')
        .assistant('The zanzibar cookie is set.')
        .title('日本語のセッション'),
      log({ cwd: '/home/ana/web', sessionId: id(4), startedAt: at(4) })
        .user('x')
        .assistant('y')
        .title(HOSTILE),
    )
    .write(root)
  // Reads from the terminal, as a pager does, so that a key which went to annals instead would be missed.
  script('pager', 'cat > "$0.text"; echo; echo "the pager has $(wc -l < "$0.text") lines"; read answer < /dev/tty')
  script('claude', 'echo "claude got $*"; pwd; exit 7')
})
afterAll(folder.remove)

function script(name: string, body: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`)
  chmodSync(join(bin, name), 0o755)
}

let terminal: Terminal

afterEach(() => terminal?.close())

/** Opens the picker in the repository, and waits for its list. */
async function picker(options: Partial<TerminalOptions> & { readonly root?: string } = {}): Promise<Terminal> {
  const { root: where = root, ...rest } = options
  terminal = openTerminal({
    args: ['--root', where],
    cwd: api,
    env: {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: folder.path,
      ANNALS_HOME: join(folder.path, 'home'),
      PAGER: join(bin, 'pager'),
    },
    ...rest,
  })
  await terminal.shows(/\d sessions? · |There is no session/)
  return terminal
}

describe('what is listed', () => {
  test('are the sessions of this repository, newest first, with what the selected one is about', async () => {
    const { lines } = await picker()
    expect(lines()[0]).toMatch(/^ › +2 sessions · this repository$/)
    expect(lines()[2]).toMatch(/^ ▌ Add login tests +api +2 Mar/)
    expect(lines()[3]).toMatch(/^ {3}Fix token refresh race +api +1 Mar/)
    await terminal.shows('› add tests for the login')
    await terminal.shows('They pass.')
    expect(terminal.isAlternate()).toBe(true)
  })

  test('are all of them after Tab, and these again after another', async () => {
    await picker()
    await terminal.shows('⇥ all projects')
    terminal.type(TAB)
    await terminal.shows('4 sessions · all projects')
    await terminal.shows('日本語のセッション')
    await terminal.shows('⇥ this repository')
    terminal.type(TAB)
    await terminal.shows('2 sessions · this repository')
  })

  test('are all of them in a place that has none', async () => {
    await picker({ cwd: empty })
    await terminal.shows('4 sessions · all projects')
  })

  test('is nothing in an empty root, and a sentence says so', async () => {
    await picker({ root: empty })
    expect(terminal.text()).toContain('No sessions yet.')
  })
})

describe('typing', () => {
  test('finds titles, and what was said, and shows it in its place', async () => {
    await picker()
    terminal.type('zanzi')
    await terminal.shows(/1 session · \d hits?/)
    expect(terminal.lines()[2]).toContain('▌ Fix token refresh race')
    await terminal.shows('Both tabs spend the same «zanzibar» token.')
    await terminal.shows('Claude · turn 2')
    terminal.type(TAB)
    await terminal.shows(/2 sessions · \d hits/)
    terminal.type(`${CTRL_U}login TESTS`)
    await terminal.shows('▌ Add login tests')
  })

  test('says so when nothing is found', async () => {
    await picker()
    terminal.type('quetzal')
    await terminal.shows(/Nothing was found for “quetzal” in this repository\. Tab looks in all\s+projects\./)
  })

  test('takes a paste of several lines for words', async () => {
    await picker()
    terminal.type('\u001b[200~token\r\nrace\r\n\u001b[201~')
    await terminal.shows(/^ › token race +1 session/m)
  })

  test('shows the keys for a question mark, and types it behind a word', async () => {
    await picker()
    terminal.type('?')
    await terminal.shows('resume it in Claude Code')
    terminal.type('tests')
    await terminal.shows('▌ Add login tests')
    terminal.type('?')
    await terminal.shows(' › tests?')
  })
})

describe('keys', () => {
  test('move the selection, which stops at both ends', async () => {
    await picker()
    terminal.type(DOWN)
    await terminal.shows('▌ Fix token refresh race')
    terminal.type(DOWN + DOWN + UP)
    await terminal.shows('▌ Add login tests')
    terminal.type('\u001b[F')
    await terminal.shows('▌ Fix token refresh race')
    terminal.type('\u001b[H')
    await terminal.shows('▌ Add login tests')
  })

  test('Enter reads the session in the pager, from the turn that was found, and comes back', async () => {
    await picker()
    terminal.type('zanzibar token')
    await terminal.shows('turn 2')
    terminal.type(ENTER)
    await terminal.shows('the pager has')
    expect(terminal.isAlternate()).toBe(false)
    terminal.type(ENTER)
    await terminal.shows(/^ › zanzibar token +1 session/m)
    expect(terminal.isAlternate()).toBe(true)
    const read = readFileSync(join(bin, 'pager.text'), 'utf8')
    expect(read).toContain('Both tabs spend the same')
    expect(read).not.toContain('why are users logged out?')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what is found is marked with a colour.
    expect(read).toMatch(/\u001b\[[\d;]+mzanzibar/)
    terminal.type(ESCAPE)
    await terminal.shows('2 sessions · this repository')
  })

  test('an arrow shows every match of a session, and Enter reads at the one that is chosen', async () => {
    await picker()
    terminal.type('zanzibar')
    await terminal.shows('→ matches')
    terminal.type(RIGHT)
    await terminal.shows(/Claude +Both tabs spend the same «zanzibar» token\./)
    terminal.type(DOWN + DOWN)
    await terminal.shows(/2 of \d/)
    terminal.type(ENTER)
    await terminal.shows('the pager has')
    terminal.type(ENTER)
    await terminal.shows('← fold')
    terminal.type(LEFT)
    await terminal.shows('→ matches')
    // What an edit wrote is unfolded where the match is in it.
    expect(readFileSync(join(bin, 'pager.text'), 'utf8')).toContain('src/refresh.ts')
  })

  test('edit the line where the cursor stands', async () => {
    await picker()
    terminal.type(`token${CTRL_A}refresh `)
    await terminal.shows(/^ › refresh token +1 session/m)
    terminal.type('\u0017\u001by\u001by')
    await terminal.shows(' › refresh refresh token')
  })

  test('words that filter are taken for flags', async () => {
    await picker()
    terminal.type(`${TAB}project:web`)
    await terminal.shows(/› project:web +2 sessions$/m)
    terminal.type(' since:yesteryear')
    await terminal.shows('"yesteryear" is not a')
    terminal.type(`${CTRL_U}until:2026-03-02 cost:>=0 login`)
    await terminal.shows(/login +1 session/)
  })

  test('^S keeps the session, ^X writes it down, and ^F lists its files', async () => {
    await picker({ cwd: empty })
    terminal.type('login')
    await terminal.shows('▌ Add login tests')
    terminal.type(CTRL_S)
    await terminal.shows(/Kept \d+ files?, /)
    terminal.type(CTRL_S)
    await terminal.shows('Already kept.')
    terminal.type(CTRL_X)
    await terminal.shows(/Wrote .*\.md · .* · no secrets found/)
    const [written] = readdirSync(empty).filter((name) => name.endsWith('.md'))
    expect(readFileSync(join(empty, written as string), 'utf8')).toContain('add tests for the login')
    terminal.type(`${CTRL_U}race`)
    await terminal.shows('▌ Fix token refresh race')
    terminal.type(CTRL_F)
    await terminal.shows('the pager has')
    terminal.type(ENTER)
    await terminal.shows('▌ Fix token refresh race')
    expect(readFileSync(join(bin, 'pager.text'), 'utf8')).toContain('src/refresh.ts')
  })

  test('^T stars a session, and ^O gives it another title, in its log', async () => {
    const copy = join(folder.path, 'renamed')
    cpSync(root, copy, { recursive: true })
    const file = (readdirSync(copy, { recursive: true }) as string[]).find((name) => name.endsWith(`${id(2)}.jsonl`))
    // Nothing may still write to it.
    utimesSync(join(copy, file as string), new Date('2026-03-02'), new Date('2026-03-02'))
    await picker({ root: copy })
    terminal.type(CTRL_T)
    await terminal.shows('▌ ★ Add login tests')
    terminal.type('is:starred')
    await terminal.shows(/is:starred +1 session$/m)
    terminal.type(CTRL_O)
    await terminal.shows(' New title › Add login tests')
    terminal.type(`${CTRL_U}Login, tested${ENTER}`)
    await terminal.shows('▌ ★ Login, tested')
    await terminal.shows(/annals undo [0-9a-f]+ takes it back/)
    expect(readFileSync(join(copy, file as string), 'utf8')).toContain('"customTitle":"Login, tested"')
    terminal.type(CTRL_T)
    await terminal.shows('Star removed.')
  })

  test('^Y copies the id and shows it', async () => {
    await picker()
    terminal.type(CTRL_Y)
    await terminal.shows(`Copied ${id(2)}`)
    expect(terminal.clipboard()).toBe(id(2))
    terminal.type(DOWN)
    await terminal.shows('⏎ read')
  })

  test('what was told of one act is gone after the next', async () => {
    await picker()
    terminal.type(CTRL_Y)
    await terminal.shows(`Copied ${id(2)}`)
    terminal.type(CTRL_F)
    await terminal.shows('the pager has')
    terminal.type(ENTER)
    await terminal.shows('⏎ read')
    expect(terminal.text()).not.toContain('Copied')
  })

  test('^R hands the terminal over to the client, in the folder of the session', async () => {
    await picker({ cwd: empty })
    terminal.type(`login${CTRL_R}`)
    expect(await terminal.exit()).toBe(7)
    expect(terminal.isAlternate()).toBe(false)
    expect(terminal.text()).toContain(`claude got --resume ${id(2)}`)
    expect(terminal.text()).toContain(api)
  })

  test('^R says so where the folder is gone, and stays', async () => {
    await picker({ cwd: empty })
    terminal.type(`日本語${CTRL_R}`)
    await terminal.shows("The session's folder /home/ana/web is gone.")
    expect(terminal.isAlternate()).toBe(true)
  })
})

describe('leaving', () => {
  test('Esc clears what is typed, then quits, and the screen is as it was', async () => {
    await picker()
    terminal.type('login')
    await terminal.shows('› login')
    terminal.type(ESCAPE)
    await terminal.shows('2 sessions · this repository')
    terminal.type(ESCAPE)
    expect(await terminal.exit()).toBe(0)
    expectRestored()
  })

  test('^C quits', async () => {
    await picker()
    terminal.type(CTRL_C)
    expect(await terminal.exit()).toBe(0)
    expectRestored()
  })

  test('a signal ends it as well', async () => {
    await picker()
    terminal.signal('TERM')
    expect(await terminal.exit()).toBe(143)
    expectRestored()
  })

  function expectRestored() {
    expect(terminal.isAlternate()).toBe(false)
    expect(terminal.text().trim()).toBe('')
    const end = terminal.output().slice(terminal.output().lastIndexOf('\u001b[?2004l'))
    expect(end.startsWith('\u001b[?2004l\u001b[0m\u001b[?25h\u001b[?1049l')).toBe(true)
    expect(end).not.toMatch(/\?25l|\?1049h|\?2004h/)
  }
})

describe('the terminal', () => {
  test('is never told anything by a log', async () => {
    await picker()
    terminal.type(`${TAB}evil`)
    await terminal.shows('▌ Evil')
    await terminal.shows(/1 session · /)
    expect(terminal.events()).toEqual([])
    expect(terminal.lines()[0]).toMatch(/^ › evil/)
  })

  test('may be narrow, and change its size', async () => {
    await picker({ columns: 40, rows: 16 })
    terminal.type(TAB)
    await terminal.shows('日本語のセッション')
    for (const line of terminal.lines()) expect(line.length).toBeLessThanOrEqual(40)
    terminal.resize(90, 20)
    await terminal.shows(/^ {1}─{88}$/m)
    expect(terminal.text()).toMatch(/▌ Evil.* web +4 Mar/)
    terminal.resize(60, 8)
    await terminal.shows(/^ › +4 sessions · all projects$/m)
    expect(terminal.lines().filter((line) => line.includes('▌'))).toHaveLength(1)
  })

  test('gets no colours where they are not wanted', async () => {
    await picker({ args: ['--root', root, '--no-color'] })
    await terminal.shows('They pass.')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what this looks for.
    expect(terminal.output()).not.toMatch(/\u001b\[[1-9][\d;]*m/)
  })
})

test('without a terminal, annals alone says what was done today', () => {
  const { code, stdout } = annals(['--root', root])
  expect([0, 1]).toContain(code)
  expect(stdout).toContain('Today')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape would be one.
  expect(stdout).not.toMatch(/\u001b/)
})
