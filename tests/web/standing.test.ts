import type { ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page, Request } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseJson, stringAt } from '../../src/core/json.ts'
import { firstLine, hasChromium, openBrowser, PATIENT, serve, skippedNote } from './app.ts'

const DAY_MS = 86_400_000

function uuidOf(session: number, row: number): string {
  return `${String(session).padStart(8, '0')}-0000-4000-8000-${String(row).padStart(12, '0')}`
}

/** A session of some turns; the words of each are its own. */
function writeSession(root: string, number: number, words: string, turns = 1): string {
  const project = join(root, 'projects', '-home-ana-api')
  mkdirSync(project, { recursive: true })
  const id = `dddddddd-0000-4000-8000-${String(number).padStart(12, '0')}`
  const rows = Array.from({ length: 2 * turns }, (_, i) => {
    const role = i % 2 === 0 ? 'user' : 'assistant'
    const text = `${words} ${number}, ${i}`
    return JSON.stringify({
      type: role,
      uuid: uuidOf(number, i),
      parentUuid: i === 0 ? null : uuidOf(number, i - 1),
      sessionId: id,
      cwd: '/home/ana/api',
      timestamp: new Date(Date.UTC(2026, 10, 1, 10, 0, i)).toISOString(),
      message: role === 'user' ? { role, content: text } : { role, content: [{ type: 'text', text }] },
    })
  })
  const path = join(project, `${id}.jsonl`)
  writeFileSync(path, `${rows.join('\n')}\n`)
  return path
}

/** Words that are all different. */
function manyWords(): string {
  return Array.from({ length: 7000 }, () => Math.random().toString(36).slice(2, 9)).join(' ')
}

/** A port that nobody has. */
function freePort(): Promise<number> {
  return new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => done(port))
    })
  })
}

/** How far a page is from where it was, in pixels. */
async function away(page: Page, before: number): Promise<number> {
  return Math.abs((await page.evaluate(() => scrollY)) - before)
}

