import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { log, root as newRoot } from '../../src/testing/index.ts'
import { annals, temporaryFolder } from './annals.ts'

const folder = temporaryFolder()
afterAll(folder.remove)

const root = join(folder.path, 'root')
const bin = join(folder.path, 'bin')
const env = {
  HOME: folder.path,
  ZDOTDIR: folder.path,
  XDG_CONFIG_HOME: join(folder.path, 'config'),
  XDG_DATA_HOME: join(folder.path, 'data'),
  ANNALS_HOME: join(folder.path, 'state'),
  CLAUDE_CONFIG_DIR: root,
  TERM: 'dumb',
  LANG: 'C.UTF-8',
  PATH: `${bin}:${process.env.PATH}`,
}
const scriptOf = (shell: string) => join(folder.path, `annals.${shell}`)

/** What a test needs and does not find is said on the screen, so that nobody takes it for tested. */
function isThere(program: string): boolean {
  const isFound = !spawnSync(program, ['--version'], { stdio: 'ignore' }).error
  if (!isFound) console.warn(`${program} is not installed: its completion is not tested here.`)
  return isFound
}

beforeAll(() => {
  const one = log({ cwd: '/home/ana/api', seed: 'one', sessionId: 'aaaaaaaa-0000-4000-8000-000000000001' })
  const two = log({ cwd: '/home/ana/api', seed: 'two', sessionId: 'bbbbbbbb-0000-4000-8000-000000000002' })
  newRoot()
    .add(one.user('Fix the token race').assistant('Fixed.'), two.user('$(touch pwned) `id`').assistant('Done.'))
    .write(root)
  mkdirSync(bin)
  const cli = resolve(import.meta.dirname, '../../dist/cli.cjs')
  writeFileSync(join(bin, 'annals'), `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`)
  chmodSync(join(bin, 'annals'), 0o755)
  annals(['sessions'], { env })
  for (const shell of ['bash', 'zsh', 'fish']) writeFileSync(scriptOf(shell), annals(['complete', shell]).stdout)
})

describe('bash, without bash-completion', () => {
  const completed = (...words: readonly string[]) => {
    const asked = words.map((word) => `'${word}'`).join(' ')
    const program = `set -u; source '${scriptOf('bash')}'; source '${scriptOf('bash')}'
COMP_WORDS=(annals ${asked}); COMP_CWORD=${words.length}; _annals annals; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr, status } = spawnSync('bash', ['--norc', '--noprofile', '-c', program], {
      env,
      encoding: 'utf8',
    })
    expect([stderr, status]).toEqual(['', 0])
    return stdout.trim().split('\n')
  }

  test('is silent when it is loaded, also twice', () => {
    const { stdout, stderr } = spawnSync(
      'bash',
      ['--norc', '-ic', `source '${scriptOf('bash')}'; source '${scriptOf('bash')}'`],
      {
        env,
        encoding: 'utf8',
      },
    )
    expect(stdout).toBe('')
    expect(stderr).not.toMatch(/readonly|annals|command not found/)
  })
  test('completes commands, flags and their values', () => {
    expect(completed('sess')).toEqual(['sessions'])
    expect(completed('search', '--ki')).toEqual(['--kind'])
    expect(completed('search', '--kind', 'promp')).toEqual(['prompt'])
  })
  test('completes ids, with titles where there are several', () => {
    expect(completed('show', 'aaaa')).toEqual(['aaaaaaaa'])
    expect(completed('show', '')).toEqual(
      expect.arrayContaining(['aaaaaaaa  (Fix the token race)', 'bbbbbbbb  ($(touch pwned) `id`)']),
    )
  })
  test('evaluates nothing that was typed', () => {
    expect(completed('show', '$(touch pwned)')).toEqual([''])
    expect(spawnSync('ls', [folder.path], { encoding: 'utf8' }).stdout).not.toContain('pwned')
  })
})

describe.skipIf(!isThere('fish'))('fish', () => {
  const completed = (line: string) => {
    const program = `source '${scriptOf('fish')}'; source '${scriptOf('fish')}'; complete -C '${line}'`
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', program], { env, encoding: 'utf8' })
    expect(stderr).toBe('')
    return stdout.trim().split('\n')
  }

  test('completes commands, flags and ids with titles', () => {
    expect(completed('annals sess')).toEqual(['sessions\tList sessions, newest first.'])
    expect(completed('annals search --kind promp')).toEqual(['prompt'])
    expect(completed('annals show ')).toContain('aaaaaaaa\tFix the token race')
  })
})

describe.skipIf(!isThere('zsh'))('zsh', () => {
  /** Types into an interactive shell, and gives what it shows. */
  const typed = async (keys: string, wanted: RegExp) => {
    const child = spawn('script', ['-qec', 'zsh -f -i', '/dev/null'], { env: { ...env, TERM: 'vt100' } })
    let shown = ''
    child.stdout.on('data', (data) => {
      shown += data
    })
    const shows = async (what: RegExp) => {
      for (let waited = 0; !what.test(shown) && waited < 300; waited++)
        await new Promise((done) => setTimeout(done, 50))
      return what.test(shown)
    }
    child.stdin.write(
      `PS1='ready> '; autoload -Uz compinit; compinit -u -D; source '${scriptOf('zsh')}'; source '${scriptOf('zsh')}'; echo READY$((1 + 1))\n`,
    )
    await shows(/READY2/)
    child.stdin.write(keys)
    const isShown = await shows(wanted)
    child.kill('SIGKILL')
    return isShown ? 'shown' : shown
  }

  test('completes a command', async () => {
    expect(await typed('annals sess\t', /annals sessions/)).toBe('shown')
  })
  test('offers ids with titles', async () => {
    expect(await typed('annals show \t\t', /aaaaaaaa\s+-- Fix the token race/)).toBe('shown')
  })
})

test('a shell that there is none for is refused with those that there are', () => {
  expect(annals(['complete', 'tcsh'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('bash, zsh, fish or powershell'),
  })
  expect(annals(['complete']).code).toBe(2)
})
