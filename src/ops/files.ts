import { resolve } from 'node:path'
import { type Static, Type } from 'typebox'
import { isObject, type JsonObject, stringAt } from '../core/json.ts'
import type { Place } from '../core/place.ts'
import { fileOf, outcomeOf } from '../core/tool-call.ts'
import { type AnsweredCall, ToolFold } from '../core/tool-fold.ts'
import { type Backup, type Checkpoint, joinCheckpoints, listBackups } from '../disk/checkpoints.ts'
import type { SessionFiles } from '../disk/inventory.ts'
import type { LogFold } from '../disk/log-fold.ts'
import type { Found } from '../disk/small-file.ts'
import { type Context, defineOp } from './op.ts'
import { foldLogs } from './scan.ts'
import { isBelow } from './scope.ts'
import { NullableNumber, NullableString, placeFields, scopeInput } from './shapes.ts'

const TouchShape = Type.Object({
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

type Touch = Static<typeof TouchShape>

const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ['Read', 'read'],
  ['NotebookRead', 'read'],
  ['Write', 'write'],
  ['Edit', 'edit'],
  ['MultiEdit', 'edit'],
  ['NotebookEdit', 'edit'],
])

export const files = defineOp({
  name: 'files',
  summary: 'List the files that were written, edited or checkpointed, and by whom.',
  examples: ['annals files --session last', 'annals files src/auth', 'annals files --here --reads'],
  input: Type.Object({
    path: Type.Optional(Type.String({ description: 'Only this file, or files below this folder' })),
    session: Type.Optional(Type.String({ description: 'Only this session' })),
    ...scopeInput,
    reads: Type.Optional(Type.Boolean({ description: 'Also files that were only read' })),
  }),
  positional: ['path'],
  result: Type.Object({ items: Type.Array(TouchShape), total: Type.Integer() }),
  run(context, input) {
    const items: Touch[] = []
    const backups = openBackups(context, input.session !== undefined)
    foldLogs(context, input, fileFold, ({ touches, checkpoints }, { session, agent, entry }) => {
      const whose = { session: session.id, agent }
      for (const { path, operation, line, offset, length, ...touch } of touches) {
        const place = { file: entry.path, line, offset, length }
        items.push({ path, operation, ...whose, ...touch, version: null, backup: null, ...place })
      }
      const fileOfBackup = checkpoints.length > 0 ? backups(session) : undefined
      for (const { path, timestamp, version, backupFile, line, offset, length } of checkpoints) {
        const backup = (backupFile !== null && fileOfBackup?.get(backupFile)) || null
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
    const wanted = input.path === undefined ? undefined : resolve(context.cwd, input.path)
    const shown = items
      .filter((item) => input.reads || item.operation !== 'read')
      .filter((item) => wanted === undefined || isBelow(item.path, wanted) || item.path.endsWith(`/${input.path}`))
    shown.sort((a, b) => ((a.timestamp ?? '') < (b.timestamp ?? '') ? 1 : -1))
    return { items: shown, total: shown.length }
  },
})

/** The paths of backups by their names. Those of a root are listed at once where many sessions are asked for. */
function openBackups(context: Context, isOne: boolean): (session: SessionFiles) => ReadonlyMap<string, string> {
  const known = new Map<string, ReadonlyMap<string, Map<string, string>>>()
  return ({ root, id }) => {
    const sessions = known.get(root) ?? bySession(context, listBackups(root, isOne ? id : undefined))
    known.set(root, sessions)
    return sessions.get(id) ?? new Map()
  }
}

function bySession(context: Context, { items, warnings }: Found<Backup>): ReadonlyMap<string, Map<string, string>> {
  for (const warning of warnings) context.warn(warning)
  const sessions = new Map<string, Map<string, string>>()
  for (const { session, name, file } of items) {
    const names = sessions.get(session) ?? new Map<string, string>()
    sessions.set(session, names.set(name, file))
  }
  return sessions
}

/** The files that one log says were touched. */
const fileFold: LogFold<{
  readonly touches: readonly LogTouch[]
  readonly checkpoints: readonly LogCheckpoint[]
}> = {
  name: 'files 1',
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
