import { spawn } from 'node:child_process'
import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadAll, opLoaders } from '../../src/ops/index.ts'
import { log, root as newRoot } from '../../src/testing/index.ts'
import { annals, temporaryFolder } from './annals.ts'

const ops = await loadAll(opLoaders)

// What must never reach a terminal from a log: it would write the clipboard, rename the window, move the cursor, ask the
// terminal to type an answer, or make text read as something else.
const PAYLOADS = [
  '\u001b]52;c;cHduZWQ=\u0007',
  '\u001b]0;title\u0007',
  '\u001b]8;;http://evil.example\u001b\\link\u001b]8;;\u001b\\',
  '\u001b[6n',
  '\u001b[21t',
  '\u001b[2J\u001b[H',
  '\u001b[10A',
  '\u001bc',
  '\u001bP+q544e\u001b\\',
  '\u001b_Gx\u001b\\',
  '\u009b31m',
  '\u009d0;x\u009c',
  '\u0090q\u009c',
  'over\rwritten',
  '\u0007\b\b\b',
  '\u001b]0;unterminated',
  '\u202Egnp.exe',
  '\u2066x\u2069',
  'zero\u200Bwidth',
  '\u{E0041}\u{E0042}',
  '\u0000nul',
  '\u007f',
]
const HOSTILE = `a${PAYLOADS.join('b')}z`

const folder = temporaryFolder()
const root = join(folder.path, 'root')
const session = 'cccccccc-0000-4000-8000-000000000001'

beforeAll(() => {
  newRoot()
    .add(
      log({ cwd: `/home/ana/${HOSTILE.replaceAll('/', '')}`, gitBranch: HOSTILE, sessionId: session, seed: 'hostile' })
        .user(HOSTILE)
        .assistant(`# ${HOSTILE}\n\n- **${HOSTILE}**\n\n\`\`\`\n${HOSTILE}\n\`\`\``)
        .tool(HOSTILE, { file_path: HOSTILE, [HOSTILE]: HOSTILE }, { output: HOSTILE })
        .tool('Bash', { command: HOSTILE }, { output: HOSTILE, isError: true })
        .edit(`/home/ana/${HOSTILE}`, { before: HOSTILE, after: `${HOSTILE}\n${HOSTILE}` })
        .subagent({ type: HOSTILE, description: HOSTILE, prompt: HOSTILE, result: HOSTILE })
        .todo([HOSTILE])
        .command('/x', { args: HOSTILE, output: HOSTILE })
        .bash(HOSTILE, HOSTILE)
        .interrupt()
        .compact({ summary: HOSTILE })
        .user(HOSTILE)
        .apiError('overloaded', { text: HOSTILE })
        .title(HOSTILE)
        .raw({ type: HOSTILE, [HOSTILE]: 1, version: HOSTILE }),
    )
    .history([{ display: HOSTILE, project: `/x/${HOSTILE}`, sessionId: session }])
    .memory('/home/ana/x', { 'MEMORY.md': HOSTILE })
    .skill('safe', { description: HOSTILE, body: HOSTILE })
    .live({ pid: 1, sessionId: HOSTILE, cwd: HOSTILE })
    .write(root)
  // A name that only the file system holds. NUL and slash cannot be in one.
  mkdirSync(join(root, 'projects', 'p\u001b]0;x\u0007q'), { recursive: true })
  writeFileSync(
    join(root, 'projects', 'p\u001b]0;x\u0007q', 'n\u001b[2J.jsonl'),
    `{"type":"user","uuid":"u","message":{"content":${JSON.stringify(HOSTILE)}}}\nbad \u001b[2J line\n`,
  )
  writeFileSync(
    join(root, 'projects', 'p\u001b]0;x\u0007q', 'sessions-index.json'),
    `{"entries":[{"sessionId":${JSON.stringify(HOSTILE)},"firstPrompt":${JSON.stringify(HOSTILE)}}]}`,
  )
})
afterAll(folder.remove)

