import { SinkTrouble } from '../../sink.ts'
import type { Store } from './connect.ts'
import { MIGRATIONS, type Migration } from './migrations.ts'
import { isNotSetUp } from './trouble.ts'

/** The numbers of our advisory locks: one that migrates waits for deliveries to end, and they for it. */
export const LOCK = 7_305_001
export const MIGRATION_LOCK = 1
export const DELIVERY_LOCK = 2

/** Which migrations were run now, and how far the store is. */
export interface Migrated {
  readonly ran: readonly string[]
  readonly version: number
}

/** Brings the tables up to date, in one transaction. Several at once: one does it, the others find it done. */
export async function migrate(store: Store, migrations: readonly Migration[] = MIGRATIONS): Promise<Migrated> {
  return await store.ask(async (tx) => {
    await tx.unsafe(`
      set local statement_timeout = 0; set local lock_timeout = '10min';
      select pg_advisory_xact_lock(${LOCK}, ${MIGRATION_LOCK}), pg_advisory_xact_lock(${LOCK}, ${DELIVERY_LOCK});
      create schema if not exists annals;
      create table if not exists annals.annals_migration
        (number integer primary key, name text not null, at timestamptz not null default now());
    `)
    const done = new Set((await tx`select number from annals.annals_migration`).map(({ number }) => Number(number)))
    const missing = migrations.filter(({ number }) => !done.has(number))
    for (const { number, name, sql: text } of missing) {
      await tx.unsafe(text)
      await tx`insert into annals.annals_migration (number, name) values (${number}, ${name})`
    }
    if (missing.length === 0) await tx`select annals.make_partitions()`
    return {
      ran: missing.map(({ name }) => name),
      version: Math.max(0, ...done, ...missing.map(({ number }) => number)),
    }
  })
}

/** How far the store is; 0 where nothing was set up. */
export async function schemaVersion(store: Store): Promise<number> {
  try {
    const [row] = await store.ask((tx) => tx`select max(number) as number from annals.annals_migration`)
    return Number(row?.number ?? 0)
  } catch (error) {
    if (isNotSetUp(error)) return 0
    throw error
  }
}

/** Makes sure that the store is at least as new as this program; brings it there where the user may. */
export async function ensureSchema(
  store: Store,
  shown: string,
  mayMigrate: boolean,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const version = await schemaVersion(store)
  if (version >= (migrations.at(-1)?.number ?? 0)) return
  const [can] = await store.ask(
    (tx) => tx`select has_database_privilege(current_database(), 'create') and not exists (
      select from pg_namespace where nspname = 'annals' and not pg_has_role(nspowner, 'usage')
    ) as migrate`,
  )
  if (mayMigrate && can?.migrate === true) {
    await migrate(store, migrations)
    return
  }
  const what = version === 0 ? 'is not set up yet: it has no tables of annals' : 'is older than this annals'
  const hint = 'Whoever owns the database runs `annals team migrate --store postgres://…` once.'
  throw new SinkTrouble(`The team store at ${shown} ${what}.`, { passes: false, hint })
}
