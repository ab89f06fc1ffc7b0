import type { ProjectFiles } from '../disk/inventory.ts'
import { readBytesAt } from '../disk/log-file.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import { type Database, exactly, selectAll } from './driver.ts'
import { unmarkListing } from './listing-mark.ts'
import { patiently } from './trouble.ts'

/** More than such a file ever holds. */
const MOST_BYTES = 64 * 1024

/** Keeps the small files beside logs that lists need: titles that people gave, and what agents are. */
export function ingestSidecars(database: Database, projects: readonly ProjectFiles[], source: Source): void {
  const kept = { columns: ['path', 'size', exactly('modified')], from: 'sidecar' }
  const rows = patiently(() => selectAll(database, kept))
  const known = new Map(rows.map((row) => [row.path, row]))
  const changed: SourceEntry[] = []
  for (const entry of sidecarsOf(projects)) {
    const row = known.get(entry.path)
    if (row?.size !== entry.sizeBytes || Number(row.modified) !== entry.modifiedAt) changed.push(entry)
    known.delete(entry.path)
  }
  if (changed.length === 0 && known.size === 0) return
  patiently(() => database.exec('begin immediate'))
  try {
    unmarkListing(database)
    const put = database.prepare('insert or replace into sidecar (path, size, modified, value) values (?, ?, ?, ?)')
    for (const entry of changed) put.run(entry.path, entry.sizeBytes, entry.modifiedAt, textOf(source, entry))
    const remove = database.prepare('delete from sidecar where path = ?')
    for (const path of known.keys()) remove.run(path as string)
    database.exec('commit')
  } catch (error) {
    database.exec('rollback')
    throw error
  }
}

function* sidecarsOf(projects: readonly ProjectFiles[]): Iterable<SourceEntry> {
  for (const { sessions, flatAgents } of projects) {
    for (const { meta } of flatAgents) if (meta) yield meta
    for (const { customTitle, agents } of sessions) {
      if (customTitle) yield customTitle
      for (const { meta } of agents) if (meta) yield meta
    }
  }
}

function textOf(source: Source, entry: SourceEntry): string | null {
  const length = Math.min(entry.sizeBytes, MOST_BYTES)
  const bytes = readBytesAt(source, entry, { file: entry.path, line: 1, offset: 0, length })
  return bytes ? new TextDecoder().decode(bytes) : null
}
