import { grouped } from '../../core/grouped.ts'
import { type Static, Type } from '../../core/schema.ts'
import { blocksOf, type Calendar } from '../../core/usage/calendar.ts'
import type { SessionQueries } from '../../index/queries/history-queries.ts'
import { NullableNumber, NullableString, nullable, UsageShape } from '../shapes.ts'
import { sumCosts } from './spending.ts'
import { type BilledSession, type BilledSpending, sumBilled } from './usage.ts'
import type { AgentLabel, TurnLabel } from './usage-family.ts'

/** What usage can be put together by. */
export const GroupingShape = Type.Choice(
  ['total', 'day', 'week', 'month', 'hour', 'session', 'turn', 'project', 'model', 'agent', 'agent-type', 'block'],
  'One row for each (default: day); an hour is one of the week, a block is five hours',
)

export type Grouping = Static<typeof GroupingShape>

export const SumShape = Type.Object({
  ...UsageShape.properties,
  costUsd: NullableNumber,
  ownCostUsd: nullable(Type.Number("The sessions' own part, without their agents")),
})

/** What rows can be taken apart by. */
export const PartsShape = Type.Choice(['model', 'project', 'session'], 'Split each row by model, project or session')

export type Parts = Static<typeof PartsShape>

const PartShape = Type.Object({ key: Type.String(), label: NullableString, ...SumShape.properties })

export const UsageRowShape = Type.Object({
  key: Type.String(),
  label: nullable(Type.String('What a person calls it: a title, a path, what was asked')),
  ...SumShape.properties,
  models: Type.Array(Type.String(), 'The models that answered, the most expensive first'),
  largest: nullable(
    Type.Object(
      { session: Type.String(), title: NullableString, costUsd: Type.Number() },
      'The session that cost the most',
    ),
  ),
  parts: Type.Optional(Type.Array(PartShape, 'The same split up, the most expensive first, where that was asked for')),
})

/** Names of rows that the responses themselves do not have. */
export interface Labels {
  readonly titles: SessionQueries['titles']
  readonly blocks?: ReadonlyMap<BilledSpending, string>
  readonly turnOf?: (one: BilledSpending) => TurnLabel | undefined
  readonly agentOf?: (one: BilledSpending) => AgentLabel | undefined
}

interface Key {
  readonly key: string
  readonly label?: string | null
}

/** Groups responses: times in their order, everything else by cost. */
export async function usageRows(
  by: Grouping,
  priced: readonly BilledSpending[],
  calendar: Calendar,
  labels: Labels,
  parts?: Parts,
): Promise<Static<typeof UsageRowShape>[]> {
  const isTime = TIMES.has(by)
  const hasLargest = isTime || by === 'project'
  const groups = [...grouped(priced, (one) => keyOf(by, one, calendar, labels).key)].map(([key, members]) => {
    return { key, members, largest: hasLargest ? largestSession(members) : undefined }
  })
  const shown = by === 'session' || parts === 'session' ? priced.map(({ session }) => session) : []
  const largest = groups.flatMap((group) => group.largest?.session ?? [])
  const titles = await labels.titles([...new Set([...shown, ...largest].map(({ key }) => key))])
  const titleOf = ({ key }: BilledSession) => titles.get(key)?.title ?? null
  const rows = groups.map(({ key, members, largest: most }) => ({
    key,
    label: by === 'session' ? titleOf(members[0].session) : (keyOf(by, members[0], calendar, labels).label ?? null),
    ...sumBilled(members),
    models: modelsOf(members),
    largest: most ? { session: most.session.id, title: titleOf(most.session), costUsd: most.costUsd } : null,
    ...(parts && { parts: partsOf(parts, members, calendar, titleOf) }),
  }))
  return rows.sort((a, b) => (isTime ? 0 : byCost(a, b)) || (a.key < b.key ? -1 : 1))
}

function byCost(a: { readonly costUsd: number | null }, b: { readonly costUsd: number | null }): number {
  return (b.costUsd ?? 0) - (a.costUsd ?? 0)
}

const TIMES: ReadonlySet<Grouping> = new Set(['day', 'week', 'month', 'hour', 'block'])

function partsOf(
  by: Parts,
  members: readonly BilledSpending[],
  calendar: Calendar,
  titleOf: (session: BilledSession) => string | null,
): Static<typeof PartShape>[] {
  const keyIn = (one: BilledSpending) => keyOf(by, one, calendar, {})
  const parts = [...grouped(members, (one) => keyIn(one).key)].map(([key, own]) => {
    const label = by === 'session' ? titleOf(own[0].session) : (keyIn(own[0]).label ?? null)
    return { key, label, ...sumBilled(own) }
  })
  return parts.sort((a, b) => byCost(a, b) || (a.key < b.key ? -1 : 1))
}

/** The block of each response. Blocks run over everything, whatever part of it is asked for. */
export function blocksByResponse(all: readonly BilledSpending[]): ReadonlyMap<BilledSpending, string> {
  const timed = all.filter((one) => !Number.isNaN(one.at)).toSorted((a, b) => a.at - b.at)
  const blocks = blocksOf(timed.map((one) => one.at))
  return new Map(timed.map((one, i) => [one, blocks[i] as string]))
}

const NO_TIME = 'no time'

function keyOf(by: Grouping, one: BilledSpending, calendar: Calendar, labels: Omit<Labels, 'titles'>): Key {
  const { session } = one
  if (by === 'total') return { key: 'total' }
  if (by === 'day') return { key: calendar.day(one.at) || NO_TIME }
  if (by === 'week') return { key: calendar.week(one.at) || NO_TIME }
  if (by === 'month') return { key: calendar.month(one.at) || NO_TIME }
  if (by === 'hour') return { key: calendar.hour(one.at) || NO_TIME }
  if (by === 'block') return { key: labels.blocks?.get(one) || NO_TIME }
  if (by === 'session') return { key: session.id }
  if (by === 'project') return { key: session.project.key, label: session.project.path }
  if (by === 'model') return { key: one.model }
  if (by === 'turn') {
    const turn = labels.turnOf?.(one)
    return { key: `${session.id}#${turn?.key ?? 0}`, label: turn?.label ?? null }
  }
  if (!one.isAgent) return { key: 'main', label: 'main sessions' }
  const agent = labels.agentOf?.(one)
  if (by === 'agent-type') return { key: agent?.type ?? 'unknown' }
  const label = agent ? [agent.type, agent.label].filter((part) => part).join(': ') : null
  return { key: `agent-${agent?.id ?? one.agent ?? 'unknown'}`, label }
}

function modelsOf(members: readonly BilledSpending[]): string[] {
  const costs = new Map<string, number>()
  for (const { model, costUsd } of members) costs.set(model, (costs.get(model) ?? 0) + (costUsd ?? 0))
  return [...costs].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).map(([model]) => model)
}

function largestSession(members: readonly BilledSpending[]) {
  const costs = [...grouped(members, (one) => one.session.id).values()].map((own) => {
    return { session: own[0].session, costUsd: sumCosts(own) ?? 0 }
  })
  const [largest] = costs.sort((a, b) => b.costUsd - a.costUsd || (a.session.id < b.session.id ? -1 : 1))
  return largest && largest.costUsd !== 0 ? largest : undefined
}
