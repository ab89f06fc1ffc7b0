import { grouped } from '../../core/grouped.ts'
import { type Static, Type } from '../../core/schema.ts'
import type { Rates } from '../../core/usage/price.ts'
import type { TitledSession } from '../../index/queries/titles.ts'
import { NullableNumber, NullableString, nullable } from '../shapes.ts'
import { sumCosts } from './spending.ts'
import type { BilledSpending } from './usage.ts'
import type { TurnLabel } from './usage-family.ts'

/** What the responses of one model came to that were billed at one price: tokens times rates. */
export const ModelSum = Type.Object({
  model: Type.String(),
  responses: Type.Integer(),
  parts: Type.Array(
    Type.Object({
      name: Type.String('in, out, cache read, 5 min write or 1 h write'),
      tokens: Type.Number(),
      usdPerMillion: NullableNumber,
      costUsd: nullable(Type.Number('Tokens × rate × factor')),
    }),
  ),
  webSearches: Type.Number(),
  factor: Type.Number('For where it was made: 1.1 in the US, else 1'),
  costUsd: NullableNumber,
})

/** A number, from the sessions that made it to the multiplication. */
export const ReceiptSession = Type.Object({
  session: Type.String(),
  title: NullableString,
  project: Type.Object({ key: Type.String(), path: NullableString }),
  costUsd: NullableNumber,
  turns: Type.Array(
    Type.Object({
      turn: nullable(Type.String('Its number, followed by the branch where that was abandoned')),
      asked: NullableString,
      costUsd: NullableNumber,
      models: Type.Array(ModelSum),
    }),
  ),
})

/** The rates that a response was billed at; `null` where nobody knows them. */
export interface Billed extends Rates {
  readonly factor: number
}

/** Puts responses together: sessions, the dearest first; their turns in the order of time; the models of each. */
export function receiptSessions(
  calls: readonly { readonly one: BilledSpending; readonly price: Billed | null }[],
  turnOf: (one: BilledSpending) => TurnLabel | undefined,
  titles: ReadonlyMap<string, TitledSession>,
): Static<typeof ReceiptSession>[] {
  const bySession = grouped(calls, ({ one }) => one.session.key)
  const sessions = [...bySession.values()].map((own) => {
    const { session } = own[0].one
    return {
      session: session.id,
      title: titles.get(session.key)?.title ?? null,
      project: { ...session.project },
      costUsd: costOf(own),
      turns: [...grouped(own, ({ one }) => turnOf(one)?.key ?? '').values()].map((turn) => {
        const label = turnOf(turn[0].one)
        return {
          turn: label?.key ?? null,
          asked: label?.label ?? null,
          costUsd: costOf(turn),
          models: receiptModels(turn),
        }
      }),
    }
  })
  return sessions.sort((a, b) => (b.costUsd ?? 0) - (a.costUsd ?? 0))
}

/** The same by model alone: the multiplication of the whole, the dearest first. */
export function receiptModels(
  calls: readonly { readonly one: BilledSpending; readonly price: Billed | null }[],
): Static<typeof ModelSum>[] {
  const priced = grouped(calls, ({ one, price }) => `${one.model}\0${JSON.stringify(price)}`)
  return [...priced.values()].map(modelSum).sort((a, b) => (b.costUsd ?? 0) - (a.costUsd ?? 0))
}

type Call = Parameters<typeof receiptSessions>[0][number]

function modelSum(calls: readonly [Call, ...Call[]]): Static<typeof ModelSum> {
  const { one, price } = calls[0]
  const sum = (tokensOf: (used: BilledSpending['used']) => number) =>
    calls.reduce((total, call) => total + tokensOf(call.one.used), 0)
  const parts = [
    { name: 'in', tokens: sum((used) => used.inputTokens), usdPerMillion: price?.input ?? null },
    { name: 'out', tokens: sum((used) => used.outputTokens), usdPerMillion: price?.output ?? null },
    { name: 'cache read', tokens: sum((used) => used.cacheReadTokens), usdPerMillion: price?.cacheRead ?? null },
    { name: '5 min write', tokens: sum((used) => used.cacheWrite5mTokens), usdPerMillion: price?.cacheWrite5m ?? null },
    { name: '1 h write', tokens: sum((used) => used.cacheWrite1hTokens), usdPerMillion: price?.cacheWrite1h ?? null },
  ]
  return {
    model: one.model,
    responses: calls.length,
    parts: parts
      .filter(({ tokens }) => tokens > 0)
      .map((part) => ({ ...part, costUsd: productOf(part, price?.factor ?? 1) })),
    webSearches: sum((used) => used.webSearches),
    factor: price?.factor ?? 1,
    costUsd: costOf(calls),
  }
}

function productOf(part: { readonly tokens: number; readonly usdPerMillion: number | null }, factor: number) {
  return part.usdPerMillion === null ? null : (part.tokens * part.usdPerMillion * factor) / 1e6
}

function costOf(calls: readonly Call[]): number | null {
  return sumCosts(calls.map(({ one }) => one))
}
