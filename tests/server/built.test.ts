import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'

import { jsonOf } from './served.ts'

const cli = resolve(import.meta.dirname, '../../dist/cli.cjs')
const folder = mkdtempSync(join(tmpdir(), 'annals-built-'))
const running: ChildProcess[] = []

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Line {
  readonly schema: string
  readonly url: string
  readonly token: string
  readonly pid: number
  readonly demo: boolean
}

/** The real program, once it listens. */
async function serve(args: readonly string[], env: Readonly<Record<string, string>> = {}, script = [cli, 'serve']) {
  if (!existsSync(cli)) throw new Error('dist/cli.cjs is missing: run `npm test`, or `npm run build` first.')
  const child = spawn(process.execPath, [...script, ...args], {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: join(folder, 'nobody'),
      ANNALS_HOME: join(folder, 'home'),
      TMPDIR: folder,
      ...env,
    },
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.push(child)
  let stdout = ''
  let stderr = ''
  child.stderr.on('data', (bytes) => {
    stderr += bytes
  })
  const exit = new Promise<number | null>((done) => child.on('exit', done))
  await new Promise<void>((listens) => {
    child.stdout.on('data', (bytes) => {
      stdout += bytes
      if (stdout.includes('\n')) listens()
    })
    child.on('exit', () => listens())
  })
  return { child, exit, stdout: () => stdout, stderr: () => stderr, line: () => JSON.parse(stdout) as Line }
}

function askOf({ url, token }: Line) {
  return (path: string) => fetch(new URL(path, url), { headers: { Authorization: `Bearer ${token}` } })
}

/** The addresses at which somebody listens on a port, as the system tells. */
function listeners(port: number): readonly string[] {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) =>
    (existsSync(table) ? readFileSync(table, 'utf8') : '')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => local?.endsWith(end) && state === '0A')
      .map(([, local]) => local?.split(':')[0] as string),
  )
}

const LOOPBACK_HEX = ['0100007F', '00000000000000000000000001000000']

describe('annals serve', () => {
  test('prints one line with --json, serves a demo where there is no history, and ends on Ctrl-C', async () => {
    const { child, exit, line, stdout } = await serve(['--json', '--port', '0'])
    const { schema, url, token, pid, demo } = line()
    expect(stdout().trimEnd().split('\n')).toHaveLength(1)
    expect([schema, pid, demo]).toEqual(['annals/serve/1', child.pid, true])
    expect(new URL(url).searchParams.get('code')).toMatch(/^[\w-]{32}$/)
    const { roots, demo: isDemo } = await jsonOf(askOf({ schema, url, token, pid, demo })('/api/about'))
    expect(isDemo).toBe(true)
    expect(statSync(join(roots[0], '..')).mode & 0o777).toBe(0o700)
    child.kill('SIGINT')
    expect(await exit).toBe(130)
    expect(existsSync(roots[0])).toBe(false)
  })

  test('says for people where it is, that the history is made up, and how to stop it', async () => {
    const { child, exit, stdout, stderr } = await serve(['--port', '0'])
    expect(stdout()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?code=[\w-]{32}\n {2}.*Ctrl-C stops\.\n$/)
    expect(stderr()).toContain('There is no Claude Code history in')
    expect(stderr()).toContain('made-up')
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
  })

  test('serves the history there is, and begins at a session', async () => {
    const root = join(folder, 'some-root')
    const { writeDemoRoot } = await import('../../src/testing/index.ts')
    writeDemoRoot(root, new Date())
    const { line, stderr } = await serve(['last', '--json', '--port', '0'], { CLAUDE_CONFIG_DIR: root })
    expect(new URL(line().url).pathname).toMatch(/^\/s\/[0-9a-f-]{36}$/)
    expect(line().demo).toBe(false)
    expect((await jsonOf(askOf(line())('/api/about'))).roots).toEqual([root])
    expect(stderr()).toBe('')
  })

  test('a session that is not there is told before anything is served', async () => {
    const { exit, stdout, stderr } = await serve(['no-such-session', '--demo', '--port', '0'])
    expect(await exit).toBe(1)
    expect(stdout()).toBe('')
    expect(stderr()).toContain('No session matches "no-such-session".')
  })

  test.runIf(existsSync('/proc/net/tcp'))('listens on loopback only, whatever the environment says', async () => {
    const { line } = await serve(['--json', '--demo'], { HOST: '0.0.0.0', HOSTNAME: '0.0.0.0', PORT: '80' })
    const addresses = listeners(Number(new URL(line().url).port))
    expect(addresses).toContain(LOOPBACK_HEX[0])
    for (const address of addresses) expect(LOOPBACK_HEX).toContain(address)
  })

  test('another address is a choice, with a warning and the same guard', async () => {
    const { line, stderr } = await serve(['--json', '--demo', '--port', '0', '--host', '0.0.0.0'])
    expect(stderr()).toContain('Others can reach this at 0.0.0.0')
    expect(stderr()).toContain('not encrypted')
    const about = new URL('/api/about', line().url)
    expect((await fetch(about)).status).toBe(401)
    expect((await askOf(line())('/api/about')).status).toBe(200)
  })

  test('takes the usual port, and another when that is taken; one that was named must be free', async () => {
    const first = await serve(['--json', '--demo'])
    const second = await serve(['--json', '--demo'])
    expect(new URL(first.line().url).port).not.toBe(new URL(second.line().url).port)
    const taken = await new Promise<number>((done) => {
      const other = createServer().listen(0, '::1', () => done((other.address() as { port: number }).port))
      other.unref()
    })
    const third = await serve(['--json', '--demo', '--port', String(taken)])
    expect(await third.exit).toBe(2)
    expect(third.stderr()).toContain(`Port ${taken} is in use.`)
  })

  test.runIf(process.platform === 'linux')('no secret stands in the list of processes or in a file', async () => {
    const { line } = await serve(['--json', '--demo', '--port', '0'])
    const { url, token, pid } = line()
    const code = new URL(url).searchParams.get('code') as string
    await askOf(line())('/api/search?query=token')
    for (const name of ['cmdline', 'environ']) {
      const text = readFileSync(`/proc/${pid}/${name}`, 'utf8')
      expect(text.includes(token) || text.includes(code)).toBe(false)
    }
    const [demo] = (await jsonOf(askOf(line())('/api/about'))).roots
    for (const place of [join(demo, '..'), folder]) {
      for (const name of readdirSync(place, { recursive: true, encoding: 'utf8' })) {
        const path = join(place, name)
        if (!statSync(path, { throwIfNoEntry: false })?.isFile()) continue
        const bytes = readFileSync(path)
        expect(bytes.includes(token) || bytes.includes(code), path).toBe(false)
        if (name.startsWith('cache')) expect(statSync(path).mode & 0o077, path).toBe(0)
      }
    }
  })

  const canBeOther = process.getuid?.() === 0 && !spawnSync('setpriv', ['--version']).error
  test.runIf(canBeOther)('another user of this machine gets nothing, not even with the code', async () => {
    const { line } = await serve(['--json', '--demo', '--port', '0'], {}, [cli, 'serve'])
    const asked = (path: string) => {
      const curl = ['curl', '-s', '-o', '/dev/null', '-w', '%{http_code}', new URL(path, line().url).href]
      return spawnSync('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', ...curl], { encoding: 'utf8' })
        .stdout
    }
    expect(asked('/api/sessions')).toBe('401')
    expect(asked('/')).toBe('401')
    expect(asked(line().url)).toBe('401')
    // It was not used up by the attempt.
    expect((await fetch(line().url, { redirect: 'manual' })).status).toBe(303)
  })
})

