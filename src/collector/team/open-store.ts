import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { Library } from '../../disk/library.ts'
import type { Warning } from '../../disk/warning.ts'
import type { TeamStore } from '../../history/context.ts'
import type { RemoteHistory } from '../../history/remote-history.ts'
import { troubleAsFailure } from '../sink.ts'
import { isClickHouseUrl } from '../sinks/clickhouse/address.ts'
import { StoreFiles } from './store-files.ts'
import { storeQueries } from './store-queries.ts'
import type { StoreReader } from './store-reader.ts'

/** A team store as operations read it: its files as a library, and its tables as queries. */
export interface OpenStore {
  readonly library: Library
  readonly remote: RemoteHistory
  /** Lists the store again. What was fetched of the tables before is forgotten. */
  refresh(): Promise<void>
  /** Fetched logs are kept here. */
  readonly folder: string
}

/** Opens a team store to be read, and lists it. */
export async function openStore(
  store: TeamStore,
  cacheDir: string,
  onWarning: (warning: Warning) => void,
  fewLogs?: number,
): Promise<OpenStore> {
  const reader = await openReader(store)
  const name = createHash('sha256').update(reader.shown).digest('hex').slice(0, 16)
  return openStoreOf(reader, join(cacheDir, 'team', name), onWarning, fewLogs)
}

/** The same with a reader; fetched logs are kept in the folder. */
export async function openStoreOf(
  reader: StoreReader,
  folder: string,
  onWarning: (warning: Warning) => void,
  fewLogs?: number,
): Promise<OpenStore> {
  try {
    const files = new StoreFiles(reader, folder)
    await files.refresh()
    const openLibrary = () =>
      new Library({ roots: files.roots(), onWarning, open: (roots, options) => files.open(roots, options) })
    let library = openLibrary()
    let queries = storeQueries(reader, files, fewLogs)
    return {
      get library() {
        return library
      },
      remote: {
        get queries() {
          return queries
        },
        fetchLogs: (logs) => files.fetch(logs),
        fetchRecords: (places) => files.fetchRecords(places),
        fetchBeside: (include) => files.fetchBeside(include),
        close() {
          queries.close()
          reader.close()
        },
      },
      folder: files.folder,
      async refresh() {
        await files.refresh()
        queries.close()
        queries = storeQueries(reader, files, fewLogs)
        library = openLibrary()
      },
    }
  } catch (error) {
    reader.close()
    throw troubleAsFailure(error)
  }
}

/** Each driver is loaded only for a store of its kind. */
async function openReader({ url, access }: TeamStore): Promise<StoreReader> {
  try {
    if (isClickHouseUrl(url)) {
      const { clickhouseReader } = await import('../sinks/clickhouse/reader.ts')
      return clickhouseReader(url, { password: access.clickhousePassword })
    }
    const { postgresReader } = await import('../sinks/postgres/reader.ts')
    return postgresReader(url, access)
  } catch (error) {
    throw troubleAsFailure(error)
  }
}
