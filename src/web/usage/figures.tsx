import type { ReactNode } from 'react'
import { Money, Tokens } from '../ui/figures.tsx'
import { countText, shareText } from '../ui/words.ts'
import type { Usage } from './usage-page.tsx'

/** The sums: with what no log line shows, the agents' part, and how much came from the cache. */
export function Figures(props: { readonly usage: Usage }) {
  const { total, unlogged } = props.usage
  const agents = total.costUsd === null || total.ownCostUsd === null ? null : total.costUsd - total.ownCostUsd
  const read = total.inputTokens + total.cacheReadTokens + total.cacheWrite5mTokens + total.cacheWrite1hTokens
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-4">
      <Figure
        name="Total"
        note={
          unlogged.costUsd > 0 ? (
            <>
              <Money usd={unlogged.costUsd} /> of it in no log line
            </>
          ) : (
            'all of it logged'
          )
        }
      >
        <Money usd={total.withUnloggedUsd ?? total.costUsd} />
      </Figure>
      <Figure
        name="Agents"
        note={total.costUsd === null || agents === null ? '' : `${shareText(agents, total.costUsd)} of what is logged`}
      >
        <Money usd={agents} />
      </Figure>
      <Figure
        name="Responses"
        note={
          <>
            <Tokens count={total.outputTokens} /> tokens written
          </>
        }
      >
        {countText(total.responses)}
      </Figure>
      <Figure
        name="From the cache"
        note={
          <>
            of <Tokens count={read} /> tokens read
          </>
        }
      >
        {shareText(total.cacheReadTokens, read)}
      </Figure>
    </dl>
  )
}

function Figure(props: { readonly name: string; readonly note: ReactNode; readonly children: ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-muted">{props.name}</dt>
      <dd className="text-2xl font-semibold tracking-tight tabular-nums">{props.children}</dd>
      <dd className="text-xs text-muted">{props.note}</dd>
    </div>
  )
}
