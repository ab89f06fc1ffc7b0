import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadAll, opLoaders } from '../../src/ops/index.ts'
import { log, root as newRoot, writeDemoRoot } from '../../src/testing/index.ts'
import { argumentsOf, writeArguments } from '../support/command-arguments.ts'
import { annals, temporaryFolder } from './annals.ts'

const ops = await loadAll(opLoaders)

const folder = temporaryFolder()
const demo = join(folder.path, 'demo')
const small = join(folder.path, 'small')
const R = ['--root', demo]

beforeAll(() => {
  writeDemoRoot(demo, new Date())
  newRoot()
    .add(
      log({ cwd: '/home/ana/one', seed: 'one', sessionId: 'aaaaaaaa-0000-4000-8000-000000000001' })
        .user('first thing')
        .assistant('done'),
      log({ cwd: '/home/ana/two', seed: 'two', sessionId: 'aaaaaaaa-0000-4000-8000-000000000002' })
        .user('second thing')
        .assistant('done'),
    )
    .write(small)
  writeArguments(folder.path)
})
afterAll(folder.remove)

/** Arguments that make each command answer on the demo root. */
const ARGUMENTS = Object.fromEntries(Object.values(ops).map((op) => [op.name, argumentsOf(op, folder.path)]))

/** What answers only where there is a team store is tried in postgres-cli.test.ts. A purge comes last: others would say what is missing. */
const local = Object.values(ops)
  .filter(({ name }) => name !== 'team')
  .sort((a, b) => Number(a.name === 'purge') - Number(b.name === 'purge'))

describe('--json prints one object that keeps its schema', () => {
  for (const op of local) {
    test(op.name, () => {
      const { code, stdout, stderr } = annals([op.name, ...(ARGUMENTS[op.name] ?? []), ...R, '--json'])
      const { schema, warnings, ...result } = JSON.parse(stdout)
      expect(stdout.trimEnd().split('\n')).toHaveLength(1)
      expect(schema).toBe(`annals/${op.name}/1`)
      expect(warnings).toEqual([])
      expect([...Value.Errors(op.result, result)]).toEqual([])
      expect([0, ...(op.name === 'doctor' ? [1] : [])]).toContain(code)
      expect(stderr).toBe('')
    })

    test(`${op.name} for people says something, without a stack or a null`, () => {
      const { stdout, stderr } = annals([op.name, ...(ARGUMENTS[op.name] ?? []), ...R])
      // Piped, what is said about the data goes to stderr.
      expect(`${stdout}${stderr}`.trim()).not.toBe('')
      expect(`${stdout}${stderr}`).not.toMatch(/\bnull\b|undefined|\[object|\n\s+at /)
    })

    test(`${op.name} --help shows its summary and flags`, () => {
      const { code, stdout } = annals([op.name, '--help'])
      expect(code).toBe(0)
      expect(stdout.replace(/\s+/g, ' ')).toContain(op.summary)
      for (const example of op.examples.slice(0, 3)) expect(stdout).toContain(example)
      for (const name of Object.keys(op.input.properties)) expect(stdout).toContain(name)
    })
  }
})

describe('what goes wrong gets a sentence', () => {
  const cases: readonly (readonly [string, readonly string[], number, RegExp])[] = [
    ['a command that does not exist', ['sesions', ...R], 2, /no command "sesions"\. Did you mean `annals sessions`\?/],
    [
      'a flag that does not exist',
      ['sessions', '--projct', 'x', ...R],
      2,
      /Unknown flag --projct\. Did you mean --project\?/,
    ],
    ["another program's short flag", ['sessions', '-n', '5', ...R], 2, /Unknown flag -n\. Did you mean --limit\?/],
    ['a flag without its value', ['sessions', '--since', ...R.slice(0, 0)], 2, /--since needs a value/],
    ['a time that is none', ['sessions', '--since', 'yesteryear', ...R], 2, /"yesteryear" is not a time/],
    ['a choice that is none', ['projects', '--scope', 'moon', ...R], 2, /--scope takes one of local/],
    ['a number that is none', ['sessions', '--limit', '0', ...R], 2, /whole number from 1, not "0"/],
    ['an argument too many', ['status', 'now', ...R], 2, /Unexpected argument "now"/],
    [
      'the value of a flag alone',
      ['usage', 'monthly', ...R],
      2,
      /Unexpected argument "monthly"\. Did you mean --by month\?/,
    ],
    ['a table for a list', ['sessions', '--csv', ...R], 2, /Did you mean --format\?/],
    ['an argument too few', ['show', ...R], 2, /needs a session/],
    ['a root that is not there', ['sessions', '--root', '/no/such/root'], 2, /no folder \/no\/such\/root/],
    ['no root at all', ['sessions'], 2, /No Claude Code folder at .*\n {2}Set CLAUDE_CONFIG_DIR/],
    ['a session that is not there', ['show', 'ffffffff', ...R], 1, /No session matches "ffffffff"/],
    ['an agent that is not there', ['show', 'agent-zzz', ...R], 1, /No agent's id starts with "zzz"/],
    ['a turn that is none', ['show', 'last', '--turns', 'two', ...R], 2, /"two" is not a range of turns/],
    ['a branch that is none', ['show', 'last', '--branch', 'zzz', ...R], 1, /No branch ends at "zzz"/],
    ['a file that is not there', ['check', '/no/such/file'], 1, /nothing at \/no\/such\/file/],
    ['no current session', ['show', 'current', ...R], 1, /no current session here/],
    ['a hook without input', ['tail', 'current', '--hook', ...R], 2, /no hook input on stdin/],
  ]
  for (const [name, args, code, said] of cases) {
    test(name, () => {
      const ran = annals(args)
      expect(ran.stderr).toMatch(said)
      expect(ran.stderr).not.toMatch(/\n\s+at /)
      expect(ran.code).toBe(code)
      expect(ran.stdout).toBe('')
    })
  }

  test('a prefix that fits two sessions names both', () => {
    const { code, stderr } = annals(['show', 'aaaaaaaa', '--root', small])
    expect(code).toBe(2)
    expect(stderr).toContain('2 sessions match "aaaaaaaa":\n')
    expect(stderr).toMatch(/\n +aaaaaaaa-0000-4000-8000-000000000001 .* first thing +one +2 Mar /)
    expect(stderr).toMatch(/\n +aaaaaaaa-0000-4000-8000-000000000002 .* second thing +two +2 Mar /)
    expect(stderr).toContain('Give more of the id.')
  })
})

describe('a session is named', () => {
  const second = 'aaaaaaaa-0000-4000-8000-000000000002'
  const shown = (args: readonly string[], options = {}) => {
    const { stdout } = annals(['show', ...args, '--root', small, '--json'], options)
    return JSON.parse(stdout).session.id
  }
  test('by its id', () => expect(shown([second])).toBe(second))
  test('by its title', () => expect(shown(['Second Thing'])).toBe(second))
  test('by the path of its log', () => {
    expect(shown([join(small, 'projects/-home-ana-two', `${second}.jsonl`)])).toBe(second)
  })
  test('by a hook', () => {
    const hook = JSON.stringify({
      session_id: second,
      transcript_path: join(small, 'projects/-home-ana-two', `${second}.jsonl`),
    })
    expect(shown(['current', '--hook'], { input: hook })).toBe(second)
  })
  test('by the environment', () => {
    for (const env of [
      { ANNALS_SESSION: second },
      { CLAUDE_SESSION_ID: second },
      { SESSION_CONTEXT: `session_id=${second}` },
    ]) {
      expect(shown(['current'], { env })).toBe(second)
    }
  })
})

test('roots come from CLAUDE_CONFIG_DIR, which may be a list', () => {
  const { stdout } = annals(['sessions', '--json'], { env: { CLAUDE_CONFIG_DIR: `${demo}:${small}` } })
  expect(new Set(JSON.parse(stdout).items.map((item: { root: string }) => item.root))).toEqual(new Set([demo, small]))
})

test('flags may stand before the command', () => {
  expect(JSON.parse(annals([...R, '--json', 'sessions']).stdout).schema).toBe('annals/sessions/1')
})

test('nothing found is exit code 1, and still one JSON object', () => {
  const empty = join(folder.path, 'empty')
  mkdirSync(join(empty, 'projects'), { recursive: true })
  const { code, stdout } = annals(['sessions', '--root', empty, '--json'])
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ items: [], total: 0, hidden: {} })
})

