import { EditedContent } from '../../core/tools/edited-content.ts'
import type { FileTouch } from '../../core/tools/file-touch.ts'
import { isBackupOf } from '../../disk/checkpoints.ts'
import type { Library } from '../../disk/library.ts'
import type { SourceEntry } from '../../disk/source.ts'
import type { FileCall } from '../../index/queries/file-calls.ts'
import type { Context } from '../context.ts'
import { historyOf } from '../history.ts'
import { placesIn, readRows } from '../scan.ts'
import { touchOfCall } from './call-touch.ts'
import { copiesOf, lineageOf, readMoves, type Segment, type TimedMove } from './lineage.ts'
import { onceEach } from './once-each.ts'
import { checkpointTouches, inTime, type SnapshotRows, type TimedTouch, type Untimed } from './timeline.ts'

/** A touch of a file over all sessions. */
export interface RecordedTouch extends TimedTouch {
  /** Which copy of the file: 0 is the one that was asked for, others lie in other working folders of its repository. */
  readonly copy: number
  /** Where it was then. */
  readonly path: string
  /** The call, where it was one. */
  readonly call: FileCall | undefined
}

/** What all logs together tell of files. Opened once, it answers for many. */
export interface RecordedFiles {
  /** The paths of all files that calls touched. */
  readonly paths: readonly string[]
  /** When a call first touched one of some files. */
  firstCall(isWanted: (path: string) => boolean): Date | undefined
  /** All that is recorded of a file, in the order of time, over its sessions, agents and worktrees, through moves. */
  touches(path: string): Promise<readonly RecordedTouch[]>
}

const TOOLS = ['Read', 'Write', 'Edit', 'MultiEdit', 'NotebookEdit']

/** Opens what all logs tell of files, when the index is up to date. */
export async function openRecordedFiles(context: Context): Promise<RecordedFiles> {
  const history = historyOf(context)
  const queries = await history.refresh('calls', context.progress)
  const { library } = context
  const touched = await queries.calls.touchedFiles(TOOLS)
  const paths = touched.map(({ path }) => path)
  const isTouched = new Set(paths)
  const entries = library.entries()
  const logs = new Map((await queries.sessions.logs()).map((log) => [log.path, log]))
  const snapshots = await queries.calls.rows({ kinds: ['checkpoint'] })
  let moves: readonly TimedMove[] | undefined
  const whose = ({ log }: FileCall) => ({ session: logs.get(log.path)?.session ?? log.session, agent: log.agent })

  function touchesAt(segment: Segment, copy: number, calls: readonly FileCall[]): readonly RecordedTouch[] {
    const { path, from, until } = segment
    const own = calls.filter((call) => call.path === path)
    const read = readCalls(library, entries, own)
    const touches: (Untimed & { readonly call: FileCall | undefined })[] = read.map((touch) => {
      return { ...touch, ...whose(touch.call), version: null }
    })
    // Every log that has such a call may have copied the file, also one that only repeats the call.
    for (const log of new Map(own.map((call) => [call.log.path, call])).values()) {
      const { path: file, agent } = log.log
      const entry = entries.get(file)
      const places = snapshots.get(file)
      if (!entry || !places || agent !== null) continue
      const rows = readRows(library.source, entry, places)
      const cwd = logs.get(file)?.cwd ?? null
      const known = { snapshots: rows, rows: NO_ROWS, cwd }
      const copied = checkpointTouches(library, whose(log).session, path, known, context.warn)
      touches.push(...copied.map((one) => ({ ...one, call: undefined })))
    }
    const files = [...new Set(touches.map(({ place }) => place.file))]
    const timed = files.flatMap((file) => inTime(touches.filter(({ place }) => place.file === file)))
    const within = timed.filter(({ time }) => time >= from && time < until)
    const moved = segment.move ? [moveTouch(segment.move, { kind: 'move' })] : []
    const removed = segment.removals.map((move) => moveTouch(move, { kind: 'remove' }))
    return [...moved, ...within, ...removed].map((touch) => ({ ...touch, copy, path }))
  }

  function moveTouch({ call, time }: TimedMove, touch: FileTouch) {
    const { line, offset, length } = call.answer ?? { line: 0, offset: 0, length: 0 }
    const place = { file: call.log.path, line, offset, length }
    const timestamp = new Date(time).toISOString()
    const told = { uuid: null, toolUseId: call.id, timestamp, version: null, place, time, call }
    return { touch, tool: call.tool, ...whose(call), ...told }
  }

  const read = new Map<string, readonly RecordedTouch[]>()
  return {
    paths,
    firstCall: (isWanted) => {
      const times = touched.flatMap(({ path, firstMs }) => (firstMs !== null && isWanted(path) ? firstMs : []))
      return times.length === 0 ? undefined : new Date(times.reduce((first, time) => Math.min(first, time)))
    },
    async touches(path) {
      const known = read.get(path) ?? (await readAll(path))
      read.set(path, known)
      return known
    },
  }

  async function readAll(path: string): Promise<readonly RecordedTouch[]> {
    moves ??= await readMoves(history)
    const known = moves
    const lineages = copiesOf(path, paths).map((copy) => lineageOf(copy, known, (one) => isTouched.has(one)))
    const wanted = [...new Set(lineages.flat().map((segment) => segment.path))]
    const calls = onceEach(await queries.calls.onFiles({ tools: TOOLS, paths: wanted }))
    const called = new Map(calls.map((call) => [call.log.path, call]))
    await history.fetchRecords([
      ...calls.flatMap(({ log, made, answer }) =>
        [made, answer].flatMap((row) => placesIn(log.path, row ? [row] : [])),
      ),
      ...[...called.keys()].flatMap((file) => placesIn(file, snapshots.get(file))),
    ])
    const isBackup = [...called.values()].map((call) => isBackupOf(whose(call).session))
    await history.fetchBeside((file) => isBackup.some((isOne) => isOne(file)))
    return lineages
      .flatMap((segments, copy) => segments.toReversed().flatMap((segment) => touchesAt(segment, copy, calls)))
      .sort((a, b) => a.time - b.time)
  }
}

const NO_ROWS: SnapshotRows['rows'] = new Map()

/** What calls did, one after the other; two long texts that follow each other are compared while both are at hand. */
function readCalls(
  library: Library,
  entries: ReadonlyMap<string, SourceEntry>,
  calls: readonly FileCall[],
): readonly (Omit<Untimed, 'session' | 'agent' | 'version'> & { readonly call: FileCall })[] {
  let last: FileTouch | undefined
  return calls.flatMap((call) => {
    const entry = entries.get(call.log.path)
    const found = entry && touchOfCall(library.source, entry, call)
    if (!found) return []
    const { touch } = found
    if (touch.kind === 'edit' && last?.kind === 'edit' && last.before?.isSame) {
      touch.before?.isSame?.(new EditedContent(last.before, last))
    }
    if (touch.kind !== 'read') last = touch
    return [{ ...found, call }]
  })
}
