import { basename } from 'node:path'
import { CheckFold, type LogCheck } from '../core/log/check-log.ts'
import type { LogTotals } from '../core/log/log.ts'
import { readLogFile } from './log-file.ts'
import type { Source, SourceEntry } from './source.ts'

export interface FileCheck extends LogCheck {
  readonly totals: LogTotals
}

/** Checks one log; `undefined` when it is gone. */
export function checkFile(source: Source, entry: SourceEntry): FileCheck | undefined {
  const fold = new CheckFold(entry.path, { isAgent: basename(entry.path).startsWith('agent-') })
  const totals = readLogFile(source, entry, fold)
  return totals && { ...fold.result(), totals }
}
