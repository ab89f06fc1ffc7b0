import type { Static } from '../../core/schema.ts'
import type { prompts } from '../../ops/prompts.ts'
import { count, plural, shortPath } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { headed } from './parts/headed.ts'
import { dotted, footer, nothing, spaced } from './parts/lines.ts'
import { lastPart, shortIds, when } from './parts/names.ts'
import { table } from './parts/table.ts'

type Item = Static<typeof prompts.result>['items'][number]
type Prompt = Extract<Item, { readonly text: string }>
type ProjectCount = Extract<Item, { readonly count: number }>

/** What was typed, newest first, or how much in which project. */
export function formatPrompts(result: Static<typeof prompts.result>, view: View): readonly string[] {
  const { items, total } = result
  if (result.known === 0) return nothing('There is no prompt history here (history.jsonl).', view, IN_LOGS)
  if (items.length === 0) return nothing('No prompt matches.', view, 'Try fewer words.')
  const typed = items.filter((item): item is Prompt => 'text' in item)
  const counts = items.filter((item): item is ProjectCount => !('text' in item))
  const noun = counts.length > 0 ? 'project' : 'prompt'
  const shown = items.length < total ? `${count(items.length)} of ${plural(total, noun)}` : plural(total, noun)
  const unsent = typed.filter(isUnsent).length
  const sum = dotted([shown, unsent === 0 ? '' : `✎ typed, but in no log: ${count(unsent)}`])
  return spaced([promptRows(typed, view), countRows(counts, view), footer([view.style.dim(truncate(sum, view.width))])])
}

const IN_LOGS = '`annals search --kind prompt WORDS` looks in the sessions themselves.'

/** Typed, and yet in no log. Of commands that is nothing new: many of them leave no trace. */
function isUnsent({ sent, typed }: Prompt): boolean {
  return sent === false && !typed.startsWith('/')
}

function promptRows(items: readonly Prompt[], view: View): string[] {
  const { style } = view
  const short = shortIds(items.flatMap((item) => item.sessionId ?? []))
  const hasUnsent = view.width !== Number.POSITIVE_INFINITY && items.some(isUnsent)
  const mark = (item: Prompt) => (hasUnsent ? (isUnsent(item) ? style.warn('✎ ') : '  ') : '')
  return headed(
    items,
    [
      { name: 'when', cell: (item) => when(item.timestamp, view) || '–' },
      { name: 'project', most: 24, cell: (item) => lastPart(item.project) || '–' },
      { name: 'prompt', flex: true, cell: (item) => mark(item) + oneLine(item.typed) },
      { name: 'session', cell: (item) => style.dim(item.sessionId === null ? '' : short(item.sessionId)) },
    ],
    view,
  )
}

function countRows(items: readonly ProjectCount[], view: View): string[] {
  const rows = items.map((item) => [
    shortPath(item.path, view.home),
    plural(item.count, 'prompt'),
    view.style.dim(
      dotted([
        item.last === item.first ? '' : `from ${when(item.first, view)}`,
        `last ${when(item.last, view) || '–'}`,
      ]),
    ),
  ])
  return table(rows, { width: view.width, align: ['left', 'right'], flex: [0] })
}
