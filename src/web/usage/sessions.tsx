import { useEffect, useRef, useState } from 'react'
import { modelName } from '../../core/usage/model-name.ts'
import { type OpError, useOp } from '../api.ts'
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
import { BLOCK_MS } from './blocks.tsx'
import { barTitle, boundsOf, type Unit } from './periods.ts'
import type { UsageScope } from './usage-page.tsx'

interface Line {
  readonly id: string
  readonly title: string | null
  readonly costUsd: number | null
  readonly responses: number | null
}

/** So many are shown at first. */
const FIRST = 10

interface Props {
  readonly scope: UsageScope
  readonly unit: Unit
  readonly of: string
  readonly at: string
  readonly onClose: () => void
}

/** The sessions behind a bar, the dearest first; each has its receipt. */
export function Sessions(props: Props) {
  const { lines, error, isWhole } = useLines(props)
  const [isAll, setAll] = useState(false)
  const ref = useRef<HTMLDivElement>(null)
  const { of, at, unit } = props
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
        {isWhole ? <p className="mb-2 text-sm text-muted">What each session cost as a whole.</p> : null}
        {error ? <ErrorBox error={error} /> : null}
        {!lines && !error ? <Loading rows={3} /> : null}
        {lines?.length === 0 ? <Empty>No session is behind this.</Empty> : null}
        {lines && lines.length > 0 ? (
          <Table
            label={title}
            file="usage-by-session"
            rows={lines}
            {...(!isAll && { most: FIRST })}
            keyOf={(line) => line.id}
            columns={[
              {
                name: 'Session',
                value: titleText,
                cell: (line) => (
                  <Link to="/s/$session" params={{ session: line.id }} className="line-clamp-2 hover:underline">
                    <Said>{titleText(line)}</Said>
                  </Link>
                ),
              },
              {
                name: 'Responses',
                isFigure: true,
                isExtra: true,
                value: (line) => line.responses,
                cell: (line) => (line.responses === null ? '' : countText(line.responses)),
              },
              {
                name: 'Cost',
                isFigure: true,
                value: (line) => line.costUsd,
                cell: (line) => <Money usd={line.costUsd} />,
              },
              {
                name: 'Why',
                isFigure: true,
                cell: (line) => (
                  <Link
                    to="/usage/receipt/$id"
                    params={{ id: line.id }}
                    className="text-accent hover:underline"
                    aria-label={`Receipt of ${titleText(line)}`}
                  >
                    receipt
                  </Link>
                ),
              },
            ]}
          />
        ) : null}
        {lines && lines.length > FIRST && !isAll ? (
          <Button look="quiet" className="mt-2" onClick={() => setAll(true)}>
            Show all {lines.length}
          </Button>
        ) : null}
        {of === 'time' && unit === 'day' ? (
          <Link
            to="/usage/receipt/$id"
            params={{ id: at }}
            className="mt-3 inline-block text-sm text-accent hover:underline"
          >
            The receipt of the whole day
          </Link>
        ) : null}
      </Card>
    </div>
  )
}

/** What of the whole is meant: some days, five hours, or a project. */
function partOf(of: string, unit: Unit, at: string) {
  if (of === 'time') return boundsOf(unit, at)
  if (of !== 'block') return { project: at }
  const start = Date.parse(at)
  return Number.isNaN(start) ? {} : { since: at, until: new Date(start + BLOCK_MS).toISOString() }
}

function titleOf(of: string, unit: Unit, at: string): string {
  if (of === 'time') return `Sessions, ${barTitle(unit, at)}`
  if (of === 'block') return `Sessions of the block of ${new Date(at).toLocaleString('en')}`
  return `Sessions with ${of === 'project' ? folderName(at) : at}`
}

/** Sessions of a time or a project are counted for just that; of a model or a kind of agent, by what they say of themselves. */
function useLines({ scope, unit, of, at }: Props): {
  readonly lines: readonly Line[] | undefined
  readonly error: OpError | null
  readonly isWhole: boolean
} {
  const isCounted = of === 'time' || of === 'project' || of === 'block'
  const part = partOf(of, unit, at)
  const { under: _, ...rest } = scope
  const counted = useOp(
    'usage',
    { ...(of === 'project' ? rest : scope), ...part, all: true, by: 'session' },
    { enabled: isCounted },
  )
  const { timezone: __, ...inScope } = scope
  const listed = useOp('sessions', { ...inScope, full: true }, { enabled: !isCounted })
  if (isCounted) {
    const lines = counted.data?.rows.map(({ key, label, costUsd, responses }) => ({
      id: key,
      title: label,
      costUsd,
      responses,
    }))
    return { lines, error: counted.error, isWhole: false }
  }
  const lines = listed.data?.items
    .filter(({ models, agents }) =>
      of === 'model'
        ? models?.some((model) => modelName(model) === at)
        : at === 'main' || agents?.some((agent) => (agent.type ?? 'unknown') === at),
    )
    .map(({ id, title, costUsd }) => ({ id, title, costUsd, responses: null }))
    .sort((a, b) => (b.costUsd ?? 0) - (a.costUsd ?? 0))
  return { lines, error: listed.error, isWhole: true }
}
