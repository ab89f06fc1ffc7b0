import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadAll, opLoaders, serviceLoaders } from '../../src/ops/index.ts'
import { type Command, HELP_GROUPS } from '../../src/ops/op.ts'
import { log, root as newRoot } from '../../src/testing/index.ts'
import { annals, temporaryFolder } from './annals.ts'

const ops = await loadAll(opLoaders)
const services = await loadAll(serviceLoaders)

const folder = temporaryFolder()
const one = join(folder.path, 'one')
const two = join(folder.path, 'two')
const R = ['--root', one]
const id = 'aaaaaaaa-0000-4000-8000-000000000001'

beforeAll(() => {
  const made = log({ cwd: '/home/ana/api', seed: 'one', sessionId: id })
    .user('Fix the token race')
    .tool('Bash', { command: 'npm test' }, { output: 'two lamps lit' })
    .assistant('The race is fixed, without a lock.')
  newRoot().add(made).write(one)
  newRoot()
    .add(log({ cwd: '/home/ana/web', seed: 'two' }).user('Paint it green').assistant('Painted.'))
    .write(two)
})
afterAll(folder.remove)

const all: readonly Command[] = Object.values({ ...ops, ...services })

describe('help', () => {
  test('of everything fits 80 by 24, in groups, each line whole', () => {
    for (const args of [['--help'], ['help'], ['-h'], ['--no-pager', 'help']]) {
      const { code, stdout } = annals(args)
      const lines = stdout.trimEnd().split('\n')
      expect(code).toBe(0)
      // One row is left for the prompt.
      expect(lines.length).toBeLessThanOrEqual(23)
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
      for (const group of HELP_GROUPS) expect(stdout).toContain(`  ${group} `)
      for (const op of all.filter((op) => op.group))
        expect(stdout).toMatch(new RegExp(`${op.name} +${escaped(op.summary)}\n`))
      expect(stdout).not.toContain('…')
    }
  })

  test('of a command has three examples and its own flags in full, none wider than 80', () => {
    for (const op of all) {
      expect(op.examples.length, op.name).toBeGreaterThanOrEqual(3)
      const { stdout } = annals(['help', op.name])
      const wide = stdout.split('\n').filter((line) => line.length > 80)
      expect(wide, op.name).toEqual([])
      expect(stdout, op.name).not.toContain('--no-color')
    }
    expect(annals(['search', '--help']).stdout.replace(/\s+/g, ' ')).toContain(
      '--kind KIND Only this kind of text: prompt, command, command-output, bash, ',
    )
    expect(annals(['help', 'flags']).stdout).toContain('--no-color')
    expect(annals(['complete', '--help']).stdout).toContain('annals complete zsh')
  })

  test('of all commands has each once, on one line of 80', () => {
    const { stdout } = annals(['help', '--all'])
    const lines = stdout.split('\n')
    for (const op of all) {
      const told = lines.filter((line) => line.startsWith(`  ${op.name} `))
      expect(told, op.name).toEqual([expect.stringMatching(new RegExp(`^  ${op.name} +${escaped(op.summary)}$`))])
      expect(told[0]?.length, op.name).toBeLessThanOrEqual(80)
    }
    // What people do now and then stands by its subject; plumbing is what scripts ask for.
    const [, plumbing = ''] = stdout.split('Plumbing')
    for (const name of ['outline', 'read', 'find', 'record', 'context', 'tree', 'archive'])
      expect(plumbing).toContain(`  ${name} `)
    for (const name of ['plans', 'stats', 'rename', 'star']) expect(plumbing).not.toContain(`  ${name} `)
  })

  test('of what is none says so', () => {
    expect(annals(['help', 'sesions'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean sessions?'),
    })
  })
})

describe('the command', () => {
  test('may have flags before it', () => {
    expect(annals([...R, 'help', 'tree']).stdout).toContain('annals tree <session>')
    expect(annals([...R, '--help']).stdout).toContain('Look after')
    expect(annals([...R, '--json', 'ls']).stdout).toContain('"schema":"annals/sessions/1"')
    expect(annals([...R, 'lamps', '--json']).stdout).toContain('"schema":"annals/search/1"')
  })

  test('has other names', () => {
    for (const [alias, name] of [
      ['ls', 'sessions'],
      ['log', 'sessions'],
      ['cost', 'usage'],
    ] as const) {
      expect(JSON.parse(annals([alias, ...R, '--json']).stdout).schema).toBe(`annals/${name}/1`)
    }
    expect(annals(['completion', 'bash']).stdout).toBe(annals(['complete', 'bash']).stdout)
  })

  test('that is nearly one is proposed before anything is searched', () => {
    expect(annals(['list', ...R]).stderr).toContain('There is no command "list". Did you mean `annals sessions`?')
    expect(annals(['restore', 'x', ...R]).stderr).toContain('Did you mean `annals keep restore`?')
    expect(annals(['sesions', ...R]).code).toBe(2)
    expect(annals(['two', 'lamps', ...R]).stdout).toContain('two')
  })
})

describe('what was plumbing is reached from the verbs', () => {
  const schemaOf = (args: readonly string[]) => JSON.parse(annals([...args, ...R, '--json']).stdout).schema
  test.each([
    [['show', id, '--outline'], 'outline'],
    [['show', '--rows', id, '--from', '0'], 'read'],
    [['show', id, '--tree'], 'tree'],
    [['show', id, '--context'], 'context'],
    [['keep', 'list'], 'archive'],
    [['keep', 'status'], 'archive'],
    [['keep', 'verify'], 'archive'],
  ])('annals %s', (args, name) => expect(schemaOf(args)).toBe(`annals/${name}/1`))

  test('a record by its point', () => {
    const [hit] = JSON.parse(annals(['search', 'race fixed', ...R, '--json']).stdout).hits
    const raw = JSON.parse(annals(['show', `${id}:${hit.uuid}`, '--raw', ...R, '--json']).stdout)
    expect(raw).toMatchObject({ schema: 'annals/record/1', line: hit.line, offset: hit.offset })
  })

  test('views cannot be used together', () => {
    expect(annals(['show', id, '--tree', '--outline', ...R]).stderr).toContain(
      '--outline and --tree cannot be used together.',
    )
  })
})

describe('times', () => {
  test.each(['2026-99-99', '2026-13-45', 'soon'])('%s is refused everywhere', (time) => {
    for (const command of ['sessions', 'usage', 'stats', 'prompts']) {
      const { code, stderr } = annals([command, '--since', time, ...R])
      expect([code, stderr]).toEqual([2, expect.stringContaining(`"${time}" is not a time.`)])
    }
  })
  test('a receipt of a day that there is not is refused', () => {
    expect(annals(['receipt', '2026-13-45', ...R])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not a time'),
    })
  })
  test.each(['today', 'yesterday', 'monday', 'week', 'last week', '7d', '24h', '1mo', '2026-11', '2026-11-01'])(
    '%s is taken',
    (time) => {
      for (const command of ['sessions', 'usage', 'stats']) {
        expect(annals([command, '--since', time, '--until', time, ...R]).code).toBeLessThan(2)
      }
    },
  )
})

