import type { Static } from '../../core/schema.ts'
import type { team } from '../../ops/team.ts'
import { ago, count, plural } from '../terminal/human.ts'
import { oneLine, plain } from '../terminal/sanitize.ts'
import { wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { spaced } from './parts/lines.ts'
import { table } from './parts/table.ts'

type Team = Static<typeof team.result>

/** What a team store holds and what was used. */
export function formatTeam(result: Team, view: View): readonly string[] {
  const { message, machines, usage, action } = result
  const { width } = view
  const isEmpty = action === 'usage' && usage.length === 0
  return spaced([
    message === null ? [] : wrap(plain(message), width),
    isEmpty ? wrap('Nothing can be shown: there is no usage yet, or every group has too few people.', width) : [],
    usageLines(usage, view),
    expiringLines(result.expiring, view),
    action === 'status' ? machineLines(machines, view) : [],
  ])
}

function usageLines(rows: Team['usage'], { style, width }: View): readonly string[] {
  if (rows.length === 0) return []
  // Rows of single people say who they are, not how many.
  const hasPeople = rows.some(({ people }) => people !== null)
  const numbers = [...(hasPeople ? ['people'] : []), 'responses', 'input', 'output', 'cache read', 'cache write']
  const lines = rows.map((row) => [
    oneLine(row.month ?? ''),
    oneLine(row.isRest ? '(groups too small to show)' : (row.key ?? 'unknown')),
    ...(hasPeople ? [row.people === null ? '' : count(row.people)] : []),
    count(row.responses),
    count(row.inputTokens),
    count(row.outputTokens),
    count(row.cacheReadTokens),
    count(row.cacheWrite5mTokens + row.cacheWrite1hTokens),
  ])
  return table([['', '', ...numbers].map(style.dim), ...lines], {
    width,
    flex: [1],
    align: [undefined, undefined, ...numbers.map(() => 'right' as const)],
  })
}

function expiringLines(rows: Team['expiring'], { style, width }: View): readonly string[] {
  if (rows.length === 0) return []
  const lines = rows.map(({ month, person, sessions, records }) => [
    oneLine(month ?? 'no time'),
    oneLine(person ?? 'unknown'),
    count(sessions),
    count(records),
  ])
  const align = [undefined, undefined, 'right', 'right'] as const
  return table([['', '', 'sessions', 'records'].map(style.dim), ...lines], { width, flex: [1], align: [...align] })
}

function machineLines(machines: Team['machines'], { style, width, now }: View): readonly string[] {
  if (machines.length === 0) return wrap('No machine has delivered anything that you may see.', width)
  const lines = machines.map(({ person, name, lastSeen, files }) => [
    oneLine(person ?? 'unknown'),
    oneLine(name ?? ''),
    plural(files, 'file'),
    lastSeen === null ? '' : style.dim(ago(lastSeen, now.getTime())),
  ])
  return table(lines, { width, flex: [0, 1] })
}
