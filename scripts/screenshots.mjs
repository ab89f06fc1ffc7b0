// Takes the pictures of the web app that the README shows: node scripts/screenshots.mjs
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const PAGES = [
  ['home', '/'],
  ['session', (session) => `/s/${session}`],
  ['search', '/search?q=refresh+token'],
  ['usage', '/usage?by=day'],
]
const SIZE = { width: 1280, height: 800 }

const { writeDemoRoot } = await import('../dist/testing.mjs')
const scratch = mkdtempSync(join(tmpdir(), 'annals-screens-'))
const root = join(scratch, 'root')
writeDemoRoot(root, new Date())
// The state and settings of the one who takes the pictures must not be in them.
const env = { PATH: process.env.PATH, HOME: '/nonexistent', ANNALS_HOME: join(scratch, 'state'), TZ: 'UTC' }
const server = spawn(process.execPath, ['dist/cli.cjs', 'serve', '--root', root, '--no-open', '--json'], {
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
})
const { url, token } = JSON.parse(await new Promise((done) => server.stdout.once('data', (data) => done(String(data)))))
const { origin } = new URL(url)
const answer = await fetch(`${origin}/api/sessions`, { headers: { Authorization: `Bearer ${token}` } })
const { items } = await answer.json()
const session = items.find(({ title }) => title === 'Fix token refresh race')?.id ?? items[0].id

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
})
mkdirSync('docs/screens', { recursive: true })
const first = await browser.newContext()
await (await first.newPage()).goto(url)
const storageState = await first.storageState()
for (const colorScheme of ['light', 'dark']) {
  const context = await browser.newContext({
    viewport: SIZE,
    colorScheme,
    timezoneId: 'UTC',
    locale: 'en',
    storageState,
  })
  for (const [name, path] of PAGES) {
    const page = await context.newPage()
    await page.goto(origin + (typeof path === 'string' ? path : path(session)))
    await page.waitForTimeout(3000)
    await page.screenshot({ path: `docs/screens/${name}-${colorScheme}.png` })
    await page.close()
  }
}
await browser.close()
server.kill('SIGTERM')
rmSync(scratch, { recursive: true, force: true })
