import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { meaningOf } from '../../core/tools/meaning-of.ts'
import type { ToolMeaning } from '../../core/tools/tool-meaning.ts'
import type { ToolItem } from '../../core/tree/item-schema.ts'
import { CALL, type Group, Piece, type XmlNode } from './model.ts'
import type { Making } from './session.ts'
import { isXmlName } from './text.ts'

/** A tool call: what is short of its input as attributes, the rest and what came back as elements. Errors are whole. */
export function toolCall(item: ToolItem, making: Making): Group {
  const { name, outcome, exitCode, images } = item
  const agents = making.agentsOf(item.id)
  const input = maskedInput(item.input, making)
  // Only what is masked: the details repeat what stands in the result.
  const meaning = meaningOf({ ...item, input, details: null })
  const plan = meaning.kind === 'plan' ? meaning.plan : null
  const attributes: Record<string, string | number | null> = { tool: making.mask(name) }
  const children: XmlNode[] = []
  for (const [key, value] of Object.entries(input)) {
    if (value === undefined || value === null || value === plan) continue
    // The agent begins with it.
    if (key === 'prompt' && agents.length > 0) continue
    const text = typeof value === 'string' ? nearer(value, making.cwd) : jsonText(value)
    const isShort = text.length <= SHORT && !text.includes('\n')
    if (isShort && isXmlName(key) && !OURS.has(key)) attributes[key] = text
    else children.push(new Piece('in', text, 'input', { name: key, limit: making.limits.input }))
  }
  if (plan !== null) children.push(new Piece('plan', plan, 'kept'))
  attributes.exit = exitCode || null
  attributes.images = images || null
  if (outcome === 'unanswered') attributes.answered = 'no'
  if (outcome === 'declined' || outcome === 'interrupted') attributes.outcome = outcome
  return {
    tag: CALL,
    attributes,
    children: [...children, ...agents, ...resultNodes(item, meaning, making, agents.length > 0)],
  }
}

/** Attributes that a call has whatever its tool is. */
const OURS = new Set(['tool', 'exit', 'images', 'answered', 'outcome'])

/** Parameters up to this length stand as attributes. */
const SHORT = 160

/** Fields that are secret by their name are found only while they have one. */
function maskedInput(input: JsonObject, { redactor }: Making): JsonObject {
  const masked = redactor ? redactor.value(input).value : input
  return isObject(masked) ? masked : {}
}

/** A path as it is told from the session's folder, which the session names. */
function nearer(text: string, cwd: string | null): string {
  return cwd !== null && cwd.length > 1 && text.startsWith(`${cwd}/`) ? text.slice(cwd.length + 1) : text
}

function jsonText(value: JsonValue): string {
  try {
    return JSON.stringify(value)
  } catch {
    return '(nested too deep to be shown)'
  }
}

/** What a person said in answer to a tool. */
const ANSWERED_BY_PEOPLE: ReadonlySet<ToolMeaning['kind']> = new Set(['question', 'plan'])

/** Calls whose results only say that it was done. */
const SAY_DONE: ReadonlySet<ToolMeaning['kind']> = new Set([
  'edit',
  'write',
  'notebook',
  'todos',
  'task-create',
  'task-update',
])

function resultNodes(
  { result, isError }: ToolItem,
  { kind }: ToolMeaning,
  { mask, limits }: Making,
  hasAgent: boolean,
): readonly XmlNode[] {
  if (result === null || result.trim() === '') return []
  if (isError) return [new Piece('error', mask(result), 'kept')]
  const { text, reminders } = withoutReminders(mask(result))
  const notes = reminders.map((reminder) => new Piece('reminder', reminder, 'note', { limit: limits.note }))
  if (ANSWERED_BY_PEOPLE.has(kind)) return [new Piece('out', text, 'kept'), ...notes]
  // An agent ends with what it gave back.
  const limit = hasAgent || SAY_DONE.has(kind) ? 0 : limits.result
  return text.trim() === '' ? notes : [new Piece('out', text, 'result', { limit }), ...notes]
}

/** What the client adds to results again and again stands apart, so that it is told once. */
function withoutReminders(text: string): { readonly text: string; readonly reminders: readonly string[] } {
  if (!text.includes('<system-reminder>')) return { text, reminders: [] }
  const reminders: string[] = []
  let rest = ''
  let from = 0
  for (;;) {
    const open = text.indexOf('<system-reminder>', from)
    const close = open === -1 ? -1 : text.indexOf('</system-reminder>', open)
    if (close === -1) return { text: rest + text.slice(from), reminders }
    rest += text.slice(from, open)
    reminders.push(text.slice(open + '<system-reminder>'.length, close).trim())
    from = close + '</system-reminder>'.length
  }
}
