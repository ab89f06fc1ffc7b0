import { useEffect, useRef } from 'react'
import { useOp } from '../api.ts'
import { Link } from '../routing.tsx'
import { folderName, titleText } from '../session-words.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorBox } from '../ui/error-box.tsx'
import { Money } from '../ui/figures.tsx'
import { Loading } from '../ui/loading.tsx'
import { Said } from '../ui/said.tsx'
import { Table } from '../ui/table.tsx'
import { countText } from '../ui/words.ts'
import { hourTitle } from './hour-of-week.tsx'
import { barTitle, receiptOf, type Unit } from './periods.ts'
import type { UsageScope } from './usage-page.tsx'

/** So many are shown at first. */
const FIRST = 10

/** What was chosen: a bar of the time, or of what the sum is taken apart by. */
export const OFS = ['time', 'model', 'project', 'agent-type', 'hour', 'block'] as const
type Of = (typeof OFS)[number]

interface Props {
  readonly scope: UsageScope
  readonly unit: Unit
  readonly of: Of
  readonly at: string
  readonly onClose: () => void
}

/** The sessions behind a bar, the dearest first; each has its receipt. */
export function Sessions(props: Props) {
  const { of, at, unit } = props
  const { data, error } = useOp('usage', { ...props.scope, all: true, by: groupingOf(of, unit), parts: 'session' })
  const lines = data && (data.rows.find(({ key }) => key === at)?.parts ?? [])
  const ref = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another bar shall be seen too
  useEffect(() => {
    ref.current?.scrollIntoView({ block: 'nearest' })
  }, [of, at])
  const title = titleOf(of, unit, at)
  return (
    <div ref={ref}>
      <Card
        title={title}
        aside={
          <Button look="quiet" onClick={props.onClose}>
            Close
          </Button>
        }
      >
        {error ? <ErrorBox error={error} /> : null}
        {!lines && !error ? <Loading rows={3} /> : null}
        {lines?.length === 0 ? <Empty>No session is behind this.</Empty> : null}
        {lines && lines.length > 0 ? (
          <Table
            label={title}
            file="usage-by-session"
            rows={lines}
            first={FIRST}
            keyOf={(line) => line.key}
            columns={[
              {
                name: 'Session',
                value: nameOf,
                cell: (line) => (
                  <Link to="/s/$session" params={{ session: line.key }} className="line-clamp-2 hover:underline">
                    <Said>{nameOf(line)}</Said>
                  </Link>
                ),
              },
              {
                name: 'Responses',
                isFigure: true,
                isExtra: true,
                value: (line) => line.responses,
                cell: (line) => countText(line.responses),
              },
              {
                name: 'Cost',
                isFigure: true,
                value: (line) => line.costUsd,
                cell: (line) => <Money usd={line.costUsd} receipt={line.key} />,
              },
            ]}
          />
        ) : null}
        {of === 'time' ? (
          <Link
            to="/usage/receipt/$id"
            params={{ id: receiptOf(unit, at) }}
            className="mt-3 inline-block text-sm text-accent hover:underline"
          >
            The receipt of the whole {unit}
          </Link>
        ) : null}
      </Card>
    </div>
  )
}

/** What the rows are that a place in the address names one of. */
function groupingOf(of: Of, unit: Unit) {
  return of === 'time' ? unit : of
}

function nameOf({ key, label }: { readonly key: string; readonly label: string | null }): string {
  return titleText({ id: key, title: label })
}

function titleOf(of: Of, unit: Unit, at: string): string {
  if (of === 'time') return `Sessions, ${barTitle(unit, at)}`
  if (of === 'hour') return `Sessions, ${hourTitle(at)}`
  if (of === 'block') return `Sessions of the block of ${new Date(at).toLocaleString('en')}`
  return `Sessions with ${of === 'project' ? folderName(at) : at}`
}
