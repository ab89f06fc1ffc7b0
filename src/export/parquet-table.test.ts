import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { expect, test } from 'vitest'
import { parquetPieces } from './parquet-table.ts'

const COLUMNS = { name: 'STRING', count: 'INT64', cost: 'DOUBLE', isDone: 'BOOLEAN', at: 'TIMESTAMP' } as const

async function written(rows: Parameters<typeof parquetPieces<typeof COLUMNS>>[1]): Promise<ArrayBuffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of parquetPieces(COLUMNS, rows)) pieces.push(piece)
  return new Uint8Array(Buffer.concat(pieces)).buffer
}

test('values come back with their types', async () => {
  const at = '2026-11-12T09:30:00.123Z'
  const file = await written([
    { name: 'é 💥', count: 9_007_199_254_740_991, cost: 0.5, isDone: true, at },
    { name: null, count: null, cost: null, isDone: null, at: null },
    { name: '', count: -1, cost: -0.25, isDone: false, at: 'no time' },
  ])
  expect(await parquetReadObjects({ file })).toEqual([
    { name: 'é 💥', count: 9_007_199_254_740_991n, cost: 0.5, isDone: true, at: new Date(at) },
    { name: null, count: null, cost: null, isDone: null, at: null },
    { name: '', count: -1n, cost: -0.25, isDone: false, at: null },
  ])
  const { schema } = parquetMetadata(file)
  expect(schema.slice(1).map(({ name, type, converted_type }) => [name, type, converted_type])).toEqual([
    ['name', 'BYTE_ARRAY', 'UTF8'],
    ['count', 'INT64', undefined],
    ['cost', 'DOUBLE', undefined],
    ['isDone', 'BOOLEAN', undefined],
    ['at', 'INT64', 'TIMESTAMP_MILLIS'],
  ])
})

test('a table without rows is a table', async () => {
  const file = await written([])
  expect(await parquetReadObjects({ file })).toEqual([])
  expect(parquetMetadata(file).schema).toHaveLength(6)
})

test('large tables are written group by group', async () => {
  const row = { count: 1, cost: null, isDone: null, at: null }
  const rows = Array.from({ length: 45_000 }, (_, i) => ({ ...row, name: `row ${i}` }))
  const many = await written(rows)
  expect(parquetMetadata(many).row_groups.map((group) => Number(group.num_rows))).toEqual([20_000, 20_000, 5000])
  const back = await parquetReadObjects({ file: many, rowStart: 39_999, rowEnd: 40_001 })
  expect(back.map(({ name }) => name)).toEqual(['row 39999', 'row 40000'])
  const long = await written([1, 2, 3].map((count) => ({ ...row, count, name: String(count).repeat(5_000_000) })))
  expect(parquetMetadata(long).row_groups.map((group) => Number(group.num_rows))).toEqual([2, 1])
  expect((await parquetReadObjects({ file: long })).map(({ name }) => String(name).length)).toEqual([
    5_000_000, 5_000_000, 5_000_000,
  ])
})
