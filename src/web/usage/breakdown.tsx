import { useOp } from '../api.ts'
import { distinctNames } from '../session-words.ts'
import { Card } from '../ui/card.tsx'
import { ErrorBox } from '../ui/error-box.tsx'
import { Money } from '../ui/figures.tsx'
import { Loading } from '../ui/loading.tsx'
import { Said } from '../ui/said.tsx'
import { plural, tokensText } from '../ui/words.ts'
import { amountOf, type Shown, tokensOf } from './over-time.tsx'
import type { Usage, UsageScope } from './usage-page.tsx'

const MOST = 8

/** What was used, by something: a bar each, the largest first. Each leads to its sessions, its cost to the receipt. */
export function Breakdown(props: {
  readonly title: string
  readonly by: 'model' | 'project' | 'agent-type'
  readonly scope: UsageScope
  readonly shown: Shown
  /** What explains all of it. */
  readonly receipt: string
  readonly onChoose: (key: string) => void
}) {
  const { data, error, refetch } = useOp('usage', { ...props.scope, all: true, by: props.by }, { keepPrevious: true })
  const amount = (row: Usage['rows'][number]) => amountOf(row, props.shown)
  const rows = data?.rows.toSorted((a, b) => amount(b) - amount(a)) ?? []
  const names = distinctNames(rows.map((row) => row.label ?? row.key))
  const most = Math.max(...rows.map(amount), Number.MIN_VALUE)
  return (
    <Card title={props.title}>
      {error ? <ErrorBox error={error} onRetry={() => refetch()} /> : null}
      {!data && !error ? <Loading rows={3} /> : null}
      <ul className="space-y-1">
        {rows.slice(0, MOST).map((row) => (
          <li key={row.key} className="group relative rounded-md px-1 py-1 text-sm hover:bg-sunk">
            <span className="flex justify-between gap-4">
              <button
                type="button"
                onClick={() => props.onChoose(row.key)}
                title={row.label ?? row.key}
                className="min-w-0 truncate text-left after:absolute after:inset-0 after:rounded-md"
              >
                <Said>{nameOf(props.by, row, names)}</Said>
              </button>
              <span className="relative z-1 shrink-0 tabular-nums">
                {props.shown === 'tokens' ? (
                  tokensText(tokensOf(row))
                ) : (
                  <Money usd={row.costUsd} receipt={props.receipt} isPart />
                )}
              </span>
            </span>
            <span aria-hidden="true" className="mt-1 block h-1.5 rounded-full bg-sunk group-hover:bg-line">
              <span
                className="block h-full rounded-full bg-heat-3"
                style={{ width: `${(amount(row) / most) * 100}%` }}
              />
            </span>
          </li>
        ))}
      </ul>
      {rows.length > MOST ? <p className="mt-2 text-sm text-muted">and {plural(rows.length - MOST, 'other')}</p> : null}
    </Card>
  )
}

function nameOf(by: string, row: Usage['rows'][number], names: ReadonlyMap<string, string>): string {
  if (by === 'project') return names.get(row.label ?? row.key) ?? row.key
  if (by === 'agent-type' && row.key === 'main') return 'main sessions'
  return row.key
}
