import type { Static } from '../../../core/schema.ts'
import type { context } from '../../../ops/outline/context.ts'
import { plural, tokens } from '../../terminal/human.ts'
import { oneLine } from '../../terminal/sanitize.ts'
import { truncate, wrap } from '../../terminal/width.ts'
import type { View } from '../../view.ts'
import { dotted, footer, indent, nextSteps, nothing, spaced } from '../parts/lines.ts'
import { cost, shortId } from '../parts/names.ts'
import { table } from '../parts/table.ts'

type Filled = Static<typeof context.result>
type Compaction = Filled['compactions'][number]

const BAR = 24

/** How full the window was after each turn, where it was compacted, and what all of it was. */
export function formatContext(result: Filled, view: View): readonly string[] {
  const { points, sizes, compactions } = result
  const { style, width } = view
  const most = points.reduce((max, point) => Math.max(max, point.windowTokens), 0)
  if (most === 0) return nothing('No response here says how full the context window was.', view)
  const last = new Map(points.map((point) => [point.turn, point.windowTokens]))
  const longest = Math.max(4, Math.min(BAR, Math.floor(width / 4)))
  const size = result.windowTokens
  const digits = String(sizes.at(-1)?.turn ?? 0).length
  const turns = sizes.filter(({ isStep }) => !isStep)
  const rows = turns.map(({ turn, text }) => {
    const filled = last.get(turn)
    return [
      `${style.prompt(`${String(turn).padStart(digits)} ›`)} ${oneLine(text ?? '')}`,
      filled === undefined ? '' : windowBar(filled / size, longest, view),
      filled === undefined ? '' : `${Math.round((filled / size) * 100)} %`,
      filled === undefined ? '' : style.dim(tokens(filled)),
    ]
  })
  const lines = table(rows, { width, align: [undefined, undefined, 'right', 'right'], flex: [0] })
  const lead = digits + 3
  const name = result.agent === null ? shortId(result.session) : `agent-${result.agent}`
  return spaced([
    turns.flatMap(({ turn }, at) => {
      const seams = compactions.filter((one) => one.turn === turn).map((one) => style.warn(seam(one, width - lead)))
      return [lines[at] ?? '', ...indent(seams, lead)]
    }),
    footer(sums(result, most, view)),
    nextSteps([`annals show ${name} --outline`], view),
  ])
}

/** What is full of the whole window; from four fifths on the client will soon compact. */
function windowBar(share: number, longest: number, { style }: View): string {
  const full = Math.min(longest, Math.max(1, Math.round(share * longest)))
  const paint = share >= NEARLY_FULL ? style.warn : style.accent
  return `${paint('█'.repeat(full))}${style.dim('░'.repeat(longest - full))}`
}

const NEARLY_FULL = 0.8

function seam({ trigger, preTokens, postTokens }: Compaction, width: number): string {
  const sizes = [preTokens, postTokens].filter((n) => n !== null).map(tokens)
  const why = trigger === null ? '' : ` (${oneLine(trigger)})`
  const label = dotted([`compacted${why}`, sizes.length === 0 ? '' : `${sizes.join(' → ')} tokens`])
  return truncate(`── ${label} ──`, width)
}

const NAMES = [
  ['prompts', 'prompts'],
  ['answers', 'answers'],
  ['thinking', 'thinking'],
  ['toolInput', 'tool calls'],
  ['toolResults', 'tool results'],
  ['memory', 'CLAUDE.md'],
  ['skills', 'skills'],
  ['files', 'files'],
  ['summaries', 'summaries'],
  ['attachments', 'from Claude Code'],
] as const

function sums(result: Filled, most: number, { style, width }: View): string[] {
  const { points, sizes, windowTokens, lostCaches, bytesPerToken } = result
  const sums = NAMES.map(([key, name]) => ({ name, sum: sizes.reduce((sum, turn) => sum + turn[key], 0) }))
  const filled = sums.filter(({ sum }) => sum > 0).sort((a, b) => b.sum - a.sum)
  return [
    dotted([
      plural(points.length, 'response'),
      `at most ${tokens(most)} of ${tokens(windowTokens)} tokens in the window`,
    ]),
    dotted(filled.map(({ name, sum }) => `${name} ${tokens(Math.round(sum / bytesPerToken))}`)),
    filled.length === 0 ? '' : 'what filled it is estimated from its length',
    lostText(lostCaches),
  ]
    .filter((line) => line !== '')
    .flatMap((line) => wrap(line, width).map(style.dim))
}

/** `the cache was lost 2 times: 84k tokens read again, $0.41 more` */
function lostText(lost: Filled['lostCaches']): string {
  if (lost.length === 0) return ''
  const sum = lost.reduce((all, { lostTokens }) => all + lostTokens, 0)
  const usd = lost.reduce((all, { costUsd }) => all + (costUsd ?? 0), 0)
  return `the cache was lost ${plural(lost.length, 'time')}: ${tokens(sum)} tokens read again, ${cost(usd)} more`
}
