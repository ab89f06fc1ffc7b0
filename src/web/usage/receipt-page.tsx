import { useMemo, useState } from 'react'
import { type OpResult, useOp } from '../api.ts'
import { RecordLink } from '../record-link.tsx'
import { getRouteApi, Link, useNavigate } from '../routing.tsx'
import { visible } from '../session/visible.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Chevron } from '../ui/chevron.tsx'
import { Tag } from '../ui/chip.tsx'
import { ErrorBox } from '../ui/error-box.tsx'
import { Money, Tokens } from '../ui/figures.tsx'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { Said } from '../ui/said.tsx'
import { sortedBy } from '../ui/sorting.ts'
import { SortButton, Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { VirtualList } from '../ui/virtual-list.tsx'
import { countText, moneyText, plural } from '../ui/words.ts'
import { zone } from '../zone.ts'

const route = getRouteApi('/usage/receipt/$id')

type Item = OpResult<'receipt'>['items'][number]

type Receipt = OpResult<'receipt'>

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
  const name = data?.title?.split('\n')[0] ?? id
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
            {data.kind === 'session' ? (
              <Link to="/s/$session" params={{ session: data.key }} className="ml-3 text-accent underline">
                open the session
              </Link>
            ) : null}
          </p>
          <Multiplication receipt={data} />
          <Makers receipt={data} />
          <Card
            title="Every response"
            aside={<span className="text-sm text-muted">the lines that count are marked</span>}
          >
            <div className={`hidden items-baseline text-sm text-muted sm:grid ${GRID}`}>
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

const GRID =
  'grid-cols-[1rem_minmax(0,1fr)_auto] gap-x-3 sm:grid-cols-[1rem_7rem_minmax(0,1fr)_4.5rem_5.5rem_5rem_4.5rem_5rem]'

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

const KINDS: Readonly<Record<string, string>> = {
  in: 'new input',
  out: 'written',
  'cache read': 'read from the cache',
  '5 min write': 'written to the cache, 5 min',
  '1 h write': 'written to the cache, 1 h',
}

/** Tokens × price = $, by model, with what each comes to and the whole. */
function Multiplication({ receipt }: { receipt: Receipt }) {
  const rows = receipt.models.flatMap((sum, at) => [
    ...sum.parts.map((part) => ({ ...part, model: sum.model, factor: sum.factor, at, key: `${at} ${part.name}` })),
    ...(sum.webSearches > 0 ? [searchesOf(sum, at)] : []),
  ])
  return (
    <Card title="Tokens × price">
      <Table
        label="Tokens times price"
        file={`receipt-${receipt.key}`}
        rows={rows}
        keyOf={({ key }) => key}
        columns={[
          { name: 'Model', value: ({ model }) => model, cell: ({ model }) => <Said>{model}</Said> },
          {
            name: 'What',
            value: ({ name }) => KINDS[name] ?? name,
            cell: ({ name }) => KINDS[name] ?? name,
          },
          {
            name: 'Tokens',
            isFigure: true,
            value: ({ tokens }) => tokens,
            cell: ({ tokens }) => countText(tokens),
          },
          {
            name: '× $ per million',
            isFigure: true,
            value: ({ usdPerMillion }) => usdPerMillion,
            cell: ({ usdPerMillion, factor }) =>
              usdPerMillion === null ? '–' : `× ${moneyText(usdPerMillion)}${factor === 1 ? '' : ` × ${factor}`}`,
          },
          {
            name: '= $',
            isFigure: true,
            value: ({ costUsd }) => costUsd,
            cell: ({ costUsd }) => <Money usd={costUsd} isFine />,
          },
        ]}
        footer={
          <tfoot>
            {receipt.models.length > 1
              ? receipt.models.map((sum, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: one model may have two prices
                  <Total key={at} name={`${sum.model}, ${plural(sum.responses, 'response')}`} usd={sum.costUsd} />
                ))
              : null}
            <Total name="Total" usd={receipt.total.costUsd} isLast />
          </tfoot>
        }
      />
    </Card>
  )
}

function searchesOf(sum: Receipt['models'][number], at: number) {
  const { model, webSearches } = sum
  const rest = (sum.costUsd ?? 0) - sum.parts.reduce((all, part) => all + (part.costUsd ?? 0), 0)
  return {
    name: 'web searches',
    tokens: webSearches,
    usdPerMillion: null,
    costUsd: sum.costUsd === null ? null : rest,
    model,
    factor: 1,
    at,
    key: `${at} searches`,
  }
}

function Total(props: { readonly name: string; readonly usd: number | null; readonly isLast?: boolean }) {
  return (
    <tr className={`border-t border-line ${props.isLast ? 'font-semibold' : 'text-muted'}`}>
      <th scope="row" colSpan={4} className={`py-1.5 text-left ${props.isLast ? 'font-semibold' : 'font-normal'}`}>
        <Said>{props.name}</Said>
      </th>
      <td className="py-1.5 text-right">
        <Money usd={props.usd} isFine />
      </td>
    </tr>
  )
}

const MOST_MAKERS = 12

/** Who made the number: of a day its sessions, of a session its turns; each with what it comes to. */
function Makers({ receipt }: { receipt: Receipt }) {
  const [isAll, setAll] = useState(false)
  const isOfMany = receipt.sessions.length > 1 || receipt.kind === 'day'
  const turns = isOfMany ? [] : (receipt.sessions[0]?.turns ?? [])
  const rows = isOfMany
    ? receipt.sessions.map((one) => ({
        key: one.session,
        name: one.title ?? one.session,
        responses: one.turns.flatMap(({ models }) => models).reduce((sum, { responses }) => sum + responses, 0),
        costUsd: one.costUsd,
        receipt: one.session as string | undefined,
      }))
    : turns.map((turn, i) => ({
        key: `${turn.turn ?? i}`,
        name: `${turn.turn ?? ''} ${turn.asked ?? 'Before the first prompt'}`.trim(),
        responses: turn.models.reduce((sum, { responses }) => sum + responses, 0),
        costUsd: turn.costUsd,
        receipt: undefined,
      }))
  if (rows.length < 2 && !isOfMany) return null
  return (
    <Card title={isOfMany ? 'By session' : 'By turn'}>
      <Table
        label={isOfMany ? 'By session' : 'By turn'}
        file={`receipt-${receipt.key}-${isOfMany ? 'sessions' : 'turns'}`}
        rows={rows}
        {...(!isAll && { most: MOST_MAKERS })}
        keyOf={({ key }) => key}
        columns={[
          {
            name: isOfMany ? 'Session' : 'Turn',
            value: ({ name }) => name,
            cell: ({ name, receipt: session }) =>
              session === undefined ? (
                <Said className="line-clamp-2">{name}</Said>
              ) : (
                <Link to="/s/$session" params={{ session }} className="line-clamp-2 hover:underline">
                  <Said>{name}</Said>
                </Link>
              ),
          },
          {
            name: 'Responses',
            isFigure: true,
            value: ({ responses }) => responses,
            cell: ({ responses }) => countText(responses),
          },
          {
            name: 'Cost',
            isFigure: true,
            value: ({ costUsd }) => costUsd,
            cell: (row) => <Money usd={row.costUsd} receipt={row.receipt} isFine />,
          },
        ]}
      />
      {rows.length > MOST_MAKERS && !isAll ? (
        <Button look="quiet" onClick={() => setAll(true)}>
          Show all {countText(rows.length)}
        </Button>
      ) : null}
    </Card>
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
        <span className="col-start-3 row-start-1 text-right sm:col-auto sm:row-auto">
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
