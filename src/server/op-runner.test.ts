import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseJson } from '../core/json.ts'
import { openLibrary } from '../history/compose.ts'
import { log } from '../testing/index.ts'
import { type OpRunner, openOpRunner } from './op-runner.ts'
import { type ListingUpdate, NOTHING_SERVED, updateFrom } from './served-logs.ts'

let root: string
let runner: OpRunner

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'annals-runner-'))
  const nowhere = { configDir: undefined, cacheDir: undefined, currentSession: undefined }
  runner = openOpRunner({ roots: [root], cwd: '/', home: '/', ...nowhere })
})
afterEach(() => {
  runner.close()
  rmSync(root, { recursive: true, force: true })
})

/** All that is there now, as a writer without an index tells it. */
function everything(): ListingUpdate {
  const library = openLibrary([root], () => {})
  const listing = library.entries()
  library.close()
  return updateFrom(NOTHING_SERVED, { ...NOTHING_SERVED, listing })
}

async function total(): Promise<unknown> {
  const { body } = await runner.answer({ op: 'sessions', input: {} })
  return (parseJson(new TextDecoder().decode(body)) as { total?: unknown }).total
}

test('it answers from what it was told, and lists nothing itself', async () => {
  log({ seed: 'one' }).user('one').assistant('yes').write(root)
  expect(await total()).toBe(0)
  runner.reload(everything())
  expect(await total()).toBe(1)
  log({ seed: 'two' }).user('two').assistant('yes').write(root)
  expect(await total()).toBe(1)
  runner.reload(everything())
  expect(await total()).toBe(2)
})

test('what it is told while it answers holds for the next question', async () => {
  log({ seed: 'one' }).user('one').assistant('yes').write(root)
  const before = total()
  runner.reload(everything())
  expect([await before, await total()]).toEqual([0, 1])
})

test('what the writer could not list is told with every answer', async () => {
  const warnings = [{ file: '/r/x.jsonl', message: 'It could not be read.' }]
  runner.reload({ ...everything(), warnings })
  for (const op of ['sessions', 'projects']) {
    const { body } = await runner.answer({ op, input: {} })
    expect(parseJson(new TextDecoder().decode(body))).toMatchObject({ warnings })
  }
})
