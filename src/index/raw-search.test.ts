import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Library } from '../disk/library.ts'
import { log } from '../testing/index.ts'
import { searchLogs } from './raw-search.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-raw-search-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a pattern that met a limit does not say that everything was looked at', async () => {
  log().user('a walnut').assistant('and another walnut').write(folder)
  const library = new Library({ roots: [folder] })
  const logs = library.logs().map((entry, id) => ({ id, entry, from: { offset: 0, line: 0 }, to: entry.sizeBytes }))
  // Nothing must occur in it as it stands, so that only its matches tell.
  const sought = { regex: '[w]alnut|[k]iwi' }
  const whole = await searchLogs(library.source, logs, sought)
  expect([whole.isComplete, whole.candidates.length]).toEqual([true, 2])
  expect((await searchLogs(library.source, logs, sought, { maxOutputBytes: 1 })).isComplete).toBe(false)
  library.close()
})
