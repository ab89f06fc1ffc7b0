import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Failure } from '../core/failure.ts'
import type { Database } from './driver.ts'

/**
 * Before this version two processes that write and checkpoint at once can lose what was committed, and that is just what
 * several annals do.
 */
const OLDEST = '3.51.3'

/** Opens a database file, or `:memory:`, with the addon that comes with annals, else with Node's own SQLite. */
export function openDatabase(path: string, options: { readonly readOnly?: boolean } = {}): Database {
  const Driver = loadDriver()
  if (compareVersions(sqliteVersion(), OLDEST) < 0) {
    throw new Failure('CANNOT_RUN', `SQLite ${sqliteVersion()} is too old for a shared index; ${OLDEST} is needed.`, {
      hint: 'Reinstall annals, or use Node 24.',
    })
  }
  return new Driver(path, options)
}

let version: string | undefined

/** The version of SQLite in use. Asked in memory: a file may be busy just then. */
export function sqliteVersion(): string {
  if (version === undefined) {
    const database = new (loadDriver())(':memory:')
    version = String(database.prepare('select sqlite_version() as version').get()?.version)
    database.close()
  }
  return version
}

type Driver = new (path: string, options?: { readonly readOnly?: boolean }) => Database

let loaded: Driver | undefined

/** Whether a SQLite can be loaded. Without it there is no index, but single files can be read. */
export function hasSqlite(): boolean {
  try {
    loadDriver()
    return true
  } catch {
    return false
  }
}

const ADDON = '@photostructure/sqlite'

function loadDriver(): Driver {
  if (loaded) return loaded
  const load = createRequire(import.meta.url)
  const drivers = [() => prebuiltAddon(load), () => ADDON, () => 'node:sqlite']
  for (const driver of drivers) {
    try {
      const { DatabaseSync } = load(driver()) as { DatabaseSync: Driver }
      loaded = DatabaseSync
      return loaded
    } catch {
      // Try the next; the error below says that none loads.
    }
  }
  throw sqliteFailure()
}

/** Says that no SQLite can be loaded, and what works without it. */
export function sqliteFailure(): Failure {
  return new Failure('CANNOT_RUN', 'There is no SQLite for this Node.', {
    hint: 'Reinstall annals, or use Node 24. `annals show`, `tail`, `outline`, `read`, `find`, `tree`, `context`, `files`, `plans`, `todos`, `export` and `check` of one FILE work without it.',
  })
}

/** The path of the addon itself: resolving the package and letting it find the file takes longer than loading it. */
function prebuiltAddon(load: NodeJS.Require): string {
  const file = `${ADDON}/prebuilds/${process.platform}-${process.arch}/@photostructure+sqlite.glibc.node`
  const folders = load.resolve.paths(ADDON) ?? []
  return join(folders.find((folder) => existsSync(join(folder, file))) ?? '', file)
}

function compareVersions(a: string, b: string): number {
  const [x, y] = [a, b].map((version) => version.split('.').map(Number))
  for (let i = 0; i < 3; i++) {
    const difference = (x?.[i] ?? 0) - (y?.[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