describe('values are checked and proposed', () => {
  test.each([
    [['--kind', 'promt'], 2, /--kind takes one of prompt, .*\n {2}Did you mean prompt\?/],
    [['--role', 'sistem'], 2, /--role takes one of user.*\n {2}Did you mean system\?/],
    [['--tool', 'bahs'], 2, /No tool "bahs" was ever called\. Did you mean Bash\?/],
    [['--session', 'zzzz'], 1, /No session matches "zzzz"/],
  ] as const)('%s', (flags, code, said) => {
    const ran = annals(['search', 'lamps', ...flags, ...R])
    expect(ran.stderr).toMatch(said)
    expect(ran.code).toBe(code)
  })

  test('a tool in any case, a role in any case, a session by any name', () => {
    for (const flags of [
      ['--tool', 'bash'],
      ['--role', 'Tool'],
      ['--session', 'last'],
      ['--session', 'Fix the token race'],
    ]) {
      expect(JSON.parse(annals(['search', 'lamps', ...flags, ...R, '--json']).stdout).total).toBe(1)
    }
  })
})

describe('a search', () => {
  const total = (...words: readonly string[]) => JSON.parse(annals([...R, '--json', 'search', ...words]).stdout).total
  test('leaves out -words after the first, takes AND, OR and NOT', () => {
    expect(total('race')).toBe(2)
    expect(total('race', '-lock')).toBe(1)
    expect(total('race', 'NOT', 'lock')).toBe(1)
    expect(total('race', 'AND', 'lock')).toBe(1)
    expect(total('lamps', 'OR', 'lock')).toBe(2)
    expect(total('race', '--', '-lock')).toBe(1)
  })
  test('still takes its short flags', () => {
    expect(JSON.parse(annals(['search', 'lamps', '-C', '1', ...R, '--json']).stdout).hits[0].before).toHaveLength(1)
    expect(annals(['search', '-x', ...R])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('put -- before words'),
    })
  })
})

