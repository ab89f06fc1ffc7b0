import { stringAt } from '../../core/json.ts'
import { toolUsesOf } from '../../core/log/content.ts'
import { isTaken, movesIn, type PathMove, sourcesOf } from '../../core/tools/shell-moves.ts'
import { readRecordAt } from '../../disk/log-file.ts'
import { pathInRepository } from '../../disk/repository.ts'
import type { FileCall } from '../../index/queries/file-calls.ts'
import type { History } from '../history.ts'
import { onceEach } from './once-each.ts'

/** A command that moved or removed something. */
export interface TimedMove extends PathMove {
  readonly call: FileCall
  readonly time: number
}

/** A stretch of time in which a file was at a path; moves that brought it there or took it away stand at its ends. */
export interface Segment {
  readonly path: string
  readonly from: number
  readonly until: number
  /** What brought it here. */
  readonly move: TimedMove | undefined
  /** What took away what was here, within this time. */
  readonly removals: readonly TimedMove[]
}

/** Where a file was, the latest first, by the moves that commands show: a path counts only where calls touched it. */
export function lineageOf(
  path: string,
  moves: readonly TimedMove[],
  isTouched: (path: string) => boolean,
): readonly Segment[] {
  const segments: Segment[] = []
  let [at, until] = [path, Number.POSITIVE_INFINITY]
  for (let hops = 0; hops < MOST_HOPS; hops++) {
    const found = lastMoveTo(at, until, moves, isTouched)
    const from = found?.move.time ?? Number.NEGATIVE_INFINITY
    const here = at
    const end = until
    const removals = moves.filter((move) => move.time > from && move.time < end && isTaken(here, move))
    segments.push({ path: at, from, until, move: found?.move, removals })
    if (!found) return segments
    at = found.source
    until = found.move.time
  }
  return segments
}

const MOST_HOPS = 100

function lastMoveTo(
  path: string,
  until: number,
  moves: readonly TimedMove[],
  isTouched: (path: string) => boolean,
): { readonly move: TimedMove; readonly source: string } | undefined {
  for (const move of moves.toReversed()) {
    if (move.time >= until) continue
    const source = sourcesOf(path, move).find((one) => one !== path && isTouched(one))
    if (source !== undefined) return { move, source }
  }
  return undefined
}

/** The copies of a file: its own path first, then the same file in other working folders of its repository. */
export function copiesOf(path: string, touched: readonly string[]): readonly string[] {
  const name = path.slice(path.lastIndexOf('/'))
  const own = pathInRepository(path)
  if (!own) return [path]
  const others = touched.filter((other) => {
    if (other === path || !other.endsWith(name)) return false
    const found = pathInRepository(other)
    return found?.repository === own.repository && found.path === own.path
  })
  return [path, ...others]
}

/** The moves and removals that commands in all logs show, each once, in the order of time. */
export async function readMoves(history: History): Promise<readonly TimedMove[]> {
  const { library } = history
  const entries = library.entries()
  const queries = await history.refresh('as-is')
  const words = history.hasTextIndex ? ['mv', 'rm'] : undefined
  const calls = onceEach(await queries.calls.onFiles({ tools: ['Bash'], words }))
  await history.fetchRecords(calls.flatMap(({ log, made }) => (made ? [{ path: log.path, offset: made.offset }] : [])))
  const moves = calls.flatMap((call) => {
    const entry = entries.get(call.log.path)
    const { made, answer } = call
    if (!entry || !made || !answer) return []
    const { line, offset, length } = made
    const raw = readRecordAt(library.source, entry, { file: entry.path, line, offset, length })?.raw
    const use = raw && toolUsesOf(raw).find(({ id }) => id === call.id)
    const cwd = raw && stringAt(raw, 'cwd')
    const command = use && stringAt(use.input, 'command')
    const time = answer.timeMs ?? made.timeMs
    if (command === undefined || cwd === undefined || time === null) return []
    return movesIn(command, cwd).map((move) => ({ ...move, call, time }))
  })
  return moves.sort((a, b) => a.time - b.time)
}
