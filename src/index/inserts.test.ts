import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Inserts } from './inserts.ts'
import { openDatabase } from './sqlite.ts'

function tableOf(columns: string) {
  const database = openDatabase(':memory:')
  database.exec(`create table t (${columns})`)
  return { database, all: () => database.prepare('select * from t order by rowid').all() }
}

test('rows are in the table after a flush, all of them and in their order, however many came at a time', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(200), { maxLength: 6 }), (counts) => {
      const { database, all } = tableOf('n int, word text')
      const inserts = new Inserts(database, 'into t', ['n', 'word'])
      let n = 0
      for (const count of counts) {
        for (let i = 0; i < count; i++, n++) inserts.add(n, `word ${n}`)
        inserts.flush()
        expect(all()).toHaveLength(n)
      }
      expect(all().map(({ n, word }) => [n, word])).toEqual(Array.from({ length: n }, (_, i) => [i, `word ${i}`]))
      database.close()
    }),
    { numRuns: 40 },
  )
})

test('what is done with a row that is there already holds for rows of the same statement too', () => {
  const { database, all } = tableOf('n int primary key, word text')
  const inserts = new Inserts(database, 'or ignore into t', ['n', 'word'])
  for (let i = 0; i < 100; i++) inserts.add(i % 50, `word ${i}`)
  inserts.flush()
  expect(all().map(({ word }) => word)).toEqual(Array.from({ length: 50 }, (_, i) => `word ${i}`))
})

test('what is forgotten never comes into the table', () => {
  const { database, all } = tableOf('n int')
  const inserts = new Inserts(database, 'into t', ['n'])
  inserts.add(1)
  inserts.forget()
  inserts.flush()
  inserts.add(2)
  inserts.flush()
  expect(all().map(({ n }) => n)).toEqual([2])
})
