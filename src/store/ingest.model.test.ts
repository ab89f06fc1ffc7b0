import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openDatabase } from '../index/driver.ts'
import { SCHEMA } from './schema.ts'
import { Store } from './store.ts'

const WORDS = ['apple', 'Brücke', 'getUserName', 'x.ts', '日本語', 'zebra']

type Pass = { readonly do: 'index' | 'restart' }
type Action =
  | { readonly do: 'append'; readonly file: number; readonly word: number; readonly half: boolean }
  | { readonly do: 'truncate' | 'rewrite' | 'delete' | 'rename' | 'copy'; readonly file: number; readonly to: number }
  | Pass

const file = fc.integer({ min: 0, max: 3 })
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      file,
      word: fc.nat(WORDS.length - 1),
      half: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('truncate', 'rewrite', 'delete', 'rename', 'copy' as const),
      file,
      to: file,
    }) as fc.Arbitrary<Action>,
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('index', 'restart' as const) }) },
)

test('an index fed bit by bit equals one built anew, whatever happens to the logs', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 25 }), (actions) => {
      const folder = mkdtempSync(join(tmpdir(), 'annals-index-'))
      try {
        const root = join(folder, 'root')
        mkdirSync(join(root, 'projects/-p'), { recursive: true })
        const options = { roots: [root], folder: join(folder, 'state') }
        let store = new Store(options)
        let written = 0
        for (const one of actions) {
          if (one.do === 'index') store.update()
          else if (one.do === 'restart') {
            store.close()
            store = new Store(options)
          } else written = change(root, one as Exclude<Action, Pass>, written)
        }
        store.update()
        store.update()
        store.close()
        const fed = dump(join(folder, 'state'))
        const fresh = new Store({ roots: [root], folder: join(folder, 'fresh') })
        fresh.update()
        fresh.close()
        expect(fed).toEqual(dump(join(folder, 'fresh')))
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    }),
    { numRuns: 150 },
  )
})

function pathOf(root: string, number: number): string {
  return join(root, `projects/-p/0000000${number}-0000-4000-8000-000000000000.jsonl`)
}

function change(root: string, action: Exclude<Action, Pass>, written: number): number {
  const path = pathOf(root, action.file)
  if (action.do === 'append') {
    const row = `${JSON.stringify({ type: 'user', uuid: `u${written}`, message: { role: 'user', content: WORDS[action.word] } })}\n`
    appendFileSync(path, action.half ? row.slice(0, -9) : row)
    return written + 1
  }
  if (!existsSync(path)) return written
  const to = pathOf(root, action.to)
  if (action.do === 'truncate') truncateSync(path, 10)
  if (action.do === 'rewrite')
    writeFileSync(path, `{"type":"user","uuid":"w${written}","message":{"content":"rewritten apple"}}\n`)
  if (action.do === 'delete') rmSync(path)
  if (action.do === 'rename' && !existsSync(to)) renameSync(path, to)
  if (action.do === 'copy' && !existsSync(to)) copyFileSync(path, to)
  return written + 1
}

/** What an index knows of the logs that are there, row numbers aside. */
function dump(folder: string) {
  const database = openDatabase(join(folder, `index-${SCHEMA}.db`))
  const docs = database
    .prepare(
      `select file.path, doc.line, doc.offset, doc.length, doc.copy, doc.uuid from doc join file on file.id = doc.file
       where file.gone = 0 order by file.path, doc.offset`,
    )
    .all()
    .map((row) => ({ ...row }))
  const words = ['apple', 'brucke', 'user', '日本', 'zebra', 'rewritten'].map((word) =>
    database
      .prepare(
        `select file.path, doc.offset from words join doc on doc.id = words.rowid join file on file.id = doc.file
         where words match ? and file.gone = 0 order by file.path, doc.offset`,
      )
      .all(`"${word}"`)
      .map((row) => ({ ...row })),
  )
  database.close()
  return { docs, words }
}