describe('piped', () => {
  test('output is data only', () => {
    const { stdout, stderr } = annals(['search', 'lamps', ...R])
    expect(stdout).toContain('lamps')
    expect(stdout).not.toContain('annals show')
    expect(stderr).toContain('annals show')
    expect(annals(['prompts', 'no such words', ...R]).stdout).toBe('')
    const rows = annals(['sessions', ...R]).stdout
    expect(rows).toContain('Fix the token race')
    expect(rows).not.toMatch(/\n\n|1 session/)
  })

  test('--format writes one line for each item', () => {
    const run = (format: string, command = 'sessions') => annals([command, '--format', format, ...R])
    expect(run('{id}\\t{title}').stdout).toBe(`${id}\tFix the token race\n`)
    expect(run('{project.path}|{counts.turns}|{forkedFrom}\\n-').stdout).toBe('/home/ana/api|1|\n-\n')
    expect(run('{id}\\0').stdout).toBe(`${id}\0`)
    expect(run('\\{x} {models}').stdout).toMatch(/^\{x\} claude-\S+\n$/)
    expect(run('{name}: {ok}', 'doctor').stdout).toContain('root: true\n')
    expect(annals(['search', 'lamps', '--format', '{session}:{uuid}', ...R]).stdout).toMatch(
      /^aaaaaaaa-.*:[0-9a-f-]{36}\n$/,
    )
  })

  test('--format refuses a field that there is not, and commands without items', () => {
    const wrong = annals(['sessions', '--format', '{titel}', ...R])
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
    expect(wrong.stderr).toContain('There is no field {titel}. Did you mean {title}?')
    expect(annals(['sessions', '--format', '{project.x}', ...R]).code).toBe(2)
    expect(annals(['path', '--format', '{x}', ...R]).stderr).toContain('lists no items')
  })
})

test('CLAUDE_CONFIG_DIR may be a list with commas, unless the whole is a folder', () => {
  const rootsIn = (value: string) => {
    const { stdout } = annals(['sessions', '--format', '{root}'], { env: { CLAUDE_CONFIG_DIR: value } })
    return stdout.trim().split('\n').sort()
  }
  expect(rootsIn(`${one},${two}`)).toEqual([one, two])
  const comma = join(folder.path, 'a,b')
  newRoot()
    .add(log({ seed: 'three' }).user('x').assistant('y'))
    .write(comma)
  expect(rootsIn(comma)).toEqual([comma])
})

describe('a machine without Claude Code', () => {
  const home = join(folder.path, 'nobody')
  const env = { HOME: home, ANNALS_HOME: join(home, 'state') }
  beforeAll(() => mkdirSync(home))

  test('gets one screen that says what annals is, where it looked, and how to see it', () => {
    for (const args of [[], ['sessions'], ['usage'], ['search', 'x']]) {
      const { code, stdout, stderr } = annals(args, { env })
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain(`No Claude Code folder at ${join(home, '.claude')} or ${join(home, '.config/claude')}.`)
      expect(stderr).toContain('annals sessions --demo')
      expect(stderr).toContain('annals serve --demo')
      expect(stderr.split('\n').length).toBeLessThan(12)
    }
  })

  test('can be looked after, and has a status line', () => {
    const doctor = annals(['doctor'], { env })
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toContain('No Claude Code folder')
    expect(doctor.stdout).toContain('Node ')
    expect(annals(['statusline'], { env })).toMatchObject({ code: 0, stderr: '' })
  })

  test('--demo works with every command, and leaves nothing behind', () => {
    const before = readdirSync(home)
    const listed = JSON.parse(annals(['sessions', '--demo', '--json'], { env }).stdout)
    expect(listed.total).toBeGreaterThan(10)
    expect(annals(['usage', '--demo', '--by', 'total'], { env }).code).toBe(0)
    expect(annals(['show', 'last', '--demo'], { env }).stdout).toContain('Release notes')
    expect(annals(['keep', '--demo'], { env }).code).toBe(0)
    expect(annals(['keep', 'list', '--demo'], { env }).stderr).toContain('Nothing is kept yet')
    expect(readdirSync(home)).toEqual(before)
    expect(existsSync(listed.items[0].root)).toBe(false)
    expect(annals(['sessions', '--demo', ...R], { env }).stderr).toContain('--demo and --root cannot be used together.')
  })
})

test('a hook that names only its session is enough, and so is one whose log is not there', () => {
  for (const hook of [{ session_id: id }, { session_id: id, transcript_path: '/no/such/log.jsonl' }]) {
    const { stdout } = annals(['show', 'current', '--hook', ...R, '--json'], { input: JSON.stringify(hook) })
    expect(JSON.parse(stdout).session.id).toBe(id)
  }
})

test('a wrong word where a number or a word is due is told with its article', () => {
  expect(annals(['redact', ...R]).stderr).not.toContain('needs a action')
})

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
