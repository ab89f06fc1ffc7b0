import { meaningOf } from '../../../core/tools/meaning-of.ts'
import { resultText } from '../../../core/tools/tool-call.ts'
import { diffOf, type FileDiff } from '../../../core/tools/tool-diff.ts'
import type { ToolMeaning } from '../../../core/tools/tool-meaning.ts'
import { toolWords } from '../../../core/tools/tool-words.ts'
import type { ShownTool } from '../../../history/view/item-shape.ts'
import { compareLines } from '../../terminal/diff.ts'
import { count, duration, plural } from '../../terminal/human.ts'
import { oneLine } from '../../terminal/sanitize.ts'
import type { Style } from '../../terminal/style.ts'
import { padEnd, truncate, width as widthOf } from '../../terminal/width.ts'
import type { View } from '../../view.ts'
import { dotted } from './lines.ts'
import { cost, pathFrom } from './names.ts'

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
export function toolRows(item: ShownTool, place: ToolPlace): readonly ToolRow[] {
  const meaning = meaningOf(item)
  const { view } = place
  const agents = item.agents.map((agent) => agentRow(agent, view))
  if (meaning.kind !== 'agent') {
    const row = callRow(item, meaning, place)
    return [{ ...row, what: row.what || (agents.length > 0 ? plural(agents.length, 'agent') : '') }, ...agents]
  }
  if (agents.length > 0) return agents
  const { type, description } = meaning
  return [agentRow({ type, description, toolUses: null, costUsd: null, failed: failureText(item, meaning) }, view)]
}

function callRow(item: ShownTool, meaning: ToolMeaning, { view, folder }: ToolPlace): ToolRow {
  const { verb, what } = toolWords(item.name, meaning, (path) => pathFrom(folder, path, view))
  const about = meaning.kind === 'mcp' ? `${meaning.server} ${meaning.tool} ${firstLine(what)}` : firstLine(what)
  return { verb: oneLine(verb), what: oneLine(about.trim()), outcome: outcomeText(item, meaning, view) }
}

/** The first line of a text that says something, and how many follow it. */
function firstLine(text: string): string {
  const lines = text.trim().split('\n')
  const first = lines[0] ?? ''
  return lines.length === 1 ? first : `${first} … ${plural(lines.length - 1, 'more line')}`
}

/** Calls that only looked around, as one line: `read 6 files · searched 3`. */
export function lookedAround(items: readonly ShownTool[], { view, folder }: ToolPlace): ToolRow {
  const meanings = items.map(meaningOf)
  const files = [...new Set(meanings.flatMap((one) => (one.kind === 'read' ? [one.file] : [])))]
  const searches = meanings.flatMap((one) => (one.kind === 'grep' || one.kind === 'glob' ? [oneLine(one.pattern)] : []))
  const listed = meanings.filter(({ kind }) => kind === 'list').length
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
export function isLookingAround(item: ShownTool): boolean {
  return item.outcome === 'done' && LOOKING.has(meaningOf(item).kind)
}

const LOOKING: ReadonlySet<ToolMeaning['kind']> = new Set(['read', 'grep', 'glob', 'list'])

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

const WIDEST_VERB = 8
const LONG = 56

/** An agent as its call tells of it; `null` is what is not known. */
type AgentLine = Pick<ShownTool['agents'][number], 'type' | 'description' | 'costUsd' | 'failed'> & {
  readonly toolUses: number | null
}

function agentRow({ type, description, toolUses, costUsd, failed }: AgentLine, { style }: View): ToolRow {
  const parts = [toolUses === null ? '' : plural(toolUses, 'tool'), cost(costUsd)]
  const outcome = parts.filter((part) => part !== '').join(' ')
  const name = `${style.accent('◆')} ${style.strong(oneLine(type ?? 'agent'))}`
  return {
    verb: '',
    what: `${name}  ${oneLine(description ?? '')}`.trimEnd(),
    outcome: failed === null ? outcome : style.bad(`✗ ${oneLine(failed)}`),
  }
}

function outcomeText(item: ShownTool, meaning: ToolMeaning, view: View): string {
  const { style } = view
  const tookMs = view.tools === 'full' ? (item.durationMs ?? 0) : 0
  const took = tookMs < 1000 ? '' : style.dim(duration(tookMs))
  const failure = failureText(item, meaning)
  const told = failure === null ? successParts(item, meaning, style) : [style.bad(`✗ ${failure}`)]
  return [...told, took].filter((part) => part !== '').join(' ')
}

function successParts(item: ShownTool, meaning: ToolMeaning, style: Style): readonly string[] {
  if (meaning.kind === 'shell') {
    const note = oneLine(meaning.returnCodeInterpretation ?? '')
    return item.outcome === 'done' ? [style.good('✓'), style.dim(note)] : []
  }
  const diff = diffOf(meaning, item.patch, compareLines)
  return diff ? [changeText(diff, style)] : []
}

/** How many lines came and went: `+18 −4`. */
export function changeText({ added, removed }: Pick<FileDiff, 'added' | 'removed'>, style: Style): string {
  const parts = [
    added > 0 ? style.added(`+${count(added)}`) : '',
    removed > 0 ? style.removed(`−${count(removed)}`) : '',
  ]
  return parts.filter((part) => part !== '').join(' ')
}

/** Why a call came to nothing, in a line; of a command, how much it said. `null` where it did not. */
function failureText(item: ShownTool, { kind }: ToolMeaning): string | null {
  if (item.outcome === 'done' || item.outcome === 'unanswered') return null
  if (item.outcome !== 'failed') return item.outcome
  const output = resultText(item).trim()
  if (kind !== 'shell') return oneLine(firstLine(output)) || 'failed'
  return output === '' ? `exit code ${item.exitCode ?? '–'}` : plural(output.split('\n').length, 'line')
}
