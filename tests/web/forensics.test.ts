import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { log, root } from '../../src/testing/index.ts'
import { appOn, hasChromium, PATIENT, settled, skippedNote } from './app.ts'
import { seriousFindings } from './axe.ts'

/** One prompt and many calls, agents side by side, teammates, a compaction, a lost cache; and others to find words in. */
function write(dir: string): string {
  const usage = (read: number, written: number) => ({
    inputTokens: 5,
    cacheReadTokens: read,
    cacheWrite5mTokens: written,
    cacheWrite1hTokens: 0,
  })
  const agent = (description: string): Parameters<ReturnType<typeof log>['subagent']>[0] => ({
    type: 'Explore',
    description,
    prompt: `${description}.`,
    steps: (one) => one.tool('Bash', { command: 'ls' }, { output: 'x' }),
    result: 'Seen.',
  })
  const message = '<teammate-message teammate_id="ben">The build is green.</teammate-message>'
  const main = log({ seed: 'forensics', cwd: '/home/ana/api' })
    .title('One prompt, many calls')
    .user('Make the lantern glow.')
    .assistant('First I look around.', { usage: usage(0, 30_000) })
    .tool('Bash', { command: 'npm test' }, { output: 'FAIL lantern', exitCode: 1 })
  for (let i = 0; i < 160; i++) main.readFile(`src/part-${i}.ts`, `export const part = ${i}\n`)
  main
    .assistant('Now the wick.', { usage: usage(30_000, 20_000) })
    .writeFile('src/wick.ts', 'export const wick = 1\nexport const oil = true\n')
    .edit('src/wick.ts', { before: 'export const wick = 1', after: 'export const wick = 2' })
    .tool('Bash', { command: 'npm test' }, { output: 'ok' })
    .tool('Bash', { command: 'git commit -am "Light it"' }, { output: '[main 1a2b3c4] Light it' })
    .subagent(agent('Look left'))
    .subagent(agent('Look right'))
    .plan('# The lantern plan\n\nLight it.')
    .assistant('It glows: `lantern`.\n\n```ts\nconst glow = 1\n```', { usage: usage(50_000, 10) })
    .wait(20 * 60_000)
    .user('And the second lantern?')
    .assistant('Also the second lantern.', { usage: usage(0, 52_000), stopReason: 'end_turn' })
    .raw((at) =>
      at.row({ type: 'user', origin: { kind: 'peer' }, message: { role: 'user', content: message } } as JsonObject),
    )
    .compact({ trigger: 'auto', preTokens: 152_000, postTokens: 6_200, summary: 'A lantern was lit.' })
    .user('Thanks.')
    .assistant('You are welcome.')
  const all = root().add(main)
  for (let i = 0; i < 4; i++) {
    const other = log({ seed: `other ${i}`, cwd: '/home/ana/web' })
      .title(`Other ${i}`)
      .user(`A lantern in room ${i}?`)
    for (let j = 0; j < 6; j++)
      other.tool('Bash', { command: `find lantern-${j}` }, { output: `lantern ${j} <b>found</b>` })
    all.add(other.assistant('No lantern here.'))
  }
  all.write(dir)
  return main.sessionId
}

