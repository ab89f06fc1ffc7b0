import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { fieldAt, type JsonObject, type JsonValue, numberAt, objectAt, textAt } from '../core/json.ts'
import type { Place } from '../core/place.ts'
import { attempt, type Found, isoTime, listFolder } from './small-file.ts'
import type { Warning } from './warning.ts'

/** A copy of a file as it was before an edit. */
export interface Backup {
  readonly session: string
  /** Its name, as checkpoint rows say it: `<hash>@v<version>`. */
  readonly name: string
  readonly hash: string
  readonly version: number
  readonly file: string
  readonly sizeBytes: number
  readonly modifiedAt: string | null
}

/** How one file stood when one prompt began: what rewinding to that prompt brings back. */
export interface Checkpoint {
  /** As the row says it: relative to the working folder, or absolute. */
  readonly path: string
  /** The real folder of the file, which newer clients note. */
  readonly parentDir: string | null
  readonly version: number | null
  /** Name of the backup; `null` when the file did not exist then. */
  readonly backupFile: string | null
  /** Whether that backup is on disk. */
  readonly exists: boolean
  /** Absolute path of the backup, if it is on disk. */
  readonly file: string | null
  /** The row that brought this: the prompt, or the assistant row that edited the file first. */
  readonly messageId: string | null
  readonly promptUuid: string
  /** Time of the checkpoint. */
  readonly timestamp: string | null
  /** When the copy was made. */
  readonly backedUpAt: string | null
  /** True when an earlier prompt of the session has the same version of the file. */
  readonly repeated: boolean
  readonly place: Place
}

/** The name under which the client files the backups of a path: the start of a SHA-256 over the absolute path. */
export function trackingHash(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16)
}

/** Lists the backups of a root, of all sessions or of one. */
export function listBackups(root: string, session?: string): Found<Backup> {
  const warnings: Warning[] = []
  const items = listFolder(join(root, 'file-history'), warnings)
    .filter((folder) => folder.kind === 'folder' && (session === undefined || folder.name === session))
    .flatMap((folder) =>
      listFolder(folder.path, warnings).flatMap((entry): Backup[] => {
        const [, hash, version] = /^([0-9a-f]{16})@v(\d+)$/.exec(entry.name) ?? []
        if (entry.kind !== 'file' || hash === undefined) return []
        const stats = attempt(entry.path, warnings, () => lstatSync(entry.path))
        if (stats === undefined) return []
        const { name, path: file } = entry
        const modifiedAt = isoTime(stats.mtimeMs)
        return [{ session: folder.name, name, hash, version: Number(version), file, sizeBytes: stats.size, modifiedAt }]
      }),
    )
  return { items, warnings }
}

/**
 * Joins the `file-history-snapshot` and `file-history-delta` rows of one session, in file order, to its backups. Gives
 * each file once per prompt, prompts in the order they are first met; rows of other types are passed over.
 */
export function joinCheckpoints(
  rows: Iterable<{ readonly raw: JsonObject; readonly place: Place }>,
  backups: readonly Backup[],
): readonly Checkpoint[] {
  const files = new Map(backups.map((backup) => [backup.name, backup.file]))
  const prompts = new Map<string, Map<string, Checkpoint>>()
  const versions = new Map<string, string>()
  for (const { raw, place } of rows) {
    for (const { promptUuid, path, backup, timestamp } of entriesOf(raw)) {
      const backupFile = fieldAt(backup, 'backupFileName')
      if (typeof backupFile !== 'string' && backupFile !== null) continue
      const version = numberAt(backup, 'version') ?? null
      const known = prompts.get(promptUuid) ?? new Map<string, Checkpoint>()
      prompts.set(promptUuid, known)
      // An update repeats what the prompt's snapshot already held; the row that said it first is the one to point at.
      const before = known.get(path)
      if (before !== undefined && before.version === version && before.backupFile === backupFile) continue
      const copy = JSON.stringify([path, version, backupFile])
      if (!versions.has(copy)) versions.set(copy, promptUuid)
      const file = backupFile === null ? null : (files.get(backupFile) ?? null)
      known.set(path, {
        path,
        parentDir: textAt(backup, 'realParentDir') ?? null,
        version,
        backupFile,
        exists: file !== null,
        file,
        messageId: textAt(raw, 'messageId') ?? null,
        promptUuid,
        timestamp: timestamp ?? null,
        backedUpAt: textAt(backup, 'backupTime') ?? null,
        repeated: versions.get(copy) !== promptUuid,
        place,
      })
    }
  }
  return [...prompts.values()].flatMap((known) => [...known.values()])
}

interface Entry {
  readonly promptUuid: string
  readonly path: string
  readonly backup: JsonValue | undefined
  readonly timestamp: string | undefined
}

function entriesOf(raw: JsonObject): readonly Entry[] {
  if (raw.type === 'file-history-delta') {
    const promptUuid = textAt(raw, 'snapshotMessageId') ?? textAt(raw, 'messageId')
    const path = textAt(raw, 'trackingPath')
    if (promptUuid === undefined || path === undefined) return []
    return [{ promptUuid, path, backup: fieldAt(raw, 'backup'), timestamp: textAt(raw, 'timestamp') }]
  }
  if (raw.type !== 'file-history-snapshot') return []
  const snapshot = objectAt(raw, 'snapshot')
  // In an update the row's own messageId is the assistant's; only the snapshot's names the prompt.
  const promptUuid = textAt(snapshot, 'messageId') ?? textAt(raw, 'messageId')
  if (promptUuid === undefined) return []
  const timestamp = textAt(snapshot, 'timestamp')
  const tracked = objectAt(snapshot, 'trackedFileBackups') ?? {}
  return Object.entries(tracked).map(([path, backup]) => ({ promptUuid, path, backup, timestamp }))
}
