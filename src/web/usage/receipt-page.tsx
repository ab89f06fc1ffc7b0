import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type OpResult, useOp } from '../api.ts'
import { RecordLink } from '../record-link.tsx'
import { Tag } from '../ui/chip.tsx'
import { ErrorBox } from '../ui/error-box.tsx'
import { Money, Tokens } from '../ui/figures.tsx'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { VirtualList } from '../ui/virtual-list.tsx'
import { countText, moneyText, plural } from '../ui/words.ts'
import { zone } from '../zone.ts'

const route = getRouteApi('/usage/receipt/$id')

type Item = OpResult<'receipt'>['items'][number]

/** A receipt: every response that makes up a sum, with its price and the lines it stands on. */
export function ReceiptPage() {
  const { id } = route.useParams()
  const { data, error, refetch } = useOp('receipt', { what: id, timezone: zone() })
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const toggle = (item: Item) => {
    const key = keyOf(item)
    setOpen((now) => new Set(now.has(key) ? [...now].filter((one) => one !== key) : [...now, key]))
  }
  const name = data?.title?.split('\n')[0] ?? id
  return (
    <Page
      title={data ? `Receipt: ${name}` : 'Receipt'}
      aside={<span className="text-sm text-muted">API prices, not your invoice</span>}
    >
      {error ? <ErrorBox error={error} onRetry={() => refetch()} /> : null}
      {!data && !error ? <Loading label="Adding up …" /> : null}
      {data ? (
        <>
          <p className="mb-4">
            <Money usd={data.total.costUsd} className="text-2xl font-semibold" />
            <span className="ml-3 text-muted">
              {plural(data.total.responses, 'response')} on {plural(rowsOf(data.items), 'row')}; the lines that count
              are marked
            </span>
            {data.kind === 'session' ? (
              <Link to="/s/$session" params={{ session: data.key }} className="ml-3 text-accent hover:underline">
                open the session
              </Link>
            ) : null}
          </p>
          <VirtualList label="Responses" items={data.items} keyOf={keyOf} estimate={() => 58}>
            {(item) => <Response item={item} isOpen={open.has(keyOf(item))} onToggle={() => toggle(item)} />}
          </VirtualList>
          {data.countedElsewhere.length > 0 ? (
            <p className="mt-4 text-sm text-muted">
              {plural(data.countedElsewhere.length, 'further response')} shown here count for the session they were
              copied from.
            </p>
          ) : null}
        </>
      ) : null}
    </Page>
  )
}

function keyOf(item: Item): string {
  return `${item.messageId} ${item.requestId ?? ''}`
}

function rowsOf(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + item.rows.length, 0)
}

function Response(props: { readonly item: Item; readonly isOpen: boolean; readonly onToggle: () => void }) {
  const { item, isOpen } = props
  return (
    <div className="border-t border-line py-2">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={props.onToggle}
        className="flex w-full flex-wrap items-baseline gap-x-3 rounded-md text-left hover:bg-sunk"
      >
        <span aria-hidden="true" className="w-3 text-muted">
          {isOpen ? '▾' : '▸'}
        </span>
        <Time iso={item.timestamp} as="moment" className="w-28 shrink-0 text-sm text-muted" />
        <span className="min-w-0 truncate text-sm">{item.model}</span>
        {item.agent !== null ? <Tag>agent</Tag> : null}
        {item.abandoned ? <Tag tone="warn">abandoned branch</Tag> : null}
        {item.estimated ? <Tag tone="warn">more than is known</Tag> : null}
        <span className="ml-auto">
          <Money usd={item.costUsd} isFine />
        </span>
        <span className="basis-full pl-6 text-sm text-muted">
          <Tokens count={item.inputTokens} /> new · <Tokens count={item.cacheReadTokens} /> from the cache ·{' '}
          <Tokens count={item.cacheWrite5mTokens + item.cacheWrite1hTokens} /> to the cache ·{' '}
          <Tokens count={item.outputTokens} /> written
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
