import { numberAt, stringAt, textAt } from '../../core/json.ts'
import { foldLines } from '../terminal/fold.ts'
import { tokens } from '../terminal/human.ts'
import { renderMarkdown } from '../terminal/markdown.ts'
import { oneLine, plain } from '../terminal/sanitize.ts'
import type { Paint } from '../terminal/style.ts'
import { truncate, width as widthOf, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, indent } from './lines.ts'
import { pathFrom } from './names.ts'
import type { ToolPlace } from './tool-line.ts'

/** What stands in a turn and is no tool call, as lines of so many columns. Each kind has its own mark. */
export function itemLines(item: unknown, place: ToolPlace, width: number): string[] {
  const { view } = place
  const { style } = view
  const text = stringAt(item, 'text') ?? ''
  const marked = (mark: string, words: string, paint: Paint, head = 4) =>
    markedLines({ mark, words, paint, head, width })
  switch (stringAt(item, 'kind')) {
    case 'text':
      return text.trim() === '' ? [] : renderMarkdown(text, { width, style })
    case 'thinking':
      return marked(
        '✻',
        text.trim() === '' ? 'thought, and kept it to itself' : text,
        style.dim,
        Number.POSITIVE_INFINITY,
      )
    case 'prompt':
    case 'queued-prompt':
    case 'warmup':
      return marked('›', text, style.prompt)
    case 'command': {
      const typed = `${stringAt(item, 'name') ?? ''} ${stringAt(item, 'args') ?? ''}`.trim()
      return [...wrap(plain(typed), width).map(style.accent), ...outputLines(item, view, width)]
    }
    case 'bash':
      return [...marked('!', stringAt(item, 'input') ?? '', style.accent), ...outputLines(item, view, width)]
    case 'notification':
      return marked('◇', dotted([text, isToldIn(text, stringAt(item, 'status'))]), style.dim)
    case 'automated':
      return marked('»', text, style.dim)
    case 'interrupt':
      return marked('■', text.includes('for tool use') ? 'interrupted during a tool call' : 'interrupted', style.warn)
    case 'error':
      return marked('✗', text || 'An error without words', style.bad)
    case 'result':
      return []
    case 'compaction':
      return seam(item, view, width)
    case 'attachment':
      return [style.dim(truncate(attachmentLine(item, place), width))]
    default:
      return text === '' ? [] : marked('·', text, style.dim)
  }
}

/** What a command printed, folded and quiet. */
export function outputLines(item: unknown, view: View, width: number): string[] {
  const output = stringAt(item, 'output') ?? ''
  if (output.trim() === '') return []
  const head = view.tools === 'full' ? OUTPUT_HEAD_FULL : OUTPUT_HEAD
  const lines = foldLines(output.trim(), { head, tail: 1, columns: width - 2 })
  return indent(lines.map(view.style.dim), 2)
}

const OUTPUT_HEAD = 5
const OUTPUT_HEAD_FULL = 20

interface Marked {
  readonly mark: string
  readonly words: string
  readonly paint: Paint
  readonly head: number
  readonly width: number
}

function markedLines({ mark, words, paint, head, width }: Marked): string[] {
  const folded = foldLines(words.trim(), { head, columns: Number.POSITIVE_INFINITY })
  const lines = folded.flatMap((line) => wrap(line, width - 2))
  return lines.map((line, at) => paint(`${at === 0 ? mark : ' '} ${line}`.trimEnd()))
}

/** Where the context was cut: a line across, with what went in and what was left. */
function seam(item: unknown, view: View, width: number): string[] {
  const before = numberAt(item, 'preTokens')
  const after = numberAt(item, 'postTokens')
  const sizes = [before, after].map((n) => (n === undefined ? '' : tokens(n))).filter((size) => size !== '')
  const summary = stringAt(item, 'summary') ?? ''
  const label = dotted([
    `compacted${textAt(item, 'trigger') ? ` (${oneLine(textAt(item, 'trigger') ?? '')})` : ''}`,
    sizes.length === 0 ? '' : `${sizes.join(' → ')} tokens`,
  ])
  const line = truncate(`── ${label} ──`, width)
  const rest = Math.max(0, Math.min(width, WIDEST_SEAM) - widthOf(line))
  const told = view.tools === 'full' && summary !== '' ? foldLines(summary, { head: 20, columns: width - 2 }) : []
  return [view.style.warn(line + '─'.repeat(rest)), ...indent(told.map(view.style.dim), 2)]
}

const WIDEST_SEAM = 72

function attachmentLine(item: unknown, { view, folder }: ToolPlace): string {
  const subtype = stringAt(item, 'subtype') ?? ''
  const text = stringAt(item, 'text') ?? ''
  if (subtype.startsWith('hook_')) return `hook  ${oneLine(text)}`
  return `@ ${pathFrom(folder, text, view)}`
}

/** The status, where the sentence before it does not say it anyway. */
function isToldIn(text: string, status: string | undefined): string {
  return status === undefined || status === 'completed' || text.includes(status) ? '' : status
}
