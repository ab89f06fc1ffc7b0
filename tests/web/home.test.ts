import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { writeDemoRoot } from '../../src/testing/index.ts'
import { appOn, hasChromium, inAddress, PATIENT, skippedNote } from './app.ts'

const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] }

/** What no page may be turned round by. */
const TURNED = 'Invoice \u202Efdp.exe'
const ARABIC = 'أصلح الخطأ في تسجيل الدخول'

function rowsOf(page: Page) {
  return page
    .getByRole('list', { name: 'Sessions' })
    .getByRole('listitem')
    .filter({ has: page.locator('a[href^="/s/"]') })
}

const row = (page: Page, title: string) => rowsOf(page).filter({ hasText: title })
const titles = async (page: Page) =>
  (await rowsOf(page).locator('a[href^="/s/"]').allInnerTexts()).map((text) => text.trim())

function writeSession(root: string, number: number, title: string, cwd: string): void {
  const id = `eeeeeeee-0000-4000-8000-${String(number).padStart(12, '0')}`
  const folder = join(root, 'projects', cwd.replace(/[^A-Za-z0-9]/g, '-'))
  const rows = [
    { type: 'user', uuid: `${id.slice(0, -1)}a`, parentUuid: null, message: { role: 'user', content: title } },
    {
      type: 'assistant',
      uuid: `${id.slice(0, -1)}b`,
      parentUuid: `${id.slice(0, -1)}a`,
      message: {
        id: `msg_${number}`,
        role: 'assistant',
        model: 'claude-opus-5-5',
        content: [{ type: 'text', text: 'Done.' }],
        usage: { input_tokens: 1000, output_tokens: 500 },
      },
    },
  ]
  const common = { sessionId: id, cwd, version: '2.1.325', isSidechain: false, timestamp: new Date().toISOString() }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${id}.jsonl`), rows.map((one) => `${JSON.stringify({ ...common, ...one })}\n`).join(''))
}

describe.skipIf(!hasChromium)(`home and what one does from it${skippedNote}`, () => {
  const app = appOn((root) => {
    writeDemoRoot(root, new Date())
    writeSession(root, 1, TURNED, '/home/ana/notes')
    writeSession(root, 2, ARABIC, 'C:\\Users\\ana\\work\\shop')
  })

  test('columns have names and sort; what is sorted by stands in the address', async () => {
    const page = await app.open('/')
    await row(page, 'Fix token refresh race').waitFor()
    for (const name of ['Session', 'Project', 'Last', 'Active', 'Cost']) {
      await page.getByRole('button', { name, exact: true }).waitFor()
    }
    await page
      .getByRole('heading', {
        name: /^(January|February|March|April|May|June|July|August|September|October|November|December) \d{4}$/,
      })
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Session', exact: true }).click()
    await expect.poll(inAddress(page, 'sort'), PATIENT).toBe('Session')
    const first = async () =>
      (await titles(page)).slice(0, 5).map((one) => one.replace(/^(Fork: )?[└⑂] /, '').toLowerCase())
    const isSorted = (some: readonly string[]) =>
      some.length === 5 && some.join() === some.toSorted((a, b) => a.localeCompare(b)).join()
    await expect.poll(first, PATIENT).toSatisfy(isSorted)
    await page.getByRole('button', { name: 'Cost', exact: true }).click()
    await expect
      .poll(async () => {
        const costs = await rowsOf(page)
          .getByText(/^\$\d+\.\d\d$/)
          .allInnerTexts()
        return costs.slice(0, 3)
      }, PATIENT)
      .toEqual(['$0.12', '$0.09', '$0.08'])
    await page.reload()
    await row(page, 'Fix token refresh race').waitFor()
    // Costs come after the list.
    await expect.poll(async () => (await titles(page))[0], PATIENT).toContain('Fix token refresh race')
  })

  test('today tells what was done, and a week more', async () => {
    const page = await app.open('/')
    const done = page.getByRole('region', { name: 'What was done' })
    await done.getByText(/^\d+ sessions · \d+ turns/).waitFor(PATIENT)
    await done.getByRole('link', { name: 'Release notes for 0.9' }).waitFor()
    const week = done.getByRole('button', { name: 'This week' })
    await week.click()
    await expect.poll(() => week.getAttribute('aria-pressed'), PATIENT).toBe('true')
    await done.getByText(/^\d+ sessions · \d+ turns/).waitFor(PATIENT)
  })

  test('every cost leads to its receipt, and a day of the map to its sessions', async () => {
    const page = await app.open('/')
    await row(page, 'Fix token refresh race').getByText('$0.12').click()
    await page.getByRole('heading', { name: 'Receipt: Fix token refresh race' }).waitFor()
    await page.goBack()
    await page
      .getByRole('group', { name: /Activity of/ })
      .locator('a')
      .last()
      .click()
    await page.waitForURL(/\/usage\?since=\d{4}-\d\d-\d\d&until=/)
    await page.getByRole('heading', { name: /^Sessions, / }).waitFor(PATIENT)
  })

  test('a star is given and taken back, by a click and by a key', async () => {
    const page = await app.open('/')
    await row(page, 'Slow photos').hover()
    await page.getByRole('button', { name: 'Star Slow photos' }).click()
    await page.getByText('Starred: Slow photos').waitFor()
    await page.getByRole('button', { name: '★ Starred' }).click()
    await page.getByText(/^1 of \d+ sessions$/).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('No sessions match these filters.').waitFor()
    await page.getByRole('button', { name: '★ Starred' }).click()
    await rowsOf(page).first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('s')
    await page.getByText(/^Starred: /).waitFor(PATIENT)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText(/^No longer starred: /).waitFor(PATIENT)
  })

  test('a session is renamed from the list, in its log too, and the old title comes back', async () => {
    const page = await app.open('/')
    await row(page, 'Weekly note').getByRole('button', { name: 'Actions for Weekly note' }).click()
    const dialog = page.getByRole('dialog', { name: 'Actions for Weekly note' })
    await dialog.getByRole('button', { name: 'Rename …' }).click()
    const title = dialog.getByLabel('Its new title')
    await expect.poll(() => title.evaluate((field) => field === document.activeElement), PATIENT).toBe(true)
    await title.fill('Notes of the week')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row(page, 'Notes of the week').waitFor(PATIENT)
    expect(logsOf(app.root)).toContain('"customTitle":"Notes of the week"')
    await page.getByRole('button', { name: 'Undo' }).click()
    await row(page, 'Weekly note').waitFor(PATIENT)
    expect(logsOf(app.root)).not.toContain('Notes of the week')
  })

  test('a tag is given from the list, and is a filter', async () => {
    const page = await app.open('/')
    await row(page, 'Slow photos')
      .getByRole('button', { name: /^Actions for/ })
      .click()
    await page.getByRole('button', { name: 'Tag …' }).click()
    await page.getByLabel(/^Its tag/).fill('speed')
    await page.keyboard.press('Enter')
    await row(page, 'Slow photos').getByText('speed').waitFor(PATIENT)
    await page.getByLabel('Tag').selectOption('speed')
    await page.getByText(/^1 of \d+ sessions$/).waitFor()
  })

  test('resume copies the command with its folder, and says so', async () => {
    const page = await app.open('/', CLIPBOARD)
    await row(page, 'Fix token refresh race').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('r')
    await page.getByText(/^Copied: cd .+ && claude --resume [0-9a-f-]{36}$/).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
      /^cd \S.* && claude --resume [0-9a-f-]{36}$/,
    )
  })

  test('the palette does things: exports, copies, themes', async () => {
    const page = await app.open('/', CLIPBOARD)
    await row(page, 'Fix token refresh race').locator('a[href^="/s/"]').first().click()
    await page.locator('article').first().waitFor()
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: /do something/ })
    await field.fill('save markdown')
    const download = page.waitForEvent('download')
    await page.getByRole('option', { name: /Markdown/ }).click()
    expect(readFileSync(await (await download).path(), 'utf8')).toContain('Sometimes two token refreshes run at once')
    await page.keyboard.press('Control+k')
    await field.fill('dark')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme), PATIENT).toBe('dark')
    await page.keyboard.press('Control+k')
    await field.fill('resumes')
    await page.keyboard.press('Enter')
    await page.getByText(/^Copied: cd /).waitFor()
  })

  test('a whole session is a page for the printer that can ask nothing', async () => {
    const page = await app.open('/')
    const id = (
      await row(page, 'Fix token refresh race').locator('a[href^="/s/"]').first().getAttribute('href')
    )?.slice(3)
    const answer = await page.request.get(`${app.origin}/api/print?session=${id}`)
    expect(answer.headers()['content-security-policy']).toMatch(
      /^sandbox allow-scripts allow-modals; default-src 'none'/,
    )
    expect(await answer.text()).toContain('print()')
  })

  test('the keys of the page are told in one window, and the focus goes back', async () => {
    const page = await app.open('/')
    await row(page, 'Fix token refresh race').waitFor()
    await page.getByRole('button', { name: 'Everything' }).focus()
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keys' })
    await dialog.getByText('On this page').waitFor()
    await dialog.getByText('Copy the command that resumes it').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(1)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent), PATIENT).toBe('Everything')
  })

  test('the focus goes back where it was, too, when a window closes because something was chosen in it', async () => {
    const page = await app.open('/', CLIPBOARD)
    const actions = row(page, 'Slow photos').getByRole('button', { name: 'Actions for Slow photos' })
    const isBack = () => actions.evaluate((button) => button === document.activeElement)
    await actions.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Copy the command that resumes it' }).press('Enter')
    await page.getByText(/^Copied: cd /).waitFor()
    await expect.poll(isBack, PATIENT).toBe(true)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /do something/ }).fill('colours of the system')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(isBack, PATIENT).toBe(true)
  })

  test('what runs is told, who waits for you first; and how it stands with index and archive', async () => {
    writeRunning(app.root)
    const page = await app.open('/')
    const running = page.getByRole('region', { name: 'Running now' }).getByRole('listitem')
    await expect.poll(() => running.count(), PATIENT).toBe(2)
    // Titles come with the list.
    await expect.poll(() => running.first().innerText(), PATIENT).toMatch(/Invoice ⟨202E⟩fdp\.exe\s+waits for you/)
    await expect.poll(() => running.last().innerText(), PATIENT).toMatch(/shop\s+works/)
    await page.getByText('index current').waitFor(PATIENT)
    await page.getByRole('link', { name: 'nothing kept in the archive' }).click()
    await page.waitForURL('**/archive')
    rmSync(join(app.root, 'sessions'), { recursive: true })
  })

  test('what would turn a text round is written out, and another script has its own direction', async () => {
    for (const path of ['/', '/prompts', '/usage/receipt/eeeeeeee-0000-4000-8000-000000000001']) {
      const page = await app.open(path)
      await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
      const there = path === '/prompts' ? /^\d+ prompts$/ : 'Invoice ⟨202E⟩fdp.exe'
      await page.getByText(there).first().waitFor(PATIENT)
      expect(await page.evaluate(() => document.body.innerText)).not.toContain('\u202E')
    }
    const page = await app.open('/')
    const title = page.getByText(ARABIC).first()
    await title.waitFor()
    expect(await title.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl')
  })

  test('a folder of Windows is called by its last name', async () => {
    const page = await app.open('/')
    await row(page, ARABIC).getByText('shop', { exact: true }).waitFor()
    await page.goto(`${app.origin}/projects`)
    await page.getByRole('link', { name: 'shop', exact: true }).waitFor()
  })

  test('notifications are chosen, kept over a reload, and tell when a session waits', async () => {
    const page = await app.open('/', { permissions: ['notifications'] })
    await page.addInitScript(() => {
      const told: string[] = []
      Object.assign(window, { told })
      class Fake {
        static permission = 'granted'
        constructor(title: string, options: { body: string }) {
          told.push(`${title}: ${options.body}`)
        }
        close() {}
      }
      Object.assign(window, { Notification: Fake })
    })
    await page.getByRole('button', { name: 'Notifications' }).click()
    await page.getByLabel('A session costs more than').click()
    await page.getByLabel('Dollars').fill('0.1')
    await page.getByRole('button', { name: 'Done' }).click()
    await expect
      .poll(() => page.evaluate(async () => (await (await fetch('/api/notifications')).json()).costUsd), PATIENT)
      .toBe(0.1)
    await page.reload()
    await row(page, ARABIC).waitFor()
    await page.getByRole('button', { name: 'Notifications' }).click()
    await expect.poll(() => page.getByLabel('A session costs more than').isChecked(), PATIENT).toBe(true)
    await expect.poll(() => page.getByLabel('Dollars').inputValue(), PATIENT).toBe('0.1')
    await page.keyboard.press('Escape')
    // It looks first, and then tells what has changed since.
    await page.waitForResponse((answer) => answer.url().includes('/api/sessions?limit=100'), PATIENT)
    spendMore(app.root)
    await expect
      .poll(() => page.evaluate(() => (window as unknown as { told: string[] }).told), PATIENT)
      .toEqual(['Invoice ⟨202E⟩fdp.exe: It costs more than your limit.'])
  }, 90_000)
})

/** Two clients that say that they run: this very process and the one that started it. */
function writeRunning(root: string): void {
  const claims = [
    { pid: process.ppid, status: 'busy', cwd: 'C:\\Users\\ana\\work\\shop' },
    { pid: process.pid, status: 'idle', cwd: '/home/ana/notes', sessionId: 'eeeeeeee-0000-4000-8000-000000000001' },
  ]
  mkdirSync(join(root, 'sessions'), { recursive: true })
  for (const claim of claims) {
    const file = join(root, 'sessions', `${claim.pid}.json`)
    writeFileSync(file, JSON.stringify({ ...claim, startedAt: Date.now(), updatedAt: Date.now(), kind: 'interactive' }))
  }
}

/** All logs of a root as one text. */
function logsOf(root: string): string {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'))
  return names.map((name) => readFileSync(join(root, name), 'utf8')).join('\n')
}

/** A dear response more, in the session with the turned title. */
function spendMore(root: string): void {
  const id = 'eeeeeeee-0000-4000-8000-000000000001'
  const usage = { input_tokens: 100_000, output_tokens: 10_000 }
  const message = {
    id: 'msg_dear',
    role: 'assistant',
    model: 'claude-opus-5-5',
    content: [{ type: 'text', text: 'Dear.' }],
    usage,
  }
  const line = {
    type: 'assistant',
    uuid: `${id.slice(0, -1)}c`,
    parentUuid: `${id.slice(0, -1)}b`,
    sessionId: id,
    cwd: '/home/ana/notes',
    timestamp: new Date().toISOString(),
    message,
  }
  appendFileSync(join(root, 'projects', '-home-ana-notes', `${id}.jsonl`), `${JSON.stringify(line)}\n`)
}
