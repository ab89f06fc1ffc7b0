import type { Static } from '../../core/schema.ts'
import type { plans } from '../../ops/plans.ts'
import { plural, shortPath } from '../terminal/human.ts'
import { renderMarkdown } from '../terminal/markdown.ts'
import { oneLine, plain } from '../terminal/sanitize.ts'
import { truncate } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { headed } from './parts/headed.ts'
import { dotted, footer, indent, measure, nothing, spaced } from './parts/lines.ts'
import { shortId, shortIds, when } from './parts/names.ts'

type Plan = Static<typeof plans.result>['items'][number]

/** Plans, one a line; a single one, and those of one session, whole. */
export function formatPlans(result: Static<typeof plans.result>, view: View): readonly string[] {
  const { items, total } = result
  if (items.length === 0) return nothing('No plans here.', view)
  if (result.written) return [plain(`${plural(total, 'plan')} written to ${shortPath(result.written, view.home)}.`)]
  if (result.markdown !== undefined) return plain(result.markdown).replace(/\n$/, '').split('\n')
  if (items.length === 1 || typeof view.input.session === 'string')
    return spaced(items.map((plan) => whole(plan, view)))
  const short = shortIds(items.flatMap((item) => item.session ?? []))
  const { style } = view
  const rows = headed(
    items,
    [
      { name: 'plan', flex: true, cell: titleOf },
      { name: 'state', cell: (item) => verdict(item, view) },
      { name: 'when', cell: (item) => when(item.timestamp, view) },
      {
        name: 'session',
        cell: ({ session, slug }) => style.dim(session === null ? oneLine(slug ?? '') : short(session)),
      },
    ],
    view,
  )
  const sum = `${plural(total, 'plan')} · to read those of one session: annals plans <session>`
  return spaced([rows, footer([style.dim(truncate(sum, view.width))])])
}

function whole(plan: Plan, view: View): string[] {
  const { style } = view
  const facts = dotted([
    verdict(plan, view),
    when(plan.timestamp, view),
    plan.session === null ? '' : shortId(plan.session),
    shortPath(plan.file, view.home) + (plan.line === null ? '' : `:${plan.line}`),
  ])
  const text = renderMarkdown(plan.text, { width: measure(view) - 2, style })
  return [
    style.title(truncate(titleOf(plan), view.width)),
    style.dim(truncate(facts, view.width)),
    '',
    ...indent(text, 2),
  ]
}

function titleOf(plan: Plan): string {
  return oneLine(plan.title ?? plan.slug ?? '') || '(untitled)'
}

function verdict(plan: Plan, view: View): string {
  if (plan.from === 'plans') return 'file'
  if (plan.accepted === null) return 'no answer'
  return plan.accepted ? view.style.good('✓ accepted') : view.style.bad('✗ declined')
}