test('npm start is annals serve', async () => {
  const { child, exit, line } = await serve(['--json', '--port', '0'], {}, [resolve('scripts/start.mjs')])
  expect(line().schema).toBe('annals/serve/1')
  child.kill('SIGINT')
  expect(await exit).toBe(130)
})

describe('while much is asked', () => {
  test('health is answered all the time, patterns of any kind included', async () => {
    const root = join(folder, 'large-root')
    const project = join(root, 'projects', '-home-ana-large')
    mkdirSync(project, { recursive: true })
    for (let file = 0; file < 2; file += 1) {
      const rows = Array.from({ length: 4000 }, (_, i) => {
        const content = `row ${i} ${'a'.repeat(40)}b ${'word '.repeat(200)}`
        const parentUuid = i === 0 ? null : `u${file}-${i - 1}`
        return JSON.stringify({
          type: 'user',
          uuid: `u${file}-${i}`,
          parentUuid,
          timestamp: '2026-11-01T10:00:00.000Z',
          message: { role: 'user', content },
        })
      })
      writeFileSync(join(project, `eeeeeeee-0000-4000-8000-00000000000${file}.jsonl`), `${rows.join('\n')}\n`)
    }
    const { line } = await serve(['--json', '--port', '0', '--root', root, '--no-index'])
    const ask = askOf(line())
    const patterns = [
      '(a+)+$',
      '(.*a){25}',
      '(a|aa)+$',
      '(a|a?)+$',
      '(\\w+\\s?)*$',
      '^(([a-z])+.)+[A-Z]([a-z])+$',
      '(.*)*x',
    ]
    const more = [
      '(?:a{1,100}){1,100}',
      '.*.*.*=.*',
      '(x+x+)+y',
      '\\d+(\\d+)*$',
      '[\\s\\S]*[\\s\\S]*!',
      '(a*)*b',
      '((a+)+)+$',
      'a{1000}{1000}',
    ]
    const asked = [
      ...[
        'stats',
        'usage',
        'sessions?full=true',
        'check',
        'todos',
        'files',
        'show?session=eeeeeeee-0000-4000-8000-000000000000',
      ],
      ...[...patterns, ...more].map((one) => `search?regex=true&limit=1&query=${encodeURIComponent(one)}`),
    ]
    let isDone = false
    const answers = Promise.all(
      asked.map((path) => ask(`/api/${path}`).then(async (answer) => [answer.status, (await answer.text()).length])),
    )
    void answers.then(() => {
      isDone = true
    })
    let healthy = 0
    for (; !isDone; healthy += 1) {
      expect((await fetch(new URL('/api/health', line().url))).status).toBe(200)
      await new Promise((next) => setTimeout(next, 5))
    }
    for (const [status] of await answers) expect([200, 400, 500]).toContain(status)
    // A server that worked in the thread that serves would have answered once between two of these at most.
    expect(healthy).toBeGreaterThan(2 * asked.length)
  }, 180_000)
})
