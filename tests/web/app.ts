import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { parseJson, stringAt } from '../../src/core/json.ts'

const cli = resolve(import.meta.dirname, '../../dist/cli.cjs')
const CHROMIUM = '/usr/bin/chromium'

/** How long what is looked for may take: the machine may have other things to do. */
export const PATIENT = { timeout: 30_000 } as const

/** All that the page has asked for is here. */
export async function settled(page: Page): Promise<void> {
  await expect.poll(() => page.locator('[aria-busy=true], .skeleton').count(), PATIENT).toBe(0)
}

/** What the page does in its next frame is done. */
export async function framesLater(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
}

/** What stands in the address behind a name, for polling. */
export function inAddress(page: Page, name: string): () => string | null {
  return () => new URL(page.url()).searchParams.get(name)
}

/** Whether there is a browser to test with. */
export const hasChromium = existsSync(CHROMIUM)

/** For the name of a suite: says that it is skipped, and why. */
export const skippedNote = hasChromium ? '' : ' (skipped: chromium is not installed)'

/** The real server on a root, and a real browser that is signed in. */
export interface App {
  readonly origin: string
  /** Opens a page in a window of its own. Whatever goes wrong in it is noted. */
  readonly open: (path: string, options?: BrowserContextOptions) => Promise<Page>
  /** What went wrong since last asked: errors of the console, broken policies, requests to other hosts. */
  readonly troubles: () => readonly string[]
  /** Closes the windows, not the app. */
  readonly closePages: () => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * For a suite: the app on a root that `write` makes, from before the first test to after the last. No test may leave a
 * trouble behind.
 */
export function appOn(write: (root: string) => void): App & { readonly root: string } {
  const root = mkdtempSync(join(tmpdir(), 'annals-web-root-'))
  let opened: App | undefined
  const app = () => {
    if (!opened) throw new Error('The app is not open.')
    return opened
  }
  beforeAll(async () => {
    write(root)
    opened = await openApp(root)
  })
  afterEach(async () => {
    await app().closePages()
    expect(app().troubles()).toEqual([])
  })
  afterAll(async () => {
    await opened?.close()
    rmSync(root, { recursive: true, force: true })
  })
  return {
    root,
    get origin() {
      return app().origin
    },
    open: (path, options) => app().open(path, options),
    troubles: () => app().troubles(),
    closePages: () => app().closePages(),
    close: () => app().close(),
  }
}

/** Starts `annals serve` from dist on a root, with state of its own, and Chromium. */
async function openApp(root: string): Promise<App> {
  if (!existsSync(cli)) throw new Error('dist/cli.cjs is missing: run `npm test`, or `npm run build` first.')
  const home = mkdtempSync(join(tmpdir(), 'annals-web-'))
  const server = serve(root, home)
  const launch = stringAt(parseJson(await firstLine(server)), 'url')
  if (launch === undefined) throw new Error('annals serve printed no address.')
  const { origin } = new URL(launch)
  const browser = await openBrowser()
  const found: string[] = []
  const signedIn = await signIn(browser, launch)
  return {
    origin,
    async open(path, options = {}) {
      const context = await browser.newContext({ timezoneId: 'UTC', locale: 'en', ...options, storageState: signedIn })
      const page = await context.newPage()
      await watch(page, origin, found)
      await page.goto(origin + path)
      return page
    },
    troubles: () => found.splice(0),
    async closePages() {
      await Promise.all(browser.contexts().map((context) => context.close()))
    },
    async close() {
      await browser.close()
      const gone = new Promise((done) => server.once('exit', done))
      server.kill('SIGTERM')
      await gone
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** A browser without a window. */
export function openBrowser(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run']
  return chromium.launch({ executablePath: CHROMIUM, args })
}

/** The real server on a root; on a port that was free, or on one that is named. */
export function serve(root: string, home: string, port?: number, flags: readonly string[] = []): ChildProcess {
  const named = port === undefined ? [] : ['--port', String(port)]
  return spawn(process.execPath, [cli, 'serve', '--root', root, '--no-open', '--json', ...named, ...flags], {
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ANNALS_HOME: home, TZ: 'UTC' },
    cwd: home,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** What a server says when it listens. */
export function firstLine(server: ChildProcess): Promise<string> {
  return new Promise((done, fail) => {
    let text = ''
    server.stdout?.on('data', (bytes: Uint8Array) => {
      text += Buffer.from(bytes).toString()
      if (text.includes('\n')) done(text.slice(0, text.indexOf('\n')))
    })
    server.once('exit', (code) => fail(new Error(`annals serve ended with ${code}: ${text}`)))
  })
}

/** The link of the start works once; what it was exchanged for works in every window. */
async function signIn(browser: Browser, launch: string) {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(launch)
  const state = await context.storageState()
  await context.close()
  return state
}

async function watch(page: Page, origin: string, found: string[]): Promise<void> {
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') found.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => found.push(`error: ${error.message}`))
  page.on('request', (request) => {
    const isOwn = request.url().startsWith(`${origin}/`) || request.url().startsWith('data:')
    if (!isOwn) found.push(`request: ${request.url()}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 500) found.push(`answer: ${response.status()} ${response.url()}`)
  })
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`)
    })
  })
}
