import type { Static } from '../../core/schema.ts'
import type { statusline } from '../../ops/statusline.ts'
import { shortDuration } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, footer, spaced } from './parts/lines.ts'
import { cost, modelsName } from './parts/names.ts'

type Result = Static<typeof statusline.result>

/** One line, every amount with its name; or what a template says; or the settings that put it into the client. */
export function formatStatusline(result: Result, view: View): readonly string[] {
  if (result.settings !== null) {
    const note = 'Add this to ~/.claude/settings.json. Nothing was written.'
    return spaced([result.settings.split('\n').map(oneLineOf), footer([truncate(note, view.width)])])
  }
  const words = wordsOf(result)
  const { template } = view.input
  if (typeof template === 'string') {
    const filled = template.replaceAll(/\{(\w+)\}/g, (all, name: string) => words[name] ?? all)
    return [truncate(oneLine(filled), view.width)]
  }
  if (result.today.responses === 0 && !result.session) return [truncate('Nothing used today.', view.width)]
  const { style } = view
  const parts = [
    words.model ?? '',
    words.context ? `context ${words.context}` : '',
    words.session ? `session ${words.session}` : '',
    `today ${words.today}`,
    words.block ? `block ${words.block}, ${words.left} left` : '',
    result.warn?.isOver ? style.bad(words.warn ?? '') : '',
  ]
  return [truncate(dotted(parts), view.width)]
}

/** Settings are our own text, indented. */
function oneLineOf(line: string): string {
  return `${/^ */.exec(line)?.[0] ?? ''}${oneLine(line).trimStart()}`
}

/** What a template can name; what is not known is empty. */
function wordsOf({ today, session, model, context, block, warn }: Result): Readonly<Record<string, string>> {
  return {
    model: model === null ? '' : modelsName([model]),
    context: context === null ? '' : `${context.percent}%`,
    session: session === null ? '' : spent(session),
    today: spent(today),
    block: block === null ? '' : spent(block),
    left: block === null ? '' : shortDuration(Math.floor(block.leftMs / 60_000) * 60_000),
    title: oneLine(session?.title ?? ''),
    warn: warn?.isOver ? `over $${warn.limitUsd}/${warn.per}` : '',
  }
}

function spent({ costUsd }: { readonly costUsd: number | null }): string {
  return cost(costUsd) || 'unpriced'
}
