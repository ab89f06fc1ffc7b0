import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Library } from '../../disk/library.ts'
import { log } from '../../testing/index.ts'
import { type RawSought, searchLogs } from './raw-search.ts'

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

test('lines are found wherever they stand: few in a large log, nearly all of one, a last one without newline', async () => {
  const root = join(folder, 'lines')
  mkdirSync(join(root, 'projects/-p'), { recursive: true })
  const row = (n: number, text: string) => JSON.stringify({ type: 'user', uuid: `u${n}`, message: { content: text } })
  const rows = Array.from({ length: 3_000 }, (_, n) =>
    row(n, n % 1_000 === 7 ? `kiwi ${n}` : `plum ${'x'.repeat(n % 90)}`),
  )
  // Longer than what is read for a line at first.
  rows[1_500] = row(1_500, `${'long '.repeat(20_000)}kiwi`)
  rows.push(row(3_000, 'kiwi at the end'))
  writeFileSync(join(root, 'projects/-p/dddddddd-0000-4000-8000-000000000000.jsonl'), rows.join('\n'))
  const library = new Library({ roots: [root] })
  const logs = library.logs().map((entry, id) => ({ id, entry, from: { offset: 0, line: 0 }, to: entry.sizeBytes }))
  const linesOf = async (sought: RawSought, hasTools: boolean) => {
    const { candidates } = await searchLogs(library.source, logs, sought, { hasTools })
    return candidates.map(({ doc }) => [doc.line, doc.offset, doc.length]).sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0))
  }
  const expected = (isMeant: (text: string) => boolean) => {
    let offset = 0
    return rows.flatMap((text, i) => {
      const place = [i + 1, offset, text.length]
      offset += text.length + 1
      return isMeant(text) ? [place] : []
    })
  }
  for (const hasTools of [false, true]) {
    expect(await linesOf({ exact: 'kiwi' }, hasTools)).toEqual(expected((text) => text.includes('kiwi')))
    expect(await linesOf({ regex: 'kiwi( \\d+)?$' }, hasTools)).toEqual(expected((text) => /kiwi( \d+)?"/.test(text)))
    expect(await linesOf({ exact: 'plum' }, hasTools)).toEqual(expected((text) => text.includes('plum')))
  }
  library.close()
})

test('more lines than a call has room for arguments are found', async () => {
  const root = join(folder, 'many')
  mkdirSync(join(root, 'projects/-p'), { recursive: true })
  const count = 130_000
  const line = (n: number) => `${JSON.stringify({ type: 'user', uuid: `u${n}`, message: { content: 'fig' } })}\n`
  const lines = Array.from({ length: count }, (_, n) => line(n))
  writeFileSync(join(root, 'projects/-p/eeeeeeee-0000-4000-8000-000000000000.jsonl'), lines.join(''))
  const library = new Library({ roots: [root] })
  const logs = library.logs().map((entry, id) => ({ id, entry, from: { offset: 0, line: 0 }, to: entry.sizeBytes }))
  for (const sought of [{ exact: 'fig' }, { regex: 'f[i]g|fig' }])
    expect((await searchLogs(library.source, logs, sought)).candidates).toHaveLength(count)
  library.close()
})