test('drift alone exits 0, with --strict 1; damage exits 1', () => {
  const drifted = join(folder.path, 'drifted.jsonl')
  writeFileSync(drifted, '{"type":"novel","x":1}\n')
  expect(annals(['check', drifted]).code).toBe(0)
  expect(annals(['check', drifted, '--strict']).code).toBe(1)
  const damaged = join(folder.path, 'damaged.jsonl')
  writeFileSync(damaged, '{"type":"mode","mode":"normal"}\n{"type":"us\n')
  const { code, stdout } = annals(['check', damaged, '--json'])
  expect(code).toBe(1)
  expect(JSON.parse(stdout).diagnostics).toMatchObject([
    { file: damaged, line: 2, offset: 32, length: 11, code: 'TORN', salvaged: false },
  ])
})

test('one unreadable file never stops a run, nor changes the exit code, but with --strict', () => {
  const root = join(folder.path, 'partly')
  log({ seed: 'fine' }).user('fine').assistant('fine').write(root)
  const project = readdirSync(join(root, 'projects'))[0] as string
  // A link that leads out of the root is refused, as a file without permission would be.
  const outside = join(folder.path, 'outside.jsonl')
  writeFileSync(outside, '{"type":"user"}\n')
  symlinkSync(outside, join(root, 'projects', project, 'bbbbbbbb-0000-4000-8000-000000000000.jsonl'))
  const { code, stdout, stderr } = annals(['sessions', '--root', root, '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ total: 1, warnings: [{ message: expect.stringContaining('link') }] })
  expect(stderr).toContain('bbbbbbbb')
  expect(annals(['sessions', '--root', root, '--strict']).code).toBe(1)
})

test('help lists every command', () => {
  const { code, stdout } = annals(['help', '--all'])
  expect(code).toBe(0)
  const said = stdout.replace(/\s+/g, ' ')
  for (const op of Object.values(ops)) expect(said).toContain(`${op.name} ${op.summary}`)
})

test('completion is there for four shells, and offers commands', () => {
  for (const shell of ['bash', 'zsh', 'fish', 'powershell'])
    expect(annals(['complete', shell]).stdout).toContain('annals')
  expect(annals(['complete', '--', 'ses']).stdout).toContain('sessions')
  expect(annals(['complete', 'tcsh']).code).toBe(2)
})

test('a closed pipe is quiet', () => {
  const cli = join(import.meta.dirname, '../../dist/cli.cjs')
  const { status, stderr } = spawnSync(
    'bash',
    ['-c', `set -o pipefail; node ${cli} show last --root ${demo} --json | head -c 1 >/dev/null`],
    { encoding: 'utf8' },
  )
  expect(stderr).toBe('')
  expect([0, 141]).toContain(status)
})
