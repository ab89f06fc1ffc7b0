import { resolve } from 'node:path'
import { type JsonObject, stringAt } from '../../core/json.ts'
import type { Place } from '../../core/log/place.ts'
import { type FileContent, type FileTouch, type Seen, textContent } from '../../core/tools/file-touch.ts'
import { FileTouchFold } from '../../core/tools/file-touches.ts'
import { type Checkpoint, joinCheckpoints, readBackups } from '../../disk/checkpoints.ts'
import type { SessionFiles } from '../../disk/inventory.ts'
import type { Library } from '../../disk/library.ts'
import { readLogFile } from '../../disk/log-file.ts'
import type { SourceEntry } from '../../disk/source.ts'
import type { Warning } from '../../disk/warning.ts'

/** A touch of a file in the order of time, over all logs of a session. */
export interface TimedTouch {
  readonly touch: FileTouch
  /** The tool, or `checkpoint`. */
  readonly tool: string
  readonly session: string
  readonly agent: string | null
  readonly uuid: string | null
  readonly toolUseId: string | null
  readonly timestamp: string | null
  readonly version: number | null
  readonly place: Place
  /** When it happened, in milliseconds: never before what stands above it in its log. */
  readonly time: number
}

/** Collects all that the logs of a session tell of a file, by its absolute path. */
export function timelineOf(
  library: Library,
  session: SessionFiles,
  path: string,
  warn: (warning: Warning) => void,
): readonly TimedTouch[] {
  const main = session.log ? readTouches(library, session.log, path, { session: session.id, agent: null }) : undefined
  const agents = session.agents.flatMap(({ id, log }) =>
    log ? inTime(readTouches(library, log, path, { session: session.id, agent: id }).touches) : [],
  )
  const checkpoints = main ? checkpointTouches(library, session.id, path, main, warn) : []
  return [...inTime([...checkpoints, ...(main?.touches ?? [])]), ...agents].sort((a, b) => a.time - b.time)
}

/** A touch as its log tells of it. */
export type Untimed = Omit<TimedTouch, 'time'>

interface LogTouches extends SnapshotRows {
  readonly touches: readonly Untimed[]
}

/** What checkpoints are known by. */
export interface SnapshotRows {
  /** Rows of checkpoints, and where other rows stand, by uuid. */
  readonly snapshots: readonly { readonly raw: JsonObject; readonly place: Place }[]
  readonly rows: ReadonlyMap<string, { readonly place: Place; readonly timestamp: string | null }>
  readonly cwd: string | null
}

function readTouches(
  library: Library,
  entry: SourceEntry,
  path: string,
  whose: Pick<TimedTouch, 'session' | 'agent'>,
): LogTouches {
  const fold = new FileTouchFold(path)
  const snapshots: { raw: JsonObject; place: Place }[] = []
  const rows = new Map<string, { place: Place; timestamp: string | null }>()
  let cwd: string | null = null
  readLogFile(library.source, entry, {
    record(record) {
      const { raw, place } = record
      cwd ??= stringAt(raw, 'cwd') ?? null
      const uuid = stringAt(raw, 'uuid')
      if (uuid !== undefined && !rows.has(uuid))
        rows.set(uuid, { place, timestamp: stringAt(raw, 'timestamp') ?? null })
      if (record.type === 'file-history-snapshot' || record.type === 'file-history-delta') snapshots.push(record)
      else fold.add(record)
    },
  })
  const touches = fold.touches().map(({ touch, tool, toolUseId, uuid, timestamp, place }) => {
    return { touch, tool, ...whose, uuid, toolUseId, timestamp, version: null, place }
  })
  return { touches, snapshots, rows, cwd }
}

/** A checkpoint shows the file as it stood at the row it is named after: a prompt, or the call that was about to change it. */
export function checkpointTouches(
  library: Library,
  session: string,
  path: string,
  { snapshots, rows, cwd }: SnapshotRows,
  warn: (warning: Warning) => void,
): readonly Untimed[] {
  const warnings: Warning[] = []
  const isSame = (one: Checkpoint) => (cwd === null ? one.path : resolve(cwd, one.path)) === path
  const checkpoints = joinCheckpoints(snapshots).filter(isSame)
  const names = new Set(checkpoints.flatMap(({ backupFile }) => backupFile ?? []))
  const copies = names.size > 0 ? readBackups(library.beside, session, names, warnings) : new Map()
  for (const warning of warnings) warn(warning)
  return checkpoints.map(({ backupFile, messageId, promptUuid, timestamp, version, place }) => {
    const anchor = messageId === null ? undefined : rows.get(messageId)
    const content: Seen = backupFile === null ? null : decoded(copies.get(backupFile))
    return {
      touch: { kind: 'checkpoint', content, isAtChange: messageId !== promptUuid },
      tool: 'checkpoint',
      session,
      agent: null,
      uuid: anchor ? messageId : null,
      toolUseId: null,
      timestamp: anchor?.timestamp ?? timestamp,
      version,
      place: anchor?.place ?? place,
    }
  })
}

/** The content of a file by its bytes. */
export function contentOf(bytes: Uint8Array): FileContent {
  try {
    // A byte order mark belongs to the file.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    if (!text.includes('\0')) return textContent(text)
  } catch {
    // No text: below.
  }
  return { text: Buffer.from(bytes).toString('base64'), isBase64: true }
}

function decoded(bytes: Uint8Array | undefined): Seen {
  return bytes && contentOf(bytes)
}

/** Orders the touches of one log as they stand in it, whatever their clock said. */
export function inTime<T extends Untimed>(touches: readonly T[]): readonly (T & TimedTouch)[] {
  let time = Number.NEGATIVE_INFINITY
  return touches
    .toSorted((a, b) => a.place.offset - b.place.offset)
    .map((touch) => {
      const said = Date.parse(touch.timestamp ?? '')
      if (said > time) time = said
      return { ...touch, time }
    })
}
