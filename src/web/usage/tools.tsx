import { useOp } from '../api.ts'
import { Link } from '../routing.tsx'
import { Card } from '../ui/card.tsx'
import { ErrorBox } from '../ui/error-box.tsx'
import { Loading } from '../ui/loading.tsx'
import { Said } from '../ui/said.tsx'
import { Table } from '../ui/table.tsx'
import { bytesText, countText, plural, shareText, spanText } from '../ui/words.ts'
import type { UsageScope } from './usage-page.tsx'

const MOST = 20

/** The tools by how often they were called, how often that failed, and how long it took. */
export function Tools(props: { readonly scope: UsageScope }) {
  const { data, error, refetch } = useOp('stats', { ...props.scope, limit: MOST }, { keepPrevious: true })
  return (
    <Card
      title="Tools"
      aside={
        data ? (
          <span className="text-sm text-muted">{plural(data.totals.toolCalls, 'call')}, agents included</span>
        ) : null
      }
    >
      {error ? <ErrorBox error={error} onRetry={() => refetch()} /> : null}
      {!data && !error ? <Loading label="Counting tool calls …" /> : null}
      {data?.tools.length === 0 ? <p className="text-sm text-muted">No tool was called.</p> : null}
      {data && data.tools.length > 0 ? (
        <>
          <Table
            label="Tools"
            file="tools"
            rows={data.tools}
            keyOf={(tool) => tool.name}
            columns={[
              {
                name: 'Tool',
                value: (tool) => tool.name,
                cell: (tool) => (
                  <Link to="/search" search={{ q: '*', tool: tool.name }} className="hover:underline">
                    <Said>{tool.name}</Said>
                  </Link>
                ),
              },
              { name: 'Calls', isFigure: true, value: (tool) => tool.calls, cell: (tool) => countText(tool.calls) },
              {
                name: 'Failed',
                isFigure: true,
                value: (tool) => tool.errors,
                cell: (tool) => (
                  <span className={tool.errors > 0 ? 'text-danger' : 'text-muted'}>
                    {tool.errors > 0 ? `${countText(tool.errors)} (${shareText(tool.errors, tool.calls)})` : '–'}
                  </span>
                ),
              },
              {
                name: 'Median time',
                isFigure: true,
                value: (tool) => tool.medianMs,
                cell: (tool) => spanText(tool.medianMs),
              },
              {
                name: '95 % within',
                isFigure: true,
                isExtra: true,
                value: (tool) => tool.p95Ms,
                cell: (tool) => spanText(tool.p95Ms),
              },
              {
                name: 'Results',
                isFigure: true,
                isExtra: true,
                value: (tool) => tool.resultBytes,
                cell: (tool) => bytesText(tool.resultBytes),
              },
            ]}
          />
          <p className="mt-2 text-xs text-muted">{data.sources.toolTimes}</p>
        </>
      ) : null}
    </Card>
  )
}
