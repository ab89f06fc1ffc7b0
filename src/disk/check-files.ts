import { basename } from 'node:path'
import { CheckFold, type LogCheck } from '../core/log/check-log.ts'
import type { LogTotals } from '../core/log/log.ts'
import { readLogFile } from './log-file.ts'
import type { Source, SourceEntry } from './source.ts'
import { onAllCores, threadScript, WORTH_BYTES } from './threads.ts'

/** Checks logs on all cores, or on this one where there is little to do. The order of the results is that of `entries`. */
export async function checkFiles(
  source: Source,
  entries: readonly SourceEntry[],
  progress: (doneBytes: number, totalBytes: number) => void,
): Promise<readonly FileCheck[]> {
  const total = entries.reduce((sum, entry) => sum + entry.sizeBytes, 0)
  const results: FileCheck[] = []
  let done = 0
  const take = (entry: SourceEntry, result: FileCheck | undefined): undefined => {
    if (result) results.push(result)
    done += entry.sizeBytes
    progress(done, total)
  }
  const script = threadScript('check-worker')
  const bytesOf = ({ sizeBytes }: SourceEntry) => sizeBytes
  if (script && total >= WORTH_BYTES && entries.length > 1)
    await onAllCores({ script, jobs: entries, bytesOf, take, taking: 'light' })
  else for (const entry of entries) take(entry, checkFile(source, entry))
  return results
}

/** What a log holds, and what is wrong with it. */
export interface FileCheck extends LogCheck {
  readonly totals: LogTotals
}

/** Checks one log; `undefined` when it is gone. */
export function checkFile(source: Source, entry: SourceEntry): FileCheck | undefined {
  const fold = new CheckFold(entry.path, { isAgent: basename(entry.path).startsWith('agent-') })
  const totals = readLogFile(source, entry, fold)
  return totals && { ...fold.result(), totals }
}
