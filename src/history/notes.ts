import type { ProjectFiles } from '../disk/inventory.ts'
import type { SourceEntry } from '../disk/source.ts'
import { hasSqlite } from '../index/driver.ts'
import type { LogNote } from '../index/log-notes.ts'
import type { History } from './history.ts'

const notes = new WeakMap<readonly ProjectFiles[], ReadonlyMap<string, LogNote>>()

/** What all logs say of themselves, by their paths, up to date with what is listed. */
export function notesOf(history: History): ReadonlyMap<string, LogNote> {
  const projects = history.library.projects()
  const known =
    notes.get(projects) ??
    new Map(
      history
        .ask()
        .logs()
        .map((note) => [note.path, note]),
    )
  notes.set(projects, known)
  return known
}

/** The same of one log, which without SQLite tells it itself. */
export function noteOf(history: History, entry: SourceEntry): Pick<LogNote, 'slugs' | 'cwd'> | undefined {
  return hasSqlite() ? notesOf(history).get(entry.path) : history.library.facts(entry)?.facts
}
