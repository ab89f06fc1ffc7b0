import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { Library } from '../../disk/library.ts'
import type { Warning } from '../../disk/warning.ts'
import type { TeamStore } from '../../history/context.ts'
import type { Elsewhere } from '../../history/questions.ts'
import { troubleAsFailure } from '../sink.ts'
import { isClickHouseUrl } from '../sinks/clickhouse/address.ts'
import { clickhouseReader } from '../sinks/clickhouse/reader.ts'
import { postgresReader } from '../sinks/postgres/reader.ts'
import { StoreFiles } from './store-files.ts'
import { StoreTables } from './store-tables.ts'

/** A team store as operations read it: its files as a library, and who answers for its tables. */
export interface OpenStore {
  readonly library: Library
  readonly elsewhere: Elsewhere
  /** Asks the store again what there is. */
  refresh(): void
  /** What was fetched is kept here. */
  readonly folder: string
}

/** Opens a team store to be read. */
export function openStore(
  { url, access }: TeamStore,
  cacheDir: string,
  onWarning: (warning: Warning) => void,
  fewLogs?: number,
): OpenStore {
  try {
    const reader = isClickHouseUrl(url)
      ? clickhouseReader(url, { password: access.clickhousePassword })
      : postgresReader(url, access)
    const name = createHash('sha256').update(reader.shown).digest('hex').slice(0, 16)
    const files = new StoreFiles(reader, join(cacheDir, 'team', name))
    const tables = new StoreTables(reader, files, fewLogs)
    const open = () => {
      const made = new Library({
        roots: files.roots(),
        onWarning,
        open: (roots, options) => files.open(roots, options),
      })
      tables.readsBy(made.source)
      return made
    }
    let library = open()
    return {
      get library() {
        return library
      },
      elsewhere: tables,
      folder: files.folder,
      refresh() {
        files.refresh()
        tables.refresh()
        library = open()
      },
    }
  } catch (error) {
    throw troubleAsFailure(error)
  }
}
