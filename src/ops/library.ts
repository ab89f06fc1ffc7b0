import { Library } from '../disk/library.ts'
import type { Warning } from '../disk/warning.ts'
import { StoredFacts } from '../store/facts-cache.ts'

/** A library that keeps the facts of logs in the index folder; without a folder it reads every log it is asked for. */
export function openLibrary(
  roots: readonly string[],
  cacheDir: string | undefined,
  onWarning: (warning: Warning) => void,
): Library {
  return new Library({ roots, onWarning, ...(cacheDir !== undefined && { cache: new StoredFacts(cacheDir) }) })
}
