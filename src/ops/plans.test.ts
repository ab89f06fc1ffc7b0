import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Library } from '../disk/library.ts'
import type { Context } from '../history/context.ts'
import { log } from '../testing/index.ts'
import { plans } from './plans.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-plans-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

// Put together at run time, so that no scanner takes this file for a leak.
const SECRET = ['ghp', `${'a1B2c3D4e5'.repeat(4)}`.slice(0, 36)].join('_')

function contextOf(): Context {
  const root = mkdtempSync(join(folder, 'root-'))
  log()
    .user('plan it')
    .plan('# First\n\nStep one.')
    .assistant('ok')
    .user('plan again')
    .plan(`# Second\n\nUse ${SECRET} there.`)
    .assistant('ok')
    .write(root)
  const rest = { cwd: folder, home: folder, currentSession: undefined, warn: () => {}, progress: () => {} }
  return { library: new Library({ roots: [root] }), now: new Date('2026-03-08T12:00:00Z'), ...rest }
}

const context = contextOf()

test('the newest plan of a session is its Markdown and nothing else, secrets masked', async () => {
  const { markdown, total } = await plans.run(context, { session: 'last', newest: true, markdown: true })
  expect(total).toBe(1)
  expect(markdown).toMatch(/^# Second\n\nUse \[REDACTED:github-token:[0-9a-f]{4}\] there\.\n$/)
  const bare = await plans.run(context, { session: 'last', newest: true, markdown: true, 'no-redact': true })
  expect(bare.markdown).toBe(`# Second\n\nUse ${SECRET} there.\n`)
})

test('all plans stand one after the other, the oldest first, and go into a file of their own', async () => {
  const { written } = await plans.run(context, { session: 'last', out: join(folder, 'plans.md') })
  const text = readFileSync(written as string, 'utf8')
  expect(text.indexOf('# First')).toBeGreaterThan(0)
  expect(text.indexOf('# Second')).toBeGreaterThan(text.indexOf('# First'))
  expect(text).not.toContain(SECRET)
  expect(statSync(written as string).mode & 0o777).toBe(0o600)
  await expect(plans.run(context, { session: 'last', out: join(folder, 'plans.md') })).rejects.toThrow('already exists')
})

test('who asks over HTTP gets masked text and writes no file', async () => {
  const asked = { ...context, rootsOnly: true }
  const { markdown } = await plans.run(asked, { session: 'last', markdown: true })
  expect(markdown).not.toContain(SECRET)
  await expect(plans.run(asked, { session: 'last', out: 'x.md' })).rejects.toThrow('command line only')
  await expect(plans.run(asked, { session: 'last', markdown: true, 'no-redact': true })).rejects.toThrow('Secrets')
})
