import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openLibrary } from '../history/compose.ts'
import { historyOf } from '../history/history.ts'
import { keepSessions } from '../history/keep-sessions.ts'
import { log } from '../testing/index.ts'
import type { Setup } from './op-runner.ts'
import { type ListingUpdate, NOTHING_SERVED, type ServedLogs, updated } from './served-logs.ts'
import { openWriter, type Writer, type WriterEvent } from './writer.ts'

let root: string
let home: string
let told: WriterEvent[]
let writer: Writer | undefined

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'annals-writer-'))
  home = mkdtempSync(join(tmpdir(), 'annals-writer-home-'))
  told = []
})
afterEach(async () => {
  await writer?.close()
  for (const folder of [root, home]) rmSync(folder, { recursive: true, force: true })
})

function setup(): Setup {
  const cacheDir = join(home, 'cache')
  return { roots: [root], cwd: '/', home, configDir: home, cacheDir, dataDir: home, currentSession: undefined }
}

/** Starts a writer; resolves when it has told all that is there. */
async function start(given = setup()): Promise<Writer> {
  writer = openWriter(given, (event) => told.push(event))
  await writer.look()
  return writer
}

function write(seed: string): string {
  return join(root, log({ seed }).user(seed).assistant('yes').write(root).path)
}

function updates(): readonly ListingUpdate[] {
  return told.flatMap((event) => (event.kind === 'update' ? [event.update] : []))
}

/** What a thread that was told everything knows. */
function served(): ServedLogs {
  return updates().reduce(updated, NOTHING_SERVED)
}

/** The titles that such a thread reads from the index, and only reads. */
async function titles(): Promise<readonly (string | null)[]> {
  const warn = () => {}
  const library = openLibrary([root], warn)
  library.adopt(served().listing)
  const history = historyOf({ library, cacheDir: join(home, 'cache'), isReader: true, warn })
  const infos = await (await history.refresh()).sessions.infos()
  const found = [...infos.values()].map(({ title }) => title)
  history.close()
  library.close()
  return found.sort()
}

const isChange = ({ kind }: WriterEvent) => kind === 'change'
const changed = () => vi.waitFor(() => expect(told.some(isChange)).toBe(true), { timeout: 20_000 })

test('when a change is told, it can be read already', async () => {
  write('one')
  await start()
  expect(await titles()).toEqual(['one'])
  const path = write('two')
  await changed()
  const before = told.slice(0, told.findIndex(isChange))
  expect(before.some((event) => event.kind === 'update' && event.update.changed.some((one) => one.path === path))).toBe(
    true,
  )
  expect(await titles()).toEqual(['one', 'two'])
})

test('of a log that grew, it alone is told', async () => {
  const path = write('one')
  write('two')
  await start()
  const row = { type: 'custom-title', customTitle: 'renamed' }
  appendFileSync(path, `${JSON.stringify(row)}\n`)
  told = told.filter(({ kind }) => kind === 'update')
  const known = updates().length
  await changed()
  const later = updates().slice(known)
  expect(later.flatMap((update) => update.changed.map((entry) => entry.path))).toEqual([path])
  expect(await titles()).toEqual(['renamed', 'two'])
})

test('a log that is gone is no longer listed', async () => {
  const path = write('one')
  write('two')
  const { look } = await start()
  rmSync(path)
  await look()
  expect(updates().at(-1)).toMatchObject({ changed: [], removed: [path], isWhole: false })
})

test('an index that another process has begun anew is whole before it is read', async () => {
  write('one')
  const { look } = await start()
  const library = openLibrary([root], () => {})
  const other = historyOf({ library, cacheDir: join(home, 'cache'), warn: () => {} })
  other.index?.rebuild()
  await look()
  expect(new Set(updates().map(({ index }) => index)).size).toBe(2)
  expect(await titles()).toEqual(['one'])
  other.close()
  library.close()
})

test('what another process keeps is told as kept', async () => {
  write('one')
  await start()
  const library = openLibrary([root], () => {}, home)
  const nothing = () => {}
  await keepSessions({ ...setup(), library, now: new Date(), warn: nothing, progress: nothing }, [])
  library.close()
  const kept = () => [...served().listing.values()].map((entry) => entry.kept)
  await vi.waitFor(() => expect(kept()).toEqual([true]), { timeout: 20_000 })
})

test('where the index has no place, there is a listing all the same', async () => {
  const path = write('one')
  await start({ ...setup(), cacheDir: undefined })
  expect(served().index).toBe(null)
  expect([...served().listing.keys()]).toEqual([path])
})

test('a root that is not there is the answer to everything', async () => {
  rmSync(root, { recursive: true })
  await start()
  const refused = told.find((event) => event.kind === 'unavailable')
  expect(new TextDecoder().decode(refused?.answer.body)).toContain(`There is no folder ${root}.`)
  expect(updates()).toEqual([])
})
