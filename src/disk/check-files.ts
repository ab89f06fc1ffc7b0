import { basename } from 'node:path'
import { CheckFold, type LogCheck } from '../core/log/check-log.ts'
import type { LogTotals } from '../core/log/log.ts'
import { readLogFile } from './log-file.ts'
import { withRegular } from './regular-file.ts'
import type { Source, SourceEntry } from './source.ts'
import { onAllCores, threadScript, WORTH_BYTES } from './threads.ts'
import type { Warning } from './warning.ts'

/** What checking some logs gave. */
export interface CheckedFiles {
  /** In the order of the entries. */
  readonly results: readonly FileCheck[]
  /** The logs that could not be read, and why; one that is gone since it was listed is none. */
  readonly unread: readonly Warning[]
}

/** Checks logs on all cores, or on this one where there is little to do. */
export async function checkFiles(
  source: Source,
  entries: readonly SourceEntry[],
  progress: (doneBytes: number, totalBytes: number) => void,
): Promise<CheckedFiles> {
  const total = entries.reduce((sum, entry) => sum + entry.sizeBytes, 0)
  const results: FileCheck[] = []
  const unread: Warning[] = []
  let done = 0
  const take = (entry: SourceEntry, result: FileCheck | undefined): undefined => {
    if (result) results.push(result)
    else unread.push(...unreadFile(entry.path))
    done += entry.sizeBytes
    progress(done, total)
  }
  const script = threadScript('check-worker')
  const bytesOf = ({ sizeBytes }: SourceEntry) => sizeBytes
  if (script && total >= WORTH_BYTES && entries.length > 1)
    await onAllCores({ script, jobs: entries, bytesOf, take, taking: 'light' })
  else for (const entry of entries) take(entry, checkFile(source, entry))
  return { results, unread }
}

function unreadFile(file: string): readonly Warning[] {
  return withRegular<readonly Warning[]>(
    file,
    () => [],
    ({ kind, message }) => (kind === 'gone' ? [] : [{ file, message }]),
  )
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
