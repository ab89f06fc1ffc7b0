import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { corpus, WITHOUT_CORPUS } from '../corpus.ts'
import { scenarios } from '../truth/scenarios.ts'
import { appOn, hasChromium, PATIENT, settled, skippedNote } from './app.ts'

const CLIENT = '2.1.325'
const folder = corpus(CLIENT)
const note = folder ? skippedNote : WITHOUT_CORPUS

/** Scenarios whose sessions have names of their own, so that one root can hold them all. */
const shown = folder ? scenarios.filter(({ root }) => root.startsWith(`${CLIENT}/`)) : []
const talks = shown.flatMap(({ root, sessions }) =>
  sessions.filter(({ kind }) => kind === 'conversation').map((session) => ({ root, session })),
)

describe.skipIf(!folder || !hasChromium)(`sessions of a real client in the web app${note}`, () => {
  const app = appOn((root) => {
    for (const scenario of shown) {
      const projects = join(folder as string, scenario.root, 'projects')
      if (existsSync(projects)) cpSync(projects, join(root, 'projects'), { recursive: true, force: false })
    }
  })
  const idOf = (start: string) => {
    const projects = join(app.root, 'projects')
    const logs = readdirSync(projects, { recursive: true, encoding: 'utf8' })
    return logs.map((path) => /([^/]+)\.jsonl$/.exec(path)?.[1]).find((name) => name?.startsWith(start))
  }

  test('are all listed', async () => {
    const page = await app.open('/')
    const ids = new Set(talks.map(({ session }) => idOf(session.id)))
    await page.getByText(`${ids.size} sessions`, { exact: true }).waitFor(PATIENT)
  })

  for (const { root, session } of talks) {
    test(`${root} ${session.id}: conversation, tree, context and files are drawn`, async () => {
      const id = idOf(session.id)
      const page = await app.open(`/s/${id}`)
      await page.locator('article').first().waitFor(PATIENT)
      for (const part of ['tree', 'context', 'files']) {
        await page.goto(`${app.origin}/s/${id}/${part}`)
        await page.locator('main h1, main h2, main svg, main table').first().waitFor(PATIENT)
        await settled(page)
        expect(await page.getByText('Something went wrong').count()).toBe(0)
      }
    })
  }
})
