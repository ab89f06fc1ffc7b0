import { resolve } from 'node:path'
import { NO_NOTE, noteIn } from '../../core/facts/call-rows.ts'
import { fieldAt, type JsonObject } from '../../core/json.ts'
import type { Place } from '../../core/log/place.ts'
import { type Static, Type } from '../../core/schema.ts'
import { isoText, timeOf } from '../../core/time.ts'
import { fileOf } from '../../core/tools/tool-call.ts'
import { type AnsweredCall, ToolFold } from '../../core/tools/tool-fold.ts'
import { type Checkpoint, joinCheckpoints, listBackups } from '../../disk/checkpoints.ts'
import type { KnownCall } from '../../index/queries/calls.ts'
import type { Context } from '../context.ts'
import { historyOf } from '../history.ts'
import { foldLogs, type LogFold, logsOf } from '../scan.ts'
import { isBelow, type ScopeInput } from '../scope.ts'
import { NullableNumber, NullableString, placeFields } from '../shapes.ts'

/** A file that was touched, and where a log tells of it. */
export const TouchShape = Type.Object({
  path: Type.String(),
  operation: Type.String('read, write, edit or checkpoint'),
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
export async function listTouches(context: Context, input: TouchInput): Promise<readonly Touch[]> {
  const items: Touch[] = []
  const backups = openBackups(context)
  // Of all sessions the index knows what was touched: only checkpoints are read.
  const history = historyOf(context)
  const calls =
    input.session === undefined
      ? await (await history.refresh('calls', context.progress)).calls.byLog({ tools: FILE_TOOLS })
      : undefined
  const cwds = await readCwds(context, input)
  await foldLogs(context, input, { kinds: ['checkpoint'] }, fileFold, (found, { session, agent, entry }) => {
    const whose = { session: session.id, agent }
    const touches = calls ? (calls.get(entry.path) ?? []).flatMap(knownTouch) : found.touches
    for (const { path, operation, line, offset, length, ...touch } of touches) {
      const place = { file: entry.path, line, offset, length }
      items.push({ path, operation, ...whose, ...touch, version: null, backup: null, ...place })
    }
    const cwd = cwds.get(entry.path) ?? null
    for (const { path, timestamp, version, backupFile, line, offset, length } of checkpointsOf(found.snapshots, cwd)) {
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

/** Working folders by the path of the log. */
async function readCwds(context: Context, input: TouchInput): Promise<ReadonlyMap<string, string | null>> {
  const logs = input.session === undefined ? undefined : await logsOf(context, input)
  const queries = await historyOf({ ...context, library: logs?.[0]?.library ?? context.library }).refresh()
  const notes = await queries.sessions.logs(logs?.map(({ entry }) => entry.path))
  return new Map(notes.map(({ path, cwd }) => [path, cwd]))
}

/** A session that was copied has the same times: then the order of the files and of their rows decides. */
function newestFirst(a: Touch, b: Touch): number {
  if (a.timestamp !== b.timestamp) return (a.timestamp ?? '') < (b.timestamp ?? '') ? 1 : -1
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return b.offset - a.offset || ((a.toolUseId ?? '') < (b.toolUseId ?? '') ? -1 : 1)
}

/** The paths of backups by their names, listed when one is first asked for. */
function openBackups({ library }: Context): (root: string, session: string, name: string) => string | undefined {
  let files: ReadonlyMap<string, string> | undefined
  const keyOf = (root: string, session: string, name: string) => JSON.stringify([root, session, name])
  return (root, session, name) => {
    files ??= new Map(
      (library.isRootless ? [] : listBackups(library.beside)).map((one) => [
        keyOf(one.root, one.session, one.name),
        one.file,
      ]),
    )
    return files.get(keyOf(root, session, name))
  }
}

const FILE_TOOLS = [...OPERATIONS.keys()]

/** The files that one log says were touched, and its rows of checkpoints. */
const fileFold: LogFold<{
  readonly touches: readonly LogTouch[]
  readonly snapshots: readonly { readonly raw: JsonObject; readonly place: Place }[]
}> = {
  begin() {
    const fold = new ToolFold((name) => OPERATIONS.has(name))
    const snapshots: { raw: JsonObject; place: Place }[] = []
    return {
      record(record) {
        if (record.type === 'file-history-snapshot' || record.type === 'file-history-delta') snapshots.push(record)
        else fold.add(record)
      },
      end: () => ({ touches: fold.calls().flatMap(touchOf), snapshots }),
    }
  },
}

type LogPlace = Omit<Place, 'file'>

type LogTouch = LogPlace &
  Pick<Touch, 'path' | 'operation' | 'timestamp' | 'toolUseId' | 'isError' | 'added' | 'removed'>

interface LogCheckpoint extends LogPlace, Pick<Checkpoint, 'path' | 'timestamp' | 'version' | 'backupFile'> {}

function touchOf({ id, name, input, timestamp, answer, isError, place }: AnsweredCall): readonly LogTouch[] {
  const path = fileOf(input)
  if (path === null) return []
  const { added, removed } = answer ? noteIn(fieldAt(answer, 'toolUseResult'), isError) : NO_NOTE
  return [
    {
      path,
      operation: OPERATIONS.get(name) ?? 'edit',
      timestamp: timeOf(timestamp ?? '') ?? null,
      toolUseId: id,
      isError: answer ? isError : null,
      added,
      removed,
      ...inLog(place),
    },
  ]
}

/** The same of a call that the index knows. */
function knownTouch({ id, tool, path, made, answer }: KnownCall): readonly LogTouch[] {
  if (path === null || made === null) return []
  const { timeMs, line, offset, length } = made
  return [
    {
      path,
      operation: OPERATIONS.get(tool) ?? 'edit',
      timestamp: timeMs === null ? null : isoText(timeMs),
      toolUseId: id,
      isError: answer?.isError ?? null,
      added: answer?.added ?? null,
      removed: answer?.removed ?? null,
      line,
      offset,
      length,
    },
  ]
}

/** Each version of a file once. Whether its backup is still there is seen when it is asked for. */
function checkpointsOf(
  rows: readonly { raw: JsonObject; place: Place }[],
  cwd: string | null,
): readonly LogCheckpoint[] {
  return joinCheckpoints(rows)
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
