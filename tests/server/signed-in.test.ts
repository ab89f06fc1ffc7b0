import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { type RunningServer, type ServerOptions, startServer } from '../../src/server/server.ts'
import { temporaryFolder } from '../cli/annals.ts'

const folder = temporaryFolder()
const root = join(folder.path, 'root')
const stateDir = join(folder.path, 'state')
mkdirSync(join(root, 'projects'), { recursive: true })
let server: RunningServer | undefined
afterEach(async () => {
  await server?.close()
  rmSync(stateDir, { recursive: true, force: true })
})
afterAll(folder.remove)

/** Starts the server, or starts it again. */
async function start(options: Partial<ServerOptions> = {}): Promise<RunningServer> {
  await server?.close()
  const [cwd, home] = [folder.path, folder.path]
  const setup = { roots: [root], cwd, home, configDir: cwd, cacheDir: undefined, currentSession: undefined }
  server = await startServer({ setup, version: '1', demo: false, port: 0, stateDir, ...options })
  return server
}

/** A port that somebody names: one that is free. */
async function namedPort(): Promise<number> {
  const { port } = await start()
  return port
}

async function signIn({ launchUrl }: RunningServer): Promise<{ readonly cookie: string; readonly header: string }> {
  const header = (await fetch(launchUrl(), { redirect: 'manual' })).headers.get('set-cookie') ?? ''
  return { header, cookie: header.split(';')[0] as string }
}

async function status({ port }: RunningServer, Cookie: string): Promise<number> {
  const ask = () => fetch(`http://127.0.0.1:${port}/api/about`, { headers: { Cookie } })
  // The first may be sent over a connection to the server that was there before.
  return (await ask().catch(ask)).status
}

const signOut = ({ port }: RunningServer, Cookie: string) =>
  fetch(`http://127.0.0.1:${port}/api/sign-out`, {
    method: 'POST',
    headers: { Cookie, 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
    body: '{}',
  })

test('a browser stays signed in when the server is started again on its port', async () => {
  const port = await namedPort()
  const { cookie, header } = await signIn(await start({ port }))
  expect(header).toMatch(new RegExp(`^annals-${port}=[\\w-]{32}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000$`))
  expect(await status(await start({ port }), cookie)).toBe(200)
  expect(await status(await start({ port }), `${cookie}x`)).toBe(401)
})

test('only a hash of it is written, where nobody else can read', async () => {
  const port = await namedPort()
  const { cookie } = await signIn(await start({ port }))
  expect(readdirSync(stateDir)).toEqual([`signed-in-${port}.json`])
  const path = join(stateDir, `signed-in-${port}.json`)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(stateDir).mode & 0o777).toBe(0o700)
  const kept = cookie.slice(cookie.indexOf('=') + 1)
  expect(readFileSync(path, 'utf8')).toContain(`"digest":"${createHash('sha256').update(kept).digest('hex')}"`)
  for (const form of ['utf8', 'hex', 'base64'] as const) {
    expect(readFileSync(path, 'utf8')).not.toContain(Buffer.from(kept).toString(form))
  }
})

test('who signed out stays so, and the others are still signed in', async () => {
  const port = await namedPort()
  const first = await start({ port })
  const [one, other] = [await signIn(first), await signIn(first)]
  await signOut(first, one.cookie)
  const second = await start({ port })
  expect([await status(second, one.cookie), await status(second, other.cookie)]).toEqual([401, 200])
})

test('after thirty days it is worth nothing', async () => {
  const port = await namedPort()
  const { cookie } = await signIn(await start({ port }))
  const path = join(stateDir, `signed-in-${port}.json`)
  const [, until] = /"untilMs":(\d+)/.exec(readFileSync(path, 'utf8')) ?? []
  const days = (Number(until) - Date.now()) / 86_400_000
  expect(days > 29.9 && days <= 30).toBe(true)
  writeFileSync(path, readFileSync(path, 'utf8').replace(String(until), String(Date.now() - 1)))
  expect(await status(await start({ port }), cookie)).toBe(401)
})

test('all can be signed out with a flag, and a damaged file signs out all', async () => {
  const port = await namedPort()
  const { cookie } = await signIn(await start({ port }))
  expect(await status(await start({ port, signOut: true }), cookie)).toBe(401)
  const again = await signIn(await start({ port }))
  writeFileSync(join(stateDir, `signed-in-${port}.json`), '{"version":1,"browsers":[{"digest":"00"}, 3')
  const damaged = await start({ port })
  expect(await status(damaged, again.cookie)).toBe(401)
  expect(await status(damaged, (await signIn(damaged)).cookie)).toBe(200)
})

test('a port by chance, or an address that others reach, is not remembered', async () => {
  const { header } = await signIn(await start())
  expect(header).not.toContain('Max-Age')
  const port = await namedPort()
  expect((await signIn(await start({ port, host: '0.0.0.0' }))).header).not.toContain('Max-Age')
  expect(existsSync(stateDir)).toBe(false)
})

test('where nothing can be written, one signs in all the same, and it is said', async () => {
  const port = await namedPort()
  writeFileSync(stateDir, 'a file where a folder should be')
  const said: string[] = []
  const running = await start({ port, onTrouble: (text) => said.push(text) })
  expect(await status(running, (await signIn(running)).cookie)).toBe(200)
  expect(said).toEqual([
    expect.stringMatching(/^Which browsers are signed in could not be written to .* \(E\w+\).*\.$/),
  ])
})

const canBeOther = process.getuid?.() === 0 && !spawnSync('setpriv', ['--version']).error
const note = canBeOther ? '' : ' (skipped: needs root and setpriv)'
test.runIf(canBeOther)(`what another user of this machine took from a browser is worth nothing${note}`, async () => {
  const port = await namedPort()
  const running = await start({ port })
  const { cookie } = await signIn(running)
  chmodSync(folder.path, 0o755)
  const curl = ['curl', '-s', '-o', '/dev/null', '-w', '%{http_code}', '-H', `Cookie: ${cookie}`]
  const as = ['--reuid=65534', '--regid=65534', '--clear-groups', ...curl, `http://127.0.0.1:${port}/api/about`]
  const child = spawn('setpriv', as)
  let text = ''
  child.stdout.on('data', (bytes) => {
    text += bytes
  })
  await new Promise((done) => child.on('close', done))
  expect(text).toBe('401')
  expect(await status(running, cookie)).toBe(200)
})
