import { SinkTrouble } from '../../sink.ts'
import type { ClickHouseAddress } from './address.ts'
import type { ConnectOptions } from './client-options.ts'
import { type Connection, connect } from './connect.ts'
import { COMMENT, SCHEMA, schemaStatements } from './schema.ts'

/** Makes what is missing where the user may; a store that a newer annals made is left alone. */
export async function ensureTables(address: ClickHouseAddress, options: ConnectOptions = {}): Promise<void> {
  const store = connect(address, { ...options, database: 'system' })
  try {
    await ensure(store, address)
  } finally {
    await store.close()
  }
}

async function ensure(store: Connection, address: ClickHouseAddress): Promise<void> {
  const found = await schemaOf(store, address.database)
  if (found === SCHEMA) return
  if (found !== undefined && found > SCHEMA) {
    throw new SinkTrouble(`The team store at ${address.shown} was made by a newer annals.`, {
      passes: false,
      hint: 'Nothing was sent. Update annals on this machine.',
    })
  }
  for (const statement of schemaStatements(address)) await store.run(statement)
}

async function schemaOf(store: Connection, database: string): Promise<number | undefined> {
  const [found] = await store.ask(
    `select comment from system.tables where database = {database:String} and name = 'record'`,
    { database },
  )
  const number = COMMENT.exec(String(found?.comment ?? ''))?.[1]
  return number === undefined ? undefined : Number(number)
}
