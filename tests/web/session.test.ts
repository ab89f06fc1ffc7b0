import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { appOn, framesLater, hasChromium, inAddress, PATIENT, settled, skippedNote } from './app.ts'
import { seriousFindings } from './axe.ts'
import { appendToAgent, writeLongAgent, writeStory } from './session-roots.ts'

describe.skipIf(!hasChromium)(`a session in the web app${skippedNote}`, () => {
  let session = ''
  let uuidOf: (words: string) => string
  const app = appOn((root) => {
    ;({ session, uuidOf } = writeStory(root))
  })

  const tall = { viewport: { width: 1280, height: 4000 } }

  test('reads as a conversation, every kind of row recognisable', async () => {
    const page = await app.open(`/s/${session}`, tall)
    await page.getByRole('heading', { name: 'Everything happens once' }).waitFor()
    await page.getByRole('article').first().waitFor()
    for (const name of [
      'Prompt 1',
      'Thinking',
      'Answer',
      'Tool call: Bash',
      'Shell command',
      'Command',
      'Queued prompt 4',
    ]) {
      await page.getByRole('article', { name }).first().waitFor()
    }
    await page.getByRole('article', { name: 'Interrupt' }).getByText('Interrupted by you').waitFor()
    for (const text of ['Compacted (auto) · 154k → 6.4k tokens', '/cost', 'Total cost: $0.41', 'clean tree']) {
      await page.getByText(text, { exact: false }).first().waitFor()
    }
    await expect.poll(() => page.title(), PATIENT).toBe('Everything happens once · annals')
  })

  test('a tool call opens into the view of its tool', async () => {
    const page = await app.open(`/s/${session}`, tall)
    await page.getByRole('button', { name: /^Bash npm test/ }).click()
    const red = page.getByText('red words')
    expect(await red.getAttribute('class')).toBe('text-ansi-red')
    expect(await page.getByRole('region', { name: 'Command' }).innerText()).toBe('npm test')
    await page.getByRole('button', { name: /^Edit src\/refresh.ts \+1 −1/ }).click()
    await page.getByText('added: ').first().waitFor()
    await page.getByRole('button', { name: /^Bash seq 200/ }).click()
    const all = page.getByRole('button', { name: '200 lines · show all' })
    await all.waitFor()
    expect(await page.getByText('line number 100', { exact: true }).count()).toBe(0)
    await all.click()
    await page.getByText('line number 100', { exact: true }).waitFor()
    await page.getByRole('button', { name: /^Web search/ }).click()
    expect(await page.getByRole('link', { name: 'On races' }).getAttribute('rel')).toBe('noopener noreferrer')
    await page.getByRole('button', { name: /^To do 1 of 2 done/ }).click()
    await page.getByRole('img', { name: 'completed' }).waitFor()
    await page.getByRole('img', { name: 'chosen', exact: true }).waitFor()
    await page.getByRole('button', { name: /^tracker › find/ }).click()
    await page.getByText('levels').waitFor()
    await page.getByRole('heading', { name: 'The plan' }).waitFor()
  })

  test('a picture is drawn from the log', async () => {
    const page = await app.open(`/s/${session}`, tall)
    const picture = page.locator('article img').first()
    await picture.waitFor()
    expect(await picture.getAttribute('src')).toMatch(/^data:image\/png;base64,/)
    const width = () => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)
    await expect.poll(width, PATIENT).toBeGreaterThan(0)
  })

  test('an agent opens in place, and its own agents in it', async () => {
    const page = await app.open(`/s/${session}`, tall)
    await page.getByRole('button', { name: /Explore Find callers/ }).click()
    const card = page.getByRole('region', { name: 'Agent: Find callers' })
    await card.getByText('There are two callers.').first().waitFor()
    await card.getByText(/Its parent saw only its answer/).waitFor()
    await card.getByRole('button', { name: 'Read its conversation here' }).click()
    await card.getByRole('button', { name: /^Bash grep -rn refresh/ }).click()
    await card.getByText('inner output').waitFor()
    await card.getByRole('button', { name: /general-purpose Look deeper/ }).click()
    await card.getByText('Nothing deeper.').first().waitFor()
    await card.getByRole('link', { name: 'On a page of its own' }).first().click()
    await page.getByRole('heading', { name: 'Explore: Find callers' }).waitFor()
  })

  test('an agent that goes on grows where it was opened', async () => {
    const page = await app.open(`/s/${session}`, tall)
    await page
      .getByRole('button', { name: /general-purpose|Explore Find callers/ })
      .first()
      .click()
    const card = page.getByRole('region', { name: 'Agent: Find callers' })
    await card.getByRole('button', { name: 'Read its conversation here' }).click()
    await card.getByText('Find every caller of refresh.').last().waitFor()
    appendToAgent(app.root, 'Find every caller of refresh.', 'And a third caller.')
    await card.getByText('And a third caller.').waitFor()
  })

  test('a background agent is joined to the word it sent', async () => {
    const page = await app.open(`/s/${session}`, tall)
    const told = page.getByRole('article', { name: 'Notification' })
    await told.getByRole('button', { name: /Explore Paint behind/ }).click()
    await told.getByText('Painted.').first().waitFor()
  })

  test('an address leads to its row and marks it', async () => {
    const uuid = uuidOf('It is red now.')
    const page = await app.open(`/s/${session}?at=${uuid}`, { viewport: { width: 1000, height: 500 } })
    const row = page.locator(`article[data-uuid="${uuid}"]`)
    await row.waitFor()
    await page.getByRole('navigation', { name: 'Branches that part here' }).waitFor()
    await expect.poll(() => isOnScreen(page, `article[data-uuid="${uuid}"]`), PATIENT).toBe(true)
    await expect.poll(() => row.getAttribute('class'), PATIENT).toContain('ring-2')
  })

  test('an address on an abandoned branch leads to that branch', async () => {
    const uuid = uuidOf('It is blue now.')
    const page = await app.open(`/s/${session}?at=${uuid}`)
    await page.getByText('This branch was abandoned.').waitFor()
    await page.locator(`article[data-uuid="${uuid}"]`).waitFor()
    await expect.poll(inAddress(page, 'branch'), PATIENT).not.toBeNull()
  })

  test('a branch can be switched, and back', async () => {
    const page = await app.open(`/s/${session}`, tall)
    await page.getByRole('navigation', { name: 'Branches that part here' }).getByRole('button').click()
    await page.getByText('It is blue now.').waitFor()
    await expect.poll(() => page.getByText('It is red now.').count(), PATIENT).toBe(0)
    await expect.poll(inAddress(page, 'branch'), PATIENT).not.toBeNull()
    await page.getByRole('button', { name: 'Read the active one' }).click()
    await page.getByText('It is red now.').waitFor()
    await page.getByRole('combobox', { name: 'Branch' }).selectOption({ index: 0 })
    await page.getByText('It is blue now.').waitFor()
    await page.goBack()
    await page.getByText('It is red now.').waitFor()
  })

  test('the map lists what happened and leads there', async () => {
    const page = await app.open(`/s/${session}`, { viewport: { width: 1280, height: 500 } })
    const map = page.getByRole('navigation', { name: 'Map of the session' })
    await map.getByRole('button', { name: /Agent: Explore: Find callers/ }).waitFor()
    await map.getByRole('button', { name: /Compaction/ }).waitFor()
    await map.getByRole('button', { name: /Make it red/ }).click()
    await page.getByRole('article', { name: 'Prompt 5' }).waitFor()
    await expect.poll(inAddress(page, 'at'), PATIENT).toBe(uuidOf('Make it red.'))
  })

  test('the raw record of a row can be read', async () => {
    const page = await app.open(`/s/${session}`, tall)
    const row = page.getByRole('article', { name: 'Prompt 1', exact: true })
    await row.hover()
    await row.getByRole('button', { name: 'Actions for this row' }).click()
    await page.getByRole('button', { name: 'Open raw record' }).click()
    const dialog = page.getByRole('dialog', { name: 'Raw record' })
    await dialog.getByText('parentUuid').waitFor()
    await dialog.getByText(new RegExp(`${session}\\.jsonl:\\d+ · byte`)).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  test('a row, a turn, its address and the command that resumes can be copied', async () => {
    const page = await app.open(`/s/${session}`, { ...tall, permissions: ['clipboard-read', 'clipboard-write'] })
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    const choose = async (name: string, said: string) => {
      const row = page.getByRole('article', { name: 'Prompt 1', exact: true })
      await row.hover()
      await row.getByRole('button', { name: 'Actions for this row' }).click()
      await page.getByRole('button', { name }).click()
      await page.getByRole('status').getByText(said).waitFor()
    }
    await choose('Copy row as Markdown', 'Row copied')
    expect(await copied()).toBe('## Asked\n\nWhy are users logged out?')
    await choose('Copy turn as Markdown', 'Turn copied')
    expect(await copied()).toContain('```diff\n const a = 1\n-const b = 2\n+const b = 3\n```')
    await choose('Copy link to this row', 'Link copied')
    expect(await copied()).toBe(`${app.origin}/s/${session}:${uuidOf('Why are users logged out?').slice(0, 8)}`)
    await page.getByRole('button', { name: 'Copy the command that resumes this session' }).click()
    await page.getByText('Copied', { exact: true }).waitFor()
    expect(await copied()).toBe(`cd /home/ana/api && claude --resume ${session}`)
  })

  test('words are found in folds, which open', async () => {
    const page = await app.open(`/s/${session}`)
    await page.getByRole('article').first().waitFor()
    await page.keyboard.press('f')
    await page.getByRole('searchbox', { name: 'Find in this session' }).fill('LINE NUMBER 123')
    await page.getByText('1 of 1 rows').waitFor()
    await page.getByText('line number 123', { exact: true }).waitFor()
    await expect.poll(() => page.evaluate(() => CSS.highlights.get('found-now')?.size), PATIENT).toBe(1)
    await page.waitForURL(/[?&]q=LINE/)
    await page.keyboard.press('Escape')
    await page.getByRole('searchbox', { name: 'Find in this session' }).waitFor({ state: 'detached' })
  })

  test('words in the address are found', async () => {
    const page = await app.open(`/s/${session}?q=surely`)
    await page.getByText('1 of 1 rows').waitFor()
    await page.getByText('A race, surely.').waitFor()
  })

  test('keys lead from prompt to prompt, open, and come back', async () => {
    const page = await app.open(`/s/${session}`, { viewport: { width: 1280, height: 600 } })
    // Where the prompts are, the map knows.
    await page.getByRole('heading', { name: 'Everything happens once' }).waitFor()
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
    await page.keyboard.press('j')
    await expect.poll(focused, PATIENT).toBe('Prompt 2')
    await page.keyboard.press('j')
    await expect.poll(focused, PATIENT).toBe('Prompt 3')
    await page.keyboard.press('k')
    await expect.poll(focused, PATIENT).toBe('Prompt 2')
    await page.keyboard.press('G')
    await page.getByText('It is red now.').waitFor()
    await page.keyboard.press('g')
    await expect.poll(focused, PATIENT).toBe('Prompt 1')
    await page.keyboard.press('n')
    await expect.poll(focused, PATIENT).toBe('Tool call: Bash')
    await page.keyboard.press('o')
    await page.getByText('red words').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('t')
    await page.getByText('A race, surely.').waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Next and previous prompt').waitFor()
  })

  test('the tree shows branches and agents, and leads to them', async () => {
    const page = await app.open(`/s/${session}/tree`)
    await page.getByText(/2 branches · \d+ turns · 3 agents/).waitFor()
    await page.getByRole('link', { name: /Agent: .*Explore: Find callers/ }).waitFor()
    await page.getByRole('link', { name: /Make it blue\. abandoned/ }).click()
    await page.getByText('It is blue now.').waitFor()
  })

  test('the context shows the window and the compaction', async () => {
    const page = await app.open(`/s/${session}/context`)
    await page.getByRole('img', { name: /The window of \d+ responses/ }).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'compacted in turn 4 (auto): 154k → 6.4k tokens' }).waitFor()
    await page.getByRole('link', { name: /Why are users/ }).click()
    await page.getByRole('article').first().waitFor()
  })

  test('the files show each change', async () => {
    const page = await app.open(`/s/${session}/files`)
    await page.getByRole('button', { name: /src\/refresh.ts/ }).click()
    await page.getByRole('button', { name: 'Show the change' }).click()
    await page.getByText('added: ').waitFor()
    await page.getByRole('link', { name: 'In the conversation' }).first().click()
    await page.getByRole('article', { name: 'Tool call: Edit' }).waitFor()
  })

  test('the versions of a file are put together, each with what changed', async () => {
    const page = await app.open(`/s/${session}/files`)
    const file = page.getByRole('region', { name: /src\/refresh.ts/ })
    await file.getByRole('button', { name: /src\/refresh.ts/ }).click()
    await file.getByRole('button', { name: 'Versions' }).click()
    await file.getByText('Version 1', { exact: true }).waitFor()
    await file.getByRole('button', { name: 'What changed' }).last().click()
    await file.getByText('const b = 3').first().waitFor()
    await file.getByRole('button', { name: 'The whole file' }).last().click()
    await file
      .getByRole('region', { name: /src\/refresh.ts/ })
      .getByText('const a = 1')
      .waitFor()
  })

  test('the raw record of an answer can be read', async () => {
    const page = await app.open(`/s/${session}`, tall)
    const call = page.getByRole('article', { name: 'Tool call: Grep' })
    await call.hover()
    await call.getByRole('button', { name: 'Actions for this row' }).click()
    await call.getByRole('button', { name: 'Open raw result of Grep' }).click()
    await page.getByRole('dialog', { name: 'Raw record' }).getByText('tool_result').first().waitFor()
  })

  test('a row that is not there is told, and so is a session', async () => {
    const page = await app.open(`/s/${session}?at=ffffffff`)
    await page.getByText('The row that the address names is not here.').waitFor()
    // The last that is asked for.
    const outline = page.waitForResponse(/\/api\/outline\?session=nothing-of-that-name/)
    await page.goto(`${app.origin}/s/nothing-of-that-name`)
    await page.getByRole('alert').waitFor()
    await (await outline).finished()
    // What the browser notes of it comes perhaps a moment later.
    await page.close()
    const troubles = app.troubles()
    expect(troubles.filter((trouble) => !trouble.includes('404 (Not Found)'))).toEqual([])
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`axe finds nothing serious on any page of a session, ${colorScheme}`, async () => {
      const page = await app.open(`/s/${session}`, { ...tall, colorScheme, reducedMotion: 'reduce' })
      await page.getByText('It is red now.').waitFor()
      await openFolds(page)
      expect(await seriousFindings(page)).toEqual([])
      for (const [path, ready] of [
        ['tree', /2 branches · \d+ turns · 3 agents/],
        ['context', 'What was added, turn by turn'],
        ['files', '2 files'],
      ] as const) {
        await page.goto(`${app.origin}/s/${session}/${path}`)
        await page.getByText(ready).waitFor()
        await settled(page)
        expect(await seriousFindings(page), path).toEqual([])
      }
    })
  }

  test('fits a phone, with the map in a drawer', async () => {
    const page = await app.open(`/s/${session}`, {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      isMobile: true,
    })
    await page.getByRole('article').first().waitFor()
    await settled(page)
    await expect.poll(() => overflow(page), PATIENT).toBe(0)
    await page.getByRole('button', { name: 'Map of the session (m)' }).click()
    const drawer = page.getByRole('dialog', { name: 'Map of the session' })
    await drawer.getByRole('button', { name: /Make it red/ }).click()
    await drawer.waitFor({ state: 'detached' })
    await page.getByRole('article', { name: 'Prompt 5' }).waitFor()
    await openFolds(page)
    await expect.poll(() => overflow(page), PATIENT).toBe(0)
    for (const path of ['tree', 'context', 'files']) {
      await page.goto(`${app.origin}/s/${session}/${path}`)
      await page.getByRole('heading', { name: 'Everything happens once' }).waitFor()
      await settled(page)
      await expect.poll(() => overflow(page), { ...PATIENT, message: path }).toBe(0)
    }
  })
})

