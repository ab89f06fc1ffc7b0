import { useOp } from '../api.ts'
import { Card } from '../ui/card.tsx'
import { ErrorBox } from '../ui/error-box.tsx'
import { Money, Tokens } from '../ui/figures.tsx'
import { Loading } from '../ui/loading.tsx'
import { Table } from '../ui/table.tsx'
import { Time, useNow } from '../ui/time.tsx'
import { countText, spanText } from '../ui/words.ts'
import { tokensOf } from './over-time.tsx'
import type { UsageScope } from './usage-page.tsx'

/** How long a block lasts. */
export const BLOCK_MS = 5 * 3_600_000
const MOST = 8

/** The blocks of five hours that limits are counted by, the newest first, and how the present one goes. */
export function Blocks(props: { readonly scope: UsageScope; readonly onChoose: (key: string) => void }) {
  const { data, error, refetch } = useOp('usage', { ...props.scope, all: true, by: 'block' }, { keepPrevious: true })
  const now = useNow()
  const rows = data?.rows.filter(({ key }) => !Number.isNaN(Date.parse(key))).toReversed() ?? []
  const [newest] = rows
  const begun = newest ? now - Date.parse(newest.key) : Number.NaN
  const isRunning = begun >= 0 && begun < BLOCK_MS
  return (
    <Card
      title="Blocks of five hours"
      aside={
        newest && isRunning ? (
          <span className="text-sm text-muted">
            this one: <Money usd={newest.costUsd} receipt={blockReceipt(newest.key)} />, {spanText(BLOCK_MS - begun)}{' '}
            left
          </span>
        ) : null
      }
    >
      {error ? <ErrorBox error={error} onRetry={() => refetch()} /> : null}
      {!data && !error ? <Loading rows={3} /> : null}
      {rows.length > 0 ? (
        <Table
          label="Blocks of five hours"
          file="usage-by-block"
          rows={rows}
          first={MOST}
          keyOf={(row) => row.key}
          columns={[
            {
              name: 'Begun',
              value: (row) => row.key,
              cell: (row) => (
                <button type="button" className="text-accent hover:underline" onClick={() => props.onChoose(row.key)}>
                  <Time iso={row.key} as="moment" />
                </button>
              ),
            },
            {
              name: 'Cost',
              isFigure: true,
              value: (row) => row.costUsd,
              cell: (row) => <Money usd={row.costUsd} receipt={blockReceipt(row.key)} />,
            },
            {
              name: 'Responses',
              isFigure: true,
              value: (row) => row.responses,
              cell: (row) => countText(row.responses),
            },
            {
              name: 'Tokens',
              isFigure: true,
              isExtra: true,
              value: tokensOf,
              cell: (row) => <Tokens count={tokensOf(row)} />,
            },
          ]}
        />
      ) : null}
    </Card>
  )
}

function blockReceipt(start: string): string {
  return `${start}..${new Date(Date.parse(start) + BLOCK_MS).toISOString()}`
}
