import { describe, expect, test } from 'vitest'
import { log, root } from '../../src/testing/index.ts'
import { appOn, hasChromium, PATIENT, skippedNote } from './app.ts'

const PROMPTS = 2_500
/** However many there are, so much is drawn at most: what is drawn at once holds up the page. */
const MOST_ELEMENTS = 3_500

/** In the page: counts how often the height of a row is asked for. */
function noteHeights(): void {
  const page = window as unknown as { heightsAsked: number }
  page.heightsAsked = 0
  const { get } = Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'offsetHeight') ?? {}
  Object.defineProperty(HTMLElement.prototype, 'offsetHeight', {
    get(this: HTMLElement) {
      if (this.matches('[data-index]')) page.heightsAsked++
      return get?.call(this)
    },
  })
}

describe.skipIf(!hasChromium)(`a session of ${PROMPTS} prompts${skippedNote}`, { timeout: 240_000 }, () => {
  let session = ''
  const app = appOn((dir) => {
    const made = log({ seed: 'many prompts', cwd: '/home/ana/api' }).title('Many prompts')
    for (let at = 0; at < PROMPTS; at++) {
      made.user(`Mend part ${at}.`).assistant(`Mended part ${at}.`)
      made.tool('Write', { file_path: `/home/ana/api/part-${at}.ts`, content: 'x' }, { output: 'Written.' })
    }
    root().add(made).write(dir)
    session = made.sessionId
  })

  for (const [page, there, last] of [
    ['', 'Mended part 0.', 'Mended part 2499.'],
    ['/tree', 'Mend part 0.', 'Mend part 2499.'],
    ['/timeline', 'Mend part 0.', 'Mend part 2499.'],
    ['/context', /of the window|tokens/, 'Mend part 2499.'],
    ['/files', 'part-0.ts', 'part-2499.ts'],
  ] as const) {
    test(`${page || 'its conversation'} draws what is near the screen, and the rest as one scrolls`, async () => {
      const opened = await app.open(`/s/${session}${page}`)
      opened.setDefaultTimeout(120_000)
      await opened.getByText(there).filter({ visible: true }).first().waitFor()
      const elements = () => opened.evaluate(() => document.querySelectorAll('*').length)
      expect(await elements()).toBeLessThan(MOST_ELEMENTS)
      await opened.mouse.move(700, 500)
      const words = opened.getByText(last).filter({ visible: true })
      const atEnd = async () => {
        await opened.mouse.wheel(0, 1_000_000)
        return words.count()
      }
      await expect.poll(atEnd, { timeout: 120_000 }).toBeGreaterThan(0)
      expect(await elements()).toBeLessThan(MOST_ELEMENTS)
    })
  }

  for (const page of ['', '/timeline', '/context']) {
    test(`${page || 'its conversation'} asks for no height while its rows are drawn`, async () => {
      const opened = await app.open('/check')
      opened.setDefaultTimeout(120_000)
      await opened.addInitScript(noteHeights)
      await opened.goto(`${app.origin}/s/${session}${page}`)
      await opened.getByText('Mend part 0.').filter({ visible: true }).first().waitFor()
      expect(await opened.evaluate('window.heightsAsked')).toBe(0)
    })

    test(`${page || 'its conversation'} makes one style for an element, not one more for what could be found`, async () => {
      const opened = await app.open(`/s/${session}${page}`)
      await opened.getByText('Mend part 0.').filter({ visible: true }).first().waitFor(PATIENT)
      const found = await opened.evaluate(() => getComputedStyle(document.body, '::highlight(found)').backgroundColor)
      expect(found).toBe('rgba(0, 0, 0, 0)')
    })
  }

  test('its receipt lists the first of its turns, and more where one asks', async () => {
    const page = await app.open(`/usage/receipt/${session}`)
    page.setDefaultTimeout(120_000)
    const turns = page.getByRole('region', { name: 'By turn' }).last()
    await turns.waitFor()
    expect(await turns.getByRole('row').count()).toBeLessThan(20)
    await page.getByRole('button', { name: /^Show 100 more of 2,500$/ }).click()
    await expect.poll(() => turns.getByRole('row').count(), PATIENT).toBe(113)
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(MOST_ELEMENTS)
  })
})
