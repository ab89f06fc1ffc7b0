import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { log, root } from '../../src/testing/index.ts'
import { appOn, hasChromium, inAddress, PATIENT, skippedNote } from './app.ts'

const MANY = 400

/** However long a list is, so many of its rows are drawn at most. */
const MOST_ROWS = 60

describe.skipIf(!hasChromium)(`lists of ${MANY} things${skippedNote}`, { timeout: 120_000 }, () => {
  const app = appOn((dir) => {
    const all = root()
    const typed: string[] = []
    for (let i = 0; i < MANY; i++) {
      const made = log({ seed: `thing ${i}`, cwd: '/home/ana/api' })
        .title(`Thing ${i}`)
        .user(`Do thing ${i}.`)
        .todo([`Remember ${i}`, 'And this'])
        .writeFile(`src/thing-${i}.ts`, `export const thing = ${i}\n`)
        .subagent({ type: 'Explore', description: `Look at ${i}`, prompt: 'Look.', result: `Seen ${i}.` })
      all.add(made.assistant('Done.'))
      const line = { display: `Typed ${i}`, pastedContents: {}, timestamp: Date.now() - i, project: '/home/ana/api' }
      typed.push(JSON.stringify({ ...line, sessionId: made.sessionId }))
    }
    all.write(dir)
    writeFileSync(join(dir, 'history.jsonl'), `${typed.join('\n')}\n`)
  })

  for (const [path, list] of [
    ['/', 'Sessions'],
    ['/search?q=thing', 'Hits by session'],
    ['/prompts', 'Prompts'],
    ['/files', 'Files'],
    ['/todos', 'Todos'],
    ['/agents', 'Agents'],
  ] as const) {
    test(`${path} draws the rows near the screen, and others as one scrolls`, async () => {
      const page = await app.open(path)
      const rows = page.getByRole('list', { name: list, exact: true }).locator('> li')
      await rows.first().waitFor(PATIENT)
      const last = () =>
        rows.evaluateAll((all) => Math.max(...all.map((one) => Number((one as HTMLElement).dataset.index))))
      const before = await last()
      expect(await rows.count()).toBeLessThan(MOST_ROWS)
      await page.mouse.move(600, 500)
      // The first rows may come before the others: then there is little to scroll.
      const further = async () => {
        await page.mouse.wheel(0, 5000)
        return last()
      }
      await expect.poll(further, PATIENT).toBeGreaterThan(before + 20)
      expect(await rows.count()).toBeLessThan(MOST_ROWS)
    })
  }

  test('a row that was unfolded is so after a reload, and the filter stands', async () => {
    const page = await app.open('/agents?q=look')
    const row = page.getByRole('button', { name: /Look at 399$/ })
    await page.getByLabel('Filter agents').fill('look at 399')
    await row.click()
    await page.getByText('Seen 399.').waitFor()
    await expect.poll(inAddress(page, 'q'), PATIENT).toBe('look at 399')
    await expect.poll(inAddress(page, 'open'), PATIENT).not.toBeNull()
    await page.reload()
    await page.getByText('Seen 399.').waitFor(PATIENT)
    await expect.poll(() => page.getByLabel('Filter agents').inputValue(), PATIENT).toBe('look at 399')
    await row.click()
    await expect.poll(inAddress(page, 'open'), PATIENT).toBe(null)
  })
})
