import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'annals-clone-'))
const clone = join(folder, 'annals')
const MINUTES = 60_000
const isRepository = spawnSync('git', ['rev-parse', '--verify', 'HEAD'], { stdio: 'ignore' }).status === 0

/** The commands of the README's "Get it", without their comments. */
const readme = readFileSync('README.md', 'utf8')
const [, block = ''] = /## Get it\n[\s\S]*?```\n([\s\S]*?)```/.exec(readme) ?? []
const [START = '', PACK = '', DEMO = ''] = block.split('\n').map((line) => line.replace(/\s+#.*/, ''))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** This machine's settings of npm, without those of the npm that runs the tests, and a folder of its own for global packages. */
function environment(prefix: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_(registry|cache|cafile))|INIT_CWD)/.test(name),
  )
  return {
    ...Object.fromEntries(own),
    PATH: `${join(prefix, 'bin')}:${process.env.PATH}`,
    npm_config_prefix: prefix,
    npm_config_ignore_scripts: 'false',
    npm_config_update_notifier: 'false',
    npm_config_prefer_offline: 'true',
    ANNALS_HOME: join(folder, 'home'),
    CLAUDE_CONFIG_DIR: '',
    TZ: 'UTC',
  }
}

function shell(command: string, { prefix, cwd = clone }: { readonly prefix: string; readonly cwd?: string }) {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd,
    encoding: 'utf8',
    env: environment(join(folder, prefix)),
    timeout: 9 * MINUTES,
  })
  return { code: status, stdout, stderr }
}

describe.skipIf(!isRepository)('an untouched clone', () => {
  beforeAll(() => {
    spawnSync('git', ['clone', '-q', process.cwd(), clone])
    mkdirSync(join(folder, 'elsewhere'))
  })

  test(
    'packed with --ignore-scripts installs a command that says what to do',
    () => {
      const packed = shell('npm pack --ignore-scripts && npm i -g ./annals-*.tgz', { prefix: 'unbuilt' })
      expect(packed.code, packed.stderr).toBe(0)
      const { code, stdout, stderr } = shell('annals sessions', { prefix: 'unbuilt', cwd: folder })
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(
        /^This annals was packed or linked before it was built: .*\.\n {2}.*`npm run build && npm pack`.*\.\n$/,
      )
      rmSync(join(clone, 'annals-0.1.0.tgz'), { force: true })
    },
    3 * MINUTES,
  )

  test(
    'is packed and installed by the line in the README, which builds it and says so',
    () => {
      expect(PACK).toBe('npm pack && npm i -g ./annals-*.tgz')
      expect(readdirSync(clone)).not.toContain('dist')
      const packed = shell(PACK, { prefix: 'built' })
      expect(packed.code, packed.stderr).toBe(0)
      expect(packed.stderr).toMatch(/Installing dependencies .*…\n[\s\S]*Compiling .*…\nBuilding .*…\n/)
      const shown = shell(DEMO, { prefix: 'built', cwd: join(folder, 'elsewhere') })
      expect([shown.code, shown.stderr.includes('Error')]).toEqual([0, false])
      expect(shown.stdout).toContain('Fix token refresh race')
      expect(shell('annals --version', { prefix: 'built' }).stdout).toBe('annals 0.1.0\n')
    },
    10 * MINUTES,
  )

  test(
    'serves the web app by `npm start`',
    async () => {
      expect(START).toBe('npm start')
      const child = spawn('npm', ['start', '--', '--no-open', '--json', '--port', '0', '--demo'], {
        cwd: clone,
        env: environment(join(folder, 'built')),
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let said = ''
      child.stderr.on('data', (chunk) => {
        said += chunk
      })
      try {
        const { url, token } = await new Promise<{ url: string; token: string }>((resolve, reject) => {
          let shown = ''
          child.stdout.on('data', (chunk) => {
            shown += chunk
            const line = /^\{.*\}$/m.exec(shown)
            if (line) resolve(JSON.parse(line[0]))
          })
          child.on('close', () => reject(new Error(`npm start ended: ${said}`)))
        })
        const page = await fetch(new URL('/', url), { headers: { authorization: `Bearer ${token}` } })
        expect(await page.text()).toContain('<script')
      } finally {
        process.kill(-(child.pid as number), 'SIGTERM')
      }
    },
    5 * MINUTES,
  )
})
