import { useMemo, useState } from 'react'
import { type OpResult, useOp } from '../api.ts'
import { getRouteApi, Link, useNavigate } from '../routing.tsx'
import { visible } from '../session/visible.ts'
import { Card } from '../ui/card.tsx'
import { ErrorBox } from '../ui/error-box.tsx'
import { Money } from '../ui/figures.tsx'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { sortedBy } from '../ui/sorting.ts'
import { SortButton } from '../ui/table.tsx'
import { VirtualList } from '../ui/virtual-list.tsx'
import { plural } from '../ui/words.ts'
import { zone } from '../zone.ts'
import { GRID, Response } from './receipt-response.tsx'
import { Makers, Multiplication } from './receipt-sums.tsx'

const route = getRouteApi('/usage/receipt/$id')

type Item = OpResult<'receipt'>['items'][number]

/** A receipt: the multiplication, who made it, and every response with its price and the lines it stands on. */
export function ReceiptPage() {
  const { id } = route.useParams()
  const { sort } = route.useSearch()
  const navigate = useNavigate({ from: '/usage/receipt/$id' })
  const { data, error, refetch } = useOp('receipt', { what: id, timezone: zone() })
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const toggle = (item: Item) => {
    const key = keyOf(item)
    setOpen((now) => new Set(now.has(key) ? [...now].filter((one) => one !== key) : [...now, key]))
  }
  const name = `${data?.title?.split('\n')[0] ?? id}${data?.kind === 'turn' ? `, turn ${id.split(':').at(-1)}` : ''}`
  const items = useMemo(() => sortedBy(data?.items ?? [], COLUMNS, sort), [data, sort])
  return (
    <Page
      title={data ? `Receipt: ${visible(name)}` : 'Receipt'}
      aside={<span className="text-sm text-muted">API prices, not your invoice</span>}
    >
      {error ? <ErrorBox error={error} onRetry={() => refetch()} /> : null}
      {!data && !error ? <Loading label="Adding up …" /> : null}
      {data ? (
        <div className="space-y-4">
          <p>
            <Money usd={data.total.costUsd} className="text-2xl font-semibold" />
            <span className="ml-3 text-muted">
              {plural(data.total.responses, 'response')} on {plural(rowsOf(data.items), 'row')}
            </span>
            {data.kind === 'session' || data.kind === 'turn' ? (
              <Link to="/s/$session" params={{ session: data.key }} className="ml-3 text-accent underline">
                open the session
              </Link>
            ) : null}
          </p>
          <Multiplication receipt={data} />
          <Makers receipt={data} />
          <Card
            title="Every response"
            aside={<span className="text-sm text-muted">unfolded, each tells its lines and its price</span>}
          >
            <div className={`hidden items-baseline pb-1 text-sm text-muted sm:grid ${GRID}`}>
              <span />
              {COLUMNS.map((column) => (
                <span key={column.name} className={column.isFigure ? 'text-right' : ''}>
                  <SortButton
                    column={column}
                    by={sort}
                    onSort={(by) => navigate({ search: { sort: by }, params: { id }, resetScroll: false })}
                  />
                </span>
              ))}
            </div>
            <VirtualList label="Responses" items={items} keyOf={keyOf} estimate={() => 38}>
              {(item) => <Response item={item} isOpen={open.has(keyOf(item))} onToggle={() => toggle(item)} />}
            </VirtualList>
          </Card>
          {data.countedElsewhere.length > 0 ? (
            <p className="text-sm text-muted">
              {plural(data.countedElsewhere.length, 'further response')} shown here count for the session they were
              copied from.
            </p>
          ) : null}
        </div>
      ) : null}
    </Page>
  )
}

/** What the responses can be sorted by. */
const COLUMNS = [
  { name: 'Time', value: (item: Item) => item.timestamp },
  { name: 'Model', value: (item: Item) => item.model },
  { name: 'New', isFigure: true, value: (item: Item) => item.inputTokens },
  { name: 'From cache', isFigure: true, value: (item: Item) => item.cacheReadTokens },
  { name: 'To cache', isFigure: true, value: (item: Item) => item.cacheWrite5mTokens + item.cacheWrite1hTokens },
  { name: 'Written', isFigure: true, value: (item: Item) => item.outputTokens },
  { name: 'Cost', isFigure: true, value: (item: Item) => item.costUsd },
]

function keyOf(item: Item): string {
  return `${item.messageId} ${item.requestId ?? ''}`
}

function rowsOf(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + item.rows.length, 0)
}