describe.skipIf(!hasChromium)(`an agent of thousands of rows${skippedNote}`, { timeout: 240_000 }, () => {
  const app = appOn((root) => writeLongAgent(root, 5000))

  test('opens in place, draws only what is in sight, and goes to its end', async () => {
    const page = await app.open('/s/last', { viewport: { width: 1280, height: 1000 } })
    page.setDefaultTimeout(120_000)
    await page.getByRole('button', { name: /Explore Count/ }).click()
    const card = page.getByRole('region', { name: 'Agent: Count' })
    await card.getByRole('button', { name: 'Read its conversation here' }).click()
    const inside = card.getByRole('region', { name: 'Conversation of the agent' })
    await inside.getByRole('article').first().waitFor()
    expect(await page.locator('article').count()).toBeLessThan(80)
    // Rows that are drawn turn out higher than was thought: the end moves away from who goes there.
    const atEnd = async (words: string) => {
      await inside.evaluate((one) => {
        one.scrollTop = one.scrollHeight
      })
      return inside.getByText(words).count()
    }
    await expect.poll(() => atEnd('echo 4999'), { timeout: 120_000 }).toBe(1)
    expect(await page.locator('article').count()).toBeLessThan(80)
    appendToAgent(app.root, 'Count to the end.', 'One more.')
    await expect.poll(() => atEnd('One more.'), { timeout: 120_000 }).toBe(1)
  })
})

/** Opens whatever is folded on the screen. */
async function openFolds(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const fold of document.querySelectorAll<HTMLElement>('[data-fold][aria-expanded="false"]')) fold.click()
  })
  await framesLater(page)
  await settled(page)
}

/** By how many pixels a page is wider than its window. */
function overflow(page: Page): Promise<number> {
  return page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - window.innerWidth))
}

function isOnScreen(page: Page, selector: string): Promise<boolean> {
  return page.evaluate((wanted) => {
    const box = document.querySelector(wanted)?.getBoundingClientRect()
    return box !== undefined && box.top >= 0 && box.top < window.innerHeight
  }, selector)
}
