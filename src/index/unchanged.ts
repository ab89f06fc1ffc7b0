import { type Database, prepared, type SqlValue } from './driver.ts'

const known = new WeakMap<Database, { readonly version: SqlValue; readonly things: Map<string, unknown> }>()

/** Something that was made of the tables, by its name: the same as long as nothing in them changes. For who asks again and again. */
export function whileUnchanged<T>(database: Database, name: string, make: () => T): T {
  const version = prepared(database, VERSION).get()?.version as SqlValue
  const before = known.get(database)
  const now = before?.version === version ? before : { version, things: new Map<string, unknown>() }
  known.set(database, now)
  if (!now.things.has(name)) now.things.set(name, make())
  return now.things.get(name) as T
}

/** Another after every change, by others and by ourselves. */
const VERSION = "select data_version || ' ' || total_changes() as version from pragma_data_version"
