import { resolve } from 'node:path'
import { type Static, Type } from 'typebox'
import { isObject, type JsonObject, stringAt } from '../core/json.ts'
import type { Place } from '../core/place.ts'
import { fileOf, outcomeOf } from '../core/tool-call.ts'
import { type AnsweredCall, ToolFold } from '../core/tool-fold.ts'
import { type Checkpoint, joinCheckpoints, listBackups } from '../disk/checkpoints.ts'
import type { Context } from './op.ts'
import { foldLogs, type LogFold } from './scan.ts'
import { isBelow, type ScopeInput } from './scope.ts'
import { NullableNumber, NullableString, placeFields } from './shapes.ts'

/** A file that was touched, and where a log tells of it. */
export const TouchShape = Type.Object({
  path: Type.String(),
  operation: Type.String({ description: 'read, write, edit or checkpoint' }),
  session: Type.String(),
  agent: NullableString,
  timestamp: NullableString,
  toolUseId: NullableString,
  isError: Type.Union([Type.Boolean(), Type.Null()]),
  added: NullableNumber,
  removed: NullableNumber,
  version: NullableNumber,
  backup: NullableString,
  ...placeFields,
})

export type Touch = Static<typeof TouchShape>

const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ['Read', 'read'],
  ['NotebookRead', 'read'],
  ['Write', 'write'],
  ['Edit', 'edit'],
  ['MultiEdit', 'edit'],
  ['NotebookEdit', 'edit'],
])

/** Whose touches are listed. */
export interface TouchInput extends ScopeInput {
  readonly path?: string | undefined
  readonly session?: string | undefined
}

/** Lists what logs say was done to files, the newest first. */
export function listTouches(context: Context, input: TouchInput): readonly Touch[] {
  const items: Touch[] = []
  const backups = openBackups(context)
  foldLogs(context, input, fileFold, ({ touches, checkpoints }, { session, agent, entry }) => {
    const whose = { session: session.id, agent }
    for (const { path, operation, line, offset, length, ...touch } of touches) {
      const place = { file: entry.path, line, offset, length }
      items.push({ path, operation, ...whose, ...touch, version: null, backup: null, ...place })
    }
    for (const { path, timestamp, version, backupFile, line, offset, length } of checkpoints) {
      const backup = backupFile === null ? null : (backups(session.root, session.id, backupFile) ?? null)
      items.push({
        path,
        operation: 'checkpoint',
        session: session.id,
        agent: null,
        timestamp,
        toolUseId: null,
        isError: backupFile === null ? null : backup === null,
        added: null,
        removed: null,
        version,
        backup,
        ...{ file: entry.path, line, offset, length },
      })
    }
  })
  const { path } = input
  const wanted = path === undefined ? undefined : resolve(context.cwd, path)
  return items
    .filter((item) => wanted === undefined || isBelow(item.path, wanted) || item.path.endsWith(`/${path}`))
    .sort(newestFirst)
}

/** A session that was copied has the same times: then the order of the files and of their rows decides. */
function newestFirst(a: Touch, b: Touch): number {
  if (a.timestamp !== b.timestamp) return (a.timestamp ?? '') < (b.timestamp ?? '') ? 1 : -1
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return b.offset - a.offset
}

/** The paths of backups by their names, listed when one is first asked for. */
function openBackups({ library }: Context): (root: string, session: string, name: string) => string | undefined {
  let files: ReadonlyMap<string, string> | undefined
  const keyOf = (root: string, session: string, name: string) => JSON.stringify([root, session, name])
  return (root, session, name) => {
    files ??= new Map(listBackups(library.beside).map((one) => [keyOf(one.root, one.session, one.name), one.file]))
    return files.get(keyOf(root, session, name))
  }
}

/** The files that one log says were touched. */
const fileFold: LogFold<{
  readonly touches: readonly LogTouch[]
  readonly checkpoints: readonly LogCheckpoint[]
}> = {
  begin() {
    const fold = new ToolFold((name) => OPERATIONS.has(name))
    const snapshots: { raw: JsonObject; place: Place }[] = []
    let cwd: string | null = null
    return {
      record(record) {
        cwd ??= stringAt(record.raw, 'cwd') ?? null
        if (record.type === 'file-history-snapshot' || record.type === 'file-history-delta') snapshots.push(record)
        else fold.add(record)
      },
      end: () => ({ touches: fold.calls().flatMap(touchOf), checkpoints: checkpointsOf(snapshots, cwd) }),
    }
  },
}

type LogPlace = Omit<Place, 'file'>

type LogTouch = LogPlace &
  Pick<Touch, 'path' | 'operation' | 'timestamp' | 'toolUseId' | 'isError' | 'added' | 'removed'>

interface LogCheckpoint extends LogPlace, Pick<Checkpoint, 'path' | 'timestamp' | 'version' | 'backupFile'> {}

function touchOf(call: AnsweredCall): readonly LogTouch[] {
  const path = fileOf(call.input)
  if (path === null) return []
  const { patch } = outcomeOf(call.name, call.id, call.timestamp, call.answer)
  const changed = patch ?? writtenLines(call)
  const lines = changed?.flatMap((hunk) => hunk.lines)
  return [
    {
      path,
      operation: OPERATIONS.get(call.name) ?? 'edit',
      timestamp: call.timestamp,
      toolUseId: call.id,
      isError: call.answer ? call.isError : null,
      added: lines ? lines.filter((line) => line.startsWith('+')).length : null,
      removed: lines ? lines.filter((line) => line.startsWith('-')).length : null,
      ...inLog(call.place),
    },
  ]
}

/** A new file has no patch: all its lines were added. */
function writtenLines({ name, input, answer, isError }: AnsweredCall) {
  const result = answer?.toolUseResult
  const content = stringAt(input, 'content')
  const isNew = name === 'Write' && !isError && isObject(result) && stringAt(result, 'type') === 'create'
  if (!isNew || content === undefined) return undefined
  return [
    {
      lines: content
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => `+${line}`),
    },
  ]
}

/** Each version of a file once. Whether its backup is still there is seen when it is asked for. */
function checkpointsOf(
  rows: readonly { raw: JsonObject; place: Place }[],
  cwd: string | null,
): readonly LogCheckpoint[] {
  return joinCheckpoints(rows, [])
    .filter((checkpoint) => !checkpoint.repeated)
    .map(({ path, timestamp, version, backupFile, place }) => ({
      path: cwd === null ? path : resolve(cwd, path),
      timestamp,
      version,
      backupFile,
      ...inLog(place),
    }))
}

function inLog({ line, offset, length }: Place): LogPlace {
  return { line, offset, length }
}
