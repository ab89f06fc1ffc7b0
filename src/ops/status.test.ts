import { mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Library } from '../disk/library.ts'
import { log, root } from '../testing/index.ts'
import { sessions } from './sessions.ts'
import { status } from './status.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-status-op-'))
const now = new Date('2026-03-31T12:00:00Z')
const said = (title: string, day: string) =>
  log({ seed: title, startedAt: `2026-03-${day}T09:00:00.000Z` })
    .user(title)
    .assistant('Yes.')
    .title(title)

beforeAll(async () => {
  root()
    .add(said('first', '01'), said('second', '02'), said('new', '30'), said('newest', '31'))
    .add(log({ seed: 'nothing', startedAt: '2026-03-31T10:00:00.000Z' }).title('Nothing said'))
    .write(folder)
  // What is swept is told by the times of the files: thirty days later.
  for (const { file, title } of (await asked(sessions, {})).items) {
    const day = { first: '05', second: '06' }[title ?? ''] ?? '31'
    const written = new Date(`2026-03-${day}T12:00:00Z`)
    utimesSync(file as string, written, written)
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('tells all that expire, the first to go first, and the five that were written last', async () => {
  const told = await asked(status, {})
  expect(titles(told.expiring)).toEqual(['first', 'second'])
  expect(titles(told.newest)).toEqual(['newest', 'new', 'second', 'first'])
  expect(told).toMatchObject({ expiringTotal: 2, total: 4, roots: [{ sessions: 4, hidden: 1 }] })
})

test('--limit cuts both lists and no count', async () => {
  const told = await asked(status, { limit: 1 })
  expect([titles(told.expiring), titles(told.newest)]).toEqual([['first'], ['newest']])
  expect(told).toMatchObject({ expiringTotal: 2, total: 4 })
  expect(status.forPeople?.({})).toEqual({ limit: 5 })
})

test('says of a session what `sessions` says', async () => {
  const { items } = await asked(sessions, {})
  expect((await asked(status, {})).newest).toEqual(items)
})

function titles(items: readonly { readonly title: string | null }[]) {
  return items.map(({ title }) => title)
}

async function asked<Input, Result>(
  op: { run(context: Parameters<typeof status.run>[0], input: Input): Result | Promise<Result> },
  input: Input,
): Promise<Result> {
  const library = new Library({ roots: [folder] })
  const quiet = { currentSession: undefined, warn: () => {}, progress: () => {} }
  const result = await op.run({ library, now, cwd: '/', home: '/', ...quiet }, input)
  library.close()
  return result
}
