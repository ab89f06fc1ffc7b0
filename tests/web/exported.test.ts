import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { log, writeDemoRoot } from '../../src/testing/index.ts'
import { filesBelow, runExport } from '../export-run.ts'
import { hasChromium, PATIENT, skippedNote } from './app.ts'
import { seriousFindings } from './axe.ts'
import { PAYLOADS, writeHostileRoot } from './hostile-root.ts'

const session = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'
const NOW = new Date('2026-11-15T12:00:00.000Z')

describe.skipIf(!hasChromium)(`exported pages, opened from the disk${skippedNote}`, { timeout: 240_000 }, () => {
  const hostile = mkdtempSync(join(tmpdir(), 'annals-exported-hostile-'))
  const demo = mkdtempSync(join(tmpdir(), 'annals-exported-demo-'))
  let browser: Browser
  const troubles: string[] = []

  beforeAll(async () => {
    writeHostileRoot(join(hostile, 'root'), NOW)
    everywhere().write(join(hostile, 'root'))
    for (const agents of ['inline', 'linked'] as const) {
      await runExport(hostile, { all: true, to: 'html', out: `${agents}/`, thinking: true, agents, 'no-redact': true })
    }
    mkdirSync(join(demo, 'root'))
    writeDemoRoot(join(demo, 'root'), NOW)
    await runExport(demo, { all: true, to: 'html', out: 'inline/', thinking: true })
    browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
    })
  }, 240_000)

  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()))
    expect(troubles.splice(0)).toEqual([])
  })

  afterAll(async () => {
    await browser?.close()
    for (const folder of [hostile, demo]) rmSync(folder, { recursive: true, force: true })
  })

  /** Opens a window; whatever its pages run, load or complain of is noted. `go` opens the next page in it. */
  async function openWindow(options: BrowserContextOptions = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
    const page = await context.newPage()
    let address = ''
    const note = (what: string) => troubles.push(`${address}: ${what}`)
    page.on('console', (message) => note(`console: ${message.text()}`))
    page.on('pageerror', (error) => note(`error: ${error.message}`))
    page.on('dialog', (dialog) => {
      note(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('request', (request) => {
      if (request.url() !== address) note(`request: ${request.url()}`)
    })
    const go = async (...path: readonly string[]) => {
      address = pathToFileURL(join(...path)).href
      await page.goto(address)
    }
    return { page, go }
  }

  for (const agents of ['inline', 'linked'] as const) {
    test(`no payload runs, loads or is more than text, with agents ${agents}`, async () => {
      const names = filesBelow(join(hostile, agents)).filter((name) => name.endsWith('.html'))
      expect(names.length).toBeGreaterThan(PAYLOADS.length + 1)
      const { page, go } = await openWindow()
      for (const name of names) {
        await go(hostile, agents, name)
        await unfold(page)
        expect(await oddElements(page), name).toEqual([])
        expect(await page.evaluate('"__pwn" in window'), name).toBe(false)
      }
    })
  }

  test('every payload is there to be read, as it was written', async () => {
    const [name = ''] = filesBelow(join(hostile, 'inline')).filter((file) => file.includes('aaaaaaaa'))
    const { page, go } = await openWindow()
    await go(hostile, 'inline', name)
    const asked = await page.locator('.turn > h2 .asked').allTextContents()
    expect(asked.slice(0, PAYLOADS.length)).toEqual(PAYLOADS.map(asSeen))
    expect(await page.title()).toBe(PAYLOADS[1])
  })

  for (const [name, options] of [
    ['in light', { colorScheme: 'light' }],
    ['in the dark', { colorScheme: 'dark' }],
    ['on a phone', { viewport: { width: 360, height: 740 }, isMobile: true }],
    ['without script', { javaScriptEnabled: false }],
  ] as const) {
    test(`pages read well ${name}`, async () => {
      const names = filesBelow(join(demo, 'inline')).filter((file) => SHOWN.test(file))
      expect(names).toHaveLength(4)
      const { page, go } = await openWindow(options)
      for (const file of names) {
        await go(demo, 'inline', file)
        if (name === 'without script') {
          const folds = page.locator('summary')
          if ((await folds.count()) > 0) {
            await folds.first().click()
            await expect.poll(() => page.locator('details[open]').count(), PATIENT).toBe(1)
          }
        } else {
          await unfold(page)
          expect(await seriousFindings(page), file).toEqual([])
          const [width, room] = await page.evaluate<number[]>('[document.documentElement.scrollWidth, innerWidth]')
          expect(width, file).toBeLessThanOrEqual(room ?? 0)
        }
      }
    })
  }

  test('the colours are those that the system asks for', async () => {
    const colours: string[] = []
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, go } = await openWindow({ colorScheme })
      await go(demo, 'inline', 'index.html')
      colours.push(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor'))
    }
    expect(colours).toEqual(['rgb(251, 250, 248)', 'rgb(22, 21, 19)'])
  })

  test('the index of what was asked leads to it, and the index of sessions to them', async () => {
    const { page, go } = await openWindow()
    await go(demo, 'inline', 'index.html')
    await page.getByRole('link', { name: 'Fix token refresh race' }).click()
    await page.getByRole('heading', { name: 'Fix token refresh race', level: 1 }).waitFor()
    await page.getByRole('link', { name: /^Explain in one sentence/ }).click()
    await expect.poll(() => new URL(page.url()).hash, PATIENT).toBe('#t2')
    const isSeen = () => page.locator('#t2').evaluate((turn) => turn.getBoundingClientRect().top < innerHeight)
    await expect.poll(isSeen, PATIENT).toBe(true)
    // The second page is what was asked for; nothing else was.
    expect(troubles.splice(0)).toHaveLength(1)
  })
})

