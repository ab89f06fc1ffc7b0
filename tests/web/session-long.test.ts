import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { appOn, hasChromium, PATIENT, settled, skippedNote } from './app.ts'
import { writeLong } from './session-roots.ts'

const ROWS = 100_000

describe.skipIf(!hasChromium)(`a session of ${ROWS} rows${skippedNote}`, { timeout: 240_000 }, () => {
  let session = ''
  let append: (from: number, count: number) => void
  let rows = ROWS
  const app = appOn((root) => {
    ;({ session, append } = writeLong(root, ROWS))
  })

  /** The log is long, and the machine may have other things to do. */
  const open = async (path: string) => {
    const page = await app.open(path)
    page.setDefaultTimeout(120_000)
    return page
  }

  const more = (count: number) => {
    append(rows, count)
    rows += count
  }

  test('scrolls without losing a row, and draws only those in sight', async () => {
    const page = await open(`/s/${session}`)
    await row(page, 0).waitFor()
    const seen = new Set<number>()
    for (let step = 0; step < 40; step++) {
      for (const number of await drawn(page)) seen.add(number)
      await page.mouse.move(700, 500)
      const before = await scrolled(page)
      await page.mouse.wheel(0, 500)
      await expect.poll(() => scrolled(page), PATIENT).not.toBe(before)
      await atRest(page)
    }
    const last = Math.max(...seen)
    expect(last).toBeGreaterThan(100)
    expect([...seen].sort((a, b) => a - b)).toEqual(Array.from({ length: last + 1 }, (_, i) => i))
    expect(await page.locator('article').count()).toBeLessThan(60)
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(3000)
  })

  test('goes to the end, to the start, and to any row by its address', async () => {
    const page = await open(`/s/${session}`)
    await row(page, 0).waitFor()
    await page.keyboard.press('G')
    await row(page, rows - 1).waitFor()
    await expect.poll(() => isOnScreen(page, rows - 1), PATIENT).toBe(true)
    await page.keyboard.press('g')
    await row(page, 0).waitFor()
    const middle = 54_321
    await page.goto(`${app.origin}/s/${session}?at=00000000-0000-4000-8000-${String(middle).padStart(12, '0')}`)
    await row(page, middle).waitFor()
    await expect.poll(() => isOnScreen(page, middle), PATIENT).toBe(true)
  })

  test('what one reads does not move while rows above it are drawn for the first time', async () => {
    const page = await open(`/s/${session}?at=00000000-0000-4000-8000-000000050005`)
    await row(page, 50_005).waitFor()
    await settled(page)
    await atRest(page)
    await page.mouse.move(700, 500)
    for (let step = 0; step < 15; step++) {
      const before = await places(page)
      await page.mouse.wheel(0, -120)
      await expect.poll(() => places(page), PATIENT).not.toEqual(before)
      await atRest(page)
      const after = await places(page)
      const both = [...before.keys()].filter((number) => after.has(number))
      expect(both.length).toBeGreaterThan(0)
      for (const number of both) {
        expect(
          Math.abs((after.get(number) as number) - (before.get(number) as number) - 120),
          `row ${number}`,
        ).toBeLessThan(2)
      }
    }
  })

  test('words are found in rows that are not drawn', async () => {
    const page = await open(`/s/${session}`)
    await row(page, 0).waitFor()
    await page.keyboard.press('f')
    await page.getByRole('searchbox', { name: 'Find in this session' }).fill('this is row 77777.')
    await page.getByText('1 of 1 rows').waitFor()
    await row(page, 77_777).waitFor()
    await expect.poll(() => isOnScreen(page, 77_777), PATIENT).toBe(true)
  })

  test('an append is told and does not move what one reads; the button leads to it', async () => {
    const page = await open(`/s/${session}?at=00000000-0000-4000-8000-000000030000`)
    await row(page, 30_000).waitFor()
    // With the outline there is more above the rows.
    await settled(page)
    await atRest(page)
    const before = await places(page)
    more(3)
    const button = page.getByRole('button', { name: /Jump to latest \(3 new rows\)/ })
    await button.waitFor()
    expect(await places(page)).toEqual(before)
    await button.click()
    await row(page, rows - 1).waitFor()
    await button.waitFor({ state: 'detached' })
  })

  test('following keeps the newest in view until one scrolls back', async () => {
    const page = await open(`/s/${session}`)
    await row(page, 0).waitFor()
    const follow = page.getByRole('button', { name: 'Keep the newest in view' })
    await follow.click()
    await row(page, rows - 1).waitFor()
    await expect.poll(() => follow.getAttribute('aria-pressed'), PATIENT).toBe('true')
    for (let round = 0; round < 3; round++) {
      more(20)
      await row(page, rows - 1).waitFor()
      await expect.poll(() => isOnScreen(page, rows - 1), PATIENT).toBe(true)
    }
    await page.mouse.move(700, 500)
    await page.mouse.wheel(0, -1500)
    await expect.poll(() => follow.getAttribute('aria-pressed'), PATIENT).toBe('false')
    await settled(page)
    await atRest(page)
    const before = await places(page)
    more(2)
    await page.getByRole('button', { name: /Jump to latest \(2 new rows\)/ }).waitFor()
    expect(await places(page)).toEqual(before)
  })
})

function row(page: Page, number: number) {
  return page.getByText(new RegExp(`^This is row ${number}\\.$`)).last()
}

/** The numbers of the rows that are drawn. */
function drawn(page: Page): Promise<readonly number[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('article')].flatMap(({ innerText }) => {
      const number = /This is row (\d+)\./.exec(innerText)?.[1]
      return number === undefined ? [] : [Number(number)]
    }),
  )
}

/** Where the rows on the screen stand. */
async function places(page: Page): Promise<Map<number, number>> {
  const found = await page.evaluate(() =>
    [...document.querySelectorAll('article')].flatMap((article) => {
      const number = /This is row (\d+)\./.exec(article.innerText)?.[1]
      const { top, bottom } = article.getBoundingClientRect()
      return number === undefined || bottom < 150 || top > window.innerHeight ? [] : [[Number(number), top] as const]
    }),
  )
  return new Map(found)
}

function scrolled(page: Page): Promise<number> {
  return page.getByRole('region', { name: 'Conversation' }).evaluate((scroller) => scroller.scrollTop)
}

/** What was scrolled has come to rest, and its rows are here: for some frames nothing has moved. */
async function atRest(page: Page): Promise<void> {
  await expect.poll(() => page.locator('section .skeleton').count(), { timeout: 60_000 }).toBe(0)
  await page.evaluate(async () => {
    const where = () => [...document.querySelectorAll('article')].map((one) => one.getBoundingClientRect().top).join()
    let before = where()
    for (let same = 0; same < 6; ) {
      await new Promise(requestAnimationFrame)
      const now = where()
      same = now === before ? same + 1 : 0
      before = now
    }
  })
}

function isOnScreen(page: Page, number: number): Promise<boolean> {
  return places(page).then((found) => found.has(number))
}