describe.skipIf(!hasChromium)(`what pages say of the server and its index${skippedNote}`, () => {
  let browser: Browser
  let context: BrowserContext
  let folder: string
  let root: string
  let home: string
  let server: ChildProcess | undefined
  let port: number
  let origin: string
  beforeAll(async () => {
    browser = await openBrowser()
    port = await freePort()
    origin = `http://127.0.0.1:${port}`
  })
  afterAll(() => browser?.close())
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'annals-standing-'))
    root = join(folder, 'root')
    home = join(folder, 'home')
    mkdirSync(home)
    context = await browser.newContext({ timezoneId: 'UTC', locale: 'en' })
  })
  afterEach(async () => {
    await context.close()
    await stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Starts the server, or starts it again, and gives the link of its start. */
  async function start(): Promise<string> {
    server = serve(root, home, port)
    return stringAt(parseJson(await firstLine(server)), 'url') as string
  }

  async function stop(): Promise<void> {
    const ending = server
    server = undefined
    if (!ending || ending.exitCode !== null) return
    await new Promise((done) => {
      ending.once('exit', done)
      ending.kill('SIGTERM')
    })
  }

  async function open(path: string, link?: string): Promise<Page> {
    const page = await context.newPage()
    if (link !== undefined) await page.goto(link)
    if (link === undefined || path !== '/') await page.goto(origin + path)
    return page
  }

  /** Waits until a page with the list hears what is written: it counts sessions more. */
  async function listening(page: Page): Promise<void> {
    const counted = page.getByText(/^\d+ sessions?$/).first()
    const before = await counted.innerText(PATIENT)
    let [number, writtenAt] = [500, 0]
    const now = async () => {
      const told = await counted.innerText()
      // What was written before it began to listen is told for some seconds; after that it takes another.
      if (told === before && Date.now() - writtenAt > 8000) {
        writeSession(root, ++number, 'was heard')
        writtenAt = Date.now()
      }
      return told
    }
    await expect.poll(now, PATIENT).not.toBe(before)
  }

  /** Waits until a page that shows a session of 400 turns hears what is written into it: a row more. */
  async function following(page: Page, path: string): Promise<void> {
    const message = { role: 'user', content: 'was heard' }
    const row = { type: 'user', uuid: uuidOf(1, 800), parentUuid: uuidOf(1, 799), message }
    writeFileSync(path, `${JSON.stringify(row)}\n`, { flag: 'a' })
    await page.getByRole('button', { name: /Jump to latest \(1 new row\)/ }).waitFor(PATIENT)
  }

  const bar = (page: Page) => page.getByRole('alert').filter({ hasText: 'annals does not answer' })

  test('eight tabs work at once, and each is told what is written', async () => {
    for (let i = 0; i < 8; i += 1) writeSession(root, i, 'capybara')
    const link = await start()
    const pages = [await open('/', link)]
    const ids = readdirSync(join(root, 'projects', '-home-ana-api')).map((name) => name.slice(0, -6))
    for (const id of ids.slice(0, 7)) pages.push(await open(`/s/${id}`))
    for (const page of pages.slice(1)) await page.locator('article').first().waitFor(PATIENT)
    // All of them are open, and one of them is asked for more.
    const [home = pages[0], last = pages[7]] = []
    await (last as Page).goto(`${origin}/projects`)
    await (last as Page).getByRole('link', { name: 'api' }).first().waitFor(PATIENT)
    for (const [at, page] of pages.slice(1, 7).entries()) {
      const path = join(root, 'projects', '-home-ana-api', `${ids[at]}.jsonl`)
      const message = { role: 'user', content: `written later ${at}` }
      const parentUuid = uuidOf(Number(ids[at]?.slice(-12)), 1)
      writeFileSync(path, `${JSON.stringify({ type: 'user', uuid: `later-${at}`, parentUuid, message })}\n`, {
        flag: 'a',
      })
      await page.getByText(`written later ${at}`).first().waitFor(PATIENT)
    }
    writeSession(root, 99, 'a wholly new one')
    await (home as Page).getByText('a wholly new one').first().waitFor(PATIENT)
  }, 120_000)

  test('where tabs cannot share a stream, each has its own while it is looked at, and hears all the same', async () => {
    writeSession(root, 1, 'capybara')
    await context.addInitScript(() => {
      Reflect.deleteProperty(window, 'SharedWorker')
      // A tab behind another is hidden; here the test says when.
      Object.defineProperty(document, 'hidden', { get: () => 'behind' in window })
    })
    const streams: string[] = []
    const note = (what: string) => (request: Request) => {
      if (request.url().includes('/api/events')) streams.push(what)
    }
    context.on('request', note('opened'))
    context.on('requestfinished', note('ended'))
    context.on('requestfailed', note('ended'))
    const page = await open('/', await start())
    await expect.poll(() => streams, PATIENT).toEqual(['opened'])
    const look = (isBehind: boolean) =>
      page.evaluate((hide) => {
        if (hide) Object.assign(window, { behind: true })
        else Reflect.deleteProperty(window, 'behind')
        document.dispatchEvent(new Event('visibilitychange'))
      }, isBehind)
    await look(true)
    await expect.poll(() => streams, PATIENT).toEqual(['opened', 'ended'])
    writeSession(root, 2, 'written behind')
    await look(false)
    await expect.poll(() => streams, PATIENT).toEqual(['opened', 'ended', 'opened'])
    writeSession(root, 3, 'written before all eyes')
    await page.getByText('written before all eyes 3').first().waitFor(PATIENT)
    await page.getByText('written behind 2').first().waitFor(PATIENT)
  }, 120_000)

  test('a server that was stopped is told in a bar; started again, the bar goes and the data comes', async () => {
    writeSession(root, 1, 'capybara')
    const page = await open('/', await start())
    await page.getByText('capybara 1').first().waitFor(PATIENT)
    await listening(page)
    await stop()
    await bar(page).waitFor(PATIENT)
    await expect.poll(() => bar(page).innerText(), PATIENT).toContain(`annals serve --port ${port}`)
    writeSession(root, 2, 'written meanwhile')
    await start()
    await bar(page).waitFor({ ...PATIENT, state: 'detached' })
    await page.getByText('written meanwhile 2').first().waitFor(PATIENT)
  }, 120_000)

  test('rows that were not read before the server went are read when it is back', async () => {
    const path = writeSession(root, 1, 'capybara', 400)
    const id = path.slice(-42, -6)
    const page = await open(`/s/${id}`, await start())
    await page.locator('article').first().waitFor(PATIENT)
    await following(page, path)
    await stop()
    await bar(page).waitFor(PATIENT)
    await page.keyboard.press('G')
    await page.getByText('Not read.').first().waitFor(PATIENT)
    await start()
    await page.getByText('capybara 1, 799').first().waitFor(PATIENT)
    await expect.poll(() => page.getByText('Not read.').count(), PATIENT).toBe(0)
  }, 120_000)

  test('a log that is deleted is told, wherever one reads', async () => {
    const path = writeSession(root, 1, 'capybara', 400)
    const page = await open(`/s/${path.slice(-42, -6)}`, await start())
    await page.locator('article').first().waitFor(PATIENT)
    await following(page, path)
    rmSync(path)
    await page.getByRole('alert').filter({ hasText: 'The log of this session is gone' }).waitFor(PATIENT)
    await page.keyboard.press('G')
    await page.getByText('Not read.').first().waitFor(PATIENT)
    writeSession(root, 1, 'capybara', 400)
    await page.getByText('capybara 1, 799').first().waitFor(PATIENT)
  }, 120_000)

  test('while the index is behind a search looks through the rest, and never says that there is nothing', async () => {
    writeSession(root, 1, 'capybara')
    const page = await open('/search', await start())
    const note = page.getByText(/^Indexing \d+ of [\d.]+ MB/)
    const isTold = note.waitFor(PATIENT)
    // The oldest is read first: the one with the word comes last, after many that are not quickly read.
    for (let i = 10; i < 26; i += 1) utimesSync(writeSession(root, i, manyWords(), 15), 1_700_000_000, 1_700_000_000)
    writeSession(root, 2, 'okapi')
    await isTold
    await page.getByLabel('Search everything').fill('okapi')
    const found = page.getByText('2 hits in 1 session')
    for (let isDone = false; !isDone; isDone = await found.isVisible()) {
      expect(await page.getByText('Nothing was found').count()).toBe(0)
    }
    await note.waitFor({ ...PATIENT, state: 'detached' })
  }, 120_000)

  test('the number of sessions is that of all hits, not of those that are shown', async () => {
    for (let i = 0; i < 70; i += 1) writeSession(root, i, 'zebra')
    const page = await open('/search?q=zebra', await start())
    await page.getByText('140 hits in 70 sessions').waitFor(PATIENT)
    // All of them come as one scrolls.
    const list = page.getByRole('list', { name: 'Hits by session' })
    const last = async () => {
      await page.mouse.wheel(0, 4000)
      return Math.max(
        ...(await list.getByRole('listitem').evaluateAll((all) => all.map((one) => Number(one.dataset.index)))),
      )
    }
    await expect.poll(last, PATIENT).toBe(70 * 3 - 1)
  }, 120_000)

  test('more than a hundred sessions that expire are kept with one click', async () => {
    const old = new Date(Date.now() - 27 * DAY_MS)
    for (let i = 0; i < 130; i += 1) utimesSync(writeSession(root, i, 'capybara'), old, old)
    const page = await open('/', await start())
    await page.getByText('130 sessions expire this week').waitFor(PATIENT)
    await page.getByRole('button', { name: 'Keep all 130 in the archive' }).click()
    await page.getByRole('region', { name: 'Sessions that expire' }).waitFor({ ...PATIENT, state: 'detached' })
    const answer = await page.evaluate(async () => (await fetch('/api/sessions')).json())
    expect(answer.items.filter(({ kept }: { kept: boolean }) => kept)).toHaveLength(130)
  }, 120_000)

  test('keeping much says how far it has come', async () => {
    const old = new Date(Date.now() - 27 * DAY_MS)
    for (let i = 0; i < 12; i += 1) utimesSync(writeSession(root, i, manyWords(), 15), old, old)
    const page = await open('/', await start())
    const keep = page.getByRole('button', { name: 'Keep all 12 in the archive' })
    await keep.waitFor(PATIENT)
    await listening(page)
    await keep.evaluate((button) => {
      const told: string[] = []
      Object.assign(window, { told })
      new MutationObserver(() => told.push(button.textContent ?? '')).observe(button, {
        subtree: true,
        childList: true,
        characterData: true,
      })
    })
    await keep.click()
    await page.getByRole('region', { name: 'Sessions that expire' }).waitFor({ ...PATIENT, state: 'detached' })
    const told = await page.evaluate(() => (window as unknown as { told: string[] }).told)
    const shares = told.flatMap((text) => /^Keeping … (\d+) %$/.exec(text)?.[1] ?? []).map(Number)
    expect(shares.length).toBeGreaterThan(0)
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
  }, 120_000)

  test('what expires this week is listed, and what is past its day is counted apart', async () => {
    const ago = (days: number) => new Date(Date.now() - days * DAY_MS)
    utimesSync(writeSession(root, 1, 'soon gone'), ago(27), ago(27))
    utimesSync(writeSession(root, 2, 'long past'), ago(90), ago(90))
    writeSession(root, 3, 'quite new')
    const page = await open('/', await start())
    const box = page.getByRole('region', { name: 'Sessions that expire' })
    await box.getByText('One session expires this week; 1 session is past the day').click(PATIENT)
    const listed = box.getByRole('list', { name: 'Expire this week' })
    await listed.getByText('soon gone').waitFor()
    await expect.poll(() => listed.getByRole('listitem').count(), PATIENT).toBe(1)
  }, 120_000)

  test('a page whose part of the app does not come says so, and tries again', async () => {
    writeSession(root, 1, 'capybara')
    const page = await open('/', await start())
    await page.getByText('capybara 1').first().waitFor(PATIENT)
    await page.route('**/assets/projects-page-*', (route) => route.abort())
    await page.getByRole('link', { name: 'Projects' }).click()
    await page.getByRole('alert').getByText('This page could not be loaded.').waitFor(PATIENT)
    await page.unroute('**/assets/projects-page-*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('link', { name: 'api' }).first().waitFor(PATIENT)
  }, 120_000)

  test('a browser that is signed out by --new-token is told so, and a copied link leads to the sign-in page', async () => {
    writeSession(root, 1, 'capybara')
    const page = await open('/', await start())
    await page.getByText('capybara 1').first().waitFor(PATIENT)
    await listening(page)
    await stop()
    server = serve(root, home, port, ['--new-token'])
    await firstLine(server)
    await page.getByRole('alert').filter({ hasText: 'no longer signed in' }).waitFor(PATIENT)
    await page.goto(`${origin}/projects`)
    await page.getByRole('heading', { name: 'This browser is not signed in.' }).waitFor()
    await page.getByRole('link', { name: 'annals' }).waitFor()
  }, 120_000)

  test('where one was on a long list is kept over a reload and Back', async () => {
    for (let i = 0; i < 120; i += 1) writeSession(root, i, 'capybara')
    const page = await open('/?sort=Session', await start())
    await page.getByText('120 sessions').waitFor(PATIENT)
    // The first rows come before the others: then there is little to scroll.
    const further = async () => {
      if ((await page.evaluate(() => scrollY)) <= 1000) await page.mouse.wheel(0, 2000)
      return page.evaluate(() => scrollY)
    }
    await expect.poll(further, PATIENT).toBeGreaterThan(1000)
    // It is noted when one has stopped.
    const isNoted = () => page.evaluate(() => history.state?.scrollY === Math.round(scrollY))
    await expect.poll(isNoted, PATIENT).toBe(true)
    const before = await page.evaluate(() => scrollY)
    await page.reload()
    // Rows above are measured anew, so it is the place that is the same, not the pixel.
    await expect.poll(() => away(page, before), PATIENT).toBeLessThan(120)
    await page.getByRole('list', { name: 'Sessions' }).locator('a[href^="/s/"]').nth(12).click()
    await page.locator('article').first().waitFor(PATIENT)
    await page.goBack()
    // Rows above are measured anew, so it is the place that is the same, not the pixel.
    await expect.poll(() => away(page, before), PATIENT).toBeLessThan(120)
  }, 120_000)

  test('what is only a fact has no tick before it', async () => {
    writeSession(root, 1, 'capybara')
    const page = await open('/check', await start())
    const line = page.getByRole('listitem').filter({ hasText: 'Nothing is kept yet' })
    await line.waitFor(PATIENT)
    expect(await line.innerText()).not.toContain('✓')
    expect(await page.getByRole('listitem').filter({ hasText: 'session log' }).innerText()).toContain('✓')
  }, 120_000)
})
