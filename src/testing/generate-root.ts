import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectKey } from '../core/encode.ts'
import { type BulkLog, type BulkResult, snapshotRow, type TextPool, textPool, writeTurns } from './bulk-rows.ts'
import { type IdSource, idSource } from './ids.ts'
import { type LineWriter, lineWriter } from './line-writer.ts'

/** How large a root to make. */
export interface GenerateOptions {
  /** About how many bytes of logs; 256 MiB if left out. */
  readonly bytes?: number
  readonly seed?: string
}

/** What was made. */
export interface GeneratedRoot {
  readonly sessions: number
  readonly agents: number
  readonly forks: number
  readonly lines: number
  readonly bytes: number
}

const MEBIBYTE = 1 << 20
const SMALLEST = 50 * 1024
const LARGEST = 5 * MEBIBYTE
const HUGE = 50 * MEBIBYTE

/**
 * Writes a large root for measuring: many logs of 50 KB to 5 MB and one of 50 MB (a quarter of it all, if that is
 * less), agents, forks, pictures and request rows. The same options give the same bytes.
 */
export function generateRoot(dir: string, options: GenerateOptions = {}): GeneratedRoot {
  const bytes = options.bytes ?? 256 * MEBIBYTE
  const seed = options.seed ?? 'annals'
  const ids = idSource(seed)
  const pool = textPool(seed)
  const made = { sessions: 0, agents: 0, forks: 0, lines: 0, bytes: 0 }
  const history = lineWriter(join(dir, 'history.jsonl'))
  const count = (writer: LineWriter) => {
    made.bytes += writer.bytes
    made.lines += writer.lines
  }
  let last: WrittenBulk | undefined
  while (made.bytes < bytes) {
    const left = bytes - made.bytes
    const isHuge = made.sessions === 0
    const size = isHuge ? Math.min(HUGE, bytes / 4) : Math.min(left, spread(ids))
    const forkOf = last !== undefined && last.size < MEBIBYTE && ids.below(12) === 0 ? last : undefined
    const log = forkOf === undefined ? newLog(ids, made.sessions) : { ...forkOf.log, sessionId: ids.uuid() }
    const folder = join(dir, 'projects', projectKey(log.cwd))
    const writer = lineWriter(join(folder, `${log.sessionId}.jsonl`))
    const result = writeLog(writer, log, pool, size, forkOf)
    writer.close(result.endedAt)
    count(writer)
    made.sessions++
    if (forkOf !== undefined) made.forks++
    writeHistory(history, log, result)
    if (forkOf === undefined && !isHuge && ids.below(4) === 0) {
      for (let agent = 0; agent <= ids.below(4) && made.bytes < bytes; agent++) {
        count(writeAgent(join(folder, log.sessionId, 'subagents'), log, pool, ids))
        made.agents++
      }
    }
    last = isHuge || forkOf !== undefined ? undefined : { log, size, result }
  }
  history.close(Date.parse('2026-11-01T00:00:00.000Z'))
  return made
}

/** Sizes as they are found: many small logs, few large ones. */
function spread(ids: IdSource): number {
  return SMALLEST * (LARGEST / SMALLEST) ** ((ids.below(1_000) / 1_000) ** 1.5)
}

function newLog(ids: IdSource, number: number): BulkLog {
  const project = String(ids.below(1 + Math.min(40, Math.ceil(number / 6)))).padStart(2, '0')
  return {
    seed: `${number} ${ids.hex(8)}`,
    sessionId: ids.uuid(),
    cwd: `/home/ana/work/project-${project}`,
    version: ids.pick(['2.1.325', '2.1.325', '2.1.200', '2.1.112']),
    startedAt: Date.parse('2026-01-05T08:00:00.000Z') + ids.below(280 * 24 * 60) * 60_000,
  }
}

/** A log that may be forked. */
interface WrittenBulk {
  readonly log: BulkLog
  readonly size: number
  readonly result: BulkResult
}

/** A fork has the checkpoint of its first own prompt, the rows of the first log, made again from its seed, and its own. */
function writeLog(
  writer: LineWriter,
  log: BulkLog,
  pool: TextPool,
  size: number,
  forkOf: WrittenBulk | undefined,
): BulkResult {
  if (forkOf === undefined) return writeTurns(writer, log, pool, { bytes: size })
  const { prompts, endedAt, leaf } = forkOf.result
  const first = idSource(`${log.seed} fork of it`).uuid()
  writer.line(snapshotRow(first, endedAt))
  writeTurns(writer, log, pool, { copied: prompts.length })
  const own = { ...log, seed: `${log.seed} fork`, startedAt: endedAt }
  return writeTurns(writer, own, pool, { bytes: writer.bytes + SMALLEST, leaf, first })
}

function writeAgent(folder: string, log: BulkLog, pool: TextPool, ids: IdSource): LineWriter {
  const agentId = `a${ids.hex(16)}`
  const writer = lineWriter(join(folder, `agent-${agentId}.jsonl`))
  const bytes = 20_000 + ids.below(400_000)
  const { endedAt } = writeTurns(writer, { ...log, seed: agentId, agentId }, pool, { bytes })
  writer.close(endedAt)
  const meta = { agentType: 'general-purpose', description: 'Look around', toolUseId: ids.toolUseId(), spawnDepth: 1 }
  writeFileSync(join(folder, `agent-${agentId}.meta.json`), JSON.stringify(meta), { mode: 0o600 })
  return writer
}

function writeHistory(history: LineWriter, log: BulkLog, result: BulkResult): void {
  const project = JSON.stringify(log.cwd)
  for (const { text, at } of result.prompts) {
    history.line(
      `{"display":"${text}","pastedContents":{},"timestamp":${at},"project":${project},"sessionId":"${log.sessionId}"}`,
    )
  }
}
