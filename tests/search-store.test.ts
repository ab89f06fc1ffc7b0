import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openLibrary } from '../src/history/compose.ts'
import type { Context } from '../src/history/context.ts'
import { search } from '../src/ops/search.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-search-store-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const FILES = 12
const LINES = 60
/** A megabyte for each file: more than is read in the moment that a search of one's own logs takes. */
const FILLER = Array.from({ length: 2_400 }, (_, at) => `w${(at * 7919).toString(36)}`).join(' ')

function writeCopy(root: string): void {
  const project = join(root, 'projects', '-home-ana-shop')
  mkdirSync(project, { recursive: true })
  for (let file = 0; file < FILES; file++) {
    const sessionId = `aaaa0000-0000-4000-8000-${String(file).padStart(12, '0')}`
    const lines = Array.from({ length: LINES }, (_, at) =>
      JSON.stringify({
        type: 'user',
        uuid: `${String(file).padStart(8, '0')}-0000-4000-8000-${String(at).padStart(12, '0')}`,
        parentUuid: null,
        sessionId,
        cwd: '/home/ana/shop',
        timestamp: '2026-11-14T10:00:00.000Z',
        message: { role: 'user', content: `turnstile ${file} ${at} ${FILLER}` },
      }),
    )
    writeFileSync(join(project, `${sessionId}.jsonl`), `${lines.join('\n')}\n`)
  }
}

test('a search of a team store looks at all that was copied, and says how far it is on the way', async () => {
  const root = join(folder, 'root')
  writeCopy(root)
  const cacheDir = join(folder, 'cache')
  const told: number[] = []
  const library = openLibrary([root], () => {})
  const context: Context = {
    library,
    now: new Date('2026-11-15T12:00:00.000Z'),
    cwd: folder,
    home: folder,
    cacheDir,
    store: { url: 'postgres://lena@localhost/annals', access: {} },
    currentSession: undefined,
    warn: () => {},
    progress: (done, total) => told.push(done / total),
  }
  try {
    const { total, complete, behindBytes } = await search.run(context, { query: ['turnstile'] })
    expect({ total, complete, behindBytes }).toEqual({ total: FILES * LINES, complete: true, behindBytes: 0 })
    expect(told.length).toBeGreaterThan(1)
    expect(told.at(-1)).toBe(1)
  } finally {
    library.close()
  }
}, 120_000)
