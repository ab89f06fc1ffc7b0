import { afterAll, beforeAll, describe } from 'vitest'
import { holdsTheContract } from './collector/sink-contract.ts'
import { clickhousePlace, type Engine, noClickHouse, startClickHouse } from './support/clickhouse.ts'

describe.skipIf(noClickHouse !== undefined)('ClickHouse', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await startClickHouse()
  }, 300_000)
  afterAll(() => engine?.stop())

  holdsTheContract('ClickHouse', async () => clickhousePlace(engine))
})
