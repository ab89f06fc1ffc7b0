import { realpathSync, statSync } from 'node:fs'
import { Failure } from '../../core/failure.ts'
import { objectAt, stringAt } from '../../core/json.ts'
import { type Static, Type } from '../../core/schema.ts'
import type { FileContent } from '../../core/tools/file-touch.ts'
import { type CopyOrigins, type LineOrigin, lineOrigins } from '../../core/tools/line-origins.ts'
import { readRecordAt } from '../../disk/log-file.ts'
import { attempt } from '../../disk/small-file.ts'
import { readWhole } from '../../state/private-file.ts'
import type { Context } from '../context.ts'
import { historyOf } from '../history.ts'
import { NullableString, nullable } from '../shapes.ts'
import type { RecordedFiles, RecordedTouch } from './all-touches.ts'
import { contentOf } from './timeline.ts'

/** The call that wrote a line. */
export const BlameCallShape = Type.Object({
  session: Type.String(),
  agent: NullableString,
  turn: nullable(Type.Integer('Null on a branch that was abandoned')),
  uuid: nullable(Type.String('The row that made the call')),
  toolUseId: Type.String(),
  tool: Type.String(),
  model: NullableString,
  timestamp: NullableString,
  prompt: nullable(Type.String('What was asked, its first words')),
})

export const BlameLineShape = Type.Object({
  line: Type.Integer(),
  originalLine: nullable(Type.Integer('Which line it was when the call wrote it; null where no call is proven')),
  text: Type.String(),
  rule: Type.String('proven, outside, before or unknown'),
  call: nullable(BlameCallShape),
  outside: nullable(
    Type.Object({
      after: nullable(Type.String('It was not there yet; null where no record says')),
      before: nullable(Type.String('It was there by then')),
    }),
  ),
})

export type BlameCall = Static<typeof BlameCallShape>
export type BlameLine = Static<typeof BlameLineShape>

/** A file with where each line of it comes from. */
export interface Blame {
  readonly path: string
  /** False where it is told as last recorded, or as it was at a point. */
  readonly isOnDisk: boolean
  readonly lines: readonly BlameLine[]
}

/** Blames a file as it is on the disk; where there is none, or others may not see it, as last recorded. */
export async function blameFile(context: Context, files: RecordedFiles, path: string): Promise<Blame> {
  const touches = await files.touches(path)
  const now = context.rootsOnly ? undefined : onDisk(context, path, touches.at(-1)?.time)
  return blamed(context, path, touches, now)
}

/** Blames a text as if it stood at a path at some time: what is recorded later counts for nothing. */
export async function blameText(
  context: Context,
  touches: readonly RecordedTouch[],
  { path, text, time }: { readonly path: string; readonly text: FileContent; readonly time: number },
): Promise<Blame> {
  return blamed(
    context,
    path,
    touches.filter((touch) => touch.time <= time),
    { content: text, time },
  )
}

/** Blames a file as it was after some of the touches. */
export async function blameUntil(context: Context, path: string, touches: readonly RecordedTouch[]): Promise<Blame> {
  return blamed(context, path, touches, undefined)
}

interface Now {
  readonly content: FileContent
  readonly time: number
}

async function blamed(
  context: Context,
  path: string,
  touches: readonly RecordedTouch[],
  now: Now | undefined,
): Promise<Blame> {
  if (now?.content.isBase64) throw new Failure('BAD_INPUT', `${path} is not a text file.`)
  const last = now && { copy: 0, touch: { kind: 'checkpoint' as const, content: now.content } }
  const found = lineOrigins([...touches, ...(last ? [last] : [])]).get(0) ?? NOTHING
  const timeOf = (touch: number | null) => (touch === null ? null : isoOf(touches[touch]?.time ?? now?.time))
  const proven = found.origins.flatMap((origin) => (origin.rule === 'proven' ? origin.touch : []))
  const calls = await readBlameCalls(context, touches, proven)
  const told = (origin: LineOrigin): Pick<BlameLine, 'originalLine' | 'rule' | 'call' | 'outside'> => {
    const call = origin.rule === 'proven' ? (calls.get(origin.touch) ?? null) : null
    // What shows no call, such as a version that came back, proves nothing.
    if (origin.rule === 'proven' && call === null) return NOT_KNOWN
    const outside = origin.rule === 'outside' ? { after: timeOf(origin.after), before: timeOf(origin.before) } : null
    const originalLine = origin.rule === 'proven' ? origin.line + 1 : null
    return { originalLine, rule: origin.rule, call, outside }
  }
  const lines = found.lines.map((text, i) => {
    const origin = touches.length > 0 ? (found.origins[i] as LineOrigin) : UNKNOWN
    return { line: i + 1, text, ...told(origin) }
  })
  return { path, isOnDisk: now !== undefined, lines }
}

const NOTHING: CopyOrigins = { content: undefined, lines: [], origins: [] }
const UNKNOWN: LineOrigin = { rule: 'unknown' }
const NOT_KNOWN = { originalLine: null, rule: 'unknown', call: null, outside: null }

function isoOf(ms: number | undefined): string | null {
  return ms === undefined || !Number.isFinite(ms) ? null : new Date(ms).toISOString()
}

/** Reads the calls of some touches, by the index of the touch; `null` for a touch without a call. */
export async function readBlameCalls(
  context: Context,
  touches: readonly RecordedTouch[],
  wanted: Iterable<number>,
): Promise<ReadonlyMap<number, BlameCall | null>> {
  const history = historyOf(context)
  const { library } = context
  const made = [...new Set(wanted)].flatMap((index) => {
    const { call, session } = touches[index] ?? {}
    return call?.made && session !== undefined ? [{ index, call, session, place: call.made }] : []
  })
  const inSessions = made.map(({ call: { log }, session, place }) => ({ log, session, offset: place.offset }))
  const turns = await (await history.refresh('as-is')).calls.turns(inSessions)
  await history.fetchRecords(made.map(({ call, place }) => ({ path: call.log.path, offset: place.offset })))
  const entries = library.entries()
  return new Map(
    made.map(({ index, call, session, place: { line, offset, length } }, i) => {
      const entry = entries.get(call.log.path)
      const raw = entry && readRecordAt(library.source, entry, { file: entry.path, line, offset, length })?.raw
      const turn = turns[i]
      const { agent, timestamp } = touches[index] as RecordedTouch
      const told = {
        session,
        agent: agent ?? null,
        turn: turn && /^\d+$/.test(turn.key) ? Number(turn.key) : null,
        uuid: (raw && stringAt(raw, 'uuid')) ?? null,
        toolUseId: call.id,
        tool: call.tool,
        model: (raw && stringAt(objectAt(raw, 'message'), 'model')) ?? null,
        timestamp: timestamp ?? null,
        prompt: turn?.label ?? null,
      }
      return [index, told]
    }),
  )
}

/** The file as it is, and when at the latest it was made so: its change time, which nobody can set. */
function onDisk({ now }: Context, path: string, lastTouch = Number.NEGATIVE_INFINITY): Now | undefined {
  const warnings: never[] = []
  const real = attempt(path, warnings, () => realpathSync(path)) ?? path
  const stats = attempt(real, warnings, () => statSync(real))
  if (stats?.isDirectory()) throw new Failure('BAD_INPUT', `${path} is a folder.`, { hint: 'Name one file in it.' })
  const bytes = stats && readWhole(real)
  if (!stats || !bytes) return undefined
  // A clock that says that it was changed before the last call is another one.
  const time = stats.ctimeMs < lastTouch ? now.getTime() : Math.min(stats.ctimeMs, now.getTime())
  return { content: contentOf(bytes), time }
}
