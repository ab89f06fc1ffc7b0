import { Failure } from '../core/failure.ts'
import { asFailure } from '../state/private-file.ts'
import { editsFolder, folderOf } from './journal.ts'
import type { JournalEntry } from './journal-entry.ts'
import { progressOf, waysOut } from './unfinished.ts'

/** An error of the disk as a sentence, for errors before the first change and after all changes were taken back. */
export function asSentence(error: unknown, dataDir: string): unknown {
  const path = error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : undefined
  const hint = 'Nothing was changed. Try again when that is mended.'
  return asFailure(error, path ?? editsFolder(dataDir), 'What this edit writes', hint)
}

/** The failure of an edit that could neither be done nor taken back: what state the files are in, and what to run. */
export function interrupted(dataDir: string, entry: JournalEntry, cause: unknown): Failure {
  const said = asSentence(cause, dataDir)
  const reason = said instanceof Error ? said.message : String(said)
  const copies = entry.direction === 'back' ? ` What stood there before is in ${folderOf(dataDir, entry.id)}.` : ''
  const message = `Edit ${entry.id} (${entry.summary}) was interrupted. ${reason} ${progress(entry)}${copies}`
  return new Failure('CANNOT_WRITE', message, { hint: waysOut(entry), cause })
}

/** A disk that reports errors may not even tell how far it came. */
function progress(entry: JournalEntry): string {
  try {
    return progressOf(entry)
  } catch {
    return 'How far it came cannot be read.'
  }
}