describe.skipIf(!hasChromium)(`forensics in the web app${skippedNote}`, () => {
  let session = ''
  const app = appOn((dir) => {
    session = write(dir)
  })
  const wide = { viewport: { width: 1440, height: 900 } }
  const ready = (page: Page) =>
    page.getByRole('navigation', { name: 'Map of the session' }).getByRole('listitem').first().waitFor(PATIENT)

  test('the map tells steps, tests, commits and errors of one prompt with many calls', async () => {
    const page = await app.open(`/s/${session}`, wide)
    const map = page.getByRole('navigation', { name: 'Map of the session' })
    for (const name of [
      'Step: First I look around.',
      'Error: Bash · npm test',
      'Step: Now the wick.',
      'Tests passed: Bash · npm test',
      'Commit: Light it',
    ]) {
      await map.getByRole('button', { name }).first().waitFor(PATIENT)
    }
    await map.getByRole('button', { name: 'Commit: Light it' }).click()
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent ?? ''), PATIENT)
      .toContain('git commit')
  })

  test('the tree lists the steps, and a click leads to the row', async () => {
    const page = await app.open(`/s/${session}/tree`, wide)
    await page.getByRole('link', { name: /Step: Now the wick/ }).click()
    await page.waitForURL(/\/s\/[^/]+\?at=/)
    await page.getByText('Now the wick.').last().waitFor(PATIENT)
  })

  test('the timeline shows agents and waits, tells facts on hover and leads to the row', async () => {
    const page = await app.open(`/s/${session}/timeline`, wide)
    const chart = page.getByRole('img', { name: /3 turns, \d+ tool calls, 2 agents and tasks/ })
    await chart.waitFor(PATIENT)
    await page.getByText('an estimate: what neither tools nor you took').waitFor()
    // What comes above the chart would move it.
    await settled(page)
    const box = await chart.boundingBox()
    if (!box) throw new Error('The chart has no box.')
    await page.mouse.move(box.x + 30, box.y + 34)
    const tip = page.getByRole('tooltip')
    await tip.getByText('Make the lantern glow.').waitFor()
    await tip.getByText('API, estimated').waitFor()
    await page.getByRole('link', { name: /And the second lantern\?.*took/ }).waitFor()
    await page.mouse.click(box.x + 30, box.y + 34)
    await page.waitForURL(/\/s\/[^/]+\?at=/)
  })

  test('the context tells tokens against the limit, what filled it, compactions and lost caches', async () => {
    const page = await app.open(`/s/${session}/context`, wide)
    const chart = page.getByRole('img', { name: /against 200k tokens/ })
    await chart.waitFor(PATIENT)
    await page.getByText('compacted in turn 2 (auto): 152k → 6.2k tokens').waitFor()
    await page.getByText(/The cache was lost .*, at a cost of about \$/).waitFor()
    const lost = page.getByRole('listitem').filter({ hasText: /turn 2: 50k tokens read anew; more than five minutes/ })
    await lost.getByRole('link', { name: /^\$/ }).waitFor()
    expect(await lost.getByRole('link').getAttribute('href')).toMatch(/\/usage\/receipt\/.+%3A2$|:2$/)
    await page.getByText('turn 1', { exact: true }).waitFor()
    await page.getByText('results of Read').click()
    await page.getByText('src/part-120.ts').first().waitFor()
    await page.getByText(/Tokens are estimated at one for 2.9 bytes/).waitFor()
    await settled(page)
    const box = await chart.boundingBox()
    if (!box) throw new Error('The chart has no box.')
    await page.mouse.move(box.x + 10, box.y + box.height - 5)
    await page
      .getByRole('tooltip')
      .getByText(/Turn 1: .* tokens, \d+ % of the window/)
      .waitFor()
    await page.getByRole('combobox', { name: 'What the colours tell' }).selectOption('cache')
    await page.getByText('written to the cache').first().waitFor()
    await page
      .getByRole('link', { name: /Now the wick\..*added about/ })
      .first()
      .waitFor()
  })

  test('a row of a search says whose it is; of each session three, and the others where one asks for them', async () => {
    const page = await app.open('/search?q=lantern', wide)
    await page.getByText(/\d+ hits in 5 sessions/).waitFor(PATIENT)
    await page
      .getByRole('link', { name: /Bash · find lantern-\d · turn 1/ })
      .first()
      .waitFor()
    const more = page.getByRole('button', { name: /^\+\d+ more/ })
    await more.first().waitFor()
    const text = (await page.getByRole('list', { name: 'Hits by session' }).textContent()) ?? ''
    expect(text).not.toMatch(/tool result|<bash|<command/)
    const height = () => page.getByRole('list', { name: 'Hits by session' }).evaluate((list) => list.clientHeight)
    const before = await height()
    await more.first().click()
    await expect.poll(height, PATIENT).toBeGreaterThan(before + 100)
  })

  test('a hit opens on its row, unfolded and marked, the search kept; j and k lead on, over sessions', async () => {
    const page = await app.open(`/search?q=lantern&session=${session}`, wide)
    await page
      .getByRole('link', { name: /FAIL lantern/ })
      .first()
      .click()
    await page.waitForURL(/hits=/)
    const field = page.getByRole('searchbox', { name: 'Search everything' })
    await expect.poll(() => field.inputValue(), PATIENT).toBe('lantern')
    await page.getByText('FAIL lantern', { exact: false }).last().waitFor(PATIENT)
    const bar = page.getByRole('region', { name: 'Hits of the search' })
    await bar.getByText(/Hit 2 of \d+/).waitFor(PATIENT)
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName), PATIENT).toBe('ARTICLE')
    await expect.poll(() => page.evaluate(() => CSS.highlights.has('found-now')), PATIENT).toBe(true)
    await page.keyboard.press('j')
    await bar.getByText(/Hit 3 of/).waitFor(PATIENT)
    await page.keyboard.press('N')
    await bar.getByText(/Hit 2 of/).waitFor(PATIENT)
    await page.keyboard.press('Escape')
    await bar.waitFor({ state: 'detached' })
  })

  test('from the last hit of a session the next leads into another', async () => {
    const page = await app.open('/search?q=lantern&project=web', wide)
    await page
      .getByRole('link', { name: /^You.*room 0/ })
      .first()
      .click()
    const bar = page.getByRole('region', { name: 'Hits of the search' })
    await bar.getByText(/Hit 1 of/).waitFor(PATIENT)
    await bar.getByText('5 sessions have it').waitFor(PATIENT)
    const first = new URL(page.url()).pathname
    await page.keyboard.press('k')
    await expect.poll(() => new URL(page.url()).pathname, PATIENT).not.toBe(first)
  })

  test('a reload keeps the place and what was opened', async () => {
    const page = await app.open(`/s/${session}`, { viewport: { width: 1200, height: 600 } })
    await ready(page)
    await page
      .getByRole('button', { name: /^Bash npm test/ })
      .first()
      .click()
    await page.getByText('FAIL lantern').waitFor()
    await page.waitForURL(/open=/)
    await page.getByRole('region', { name: 'Conversation' }).evaluate((element) => element.scrollTo(0, 2400))
    await page.waitForURL(/top=/)
    const place = () => page.getByRole('region', { name: 'Conversation' }).evaluate((element) => element.scrollTop)
    const before = await place()
    await page.reload()
    await expect.poll(place, PATIENT).toBeGreaterThan(before - 700)
    // The page itself may still be on its way to the place.
    const atTop = async () => {
      await page.getByRole('region', { name: 'Conversation' }).evaluate((element) => element.scrollTo(0, 0))
      return page.getByText('FAIL lantern').count()
    }
    await expect.poll(atTop, PATIENT).toBe(1)
  })

  test('words that changed stand out, and changes, output and code can be copied', async () => {
    const page = await app.open(`/s/${session}`, { ...wide, permissions: ['clipboard-read', 'clipboard-write'] })
    await ready(page)
    await page
      .getByRole('navigation', { name: 'Map of the session' })
      .getByRole('button', { name: /Step: Now the wick/ })
      .click()
    await page.getByRole('button', { name: /^Edit src\/wick.ts/ }).click()
    await expect.poll(() => page.locator('[data-changed]').allTextContents(), PATIENT).toEqual(['1', '2'])
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    await page.getByRole('button', { name: 'Copy the change as a patch' }).click()
    await expect.poll(copied, PATIENT).toContain('+export const wick = 2')
    await page.getByText('Approved').waitFor(PATIENT)
    await page.getByText('const glow = 1').hover()
    await page.locator('pre button.copy').first().click()
    await expect.poll(copied, PATIENT).toBe('const glow = 1\n')
  })

  test('a row is linked to by its point, and the link leads to it', async () => {
    const page = await app.open(`/s/${session}`, { ...wide, permissions: ['clipboard-read', 'clipboard-write'] })
    const row = page.getByRole('article').first()
    await row.hover()
    await row.getByRole('button', { name: 'Actions for this row' }).click()
    await page.getByRole('button', { name: 'Copy link to this row' }).click()
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    await expect.poll(copied, PATIENT).toMatch(new RegExp(`^${app.origin}/s/${session}:[0-9a-f]{8}$`))
    await page.goto(await copied())
    await page.waitForURL(/\?at=[0-9a-f]{8}/)
    await page.locator('article.ring-2').waitFor(PATIENT)
    await page.goto(`${app.origin}/s/${session}:2`)
    await page.waitForURL(/\?at=/, PATIENT)
    await page.locator('article.ring-2').getByText('And the second lantern?').waitFor(PATIENT)
  })

  test('who wrote each line, and the versions over all sessions, stand on the pages of files', async () => {
    const page = await app.open(`/s/${session}/files`, wide)
    await page.getByRole('button', { name: 'Who wrote each line' }).click()
    const lines = page.getByRole('region', { name: 'Who wrote each line' })
    await lines.getByText('export const wick = 2').waitFor(PATIENT)
    await lines
      .getByRole('link', { name: /Make the lantern glow/ })
      .first()
      .click()
    await page.waitForURL(/\/s\/[^/]+\?at=/)
    await page.goto(`${app.origin}/files?path=wick`)
    await page
      .getByRole('button', { name: /wick.ts/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Versions' }).click()
    for (const name of ['Version 1', 'Version 2']) await page.getByText(name).first().waitFor(PATIENT)
    await page.getByRole('button', { name: 'What changed' }).first().click()
    await page.getByText('export const wick = 2').first().waitFor(PATIENT)
    await page.reload()
    await page.getByRole('button', { name: 'Versions' }).waitFor(PATIENT)
  })

  test('a session is starred, renamed, tagged, and the last edit undone, from its page', async () => {
    const page = await app.open(`/s/${session}`, wide)
    await page.getByRole('button', { name: 'Add star' }).click()
    await page.getByRole('button', { name: 'Remove star' }).waitFor(PATIENT)
    const act = async (name: string) => {
      await page.getByRole('button', { name: 'More to do with this session' }).click()
      await page.getByRole('button', { name }).click()
    }
    await act('Rename …')
    await page.getByLabel('Its new title').fill('The lantern')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'The lantern' }).waitFor(PATIENT)
    await act('Undo the last edit')
    await page.getByRole('heading', { name: 'One prompt, many calls' }).waitFor(PATIENT)
    await act('Tag …')
    await page.getByLabel(/^Its tag/).fill('light')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('#light', { exact: true }).first().waitFor(PATIENT)
  })

  test('a session is exported and printed whole', async () => {
    const page = await app.open(`/s/${session}`, wide)
    await page.getByRole('button', { name: 'More to do with this session' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save it as Markdown' }).click()
    const file = await download
    expect(file.suggestedFilename()).toMatch(new RegExp(`-${session.slice(0, 8)}\\.md$`))
    for (const [name, says] of [
      ['Save it as HTML', /^<!doctype html>[\s\S]*The build is green\./],
      ['Save it as a bundle', /\S/],
    ] as const) {
      const saved = page.waitForEvent('download')
      await page.getByRole('button', { name: 'More to do with this session' }).click()
      await page.getByRole('button', { name }).click()
      expect(readFileSync(await (await saved).path(), 'utf8')).toMatch(says)
    }
    const opened = page.context().waitForEvent('page')
    await page.getByRole('button', { name: 'More to do with this session' }).click()
    await page.getByRole('button', { name: 'Print it' }).click()
    const paper = await opened
    await expect.poll(() => paper.url(), PATIENT).toContain(`/api/print?session=${session}`)
    // The last thing that was said, far below what the reader has drawn.
    await paper
      .getByText('The build is green.')
      .first()
      .waitFor({ ...PATIENT, state: 'attached' })
  })

  test('what a turn or an agent cost leads to its receipt, which comes to the same', async () => {
    const page = await app.open(`/s/${session}`, wide)
    await ready(page)
    const turn = page.getByRole('article', { name: 'Prompt 1', exact: true }).getByRole('link', { name: /^\$/ })
    const shown = await turn.innerText(PATIENT)
    await turn.click()
    await page.getByRole('heading', { name: 'Receipt: One prompt, many calls, turn 1' }).waitFor(PATIENT)
    await page.locator('main p', { hasText: shown }).first().waitFor()
    await page.goto(`${app.origin}/s/${session}/tree`)
    const agent = page.getByRole('listitem').filter({ hasText: 'Look left' }).getByRole('link', { name: /^\$/ })
    await agent.click(PATIENT)
    await page.waitForURL(/\/usage\/receipt\/agent-/)
    await page.getByText(/^\$/).first().waitFor(PATIENT)
  })

  test('word from a teammate is a message', async () => {
    const page = await app.open(`/s/${session}`, wide)
    await ready(page)
    await page.keyboard.press('G')
    await page.getByText('Message from ben').waitFor(PATIENT)
    await page.getByText('The build is green.').waitFor()
    expect(await page.getByText('teammate-message').count()).toBe(0)
  })

  const pages = ['', '/tree', '/timeline', '/context', '/files'].map((tail) => () => `/s/${session}${tail}`)

  for (const [width, height] of [
    [390, 800],
    [1024, 800],
    [1440, 900],
  ] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      test(`nothing serious for axe at ${width} pixels, ${colorScheme}, and nothing is cut`, async () => {
        for (const path of [...pages.map((make) => make()), '/search?q=lantern']) {
          const page = await app.open(path, { viewport: { width, height }, colorScheme })
          await page.locator('main h1, main h2, main article').first().waitFor(PATIENT)
          // Everything has come that was asked for.
          await settled(page)
          expect([path, await seriousFindings(page)]).toEqual([path, []])
          const cut = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
          await expect.poll(cut, { ...PATIENT, message: path }).toBeLessThanOrEqual(0)
          await page.close()
        }
      })
    }
  }
})
