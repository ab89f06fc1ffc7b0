import type { Static } from '../../core/schema.ts'
import type { statusline } from '../../ops/statusline.ts'
import { tokens } from '../terminal/human.ts'
import { truncate } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted } from './parts/lines.ts'
import { cost } from './parts/names.ts'

type Sum = Static<typeof statusline.result>['today']

/** One line: what today cost, and the current session. */
export function formatStatusline({ today, session }: Static<typeof statusline.result>, view: View): readonly string[] {
  if (today.responses === 0 && !session) return [truncate('Nothing was used today.', view.width)]
  const parts = [`today ${spent(today)}`, session ? `session ${spent(session)}` : '']
  return [truncate(dotted(parts), view.width)]
}

function spent(sum: Sum): string {
  const all = sum.inputTokens + sum.outputTokens + sum.cacheReadTokens + sum.cacheWrite5mTokens + sum.cacheWrite1hTokens
  return `${cost(sum.costUsd) || 'unpriced'} ${tokens(all)}`
}
