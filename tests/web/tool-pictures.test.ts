import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { log, root } from '../../src/testing/index.ts'
import { appOn, hasChromium, PATIENT, skippedNote } from './app.ts'

/** Calls that are each drawn in a way of their own, and what the client put between them. */
function write(dir: string): string {
  const hook = (attachment: JsonObject) => (at: { row: (fields: JsonObject) => JsonObject }) =>
    at.row({
      type: 'attachment',
      attachment: { hookName: 'Stop', hookEvent: 'Stop', toolUseID: 'toolu_1', ...attachment },
    })
  const made = log({ seed: 'pictures of tools', cwd: '/home/ana/api' })
    .title('Pictures of tools')
    .user('Show me everything.')
    .tool(
      'NotebookEdit',
      { notebook_path: '/home/ana/api/a.ipynb', new_source: 'total = 1 + 1', cell_id: 'c7', edit_mode: 'insert' },
      { output: 'Inserted.' },
    )
    .tool('TaskCreate', { subject: 'Paint the door' }, { output: 'Task #3 created successfully: Paint the door' })
    .tool('TaskList', {}, { output: '#1 [completed] Buy paint\n#2 [in_progress] Sand it\n#3 [pending] Paint the door' })
    .tool(
      'mcp__tracker__find',
      { query: 'door' },
      { output: JSON.stringify({ found: { first: { second: 'deep down' } } }) },
    )
    .tool('Bash', { command: 'seq 40' }, { output: Array.from({ length: 40 }, (_, i) => `line ${i}`).join('\n') })
    .plan('# A plan\n\n- [x] first\n- [ ] second', { approved: false })
    .raw(hook({ type: 'hook_blocking_error', blockingError: { blockingError: 'The linter says no.' } }))
    .raw(hook({ type: 'hook_success', content: 'A quiet hook.' }))
    .assistant('Done.\n\n- [x] painted\n- [ ] dried')
  root().add(made).write(dir)
  return made.sessionId
}

describe.skipIf(!hasChromium)(`what tools did, drawn as what it is${skippedNote}`, () => {
  let session = ''
  const app = appOn((dir) => {
    session = write(dir)
  })
  const tall = { viewport: { width: 1280, height: 3000 }, permissions: ['clipboard-read', 'clipboard-write'] }
  const opened = async (name: RegExp): Promise<Page> => {
    const page = await app.open(`/s/${session}`, tall)
    await page.getByRole('button', { name }).click()
    return page
  }

  test('a cell of a notebook is code, with the place it stands at', async () => {
    const page = await opened(/a\.ipynb/)
    await page.getByText('New cell, after c7').waitFor()
    await page.getByText('total = 1 + 1').waitFor()
  })

  test('a task that is made, and a list of tasks, are boxes', async () => {
    const page = await opened(/Paint the door/)
    await page.getByRole('img', { name: 'pending' }).waitFor()
    await page.getByRole('button', { name: /^Tasks list/ }).click()
    for (const name of ['completed', 'in progress', 'pending']) await page.getByRole('img', { name }).first().waitFor()
    await page.getByText('#2 Sand it').waitFor()
  })

  test('what a tool of others answered is JSON that unfolds', async () => {
    const page = await opened(/^tracker › find/)
    await page.getByRole('button', { name: '▸ {1}' }).waitFor()
    expect(await page.getByText('deep down').count()).toBe(0)
    await page.getByRole('button', { name: '▸ {1}' }).click()
    await page.getByText('deep down').waitFor()
  })

  test('output is copied as it came, folded or not', async () => {
    const page = await opened(/^Bash seq 40/)
    await page.getByText('line 39', { exact: true }).hover()
    await page.getByRole('button', { name: 'Copy the output' }).last().click()
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()), PATIENT)
      .toBe(Array.from({ length: 40 }, (_, i) => `line ${i}`).join('\n'))
  })

  test('a plan tells that it was not approved, a list of it is boxes, and so are those of an answer', async () => {
    const page = await app.open(`/s/${session}`, tall)
    await page
      .getByText(/Not approved/)
      .first()
      .waitFor()
    const boxes = page.locator('.prose li').getByRole('img')
    await expect.poll(() => boxes.count(), PATIENT).toBe(4)
    const names = await boxes.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))
    expect(names).toEqual(['done', 'to do', 'done', 'to do'])
    expect(await page.getByText('[x]').count()).toBe(0)
  })

  test('a hook that stopped something is told as one; one that only ran is not', async () => {
    const page = await app.open(`/s/${session}`, tall)
    const told = page.getByRole('article', { name: 'Attachment' }).filter({ hasText: 'The linter says no.' })
    await told.waitFor()
    expect(await told.textContent()).toContain('Hook: ')
    expect(await page.getByText('A quiet hook.').count()).toBe(0)
  })
})
