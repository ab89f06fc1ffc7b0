import type { ReactNode } from 'react'
import { Money, Tokens } from '../ui/figures.tsx'
import { countText, plural, shareText } from '../ui/words.ts'
import type { Usage } from './usage-page.tsx'

/** The sums: beside the time before, with what no log line shows, what a turn costs, and what the cache saved. */
export function Figures(props: {
  readonly usage: Usage
  readonly before: Usage | undefined
  readonly receipt: string
  /** The sums are those of one project, and the receipt is of all. */
  readonly isPart: boolean
  readonly beforeReceipt: string | undefined
}) {
  const { total, unlogged } = props.usage
  const agents = total.costUsd === null || total.ownCostUsd === null ? null : total.costUsd - total.ownCostUsd
  const read = total.inputTokens + total.cacheReadTokens + total.cacheWrite5mTokens + total.cacheWrite1hTokens
  const { turns } = total
  const perTurn = total.costUsd !== null && turns ? total.costUsd / turns : null
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-3 lg:grid-cols-6">
      <Figure
        name="Total"
        note={
          <>
            <Change now={total.costUsd} before={props.before?.total.costUsd} receipt={props.beforeReceipt} />
            {unlogged.costUsd > 0 ? (
              <span className="block">
                <Money usd={unlogged.costUsd} receipt={props.receipt} isPart /> of it in no log line
              </span>
            ) : null}
          </>
        }
      >
        <Money usd={total.withUnloggedUsd ?? total.costUsd} receipt={props.receipt} isPart={props.isPart} />
      </Figure>
      <Figure name="A turn" note={turns === undefined ? '' : plural(turns, 'turn')}>
        <Money usd={perTurn} receipt={props.receipt} isPart />
      </Figure>
      <Figure
        name="Agents"
        note={total.costUsd === null || agents === null ? '' : `${shareText(agents, total.costUsd)} of what is logged`}
      >
        <Money usd={agents} receipt={props.receipt} isPart />
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
      <Figure name="The cache saved" note="against all of it as new input">
        <Money usd={total.cacheSavedUsd} receipt={props.receipt} isPart />
      </Figure>
    </dl>
  )
}

/** How much more or less it is than in the time before, as long as this one. */
function Change(props: {
  readonly now: number | null
  readonly before: number | null | undefined
  readonly receipt: string | undefined
}) {
  const { now, before } = props
  if (now === null || before === null || before === undefined) return null
  if (before === 0) return now === 0 ? null : 'nothing in the time before'
  const percent = Math.round(((now - before) / before) * 100)
  const word = percent === 0 ? 'as much as' : `${percent > 0 ? '+' : '−'}${countText(Math.abs(percent))} % to`
  return (
    <>
      {word} the time before (<Money usd={before} receipt={props.receipt} isPart />)
    </>
  )
}

function Figure(props: { readonly name: string; readonly note: ReactNode; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-muted">{props.name}</dt>
      <dd className="text-2xl font-semibold tracking-tight tabular-nums">{props.children}</dd>
      <dd className="text-xs text-muted">{props.note}</dd>
    </div>
  )
}
