import { readFileSync } from 'node:fs'
import type { Page, Request } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { writeDemoRoot } from '../../src/testing/index.ts'
import { appOn, hasChromium, inAddress, PATIENT, settled, skippedNote } from './app.ts'
import { seriousFindings } from './axe.ts'

const PATHS = [
  '/',
  '/search?q=token',
  '/usage',
  '/usage?since=all&of=model&at=claude-sonnet-4-6',
  '/usage/receipt/last',
  '/projects',
  '/prompts',
  '/plans',
  '/files',
  '/todos?show=all',
  '/memory',
  '/skills',
  '/agents',
  '/archive',
  '/secrets?show=all',
  '/check',
  '/nowhere',
]
const WIDTHS = [1440, 1024, 390]

describe.skipIf(!hasChromium)(`the pages of the web app${skippedNote}`, () => {
  const app = appOn((root) => writeDemoRoot(root, new Date()))

  test('home lists the sessions, then what they cost', async () => {
    const page = await app.open('/')
    await session(page, 'Fix token refresh race').waitFor()
    await session(page, 'Fix token refresh race')
      .getByText(/^\$\d+\.\d\d$/)
      .waitFor()
    await page.getByText('15 sessions', { exact: true }).waitFor()
    const map = page.getByRole('group', { name: /Activity of the last 26 weeks/ })
    await expect.poll(() => map.getByText('Mon').count(), PATIENT).toBe(1)
    await page.getByText('less').waitFor()
    await expect.poll(() => page.title(), PATIENT).toBe('Sessions · annals')
  })

  test('what home and a session need first is fetched with the page, once', async () => {
    const page = await app.open('/projects')
    for (const [path, asked, ready] of [
      ['/', '/api/first-screen', 'a[href^="/s/"]:visible'],
      ['/s/last', '/api/read?session=last&from=0&count=50', 'article'],
    ] as const) {
      const urls: string[] = []
      const note = (request: Request) => urls.push(request.url().slice(app.origin.length))
      page.on('request', note)
      await page.goto(app.origin + path)
      await page.locator(ready).first().waitFor()
      // A second time would be later.
      await settled(page)
      page.off('request', note)
      const first = asked.split('&count')[0] as string
      expect(urls.filter((url) => url.startsWith(first))).toEqual([asked])
    }
  })

  test('sessions that expire are told, with what keeps them', async () => {
    const page = await app.open('/')
    await page.getByText(/sessions? expires? this week/).click()
    await page.getByText('cleanupPeriodDays').waitFor()
  })

  test('filters stand in the address, and Back takes them off', async () => {
    const page = await app.open('/')
    await page.getByText('15 sessions', { exact: true }).waitFor()
    await page.getByLabel('Project', { exact: true }).selectOption({ label: 'garden-web' })
    await page.getByText('4 of 15 sessions').waitFor()
    await expect.poll(inAddress(page, 'project'), PATIENT).toBe('-home-ana-code-garden-web')
    await page.getByLabel('Filter sessions').fill('header')
    await page.getByText('1 of 15 sessions').waitFor()
    await expect.poll(inAddress(page, 'q'), PATIENT).toBe('header')
    await page.reload()
    await page.getByText('1 of 15 sessions').waitFor()
    await page.goBack()
    await page.getByText('4 of 15 sessions').waitFor()
    await expect.poll(() => page.getByLabel('Filter sessions').inputValue(), PATIENT).toBe('')
    await page.goBack()
    await page.getByText('15 sessions', { exact: true }).waitFor()
  })

  test('a repository stands for its worktrees too', async () => {
    const page = await app.open('/?project=-home-ana-code-api')
    await page.getByText('8 of 15 sessions').waitFor()
    await session(page, 'rate-limits').waitFor()
  })

  test('sessions are walked through by keys', async () => {
    const page = await app.open('/')
    const first = page.getByRole('list', { name: 'Sessions' }).locator('a[href^="/s/"]').first()
    await first.waitFor()
    const target = await first.getAttribute('href')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${target}`)
  })

  test('search runs as one types, and keys lead to the message', async () => {
    const page = await app.open('/')
    await session(page, 'Fix token refresh race').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('refresh tok*', { delay: 20 })
    await page.waitForURL('**/search?q=*')
    await page.getByText(/\d+ hits? in \d+ sessions?/).waitFor()
    await page.locator('mark').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.locator('[data-active]').waitFor()
    await page.keyboard.press('Enter')
    // Which hit is the first may change while the logs are still being read.
    await page.waitForURL(/\/s\/[^?]+\?.*\bat=[0-9a-f-]{36}/)
    await page.locator('article[data-uuid].ring-2').waitFor()
    await page.goBack()
    await page.locator('mark').first().waitFor()
    await expect.poll(() => page.getByLabel('Search everything').inputValue(), PATIENT).toBe('refresh tok*')
    await page.goBack()
    await session(page, 'Fix token refresh race').waitFor()
  })

  test('filters of a search are chips in the address', async () => {
    const page = await app.open('/search?q=token')
    await page.locator('mark').first().waitFor()
    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByLabel('Who said it').selectOption('user')
    await page.getByText('role: user').waitFor()
    await expect.poll(inAddress(page, 'role'), PATIENT).toBe('user')
    await page.getByText(/hits? in/).waitFor()
    await expect.poll(() => page.locator('main li a').getByText('Claude', { exact: true }).count(), PATIENT).toBe(0)
    await page.getByRole('button', { name: 'Remove the filter role' }).click()
    await page.locator('main li a').getByText('Claude', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Exact' }).click()
    await page.getByText(/hits? in|Nothing was found/).waitFor()
    await expect.poll(inAddress(page, 'exact'), PATIENT).toBe('true')
  })

  test('what cannot be searched is said in a sentence', async () => {
    const page = await app.open('/search?q=-test')
    await page.getByRole('alert').getByText('There is nothing to search for.').waitFor()
    // The browser itself notes an answer that is no success, perhaps a moment later.
    await page.close()
    expect(app.troubles().filter((line) => !line.includes('400'))).toEqual([])
  })

  test('the palette goes to pages, projects and sessions', async () => {
    const page = await app.open('/projects')
    await page.getByRole('link', { name: 'notes' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /Go to/ }).fill('usage')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/usage')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /Go to/ }).fill('weekly note')
    await page.getByRole('option', { name: 'Session Weekly note' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/s/*')
    await page.keyboard.press('Control+k')
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
  })

  test('the keys are told', async () => {
    const page = await app.open('/projects')
    await page.getByRole('link', { name: 'notes' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Search everything').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test('a bar leads to its sessions, to the receipt, and to the lines', async () => {
    const page = await app.open('/usage?since=all&by=month')
    const chart = page.getByRole('img', { name: /Cost of \d+ months?/ })
    await chart.waitFor()
    // What comes above it would move it.
    await settled(page)
    const box = await chart.boundingBox()
    if (!box) throw new Error('The chart is not shown.')
    await page.mouse.click(box.x + box.width * 0.75, box.y + box.height * 0.6)
    await page.getByRole('heading', { name: /^Sessions, / }).waitFor()
    await expect.poll(inAddress(page, 'of'), PATIENT).toBe('time')
    await cost(page, 'Fix token refresh race').click()
    await page.getByRole('heading', { name: 'Receipt: Fix token refresh race' }).waitFor()
    await page.locator('main button[aria-expanded]').first().click()
    await page
      .getByText(/^counts: /)
      .first()
      .waitFor()
    await page
      .getByRole('button', { name: /\.jsonl:\d+$/ })
      .first()
      .click()
    await page.waitForURL(/\/s\/[^?]+\?at=/)
  })

  test('the chart has its table, and other bars lead on too', async () => {
    const page = await app.open('/usage?since=all')
    await page.getByText('As a table').click()
    await page
      .getByRole('region', { name: 'Usage over time' })
      .getByRole('button', { name: /^\d{4}/ })
      .first()
      .click()
    await page.getByRole('heading', { name: /^Sessions, / }).waitFor()
    await page.getByRole('link', { name: 'The receipt of the whole day' }).waitFor()
    await page
      .getByRole('region', { name: 'By project' })
      .getByRole('button', { name: /garden-web/ })
      .click()
    await page.getByRole('heading', { name: /^Sessions with / }).waitFor()
    await cost(page, 'Slow photos').waitFor()
    await page
      .getByRole('region', { name: 'By model' })
      .getByRole('button', { name: /claude-opus-5-5/ })
      .click()
    await page.getByRole('heading', { name: 'Sessions with claude-opus-5-5' }).waitFor()
    await cost(page, 'Fix token refresh race').waitFor()
  })

  test('every sum of dollars is a link to what it is made of', async () => {
    const page = await app.open('/')
    for (const path of [
      '/',
      '/usage?since=all',
      '/usage?since=90d',
      '/usage?since=all&project=notes',
      '/projects',
      '/agents',
    ]) {
      await page.goto(app.origin + path)
      await page.locator('main a', { hasText: /^\$\d/ }).first().waitFor(PATIENT)
      await settled(page)
      const loose = await page.locator('main').evaluate((main) => {
        const found: string[] = []
        const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT)
        // Axes and pictures have their tables, a button leads to its sessions, and of nothing there is no receipt.
        for (let node = texts.nextNode(); node; node = texts.nextNode()) {
          const isLoose = !node.parentElement?.closest('a, button, svg, [aria-hidden="true"], [role="img"]')
          if (isLoose && /\$(?!0(\.00)?\b)\d/.test(node.textContent ?? '')) found.push(node.textContent ?? '')
        }
        return found
      })
      expect(loose, path).toEqual([])
    }
  })

  test('the dashboard compares, stacks, tells hours and blocks, and is saved', async () => {
    const page = await app.open('/usage?since=90d')
    await page.getByText('nothing in the time before').waitFor(PATIENT)
    for (const name of ['A turn', 'The cache saved']) await page.getByText(name, { exact: true }).waitFor()
    const legend = page.getByRole('list', { name: 'Legend' })
    await legend.getByText('claude-opus-5-5').waitFor()
    await page.getByLabel('Stacked by').selectOption('project')
    await legend.getByText('garden-web', { exact: true }).waitFor()
    await expect.poll(inAddress(page, 'stack'), PATIENT).toBe('project')
    await page
      .getByRole('region', { name: 'Hours of the week' })
      .last()
      .getByText(/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d+:00: \$0\.1/)
      .first()
      .waitFor({ state: 'attached' })
    const blocks = page.getByRole('region', { name: 'Blocks of five hours' }).first()
    await blocks.getByRole('button', { name: 'Cost' }).click()
    await expect.poll(() => blocks.getByRole('row').nth(1).getByText(/^\$/).innerText(), PATIENT).toBe('$0.12')
    const saved = page.waitForEvent('download')
    await blocks.getByRole('button', { name: 'Save as CSV' }).click()
    expect(readFileSync(await (await saved).path(), 'utf8')).toMatch(/^Begun,Cost,Responses,Tokens\r\n\d{4}-/)
    await blocks.getByRole('row').nth(1).getByRole('button').click()
    await page.getByRole('heading', { name: /^Sessions of the block of/ }).waitFor()
    await cost(page, 'Fix token refresh race').waitFor(PATIENT)
    await blocks.getByRole('row').nth(1).getByRole('link', { name: '$0.12' }).click()
    await page.getByRole('heading', { name: /^Receipt: \d{4}-.*\.\.\d{4}-/ }).waitFor(PATIENT)
    await page.locator('main p', { hasText: /^\$0\.12/ }).waitFor()
  })

  test('an hour of the week leads to its sessions, which together cost what it says', async () => {
    const page = await app.open('/usage?since=90d')
    const hour = page.getByRole('region', { name: 'Hours of the week' }).last().getByRole('button').first()
    await hour.waitFor(PATIENT)
    const [, name, usd] = /^(\w+ \d+:00): \$([\d.]+)/.exec((await hour.textContent()) ?? '') ?? []
    await hour.click()
    const sessions = page.getByRole('region', { name: `Sessions, ${name}` }).last()
    const costs = sessions.getByRole('link', { name: /^\$/ })
    await costs.first().waitFor(PATIENT)
    const sum = async () => (await costs.allTextContents()).reduce((all, text) => all + Number(text.slice(1)), 0)
    await expect.poll(sum, PATIENT).toBeCloseTo(Number(usd), 1)
  })

  test('a receipt multiplies, adds up, and sorts; of a day it tells the sessions', async () => {
    const page = await app.open('/usage/receipt/last')
    const table = page.getByRole('region', { name: 'Tokens times price' })
    await table.waitFor(PATIENT)
    const rows = await table
      .locator('tbody tr')
      .evaluateAll((all) =>
        all.map((row) =>
          [...row.querySelectorAll('td')]
            .slice(2)
            .map((cell) => Number((cell.textContent ?? '').replace(/[^\d.]/g, ''))),
        ),
      )
    for (const [tokens = 0, rate = 0, cost = 0] of rows) expect(cost).toBeCloseTo((tokens * rate) / 1e6, 3)
    const total = Number((await table.locator('tfoot td').last().innerText()).replace('$', ''))
    expect(total).toBeCloseTo(
      rows.reduce((sum, [, , cost = 0]) => sum + cost, 0),
      3,
    )
    await table.getByRole('button', { name: 'Tokens' }).click()
    await expect.poll(() => table.locator('tbody tr').first().innerText(), PATIENT).toContain('read from the cache')
    await page.getByRole('button', { name: 'Written', exact: true }).click()
    await expect.poll(inAddress(page, 'sort'), PATIENT).toBe('-Written')
    const day = new Date().toISOString().slice(0, 10)
    await page.goto(`${app.origin}/usage/receipt/${day}`)
    await page
      .getByRole('region', { name: 'By session' })
      .last()
      .getByRole('link', { name: 'Release notes for 0.9' })
      .waitFor(PATIENT)
  })

  test('todos, memory, skills, agents, archive and secrets are lists that unfold and filter', async () => {
    const page = await app.open('/agents')
    await page.getByText('10 agents').waitFor(PATIENT)
    await page.getByLabel('Filter agents').fill('retries')
    await page.getByText('2 of 10 agents').waitFor()
    await page.getByRole('button', { name: 'Failed' }).click()
    await page.getByText('1 agent', { exact: true }).waitFor()
    await page.getByText('failed').first().waitFor()
    expect(await page.getByText('Asked', { exact: true }).count()).toBe(0)
    await page.getByRole('button', { name: /Review the retries/ }).click()
    await page.getByText('Asked', { exact: true }).waitFor()
    for (const [path, text] of [
      ['/todos?show=all', /^\d+ lists?$/],
      ['/memory', /^\d+ notes?$/],
      ['/skills', /^\d+ definitions?$/],
      ['/archive', 'Nothing is kept yet.'],
      ['/secrets?show=all', /place|No secret/],
    ] as const) {
      await page.goto(app.origin + path)
      await page.getByText(text).first().waitFor(PATIENT)
    }
  })

  test('what stands in backticks in a note is code', async () => {
    const page = await app.open('/memory')
    await page
      .getByRole('button', { name: /^tests/ })
      .locator('code', { hasText: 'npm run db:up' })
      .waitFor(PATIENT)
  })

  test('prompts lead to titled sessions, and plans say project and status', async () => {
    const page = await app.open('/prompts')
    await page.getByRole('link', { name: 'Weekly note' }).first().waitFor(PATIENT)
    await page.goto(`${app.origin}/plans`)
    const plans = page.getByRole('navigation', { name: 'Plans' })
    await plans.getByText('api', { exact: true }).first().waitFor(PATIENT)
    await plans
      .getByText(/^(accepted|rejected|a file|not answered)$/)
      .first()
      .waitFor()
  })

  test('prompts are found and can be copied', async () => {
    const page = await app.open('/prompts', { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.getByText('30 prompts').waitFor()
    await page.getByLabel('Filter prompts').fill('weekly daily')
    await page.getByText('1 prompt', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Copy this prompt' }).click()
    await page.getByText('Copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('Write the weekly note from my daily ones')
  })

  test('plans are read as documents', async () => {
    const page = await app.open('/plans')
    await page.getByRole('article').getByRole('heading', { name: 'Rate limits for the public API' }).waitFor()
    await page.getByRole('article').getByText('Retry-After').waitFor()
  })

  test('files tell who touched them', async () => {
    const page = await app.open('/files')
    await page.getByLabel('Filter by path').fill('queue')
    await page.getByText('1 file', { exact: true }).waitFor()
    await page.getByRole('button', { name: /queue\.ts/ }).click()
    await page
      .getByRole('button', { name: /Review the webhooks branch/ })
      .first()
      .waitFor()
  })

  test('the logs are checked when asked', async () => {
    const page = await app.open('/check')
    await page.getByText(/has 15 session logs/).waitFor()
    await page.getByRole('button', { name: 'Check the logs' }).click()
    await page.getByText('Every byte is accounted for.').waitFor()
    await page.getByText('Nothing odd was found.').waitFor()
  })

  test('colours are dark where the system is, or as chosen, and stay so', async () => {
    const background = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const dark = await app.open('/projects', { colorScheme: 'dark' })
    const light = await app.open('/projects', { colorScheme: 'light' })
    expect(await background(dark)).not.toBe(await background(light))
    await light.getByRole('button', { name: 'Use dark colours' }).click()
    await expect.poll(() => background(light), PATIENT).toBe(await background(dark))
    await light.reload()
    await light.getByRole('button', { name: 'Use light colours' }).waitFor()
    expect(await background(light)).toBe(await background(dark))
  })

  for (const path of PATHS) {
    test(`${path} fits every screen and can be used by everyone`, async () => {
      const page = await app.open(path === '/nowhere' ? '/' : path, { colorScheme: 'light' })
      if (path === '/nowhere') await goNowhere(page)
      if (path === '/check') {
        await page.getByRole('button', { name: 'Check the logs' }).click()
        await page.getByText('Every byte is accounted for.').waitFor(PATIENT)
      }
      await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
      await settled(page)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 })
        await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth), PATIENT).toBe(width)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          expect(await seriousFindings(page), `${width} ${colorScheme}`).toEqual([])
        }
      }
      await page.getByRole('button', { name: /^Menu/ }).click()
      await page.getByRole('option', { name: 'Page Usage' }).waitFor()
      expect(await seriousFindings(page)).toEqual([])
    }, 180_000)
  }

  // Last, for what is kept no longer expires.
  test('a click keeps one session, another all that expire', async () => {
    const page = await app.open('/')
    await session(page, 'Fix token refresh race').click()
    await page.getByRole('button', { name: /^Keep this session/ }).click()
    await page.getByText('kept', { exact: true }).waitFor()
    await page.getByRole('button', { name: /^Keep this session/ }).waitFor({ state: 'detached' })
    await page.goto(app.origin)
    const box = page.getByRole('region', { name: 'Sessions that expire' })
    await box.getByRole('button', { name: /^Keep (it|all)/ }).click()
    await box.waitFor({ state: 'detached' })
  })
})

/** What a session cost, where sessions are listed. */
function cost(page: Page, title: string) {
  return page.getByRole('row', { name: title }).getByRole('link', { name: /^\$/ }).first()
}

function session(page: Page, title: string) {
  return page.getByRole('list', { name: 'Sessions' }).getByRole('listitem').filter({ hasText: title })
}

/** An address that the app itself does not know. */
async function goNowhere(page: Page): Promise<void> {
  await page.evaluate(() => {
    history.pushState({}, '', '/nowhere')
    window.dispatchEvent(new PopStateEvent('popstate'))
  })
  await page.getByText('There is no such page.').waitFor()
}
