import { count, shortPath } from '../../terminal/human.ts'
import { oneLine } from '../../terminal/sanitize.ts'
import { truncate } from '../../terminal/width.ts'
import type { View } from '../../view.ts'
import type { UsageResult } from '../usage.ts'
import { spaced } from './lines.ts'
import { moneyOf } from './money.ts'
import { shortIds } from './names.ts'
import { table } from './table.ts'

type Reconciled = NonNullable<UsageResult['reconcile']>

/** Our count beside others', with the reason for each difference. */
export function reconcileLines(result: Reconciled, view: View): readonly string[] {
  const short = shortIds(result.ledger.map((line) => line.session))
  const { ccusage } = result
  return spaced([
    section(
      "Claude Code's own totals",
      'No session has any: Claude Code before 2.1.290 kept none.',
      result.ledger.map((line) => ({ ...line, name: `${short(line.session)}  ${oneLine(line.title ?? '')}` })),
      view,
    ),
    section(
      'Last sessions, in .claude.json',
      'There are none.',
      result.lastSessions.map((line) => ({ ...line, name: shortPath(line.project, view.home) })),
      view,
    ),
    statsLines(result, view),
    section('ccusage', 'ccusage is not installed.', ccusage.installed ? [{ ...ccusage, name: 'all days' }] : [], view),
  ])
}

interface Line {
  readonly name: string
  readonly oursUsd: number | null
  readonly theirsUsd: number | null
  readonly differenceUsd: number | null
  readonly reasons: readonly string[]
}

function section(title: string, without: string, lines: readonly Line[], view: View): string[] {
  const { style, width } = view
  if (lines.length === 0) return [truncate(`${style.title(title)}  ${style.dim(without)}`, width)]
  const money = moneyOf(lines.flatMap((line) => [line.oursUsd, line.theirsUsd]))
  const amount = (usd: number | null) => (usd === null ? '–' : money(usd))
  const rows = lines.map((line) => [
    line.name,
    amount(line.oursUsd),
    amount(line.theirsUsd),
    line.reasons.length === 0 ? style.good('equal') : amount(line.differenceUsd),
    style.dim(oneLine(line.reasons.join('; '))),
  ])
  const header = [style.title(title), style.dim('ours'), style.dim('theirs'), style.dim('difference'), '']
  return table([header, ...rows], { width, align: [undefined, 'right', 'right', 'right'], flex: [0, 4] })
}

function statsLines({ statsCache }: Reconciled, view: View): string[] {
  const { style, width } = view
  if (statsCache.length === 0)
    return [truncate(`${style.title('stats-cache.json')}  ${style.dim('There is none.')}`, width)]
  const rows = statsCache.map((line) => [
    oneLine(line.model),
    count(line.oursTokens),
    count(line.theirsTokens),
    line.reasons.length === 0 ? style.good('equal') : style.dim(oneLine(line.reasons.join('; '))),
  ])
  const header = [style.title('stats-cache.json'), style.dim('our tokens'), style.dim('theirs'), '']
  return table([header, ...rows], { width, align: [undefined, 'right', 'right'], flex: [0, 3] })
}
