import { sep } from 'node:path'
import { type DiskSource, diskSource } from '../disk/disk-source.ts'
import type { Warning } from '../disk/warning.ts'
import { indexBytes, isUnwritable, type OpenIndex } from '../index/open.ts'
import { asFailure, patiently } from '../index/trouble.ts'
import { indexInMemory, openIndex, removeIndex } from './index-file.ts'
import { type Ingested, type IngestOptions, ingest, ingestOnAllCores, isLog } from './ingest.ts'
import { type Found, type SearchFilter, type SearchOptions, searchWords } from './search.ts'

/** Lists some logs and the folders that lead to them. */
function isOneOf(paths: ReadonlySet<string>, roots: readonly string[]): (relativePath: string) => boolean {
  const wanted = new Set<string>()
  for (const path of paths) {
    for (const root of roots) {
      if (!path.startsWith(root + sep)) continue
      const parts = path.slice(root.length + 1).split(sep)
      parts.forEach((_, i) => {
        wanted.add(parts.slice(0, i).join('/') + (i === 0 ? '' : '/'))
      })
      wanted.add(parts.join('/'))
    }
  }
  return (relativePath) => wanted.has(relativePath) && isLog(relativePath)
}

export interface StoreOptions {
  readonly roots: readonly string[]
  /** Where the index is kept; without it, it lives in memory. */
  readonly folder: string | undefined
  readonly onWarning?: (warning: Warning) => void
  /** How logs are listed and read: from the disk, or from the disk with an archive behind it. */
  readonly open?: typeof diskSource
}

/** The index over some roots. A cache: delete it, and it comes back from the logs. */
export class Store {
  readonly #options: StoreOptions
  #index: OpenIndex

  constructor(options: StoreOptions) {
    this.#options = options
    this.#index = this.#open()
  }

  /** Reads what the logs have that the index does not. One in memory has to be built first, whatever that takes. */
  update(options: IngestOptions = {}): Ingested {
    const { withinMs, ...rest } = options
    const source = this.#source(options.only)
    try {
      const asked = withinMs === undefined || this.#index.path === undefined ? rest : { ...rest, withinMs }
      return ingest(this.#index.database, this.#options.roots, source, asked)
    } catch (error) {
      if (this.#isMovedToMemory(error)) return this.update(rest)
      throw asFailure(error, this.#index.path)
    } finally {
      source.close()
    }
  }

  /** The same on all cores, for whoever can wait. */
  async updateOnAllCores(options: IngestOptions = {}): Promise<Ingested> {
    const source = this.#source()
    try {
      return await ingestOnAllCores(this.#index.database, this.#options.roots, source, options)
    } catch (error) {
      if (this.#isMovedToMemory(error)) return this.update(options)
      throw asFailure(error, this.#index.path)
    } finally {
      source.close()
    }
  }

  /** Where there is no room for the index, it is begun anew in memory. */
  #isMovedToMemory(error: unknown): boolean {
    const { folder } = this.#options
    if (folder === undefined || this.#index.path === undefined || !isUnwritable(error)) return false
    this.close()
    this.#index = this.#told(indexInMemory(folder))
    return true
  }

  #source(only?: ReadonlySet<string>): DiskSource {
    const { roots, onWarning, open = diskSource } = this.#options
    const include = only ? isOneOf(only, roots) : isLog
    return open(roots, { include, ...(onWarning && { onProblem: onWarning }) })
  }

  /** Begins anew. What only the index still knew of vanished logs is forgotten: their number is given. */
  rebuild(): { readonly forgotten: number } {
    const gone = this.#index.database.prepare('select count(*) as count from file where gone = 1').get()
    this.close()
    if (this.#options.folder !== undefined) removeIndex(this.#options.folder)
    this.#index = this.#open()
    return { forgotten: Number(gone?.count ?? 0) }
  }

  search(
    match: string,
    filter: SearchFilter,
    options: SearchOptions,
  ): { readonly found: readonly Found[]; readonly total: number } {
    try {
      return patiently(() => searchWords(this.#index.database, this.#options.roots, match, filter, options))
    } catch (error) {
      throw asFailure(error, this.#index.path)
    }
  }

  get sizeBytes(): number {
    return indexBytes(this.#index.path)
  }

  close(): void {
    this.#index.database.close()
  }

  #open(): OpenIndex {
    return this.#told(openIndex(this.#options.folder))
  }

  #told(index: OpenIndex): OpenIndex {
    if (index.notice) this.#options.onWarning?.({ file: this.#options.folder ?? '', message: index.notice })
    return index
  }
}
