import { type JsonObject, textAt } from '../../core/json.ts'
import { textOf, toolResultsOf, toolUsesOf } from '../../core/log/content.ts'
import type { LogRecord } from '../../core/log/record.ts'
import { commandOf } from '../../core/log/row-kind.ts'
import { meaningOf } from '../../core/tools/meaning-of.ts'
import { UNANSWERED } from '../../core/tools/tool-call.ts'
import { toolWords } from '../../core/tools/tool-words.ts'

/** Finds the row of a call by the call's id. */
export type FindCall = (toolUseId: string) => JsonObject | undefined

/** Who says what was found: `prompt`, `answer`, `Bash · npm test`, `Edit · src/auth.ts`. Nothing is cut or escaped yet. */
export function hitWords(record: LogRecord, kind: string, findCall: FindCall): string {
  const { raw } = record
  if (kind === 'tool') return callsWords(raw) ?? 'tool call'
  if (kind === 'tool-result') return `output of ${answeredWords(raw, findCall) ?? 'a tool'}`
  if (kind === 'title') return record.type === 'summary' ? 'summary' : 'title'
  if (kind === 'command') return `command ${commandOf(textOf(raw))?.name ?? ''}`.trim()
  return WORDS.get(kind) ?? kind.replaceAll('-', ' ')
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['text', 'answer'],
  ['bash', '! command'],
  ['bash-output', 'output of a ! command'],
  ['command-output', 'output of a command'],
  ['compact-summary', 'summary of a compaction'],
])

function callsWords(raw: JsonObject): string | undefined {
  const [first, ...others] = toolUsesOf(raw)
  if (!first) return undefined
  return `${callWords(first.name, first.input, textAt(raw, 'cwd'))}${others.length > 0 ? ` +${others.length}` : ''}`
}

function answeredWords(raw: JsonObject, findCall: FindCall): string | undefined {
  const [answer] = toolResultsOf(raw)
  const row = answer?.toolUseId && findCall(answer.toolUseId)
  const call = row ? toolUsesOf(row).find(({ id }) => id === answer?.toolUseId) : undefined
  return call && callWords(call.name, call.input, textAt(raw, 'cwd'))
}

/** A tool by its name, and what it was about in a line. */
function callWords(name: string, input: JsonObject, cwd: string | undefined): string {
  const path = (file: string) => (cwd && file.startsWith(`${cwd}/`) ? file.slice(cwd.length + 1) : file)
  const { what } = toolWords(name, meaningOf({ name, input, ...UNANSWERED }), path)
  const [line = ''] = what.trim().split('\n')
  return line === '' ? name : `${name} · ${line}`
}
