import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Response } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { writeDemoRoot } from '../../src/testing/index.ts'
import { appOn, hasChromium, PATIENT, skippedNote } from './app.ts'

const web = resolve(import.meta.dirname, '../../dist/web')

test('every file of the app lies beside its packed forms, which are the same bytes', () => {
  const names = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(js|css|html|svg)$/.test(name),
  )
  expect(names.length).toBeGreaterThan(20)
  for (const name of names) {
    const bytes = readFileSync(join(web, name))
    expect(gunzipSync(readFileSync(join(web, `${name}.gz`))).equals(bytes), name).toBe(true)
    expect(brotliDecompressSync(readFileSync(join(web, `${name}.br`))).equals(bytes), name).toBe(true)
  }
})

describe.skipIf(!hasChromium)(`what home weighs${skippedNote}`, () => {
  const app = appOn((root) => writeDemoRoot(root, new Date()))

  test('home loads at most 120 kB of script, packed, all that comes later included', async () => {
    const page = await app.open('/projects')
    await page.getByRole('link', { name: 'notes' }).waitFor()
    const answers: Response[] = []
    page.context().on('response', (answer) => answers.push(answer))
    // The last that home asks for.
    const last = page.waitForResponse((answer) => answer.url().endsWith('/api/notifications'), PATIENT)
    await page.goto(app.origin)
    await page.getByRole('region', { name: 'What was done' }).getByRole('listitem').first().waitFor(PATIENT)
    await last
    const names = [
      ...new Set(answers.map((answer) => new URL(answer.url()).pathname).filter((path) => path.endsWith('.js'))),
    ]
    expect(names.length).toBeGreaterThan(1)
    const packed = names.map((name) => join(web, `${name}.gz`)).filter(existsSync)
    expect(packed).toHaveLength(names.length)
    expect(packed.reduce((sum, path) => sum + readFileSync(path).length, 0)).toBeLessThanOrEqual(120_000)
  })

  test('files and long answers are sent packed', async () => {
    const page = await app.open('/')
    await page.getByRole('list', { name: 'Sessions' }).getByRole('link').first().waitFor()
    const encoding = async (path: string) =>
      page.evaluate(async (url) => {
        const answer = await fetch(url)
        return [answer.headers.get('content-encoding'), (await answer.text()).length > 2048]
      }, path)
    expect(await encoding('/api/sessions')).toEqual(['gzip', true])
    const script = await page.evaluate(() => document.querySelector('script')?.src)
    expect((await encoding(script as string))[0]).toMatch(/^(br|gzip)$/)
    expect(await encoding('/api/about')).toEqual([null, false])
  })
})
