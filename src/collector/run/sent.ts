import { jsonText } from '../../core/json-text.ts'
import { startCursor } from '../../disk/cursor.ts'
import type { Source, SourceEntry } from '../../disk/source.ts'
import { collectedFile } from '../collected-files.ts'
import { readLogHead } from '../log-head.ts'
import { readPieces } from '../reading.ts'
import type { TeamRow } from '../row.ts'
import { rowToJson } from '../wire.ts'
import type { CollectSetup } from './setup.ts'

/** What was sent of one kind, on one day, of one project. */
export interface SentRow {
  readonly day: string | null
  /** The project as this machine knows it. */
  readonly project: string | null
  readonly kind: string
  records: number
  bytes: number
}

export interface Sent {
  readonly rows: readonly SentRow[]
  /** Rows as they were sent, byte for byte: one of each kind, the newest. */
  readonly examples: readonly string[]
  /** Logs that are gone, of which something was sent. */
  readonly vanished: number
}

/** Makes again what was sent, from the logs and from how far each of them was delivered. */
export function whatWasSent(setup: CollectSetup, source: Source, limit: number): Sent {
  const { state, destination, maker } = setup
  const remembered = state.read(destination.name)
  const entries = new Map(Array.from(source.list(), (entry) => [entry.path, entry]))
  const rows = new Map<string, SentRow>()
  const examples = new Map<string, TeamRow>()
  let vanished = 0
  for (const { file, generation, cursor } of remembered.tracked) {
    const entry = entries.get(cursor.path)
    if (!entry || entry.sizeBytes < cursor.offset) {
      vanished += 1
      continue
    }
    const { project, ...rowFile } = fileOf(setup, source, entry)
    const origin = {
      ...rowFile,
      file,
      generation,
      project: project === null ? null : (maker.names.path(project) ?? null),
    }
    for (const piece of readPieces(maker, origin, source, entry, startCursor(entry, generation))) {
      for (const row of piece.rows) {
        if (row.line <= cursor.line) count(rows, examples, row, project)
      }
      if (piece.cursor.offset >= cursor.offset) break
    }
  }
  const sorted = [...rows.values()].sort((a, b) => ((a.day ?? '') < (b.day ?? '') ? 1 : -1))
  return {
    rows: sorted,
    examples: [...examples.values()].slice(0, limit).map((row) => jsonText(rowToJson(row))),
    vanished,
  }
}

function fileOf({ choices }: CollectSetup, source: Source, entry: SourceEntry) {
  const known = collectedFile(entry, choices)
  if (known?.role !== 'log') return { kind: 'history' as const, project: null, session: null, agent: null }
  const { cwd, session } = readLogHead(source, entry)
  return { kind: 'log' as const, project: cwd, session: known.session ?? session, agent: known.agent }
}

function count(rows: Map<string, SentRow>, examples: Map<string, TeamRow>, row: TeamRow, project: string | null): void {
  const day = row.timestamp?.slice(0, 10) ?? null
  const kind = row.kind ?? row.type
  const key = `${day}\0${project}\0${kind}`
  const found = rows.get(key) ?? { day, project, kind, records: 0, bytes: 0 }
  found.records += 1
  found.bytes += row.content.length
  rows.set(key, found)
  const known = examples.get(kind)
  if (!known || (row.timestamp ?? '') > (known.timestamp ?? '')) examples.set(kind, row)
}
