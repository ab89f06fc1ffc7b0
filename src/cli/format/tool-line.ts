import { booleanAt, type JsonObject, numberAt, objectAt, objectsAt, stringAt, textAt } from '../../core/json.ts'
import { fileOf } from '../../core/tool-call.ts'
import { count, duration, plural } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { padEnd, truncate, width as widthOf } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted } from './lines.ts'
import { cost, pathFrom } from './names.ts'
import { changeOf, changeText } from './tool-change.ts'
import { firstLine, toolWords } from './tool-words.ts'

/** A tool call as one short line: what was done and what came of it. All plain, and painted. */
export interface ToolRow {
  /** Empty for lines that begin with no verb. */
  readonly verb: string
  readonly what: string
  readonly outcome: string
}

/** Where a line is read: the view, and the folder that paths are seen from. */
export interface ToolPlace {
  readonly view: View
  readonly folder: string | null
}

/** The lines of a call: one, or for a call that started several agents one for each of them. */
export function toolRows(item: unknown, { view, folder }: ToolPlace): readonly ToolRow[] {
  const name = stringAt(item, 'name') ?? ''
  const input = objectAt(item, 'input') ?? {}
  const agents = objectsAt(item, 'agents')
  if (agents.length > 0) {
    const rows = agents.map((agent) => agentRow(agent, view))
    return name === 'Workflow' ? [workflowRow(item, agents.length, { view, folder }), ...rows] : rows
  }
  if (name === 'Task' || name === 'Agent') {
    const { description = null, subagent_type = null } = input
    return [agentRow({ type: subagent_type, description, failed: errorOf(name, item) || null }, view)]
  }
  return [callRow(name, item, { view, folder })]
}

function callRow(name: string, item: unknown, { view, folder }: ToolPlace): ToolRow {
  const input = objectAt(item, 'input') ?? {}
  const { verb, what } = toolWords(name, input)
  const path = fileOf(input)
  const isFile = path !== null && what === path
  return {
    verb: oneLine(verb),
    what: isFile ? pathFrom(folder, path, view) : oneLine(what),
    outcome: outcomeOf(name, item, view),
  }
}

function workflowRow(item: unknown, agents: number, place: ToolPlace): ToolRow {
  const row = callRow('Workflow', item, place)
  return { ...row, what: row.what || plural(agents, 'agent') }
}

/** Calls that only looked around, as one line: `read 6 files · searched 3`. */
export function lookedAround(items: readonly unknown[], { view, folder }: ToolPlace): ToolRow {
  const inputsOf = (...names: string[]) =>
    items.filter((item) => names.includes(stringAt(item, 'name') ?? '')).map((item) => objectAt(item, 'input'))
  const files = [...new Set(inputsOf('Read', 'NotebookRead').map((input) => (input && fileOf(input)) ?? ''))]
  const searches = inputsOf('Grep', 'Glob').map((input) => oneLine(textAt(input, 'pattern') ?? ''))
  const listed = inputsOf('LS').length
  const [file = '', ...otherFiles] = files
  const [pattern = '', ...otherPatterns] = searches
  const parts = [
    otherFiles.length > 0 ? `read ${count(files.length)} files` : file && `read ${pathFrom(folder, file, view)}`,
    otherPatterns.length > 0 ? `searched ${count(searches.length)}` : pattern && `searched ${pattern}`,
    listed > 0 ? `listed ${plural(listed, 'folder')}` : '',
  ]
  return { verb: '', what: dotted(parts), outcome: '' }
}

/** Whether a call only looked, and found what it looked for: not worth a line of its own. */
export function isLookingAround(item: unknown): boolean {
  return LOOKING.has(stringAt(item, 'name') ?? '') && booleanAt(item, 'isError') === false
}

/** The rows as lines, their outcomes in one column; a line that is long has its own right behind it. */
export function alignRows(rows: readonly ToolRow[], width: number): string[] {
  const verbs = rows.map(({ verb }) => widthOf(verb)).filter((room) => room <= WIDEST_VERB)
  const verbRoom = verbs.reduce((most, room) => Math.max(most, room), 0)
  const heads = rows.map(({ verb, what }) => (verb === '' ? what : `${padEnd(verb, verbRoom)}  ${what}`).trimEnd())
  const outcomes = rows.map(({ outcome }) => truncate(outcome, Math.floor(width / 2)))
  const short = heads.filter((head, at) => outcomes[at] !== '' && widthOf(head) <= LONG).map((head) => widthOf(head))
  const column = short.reduce((most, room) => Math.max(most, room), 0)
  return heads.map((head, at) => {
    const outcome = outcomes[at] ?? ''
    if (outcome === '') return truncate(head, width)
    const room = width - widthOf(outcome) - 2
    return `${padEnd(truncate(head, room), Math.min(column, room))}  ${outcome}`
  })
}

const LOOKING = new Set(['Read', 'NotebookRead', 'Grep', 'Glob', 'LS'])
const WIDEST_VERB = 8
const LONG = 56
const DECLINED = /^The user doesn't want to (?:proceed|take this action)/
const INTERRUPTED = /\[Request interrupted by user/
/** What the client writes before the output of a command that failed. */
const EXIT_CODE = /^(?:Error: )?Exit code \d+\s*/

function agentRow(agent: JsonObject, view: View): ToolRow {
  const { style } = view
  const failed = textAt(agent, 'failed')
  const tools = numberAt(agent, 'toolUses')
  const parts = [tools === undefined ? '' : plural(tools, 'tool'), cost(numberAt(agent, 'costUsd') ?? null)]
  const outcome = parts.filter((part) => part !== '').join(' ')
  const name = `${style.accent('◆')} ${style.strong(oneLine(textAt(agent, 'type') ?? 'agent'))}`
  return {
    verb: '',
    what: `${name}  ${oneLine(textAt(agent, 'description') ?? '')}`.trimEnd(),
    outcome: failed === undefined ? outcome : style.bad(`✗ ${oneLine(failed)}`),
  }
}

function outcomeOf(name: string, item: unknown, view: View): string {
  const { style } = view
  const tookMs = view.tools === 'full' ? (numberAt(item, 'durationMs') ?? 0) : 0
  const took = tookMs < 1000 ? '' : style.dim(duration(tookMs))
  const failed = errorOf(name, item)
  const change = CHANGING.has(name) ? changeOf(item) : undefined
  const isDone = name === 'Bash' && stringAt(item, 'result') !== undefined
  const good = [isDone ? style.good('✓') : '', changeText(change, style)]
  return [...(failed === '' ? good : [style.bad(`✗ ${failed}`)]), took].filter((part) => part !== '').join(' ')
}

const CHANGING = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit'])

/** Why a call failed, in a line; empty where it did not. Of a command, how much it said. */
function errorOf(name: string, item: unknown): string {
  const exitCode = numberAt(item, 'exitCode')
  if (booleanAt(item, 'isError') !== true && (exitCode === undefined || exitCode === 0)) return ''
  const result = (stringAt(item, 'result') ?? '').replace(/<\/?tool_use_error>/g, '').trim()
  if (DECLINED.test(result)) return 'declined'
  if (INTERRUPTED.test(result)) return 'interrupted'
  if (name !== 'Bash') return oneLine(firstLine(result)) || 'failed'
  const output = result.replace(EXIT_CODE, '')
  return output === '' ? `exit code ${exitCode ?? '–'}` : plural(output.split('\n').length, 'line')
}
