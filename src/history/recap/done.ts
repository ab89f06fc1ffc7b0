import { textAt } from '../../core/json.ts'
import { joinText, taggedText, textOf, toolResultsOf, toolUsesOf } from '../../core/log/content.ts'
import type { LogRecord } from '../../core/log/record.ts'
import { type Commit, commitsOf } from '../../core/tools/commits.ts'
import { readRecordAt } from '../../disk/log-file.ts'
import type { Source, SourceEntry } from '../../disk/source.ts'
import type { KnownCall } from '../../index/queries/calls.ts'
import type { RowPlace } from '../../index/text-batch.ts'
import { readRows } from '../scan.ts'
import { isWithin, type Span } from './span.ts'

/** A file that was changed, with the lines that calls say they added and removed. */
export interface ChangedFile {
  readonly path: string
  readonly added: number
  readonly removed: number
}

/** What came of the calls of a session. */
export interface Done {
  readonly files: readonly ChangedFile[]
  readonly commits: readonly Commit[]
  /** Calls that failed. */
  readonly failures: number
}

/** A log, the calls in it within the time that is asked for, and the places of what was typed into the shell by hand. */
export interface CalledLog {
  readonly entry: SourceEntry
  readonly calls: readonly KnownCall[]
  readonly shell: readonly RowPlace[]
}

const CHANGES = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit'])

/** Adds up what was done in logs. */
export function doneIn(source: Source, logs: readonly CalledLog[], span: Span): Done {
  const files = new Map<string, { path: string; added: number; removed: number }>()
  const commits: Commit[] = []
  let failures = 0
  for (const { entry, calls, shell } of logs) {
    for (const call of calls) {
      const { tool, path, answer } = call
      if (answer?.isError) failures += 1
      else if (path !== null && CHANGES.has(tool)) {
        const file = files.get(path) ?? { path, added: 0, removed: 0 }
        file.added += answer?.added ?? 0
        file.removed += answer?.removed ?? 0
        files.set(path, file)
      } else if (tool === 'Bash') commits.push(...commitsByCall(source, entry, call))
    }
    commits.push(...commitsByHand(readRows(source, entry, shell), span))
  }
  return { files: [...files.values()], commits, failures }
}

function commitsByCall(source: Source, entry: SourceEntry, { id, made, answer }: KnownCall): readonly Commit[] {
  if (!made || !answer) return []
  const row = ({ line, offset, length }: RowPlace) =>
    readRecordAt(source, entry, { file: entry.path, line, offset, length })?.raw ?? {}
  const command = textAt(toolUsesOf(row(made)).find((use) => use.id === id)?.input, 'command') ?? ''
  if (!command.includes('commit')) return []
  const result = toolResultsOf(row(answer)).find(({ toolUseId }) => toolUseId === id)
  return commitsOf(command, joinText(result?.content ?? []))
}

/** What a person typed into the shell, and what it printed in the row behind it. */
function commitsByHand(rows: readonly LogRecord[], span: Span): readonly Commit[] {
  return rows.flatMap(({ raw }, at) => {
    const command = taggedText(textOf(raw), 'bash-input')
    if (command === undefined || !isWithin(span, Date.parse(textAt(raw, 'timestamp') ?? ''))) return []
    const next = rows[at + 1]
    return commitsOf(command, (next && taggedText(textOf(next.raw), 'bash-stdout')) ?? '')
  })
}
