import { join } from 'node:path'
import { booleanAt, isObject, type JsonObject, numberAt, objectsAt, textAt } from '../core/json.ts'
import { type Found, readJsonFile } from './small-file.ts'
import type { Warning } from './warning.ts'

/** What `sessions-index.json`, kept by some clients for a while, says about a session. It may be stale or partial. */
export interface IndexEntry {
  readonly sessionId: string
  readonly fullPath: string | null
  /** Modification time of the log when it was indexed, in milliseconds. */
  readonly fileMtimeMs: number | null
  readonly firstPrompt: string | null
  readonly summary: string | null
  readonly messageCount: number | null
  readonly createdAt: string | null
  readonly modifiedAt: string | null
  readonly gitBranch: string | null
  readonly projectPath: string | null
  readonly isSidechain: boolean | null
}

/** What a comparison needs to know of a session that is on disk. */
export interface SessionOnDisk {
  readonly sessionId: string
  readonly modifiedAtMs: number
  /** `null` when nobody counted. */
  readonly messageCount: number | null
}

/** How an index differs from the folder it stands in. */
export interface IndexComparison {
  readonly missingOnDisk: readonly IndexEntry[]
  readonly notInIndex: readonly SessionOnDisk[]
  readonly stale: readonly StaleEntry[]
}

/** An entry that no longer tells the truth, and about what. */
export interface StaleEntry {
  readonly entry: IndexEntry
  readonly differs: readonly ('fileMtime' | 'messageCount')[]
}

/** Reads the sessions index of a project folder; most have none. */
export function readSessionsIndex(projectFolder: string): Found<IndexEntry> {
  const warnings: Warning[] = []
  const path = join(projectFolder, 'sessions-index.json')
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

/** Compares an index with the sessions really there. */
export function compareIndex(
  entries: readonly IndexEntry[],
  sessionsOnDisk: readonly SessionOnDisk[],
): IndexComparison {
  const onDisk = new Map(sessionsOnDisk.map((session) => [session.sessionId, session]))
  const indexed = new Set(entries.map((entry) => entry.sessionId))
  return {
    missingOnDisk: entries.filter((entry) => !onDisk.has(entry.sessionId)),
    notInIndex: sessionsOnDisk.filter((session) => !indexed.has(session.sessionId)),
    stale: entries.flatMap((entry) => {
      const session = onDisk.get(entry.sessionId)
      const differs = session === undefined ? [] : differences(entry, session)
      return differs.length === 0 ? [] : [{ entry, differs }]
    }),
  }
}

function differences(entry: IndexEntry, session: SessionOnDisk): StaleEntry['differs'] {
  const { fileMtimeMs, messageCount } = entry
  // Some file systems and some clients keep fractions of a millisecond, others cut them off.
  const isMoved = fileMtimeMs !== null && Math.abs(fileMtimeMs - session.modifiedAtMs) >= 1
  const isRecounted = messageCount !== null && session.messageCount !== null && messageCount !== session.messageCount
  return [...(isMoved ? (['fileMtime'] as const) : []), ...(isRecounted ? (['messageCount'] as const) : [])]
}

function toEntry(row: JsonObject): IndexEntry[] {
  const sessionId = textAt(row, 'sessionId')
  if (sessionId === undefined) return []
  return [
    {
      sessionId,
      fullPath: textAt(row, 'fullPath') ?? null,
      fileMtimeMs: numberAt(row, 'fileMtime') ?? null,
      firstPrompt: textAt(row, 'firstPrompt') ?? null,
      summary: textAt(row, 'summary') ?? null,
      messageCount: numberAt(row, 'messageCount') ?? null,
      createdAt: textAt(row, 'created') ?? null,
      modifiedAt: textAt(row, 'modified') ?? null,
      gitBranch: textAt(row, 'gitBranch') ?? null,
      projectPath: textAt(row, 'projectPath') ?? null,
      isSidechain: booleanAt(row, 'isSidechain') ?? null,
    },
  ]
}