const ARGUMENTS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  show: [[session, '--tools', 'full', '--thinking', '--agents'], ['n\u001b[2J'], ['agent-']],
  outline: [[session], ['n\u001b[2J']],
  read: [[session, '--count', '500'], ['n\u001b[2J'], [session, '--around', 'zzz']],
  find: [
    [session, 'over'],
    [session, 'z'],
  ],
  context: [[session]],
  record: [
    [session, 'a'],
    ['n\u001b[2J', 'u'],
    ['--file', 'x\u001b[2J', '--offset', '0'],
  ],
  tree: [[session, '--rows']],
  tail: [[session]],
  usage: [
    ['--by', 'session', '--reconcile'],
    ['--by', 'turn'],
    ['--by', 'agent'],
    ['--by', 'project', '--csv'],
  ],
  search: [['over'], ['written', '--exact'], ['a.*z', '--regex']],
  receipt: [[session]],
  resume: [[session, '--print']],
  sessions: [[], ['--all', '--full']],
  projects: [[], ['--families']],
  prompts: [[], ['--projects']],
  agents: [[], ['--failed']],
  path: [['--session', session], [HOSTILE.replaceAll('\u0000', '')]],
  files: [['--reads']],
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|[\u200b\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/u

describe('no command lets control characters of the data through', () => {
  for (const op of Object.values(ops)) {
    for (const args of ARGUMENTS[op.name] ?? [[]]) {
      test(`${op.name} ${args.filter((arg) => !CONTROL.test(arg)).join(' ')}`, () => {
        const plain = annals([op.name, ...args, '--root', root])
        expect(CONTROL.exec(plain.stdout + plain.stderr)).toBeNull()
        expect(plain.stderr).not.toMatch(/\n\s+at /)
        const coloured = annals([op.name, ...args, '--root', root, '--color'])
        // biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours are the only sequences allowed.
        const withoutOurs = (coloured.stdout + coloured.stderr).replace(/\u001b\[[\d;]*m/g, '')
        expect(CONTROL.exec(withoutOurs)).toBeNull()
        const json = annals([op.name, ...args, '--root', root, '--json'])
        expect(CONTROL.exec(json.stdout + json.stderr)).toBeNull()
      })
    }
  }

  test('a command that stays, with --json', async () => {
    const lines = linesOf(['tail', session, '--follow', '--json', '--root', root])
    const seen = [await lines.next()]
    const log = readdirSync(join(root, 'projects'), { recursive: true, encoding: 'utf8' })
      .map((name) => join(root, 'projects', name))
      .find((name) => name.endsWith(`${session}.jsonl`)) as string
    // What is written before it watches is not told.
    const message = { role: 'assistant', content: [{ type: 'text', text: HOSTILE }] }
    const writing = setInterval(() => {
      appendFileSync(log, `${JSON.stringify({ type: 'assistant', uuid: 'later', message })}\n`)
    }, 200)
    seen.push(await lines.next())
    clearInterval(writing)
    lines.stop()
    for (const line of seen) expect(CONTROL.exec(line)).toBeNull()
    expect(JSON.stringify(JSON.parse(seen[1] as string))).toContain('gnp.exe')
  })

  test('error texts', () => {
    for (const args of [[HOSTILE], ['show', HOSTILE], ['sessions', `--${HOSTILE}`], ['check', HOSTILE]]) {
      const { stdout, stderr } = annals([...args.map((arg) => arg.replaceAll('\u0000', '')), '--root', root])
      expect(CONTROL.exec(stdout + stderr)).toBeNull()
    }
  })
})

/** A command that stays: its lines, one by one. */
function linesOf(args: readonly string[]): { readonly next: () => Promise<string>; readonly stop: () => void } {
  const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ANNALS_HOME: join(folder.path, 'home'), TZ: 'UTC' }
  const child = spawn(process.execPath, [resolve(import.meta.dirname, '../../dist/cli.cjs'), ...args], { env })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return { next: async () => String((await lines.next()).value), stop: () => child.kill('SIGINT') }
}
