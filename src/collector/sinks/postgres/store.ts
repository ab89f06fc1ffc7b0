import { type Address, type AddressDefaults, readAddress } from './address.ts'
import type { ConnectOptions } from './client-options.ts'
import { connect, type Store } from './connect.ts'
import { type Migrated, migrate } from './migrate.ts'
import type { Migration } from './migrations.ts'
import { asTrouble } from './trouble.ts'

/** Asks a team store something and lets go of it; what goes wrong is a sentence. */
export async function withStore<T>(
  url: string,
  ask: (store: Store, address: Address) => Promise<T>,
  options: AddressDefaults & ConnectOptions = {},
): Promise<T> {
  const address = readAddress(url, options)
  const store = connect(address, options)
  try {
    return await ask(store, address)
  } catch (error) {
    throw asTrouble(error, address)
  } finally {
    await store.close()
  }
}

/** Makes the tables of a team store, or brings them up to date. */
export function migratePostgres(
  url: string,
  options: AddressDefaults = {},
  migrations?: readonly Migration[],
): Promise<Migrated> {
  return withStore(url, (store) => migrate(store, migrations), options)
}