/** Pages that have something of everything between them: edits, agents, plans, compactions, errors. */
const SHOWN = /^index|fix-token|rate-limits-1|update-all/

/** A session with every payload in every kind of item. */
function everywhere() {
  const built = log({ sessionId: session, cwd: `/tmp/${PAYLOADS[0]}`, gitBranch: PAYLOADS[2] })
  for (const text of PAYLOADS) built.user(text)
  for (const text of PAYLOADS) {
    built
      .user(text)
      .assistant(text, { thinking: text })
      .tool('Bash', { command: text, description: text }, { output: text })
      .tool(text, { [text]: text, list: [text] }, { output: text, isError: true })
      .edit(`src/${text.replaceAll('/', '|')}.html`, { before: `a\n${text}\n`, after: `${text}\nb\n` })
      .subagent({ type: text, description: text, prompt: text, result: text })
      .command('/x', { args: text, output: text })
      .bash(text, text)
      .plan(text)
  }
  return built
    .compact({ summary: PAYLOADS.join('\n\n') })
    .user('next')
    .apiError('overloaded', { text: PAYLOADS[1] })
    .title(PAYLOADS[1])
}

/** How a prompt looks on the page: what a terminal would obey, or what turns text around, is written out or gone. */
function asSeen(text: string): string {
  return text
    .replaceAll('\u001b]8;;javascript:window.__pwn=1\u0007', '')
    .replaceAll('\u001b]8;;\u0007', '')
    .replaceAll('\u202e', '⟨202E⟩')
}

async function unfold(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const fold of document.querySelectorAll('details')) fold.open = true
  })
}

/** Elements of a page that are more than text, by what they are. */
async function oddElements(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const active = 'script,iframe,object,embed,form,input,base,link,video,audio,math,svg,img,picture,body style'
    const found = [...document.querySelectorAll(active)]
    const handlers = [...document.querySelectorAll('*')].filter((element) =>
      [...element.attributes].some(({ name }) => name.startsWith('on') || name === 'style'),
    )
    const links = [...document.querySelectorAll('a[href]')].filter((link) => {
      const { protocol } = new URL(link.getAttribute('href') ?? '', location.href)
      return !['http:', 'https:', 'mailto:', 'file:'].includes(protocol)
    })
    return [...found, ...handlers, ...links].map((element) => element.outerHTML.slice(0, 200))
  })
}
