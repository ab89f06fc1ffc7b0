import type { OpResult } from '../api.ts'
import { RecordLink } from '../record-link.tsx'
import { Chevron } from '../ui/chevron.tsx'
import { Tag } from '../ui/chip.tsx'
import { Money, Tokens } from '../ui/figures.tsx'
import { Said } from '../ui/said.tsx'
import { Time } from '../ui/time.tsx'
import { countText, moneyText, plural } from '../ui/words.ts'

type Item = OpResult<'receipt'>['items'][number]

/** The columns of the responses and of their heads. */
export const GRID =
  'grid-cols-[1rem_minmax(0,1fr)_auto] gap-x-3 sm:grid-cols-[1rem_7rem_minmax(0,1fr)_4.5rem_5.5rem_5rem_4.5rem_5rem]'

/** A response of a receipt; unfolded, the lines it stands on and the price it was made at. */
export function Response(props: { readonly item: Item; readonly isOpen: boolean; readonly onToggle: () => void }) {
  const { item, isOpen } = props
  const figure = 'hidden text-right text-sm text-muted sm:block'
  return (
    <div className="border-t border-line py-1.5">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={props.onToggle}
        className={`grid w-full items-baseline rounded-md text-left hover:bg-sunk ${GRID}`}
      >
        <Chevron isOpen={isOpen} />
        <Time iso={item.timestamp} as="moment" className="truncate text-sm text-muted" />
        <span className="col-start-2 row-start-2 flex min-w-0 flex-wrap gap-x-2 text-sm sm:col-auto sm:row-auto">
          <Said className="truncate">{item.model}</Said>
          {item.agent !== null ? <Tag>agent</Tag> : null}
          {item.abandoned ? <Tag tone="warn">abandoned branch</Tag> : null}
          {item.estimated ? <Tag tone="warn">more than is known</Tag> : null}
        </span>
        <Tokens count={item.inputTokens} className={figure} />
        <Tokens count={item.cacheReadTokens} className={figure} />
        <Tokens count={item.cacheWrite5mTokens + item.cacheWrite1hTokens} className={figure} />
        <Tokens count={item.outputTokens} className={figure} />
        <span className="col-start-3 row-start-1 text-right text-sm sm:col-auto sm:row-auto">
          <Money usd={item.costUsd} isFine />
        </span>
      </button>
      {isOpen ? <Lines item={item} /> : null}
    </div>
  )
}

function Lines(props: { readonly item: Item }) {
  const { item } = props
  const session = item.agent === null ? item.session : `agent-${item.agent}`
  return (
    <div className="mt-2 space-y-2 pl-6 text-sm">
      <ul className="space-y-1">
        {item.rows.map((row) => (
          <li key={`${row.file} ${row.offset}`} className="flex flex-wrap gap-x-3">
            <RecordLink place={row} session={session} />
            <span className={row.counted ? 'font-medium' : 'text-muted'}>
              {row.counted ? 'counts' : 'does not count'}: {row.why} ({plural(row.outputTokens, 'output token')})
            </span>
          </li>
        ))}
      </ul>
      <p className="text-muted">{priceText(item)}</p>
    </div>
  )
}

function priceText({ price, messageId, webSearches }: Item): string {
  const searches = webSearches > 0 ? `, ${plural(webSearches, 'web search', 'web searches')}` : ''
  if (price === null) return `${messageId}: nobody has a price for this model${searches}.`
  const per = [
    `${moneyText(price.input)} new`,
    `${moneyText(price.cacheRead)} from the cache`,
    `${moneyText(price.cacheWrite5m)} or ${moneyText(price.cacheWrite1h)} to the cache`,
    `${moneyText(price.output)} written`,
  ].join(', ')
  const factor = price.factor === 1 ? '' : `, times ${countText(price.factor * 100)} %`
  return `${messageId}: per million tokens ${per}${factor} (${price.rate} price as of ${price.asOf.slice(0, 10)}, ${price.source})${searches}.`
}
