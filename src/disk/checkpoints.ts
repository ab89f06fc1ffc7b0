import { fieldAt, type JsonObject, type JsonValue, numberAt, objectAt, textAt } from '../core/json.ts'
import type { Place } from '../core/log/place.ts'
import { bytesOf, type FileBeside, filesBeside, type OpenFiles } from './source-file.ts'
import type { Warning } from './warning.ts'

/** A copy of a file as it was before an edit. */
export interface Backup {
  readonly root: string
  readonly session: string
  /** Its name, as checkpoint rows say it: `<hash>@v<version>`. */
  readonly name: string
  readonly file: string
}

/** How one file stood when one prompt began: what rewinding to that prompt brings back. */
export interface Checkpoint {
  /** As the row says it: relative to the working folder, or absolute. */
  readonly path: string
  readonly version: number | null
  /** Name of the backup; `null` when the file did not exist then. */
  readonly backupFile: string | null
  /** The row that brought this: the prompt, or the assistant row that edited the file first. */
  readonly messageId: string | null
  readonly promptUuid: string
  /** Time of the checkpoint. */
  readonly timestamp: string | null
  /** True when an earlier prompt of the session has the same version of the file. */
  readonly repeated: boolean
  readonly place: Place
}

/** Lists the backups of some roots. */
export function listBackups(open: OpenFiles): readonly Backup[] {
  return filesBeside(open, isBackupOf(undefined), ({ entry, parts }) => {
    const [, session = '', name = ''] = parts
    return [{ root: entry.root, session, name, file: entry.path }]
  })
}

/** The bytes of some backups of a session, by their names; those that are gone are left out. */
export function readBackups(
  open: OpenFiles,
  session: string,
  names: ReadonlySet<string>,
  warnings: Warning[],
): ReadonlyMap<string, Uint8Array> {
  const isWanted = (path: string) =>
    isBackupOf(session)(path) && (path.endsWith('/') || names.has(path.split('/')[2] ?? ''))
  const read = (beside: FileBeside): [string, Uint8Array][] => {
    const bytes = bytesOf(beside, warnings)
    return bytes ? [[beside.parts[2] ?? '', bytes]] : []
  }
  return new Map(filesBeside(open, isWanted, read))
}

/** The start of a SHA-256 over the absolute path, and which copy of it this is. */
const BACKUP = /^[0-9a-f]{16}@v\d+$/

/** A test for the paths of backups: of all sessions, or of one. */
export function isBackupOf(session: string | undefined): (path: string) => boolean {
  return (path) => {
    const [top, folder, name] = path.split('/')
    if (top !== 'file-history' || folder === undefined) return false
    if (folder !== '' && session !== undefined && folder !== session) return false
    return name === undefined ? folder === '' : name === '' || BACKUP.test(name)
  }
}

/**
 * Joins the `file-history-snapshot` and `file-history-delta` rows of one session, in file order. Gives each file once per
 * prompt, prompts in the order they are first met; rows of other types are passed over.
 */
export function joinCheckpoints(
  rows: Iterable<{ readonly raw: JsonObject; readonly place: Place }>,
): readonly Checkpoint[] {
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
      known.set(path, {
        path,
        version,
        backupFile,
        messageId: textAt(raw, 'messageId') ?? null,
        promptUuid,
        timestamp: timestamp ?? null,
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
