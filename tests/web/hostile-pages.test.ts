import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { appOn, framesLater, hasChromium, PATIENT, settled, skippedNote } from './app.ts'
import { PAYLOADS, WORD, writeHostileRoot } from './hostile-root.ts'

/** The session of the first payload. */
const SESSION = '00000000-0000-4000-8000-000000000000'

describe.skipIf(!hasChromium)(`what a log says stays text${skippedNote}`, () => {
  const app = appOn((root) => writeHostileRoot(root, new Date()))

  test('in titles, branches and projects on home, in menus and in the palette', async () => {
    const page = await app.open('/', { viewport: { width: 1200, height: 2400 } })
    await page.getByText('<script>window.__pwn=1</script>', { exact: true }).first().waitFor()
    await page.getByText(`${PAYLOADS.length} sessions`, { exact: true }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByText('<img src=x onerror').first().waitFor()
    await expectUnharmed(page)
  })

  test('in snippets of a search, which are marked', async () => {
    const page = await app.open(`/search?q=${WORD}`)
    await page.locator('mark', { hasText: WORD }).first().waitFor()
    expect(await page.locator('mark').allTextContents()).toEqual(expect.arrayContaining([WORD]))
    expect(await page.locator('main mark[onmouseover]').count()).toBe(0)
    await expectUnharmed(page)
    await page.goto(`${app.origin}/search?q=${encodeURIComponent(PAYLOADS[0])}&exact=true`)
    await page.locator('mark', { hasText: PAYLOADS[0] }).first().waitFor()
    await expectUnharmed(page)
  })

  test('in plans, which are markdown', async () => {
    const page = await app.open('/plans')
    const plans = page.getByRole('navigation', { name: 'Plans' }).getByRole('link')
    await plans.first().waitFor()
    // Each lies in plans/ and in its log, and is told once.
    await expect.poll(() => plans.count(), PATIENT).toBe(PAYLOADS.length)
    for (const link of await plans.all()) {
      await link.click()
      await expect.poll(() => link.getAttribute('aria-current'), PATIENT).toBe('true')
      await page.locator('article .prose').waitFor()
      await expectUnharmed(page)
    }
    const links = await page.locator('.prose a').evaluateAll((all) => all.map((one) => one.getAttribute('href')))
    expect(links.filter((href) => !/^(https?:\/\/|mailto:)/.test(href ?? ''))).toEqual([])
  })

  for (const path of ['/usage', '/projects', '/prompts', '/files', '/check', '/usage/receipt/msg_0']) {
    test(`on ${path}`, async () => {
      const page = await app.open(path, { viewport: { width: 1200, height: 2400 } })
      if (path === '/check') await page.getByRole('button', { name: 'Check the logs' }).click()
      await page.getByText('<img src=x onerror=').filter({ visible: true }).first().waitFor()
      await expectUnharmed(page)
    })
  }

  test('in the address of any page, and in the title of the window', { timeout: 240_000 }, async () => {
    const page = await app.open('/')
    for (const payload of [
      PAYLOADS[0],
      '</title><script>window.__pwn=1</script>',
      'javascript:window.__pwn=1',
      '\u202Efdp',
    ]) {
      const said = encodeURIComponent(payload)
      for (const path of [
        `/?q=${said}&project=${said}&tag=${said}&sort=${said}&since=${said}`,
        `/search?q=${said}&exact=true&project=${said}&role=${said}`,
        `/usage?since=${said}&of=project&at=${said}&project=${said}`,
        `/usage/receipt/${said}`,
        `/files?path=${said}&open=${said}`,
        `/plans?plan=${said}&session=${said}`,
        `/agents?q=${said}&sort=${said}&open=${said}`,
        `/s/${said}`,
        `/s/${said}/timeline?branch=${said}`,
        `/s/${SESSION}?at=${said}&q=${said}&hits=${said}&top=${said}&open=${said}`,
      ]) {
        await page.goto(app.origin + path)
        await page.getByRole('heading').or(page.getByRole('alert')).first().waitFor({ state: 'attached' })
        await settled(page)
        // The window is named after the page is drawn.
        await framesLater(page)
        await expectUnharmed(page)
        expect(await page.title()).not.toContain('\u202E')
        expect(await page.evaluate(() => document.body.innerText), path).not.toContain('\u202E')
      }
    }
    // The browser itself notes an answer that is no success, and of the last page perhaps a moment later.
    await page.close()
    expect(app.troubles().filter((line) => !/status of 40\d/.test(line))).toEqual([])
  })

  test('in the title of a session, of its agents and of its receipt', async () => {
    const page = await app.open(`/s/${SESSION}`)
    await expect.poll(() => page.title(), PATIENT).toBe(`${PAYLOADS[0]} · annals`)
    await page.goto(`${app.origin}/usage/receipt/${SESSION}`)
    await expect.poll(() => page.title(), PATIENT).toContain(PAYLOADS[0])
    const turned = PAYLOADS.findIndex((payload) => payload.startsWith('\u202e'))
    await page.goto(`${app.origin}/s/${SESSION.slice(0, -2)}${turned}`)
    await expect.poll(() => page.title(), PATIENT).toBe('⟨202E⟩<b>turned</b> · annals')
    await expectUnharmed(page)
  })

  test('a session that comes while one looks appears by itself', async () => {
    const page = await app.open('/')
    await page.getByText(`${PAYLOADS.length} sessions`, { exact: true }).waitFor()
    const folder = join(app.root, 'projects', '-home-ana-new')
    mkdirSync(folder)
    const row = {
      type: 'user',
      uuid: '10000000-0000-4000-8000-000000000000',
      parentUuid: null,
      sessionId: '10000000-0000-4000-8000-000000000000',
      timestamp: new Date().toISOString(),
      cwd: '/home/ana/new',
      version: '2.1.325',
      message: { role: 'user', content: 'Look who came' },
    }
    writeFileSync(join(folder, `${row.sessionId}.jsonl`), `${JSON.stringify(row)}\n`)
    await page.getByText('Look who came').first().waitFor()
  })
})

/** Nothing ran, nothing was made of the text, nothing leads elsewhere. */
async function expectUnharmed(page: Page): Promise<void> {
  const harm = await page.evaluate(() => ({
    ran: '__pwn' in window,
    elements: document.querySelectorAll('main iframe, main img, main script, main style, main link, main object')
      .length,
    handlers: [...document.querySelectorAll('*')].filter((one) =>
      [...one.attributes].some(({ name }) => /^on/i.test(name)),
    ).length,
    links: [...document.querySelectorAll('a[href]')].filter(
      // By the attribute: links in a picture have no protocol of their own.
      (one) => !/^(https?:|mailto:)$/.test(new URL(one.getAttribute('href') ?? '', location.href).protocol),
    ).length,
  }))
  expect(harm).toEqual({ ran: false, elements: 0, handlers: 0, links: 0 })
}
