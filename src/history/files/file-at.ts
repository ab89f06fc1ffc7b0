import { Failure } from '../../core/failure.ts'
import { type Static, Type } from '../../core/schema.ts'
import type { Seen } from '../../core/tools/file-touch.ts'
import { type FileState, fileStates } from '../../core/tools/file-versions.ts'
import { isBackupOf } from '../../disk/checkpoints.ts'
import { readWhole } from '../../state/private-file.ts'
import type { Context } from '../context.ts'
import { historyOf } from '../history.ts'
import { openSession } from '../open.ts'
import { pointIn } from '../point.ts'
import type { ScopeInput } from '../scope.ts'
import { NullableNumber, NullableString, nullable, PlaceShape } from '../shapes.ts'
import { saidOf } from './doubts.ts'
import { contentOf, type TimedTouch, timelineOf } from './timeline.ts'
import { listTouches, type Touch } from './touches.ts'
import { touchesUntil, turnsOf } from './until.ts'
import { touchedFile } from './which-file.ts'

/** A file at one point. */
const fields = {
  at: Type.Object({
    turn: NullableNumber,
    uuid: NullableString,
    timestamp: NullableString,
    isDisk: Type.Boolean('True for the file as it is on the disk now'),
  }),
  exists: Type.Union([Type.Boolean(), Type.Null()], 'Null where it is not known'),
  text: nullable(Type.String('Null where there is no file, or where it is not known')),
  base64: Type.Boolean('The content is base64: the file is not text'),
  source: nullable(
    Type.String('Where it is known from: write, edit, read, checkpoint, found (as a later edit found it), or disk'),
  ),
  confidence: Type.String('confirmed (seen before and after), recorded (as last recorded), doubtful, or none'),
  unknown: Type.Array(Type.String(), 'What could not be known, in sentences'),
  told: nullable(PlaceShape),
}

export const FileAtShape = Type.Object(fields)

export const FileVersionShape = Type.Object({
  ...fields,
  number: Type.Integer('Counted from 0: the file before the session touched it'),
  operation: Type.String(),
  agent: NullableString,
  toolUseId: NullableString,
})

export type FileAt = Static<typeof FileAtShape>
type FileVersion = Static<typeof FileVersionShape>

/** Everything that is recorded of one file in one session. */
export interface FileHistory {
  readonly path: string
  readonly session: string
  /** As it was at a point: a turn, a uuid, `disk` for now, the end of the session without one. */
  at(asked: string | undefined): FileAt
  /** Every version, the oldest first. */
  versions(): FileVersion[]
  /** The touch that tells of a version, as lists have it. */
  touchAt(place: FileAt['told']): Touch[]
}

/** Opens the history of a file: of the session that is named, else of the newest that touched it. */
export async function openFileHistory(
  context: Context,
  input: ScopeInput & { readonly path: string; readonly session?: string | undefined },
): Promise<FileHistory> {
  const touches = await listTouches(context, input)
  const path = touchedFile(
    context.cwd,
    input.path,
    touches.map((touch) => touch.path),
  )
  const own = touches.filter((touch) => touch.path === path)
  const newest = own.find(({ operation }) => operation !== 'read') ?? (own[0] as Touch)
  const opened = await openSession(context, input.session ?? newest.session)
  await historyOf(context).fetchBeside(isBackupOf(opened.files.id))
  const timeline = timelineOf(opened.library, opened.files, path, context.warn)
  const states = fileStates(timeline.map(({ touch }) => touch))
  const show = (state: FileState, at: FileAt['at']): FileAt =>
    shown(state, at, timeline, opened.conversation.entry.path)
  return {
    path,
    session: opened.files.id,
    at(asked) {
      if (asked === 'disk') return onDisk(context, path)
      if (asked === undefined || asked === 'end') return show(states.at(-1) as FileState, END)
      const point = pointIn(opened, asked)
      const { turn, uuid, timestamp } = point
      return show(states[touchesUntil(timeline, point)] as FileState, { turn, uuid, timestamp, isDisk: false })
    },
    versions: () => versionsOf(timeline, states, turnsOf(opened), show),
    touchAt: (place) => {
      const timed = timeline.find((one) => one.place === place)
      return own.filter((touch) => touch.session === opened.files.id && timed && isOf(touch, timed))
    },
  }
}

function isOf({ operation, toolUseId, version }: Touch, timed: TimedTouch): boolean {
  return timed.toolUseId === null
    ? operation === 'checkpoint' && version === timed.version
    : toolUseId === timed.toolUseId
}

const END: FileAt['at'] = { turn: null, uuid: null, timestamp: null, isDisk: false }

/** A state as it is told; `log` is the log whose lines need no further name. */
export function shown(state: FileState, at: FileAt['at'], timeline: readonly TimedTouch[], log: string): FileAt {
  const told = state.from === null ? undefined : timeline[state.from]
  const isFound = state.doubts.some(({ code }) => code === 'found-later')
  return {
    at,
    ...contentFields(state.content),
    source: told ? (isFound && told.touch.kind !== 'read' ? 'found' : told.touch.kind) : null,
    confidence: state.confidence,
    unknown: saidOf(state, timeline, log),
    told: told?.place ?? null,
  }
}

function contentFields(content: Seen): Pick<FileAt, 'exists' | 'text' | 'base64'> {
  if (!content) return { exists: content === null ? false : null, text: null, base64: false }
  return { exists: true, text: content.text, base64: content.isBase64 }
}

/** What stands at the path of a log may be anything: it is read for the person at this machine only. */
function onDisk(context: Context, path: string): FileAt {
  if (context.rootsOnly) throw new Failure('BAD_INPUT', 'The file on disk is read from the command line only.')
  const bytes = readWhole(path)
  return {
    at: { turn: null, uuid: null, timestamp: null, isDisk: true },
    ...contentFields(bytes ? contentOf(bytes) : null),
    source: 'disk',
    confidence: 'confirmed',
    unknown: [],
    told: null,
  }
}

/** The states that differ from the one before, the first included. */
function versionsOf(
  timeline: readonly TimedTouch[],
  states: readonly FileState[],
  turnOf: (touch: TimedTouch) => number | null,
  show: (state: FileState, at: FileAt['at']) => FileAt,
): FileVersion[] {
  const versions: FileVersion[] = []
  states.forEach((state, i) => {
    const touch = timeline[i - 1]
    const at = {
      turn: touch ? turnOf(touch) : 0,
      uuid: touch?.uuid ?? null,
      timestamp: touch?.timestamp ?? null,
      isDisk: false,
    }
    const version = show(state, at)
    const last = versions.at(-1)
    const isSame =
      last && last.text === version.text && last.exists === version.exists && last.base64 === version.base64
    if (isSame) return
    versions.push({
      ...version,
      number: versions.length,
      operation: touch ? touch.tool.toLowerCase() : 'start',
      agent: touch?.agent ?? null,
      toolUseId: touch?.toolUseId ?? null,
    })
  })
  return versions
}

/** The bytes of a file as it was; fails where there was none, or where they are not known. */
export function fileBytes({ text, base64, exists, unknown }: FileAt): Uint8Array {
  if (text !== null) return Buffer.from(text, base64 ? 'base64' : 'utf8')
  const message = exists === false ? 'The file did not exist at that point.' : 'Its content at that point is not known.'
  const hint = unknown.join(' ') || 'See its versions: annals files <path> --versions'
  throw new Failure('NOT_FOUND', message, { hint })
}
