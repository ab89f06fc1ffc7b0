import type { CompactionItem } from '../../../core/tree/item-schema.ts'
import { notificationText, typedText } from '../../../core/tree/item-text.ts'
import type { FollowedItem } from '../../../history/view/item-shape.ts'
import { foldLines } from '../../terminal/fold.ts'
import { tokens } from '../../terminal/human.ts'
import { renderMarkdown } from '../../terminal/markdown.ts'
import { oneLine, plain } from '../../terminal/sanitize.ts'
import type { Paint } from '../../terminal/style.ts'
import { truncate, width as widthOf, wrap } from '../../terminal/width.ts'
import type { View } from '../../view.ts'
import { dotted, indent } from './lines.ts'
import { pathFrom } from './names.ts'
import type { ToolPlace } from './tool-line.ts'

/** What stands in a turn, or was written while following, and is no tool call. */
export type PlainItem = Exclude<FollowedItem, { kind: 'tool' }>

/** What stands in a turn and is no tool call, as lines of so many columns. Each kind has its own mark. */
export function itemLines(item: PlainItem, place: ToolPlace, width: number): string[] {
  const { view } = place
  const { style } = view
  const marked = (mark: string, words: string, paint: Paint, head = 4) =>
    markedLines({
      mark,
      words,
      paint,
      head: view.input.full === true ? Number.POSITIVE_INFINITY : head,
      width,
      unfold: view.unfold,
    })
  switch (item.kind) {
    case 'text':
      return item.text.trim() === '' ? [] : renderMarkdown(item.text, { width, style })
    case 'thinking':
      return marked('✻', item.text.trim() || 'thinking that was not recorded', style.dim, Number.POSITIVE_INFINITY)
    case 'prompt':
    case 'queued-prompt':
    case 'warmup':
      return marked('›', item.text, style.prompt)
    case 'command':
      return [...wrap(plain(typedText(item)), width).map(style.accent), ...outputLines(item, view, width)]
    case 'bash':
      return [...marked('!', item.input, style.accent), ...outputLines(item, view, width)]
    case 'notification':
      return marked('◇', notificationText(item), style.dim)
    case 'automated':
      return marked('»', item.text, style.dim)
    case 'interrupt':
      return marked('■', item.duringTool ? 'interrupted during a tool call' : 'interrupted', style.warn)
    case 'error':
      return marked('✗', item.text || 'An error without a message', style.bad)
    case 'result':
      return []
    case 'compaction':
      return seam(item, view, width)
    case 'attachment': {
      const words = item.isHook ? `hook  ${oneLine(item.text)}` : `@ ${pathFrom(place.folder, item.text, view)}`
      return [style.dim(truncate(words, width))]
    }
    case 'system':
      return item.text === '' ? [] : marked('·', item.text, style.dim)
  }
}

/** What a command printed, folded and quiet; where all is shown, what it was expanded into before that. */
export function outputLines(
  { expansion = null, output }: { readonly expansion?: string | null; readonly output: string | null },
  view: View,
  width: number,
): string[] {
  const isFull = view.tools === 'full'
  const head = view.input.full === true ? Number.POSITIVE_INFINITY : isFull ? OUTPUT_HEAD_FULL : OUTPUT_HEAD
  const texts = [isFull ? expansion : null, output].map((text) => text?.trim() ?? '').filter((text) => text !== '')
  const lines = texts.flatMap((text) => foldLines(text, { head, tail: 1, columns: width - 2, unfold: view.unfold }))
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
  readonly unfold: string | undefined
}

function markedLines({ mark, words, paint, head, width, unfold }: Marked): string[] {
  const folded = foldLines(words.trim(), { head, columns: Number.POSITIVE_INFINITY, unfold })
  const lines = folded.flatMap((line) => wrap(line, width - 2))
  return lines.map((line, at) => paint(`${at === 0 ? mark : ' '} ${line}`.trimEnd()))
}

/** Where the context was cut: a line across, with what went in and what was left. */
function seam(item: CompactionItem, view: View, width: number): string[] {
  const sizes = [item.preTokens, item.postTokens].flatMap((n) => (n === null ? [] : [tokens(n)]))
  const label = dotted([
    `compacted${item.trigger === null ? '' : ` (${oneLine(item.trigger)})`}`,
    sizes.length === 0 ? '' : `${sizes.join(' → ')} tokens`,
  ])
  const line = truncate(`── ${label} ──`, width)
  const rest = Math.max(0, Math.min(width, WIDEST_SEAM) - widthOf(line))
  const summary = view.tools === 'full' && item.summary ? item.summary : ''
  const told =
    summary === ''
      ? []
      : foldLines(summary, {
          head: view.input.full === true ? Number.POSITIVE_INFINITY : 20,
          columns: width - 2,
          unfold: view.unfold,
        })
  return [view.style.warn(line + '─'.repeat(rest)), ...indent(told.map(view.style.dim), 2)]
}

const WIDEST_SEAM = 72
