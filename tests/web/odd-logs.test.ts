import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { appOn, hasChromium, PATIENT, skippedNote } from './app.ts'

const ID = 'ffffffff-0000-4000-8000-000000000001'
const row = (number: number) =>
  JSON.stringify({
    type: 'user',
    uuid: `${ID.slice(0, -1)}${number}`,
    parentUuid: null,
    sessionId: ID,
    cwd: '/home/ana/api',
    timestamp: '2026-11-01T10:00:00.000Z',
    message: { role: 'user', content: `row ${number}` },
  })

describe.skipIf(!hasChromium)(`what the check page says of odd logs${skippedNote}`, () => {
  const app = appOn((root) => {
    const folder = join(root, 'projects', '-home-ana-api')
    mkdirSync(folder, { recursive: true })
    // Two lines that are no JSON, and two records on one line.
    writeFileSync(join(folder, `${ID}.jsonl`), [row(1), 'no json', 'none either', row(2) + row(3), ''].join('\n'))
  })

  test('oddities stand under their kinds, with how many there are and what to do', async () => {
    const page = await app.open('/check')
    await page.getByRole('button', { name: 'Check the logs' }).click()
    const card = page.getByRole('region', { name: 'Oddities' })
    await card.getByText('3 of 2 kinds').waitFor(PATIENT)
    const bad = card.getByRole('listitem').filter({ hasText: 'A line that is not JSON' })
    await bad.getByText('2×').waitFor()
    await bad.getByText('2 not readable').waitFor()
    await bad.getByText(/^What to do: /).waitFor()
    const glued = card.getByRole('listitem').filter({ hasText: 'Two records on one line' })
    await glued.getByText('nothing lost').waitFor()
    await bad.getByText('A line that is not JSON').click()
    await expect.poll(() => bad.getByRole('button', { name: `${ID}.jsonl:2` }).count(), PATIENT).toBe(1)
  })
})
