import { join } from 'node:path'
import { isObject, type JsonObject, numberAt, objectsAt, textAt } from '../core/json.ts'
import { SESSIONS_INDEX } from './layout.ts'
import { type Found, readJsonFile } from './small-file.ts'
import type { Warning } from './warning.ts'

/** What `sessions-index.json`, kept by some clients for a while, says about a session. It may be stale or partial. */
export interface IndexEntry {
  readonly sessionId: string
  /** Modification time of the log when it was indexed, in milliseconds. */
  readonly fileMtimeMs: number | null
  readonly firstPrompt: string | null
  readonly summary: string | null
  readonly messageCount: number | null
  readonly createdAt: string | null
  readonly modifiedAt: string | null
  readonly gitBranch: string | null
  readonly projectPath: string | null
}

/** How an index differs from the folder it stands in, by the ids of sessions. */
export interface IndexComparison {
  readonly missingOnDisk: readonly string[]
  readonly notInIndex: readonly string[]
  readonly stale: readonly string[]
}

/** Reads the sessions index of a project folder; most have none. */
export function readSessionsIndex(projectFolder: string): Found<IndexEntry> {
  const warnings: Warning[] = []
  const path = join(projectFolder, SESSIONS_INDEX)
  const read = readJsonFile(path, warnings)
  if (read === undefined) return { items: [], warnings }
  if (!isObject(read.value)) warnings.push({ file: path, message: 'The file is not a sessions index.' })
  const rows = objectsAt(read.value, 'entries')
  const items = rows.flatMap(toEntry)
  if (items.length < rows.length) {
    warnings.push({ file: path, message: `${rows.length - items.length} of its entries name no session.` })
  }
  return { items, warnings }
}

/** Compares an index with the logs really there, by when they were written: milliseconds by id. */
export function compareIndex(entries: readonly IndexEntry[], onDisk: ReadonlyMap<string, number>): IndexComparison {
  const ids = entries.map(({ sessionId }) => sessionId)
  const indexed = new Set(ids)
  return {
    missingOnDisk: ids.filter((id) => !onDisk.has(id)),
    notInIndex: [...onDisk.keys()].filter((id) => !indexed.has(id)),
    stale: entries.flatMap(({ sessionId, fileMtimeMs }) => {
      const writtenMs = onDisk.get(sessionId)
      // Some file systems and some clients keep fractions of a millisecond, others cut them off.
      const isMoved = fileMtimeMs !== null && writtenMs !== undefined && Math.abs(fileMtimeMs - writtenMs) >= 1
      return isMoved ? [sessionId] : []
    }),
  }
}

function toEntry(row: JsonObject): IndexEntry[] {
  const sessionId = textAt(row, 'sessionId')
  if (sessionId === undefined) return []
  return [
    {
      sessionId,
      fileMtimeMs: numberAt(row, 'fileMtime') ?? null,
      firstPrompt: textAt(row, 'firstPrompt') ?? null,
      summary: textAt(row, 'summary') ?? null,
      messageCount: numberAt(row, 'messageCount') ?? null,
      createdAt: textAt(row, 'created') ?? null,
      modifiedAt: textAt(row, 'modified') ?? null,
      gitBranch: textAt(row, 'gitBranch') ?? null,
      projectPath: textAt(row, 'projectPath') ?? null,
    },
  ]
}
