import { type Static, Type } from '../../core/schema.ts'
import { type FileState, fileStates, fileSteps } from '../../core/tools/file-versions.ts'
import { linesOf } from '../../core/tools/line-origins.ts'
import { momentOf } from '../../core/usage/moment.ts'
import type { Context } from '../context.ts'
import { findPoint, isPoint } from '../point.ts'
import { NullableNumber, NullableString, nullable } from '../shapes.ts'
import { openRecordedFiles } from './all-touches.ts'
import { BlameCallShape, readBlameCalls } from './blame.ts'
import { type FileAt, shown } from './file-at.ts'
import { touchesUntil } from './until.ts'
import { whichFile } from './which-file.ts'

/** A version of a file, over all sessions. */
export const LoggedVersionShape = Type.Object({
  number: Type.Integer('Counted from 1, the oldest first'),
  operation: Type.String('The tool, found (as the first record shows it) or outside'),
  timestamp: NullableString,
  call: nullable(BlameCallShape),
  path: Type.String('Where it was then'),
  exists: Type.Union([Type.Boolean(), Type.Null()], 'Null where what it held is not known'),
  lines: NullableNumber,
})

type LoggedVersion = Static<typeof LoggedVersionShape>

/** One file over all sessions, agents and moves. */
export interface FileLog {
  readonly path: string
  /** Every version, the oldest first. */
  versions(): Promise<LoggedVersion[]>
  /** As it was at a point (`SESSION:TURN`, `SESSION:UUID`, `FILE:LINE` of a log), or at a time. */
  at(asked: string): Promise<FileAt & { readonly session: string | null }>
}

/** Opens what all sessions tell of one file. */
export async function openFileLog(context: Context, named: string): Promise<FileLog> {
  const files = await openRecordedFiles(context)
  const path = whichFile(context, named, files.paths)
  // A copy in a worktree is another file.
  const touches = (await files.touches(path)).filter(({ copy }) => copy === 0)
  let states: readonly FileState[] | undefined
  return {
    path,
    versions: async () => {
      const steps = fileSteps(touches.map(({ touch }) => touch))
      const made = steps.flatMap(({ kind, touch }) => (kind === 'found' ? [] : touch))
      const calls = await readBlameCalls(context, touches, made)
      return steps.map(({ kind, touch, content, seen }, at) => {
        const told = touches[touch]
        const call = kind === 'found' ? null : (calls.get(touch) ?? null)
        const isFirst = at === 0 && seen === null
        return {
          number: at + 1,
          operation: kind === 'found' ? (isFirst ? 'found' : 'outside') : (told?.tool.toLowerCase() ?? 'unknown'),
          timestamp: told?.timestamp ?? null,
          call,
          path: told?.path ?? path,
          exists: content === undefined ? null : content !== null,
          lines: content && !content.isBase64 ? linesOf(content.text).length : null,
        }
      })
    },
    async at(asked) {
      states ??= fileStates(touches.map(({ touch }) => touch))
      const point = isPoint(asked) ? await findPoint(context, asked) : undefined
      const time = point ? Number.NaN : momentOf(asked, context.now).getTime()
      const until = point ? touchesUntil(touches, point) : touches.filter((touch) => touch.time <= time).length
      const at = {
        turn: point?.turn ?? null,
        uuid: point?.uuid ?? null,
        timestamp: point ? point.timestamp : new Date(time).toISOString(),
        isDisk: false,
      }
      const session = point?.opened.files.id ?? touches[until - 1]?.session ?? null
      return { ...shown(states[until] as FileState, at, touches, point?.file ?? ''), session }
    },
  }
}
