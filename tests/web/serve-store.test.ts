import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Cluster } from '../../src/collector/sinks/postgres/cluster.ts'
import { writeDemoRoot } from '../../src/testing/index.ts'
import { temporaryFolder } from '../cli/annals.ts'
import { hasPostgres, newDatabase, testCluster, withoutPostgres } from '../postgres.ts'
import { type MadeMachine, madeMachine } from '../postgres-machines.ts'
import { hasChromium, openBrowser, PATIENT, skippedNote } from './app.ts'

const cli = join(import.meta.dirname, '../../dist/cli.cjs')

describe.skipIf(!hasPostgres)(`annals serve --store${withoutPostgres}`, () => {
  const folder = temporaryFolder()
  let cluster: Cluster
  let machine: MadeMachine
  let store: string
  let database: string
  let launch: string
  let child: ChildProcess
  let stderr = ''
  let ask: (path: string) => Promise<Response>

  beforeAll(async () => {
    if (!existsSync(cli)) throw new Error('dist/cli.cjs is missing: run `npm test`, or `npm run build` first.')
    cluster = testCluster()
    database = newDatabase(cluster)
    machine = madeMachine((root) => writeDemoRoot(root, new Date('2026-11-15T12:00:00.000Z')))
    await machine.collect(cluster.url(database), { content: 'all', user: 'real' })
    cluster.psql(
      `create role lena login in role annals_reader; insert into annals.granted values ('lena', '*')`,
      database,
    )
    store = cluster.url(database, 'lena')
    child = spawn(process.execPath, [cli, 'serve', '--store', store, '--no-open', '--port', '0', '--json'], {
      env: { PATH: process.env.PATH ?? '', HOME: join(folder.path, 'nobody'), ANNALS_HOME: folder.path, TZ: 'UTC' },
      cwd: folder.path,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stderr?.on('data', (bytes) => {
      stderr += bytes
    })
    const { url, token } = await firstLine(child)
    launch = url
    ask = (path) => fetch(new URL(path, url), { headers: { Authorization: `Bearer ${token}` }, redirect: 'manual' })
  }, 180_000)
  afterAll(() => {
    child?.kill('SIGKILL')
    machine?.remove()
    cluster?.remove()
    folder.remove()
  })

  test('the server stands on loopback and answers from the store', async () => {
    expect(await (await ask('/api/health')).json()).toEqual({ ok: true })
    const listed = (await (await ask('/api/sessions')).json()) as { items: { id: string; title: string }[] }
    const ours = machine.context()
    const expected = ours.library.sessions().map(({ id }) => id)
    ours.library.close()
    expect(listed.items.length).toBeGreaterThan(3)
    for (const { id } of listed.items) expect(expected).toContain(id)
  })

  test('a session is shown with what was said in it, and its page is the app', async () => {
    const { items } = (await (await ask('/api/sessions')).json()) as { items: { id: string; title: string }[] }
    const { id, title } = items[0] as { id: string; title: string }
    const shown = await ask(`/api/show?session=${id}`)
    expect(shown.status).toBe(200)
    const { session, turns } = (await shown.json()) as { session: { id: string; title: string }; turns: unknown[] }
    expect(session).toMatchObject({ id, title })
    expect(turns.length).toBeGreaterThan(0)
    const page = await ask(`/s/${id}`)
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    expect((await (await ask('/api/search?query=webhooks')).json()) as object).toMatchObject({
      total: expect.toSatisfy((count: number) => count > 0),
    })
    expect((await ask('/api/show?session=00000000')).status).toBe(404)
  })

  test.skipIf(!hasChromium)(
    `the app lists, searches and shows what lies in the store${skippedNote}`,
    async () => {
      const browser = await openBrowser()
      try {
        const page = await (await browser.newContext({ timezoneId: 'UTC', locale: 'en' })).newPage()
        const troubles: string[] = []
        page.on('pageerror', (error) => troubles.push(String(error)))
        await page.goto(launch)
        await page.getByText('Release notes for 0.9').first().waitFor(PATIENT)
        // The oldest stands at the end, and is drawn when one gets there.
        const atEnd = async () => {
          await page.keyboard.press('End')
          return page.getByText('Health endpoint').count()
        }
        await expect.poll(atEnd, PATIENT).toBeGreaterThan(0)
        await page.goto(new URL('/search?q=webhooks', launch).href)
        await page.locator('mark').first().waitFor(PATIENT)
        const { items } = (await (await ask('/api/sessions')).json()) as { items: { id: string; title: string }[] }
        const { id, title } = items[0] as { id: string; title: string }
        await page.goto(new URL(`/s/${id}`, launch).href)
        await page.getByText(title).first().waitFor(PATIENT)
        await page.goto(new URL('/usage', launch).href)
        await page.getByText(/\$\d/).first().waitFor(PATIENT)
        expect(troubles).toEqual([])
      } finally {
        await browser.close()
      }
    },
    120_000,
  )

  test('what is delivered while it runs is there for who asks', async () => {
    const told = { type: 'custom-title', customTitle: 'Told later', sessionId: '' }
    const [first] = machine.context().library.sessions()
    appendFileSync(first?.log?.path as string, `${JSON.stringify({ ...told, sessionId: first?.id })}\n`)
    await machine.collect(cluster.url(database), { content: 'all', user: 'real' })
    const titles = async () => {
      const { items } = (await (await ask('/api/sessions?all=true')).json()) as { items: { title: string }[] }
      return items.map(({ title }) => title)
    }
    await vi.waitFor(async () => expect(await titles()).toContain('Told later'), { timeout: 30_000, interval: 500 })
  }, 60_000)

  test('when the store is gone it says so in a sentence, and ends when it is told to', async () => {
    cluster.stop('immediate')
    const answer = await ask('/api/show?session=00000000')
    expect(answer.status).toBeGreaterThanOrEqual(400)
    const said = async () =>
      ((await (await ask('/api/usage')).json()) as { error?: { message: string } }).error?.message
    await vi.waitFor(async () => expect(await said()).toMatch(/The team store at .* is not running/), {
      timeout: 30_000,
      interval: 500,
    })
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    expect((await ended)[0]).toBe(0)
    expect(stderr).toBe('')
  }, 60_000)
})

/** What the program says once it listens. */
function firstLine(child: ChildProcess): Promise<{ readonly url: string; readonly token: string }> {
  let stdout = ''
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (bytes) => {
      stdout += bytes
      if (stdout.includes('\n')) resolve(JSON.parse(stdout))
    })
    child.once('exit', (code) => reject(new Error(`It ended with ${code} before it listened.`)))
  })
}
