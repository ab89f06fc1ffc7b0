import { resolve } from 'node:path'
import { type Static, Type } from 'typebox'
import { isObject, type JsonObject, stringAt } from '../core/json.ts'
import type { Place } from '../core/place.ts'
import { fileOf, outcomeOf } from '../core/tool-call.ts'
import { type AnsweredCall, ToolFold } from '../core/tool-fold.ts'
import { joinCheckpoints, listBackups } from '../disk/checkpoints.ts'
import { type Context, defineOp } from './op.ts'
import { type ScannedLog, scanLogs } from './scan.ts'
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
    scanLogs(context, input, (log) => {
      const fold = new ToolFold((name) => OPERATIONS.has(name))
      const snapshots: { raw: JsonObject; place: Place }[] = []
      let cwd: string | null = null
      return {
        record: (record) => {
          cwd ??= stringAt(record.raw, 'cwd') ?? null
          if (record.type === 'file-history-snapshot' || record.type === 'file-history-delta') snapshots.push(record)
          else fold.add(record)
        },
        end: () => {
          for (const call of fold.calls()) items.push(...touchOf(log, call))
          if (snapshots.length > 0) items.push(...checkpointsOf(context, log, snapshots, cwd))
        },
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

function touchOf({ session, agent }: ScannedLog, call: AnsweredCall): readonly Touch[] {
  const path = fileOf(call.input)
  if (path === null) return []
  const { patch } = outcomeOf(call.name, call.id, call.timestamp, call.answer)
  const changed = patch ?? writtenLines(call)
  const lines = changed?.flatMap((hunk) => hunk.lines)
  return [
    {
      path,
      operation: OPERATIONS.get(call.name) ?? 'edit',
      session: session.id,
      agent,
      timestamp: call.timestamp,
      toolUseId: call.id,
      isError: call.answer ? call.isError : null,
      added: lines ? lines.filter((line) => line.startsWith('+')).length : null,
      removed: lines ? lines.filter((line) => line.startsWith('-')).length : null,
      version: null,
      backup: null,
      ...call.place,
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

function checkpointsOf(
  context: Context,
  { session }: ScannedLog,
  rows: readonly { raw: JsonObject; place: Place }[],
  cwd: string | null,
): readonly Touch[] {
  const { items: backups, warnings } = listBackups(session.root, session.id)
  for (const warning of warnings) context.warn(warning)
  return joinCheckpoints(rows, backups)
    .filter((checkpoint) => !checkpoint.repeated)
    .map((checkpoint) => ({
      path: cwd === null ? checkpoint.path : resolve(cwd, checkpoint.path),
      operation: 'checkpoint',
      session: session.id,
      agent: null,
      timestamp: checkpoint.timestamp,
      toolUseId: null,
      isError: checkpoint.backupFile === null ? null : !checkpoint.exists,
      added: null,
      removed: null,
      version: checkpoint.version,
      backup: checkpoint.file,
      ...checkpoint.place,
    }))
}
