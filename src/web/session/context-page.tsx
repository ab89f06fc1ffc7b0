import { useOp } from '../api.ts'
import { getRouteApi, Link } from '../routing.tsx'
import { Card } from '../ui/card.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorBox } from '../ui/error-box.tsx'
import { Loading } from '../ui/loading.tsx'
import { bytesText, plural, tokensText } from '../ui/words.ts'
import { type ContextResult, sizeKinds, turnWindows } from './context-figures.ts'
import { SessionHeader } from './session-header.tsx'
import { visible } from './visible.ts'
import { WindowChart } from './window-chart.tsx'

const route = getRouteApi('/s/$session/context')

/** What filled the model's window, turn by turn. */
export function ContextPage() {
  const { session } = route.useParams()
  const { branch } = route.useSearch()
  const input = { session, ...(branch !== undefined && { branch }) }
  const { data: outline } = useOp('outline', input)
  const { data, error } = useOp('context', input)
  return (
    <>
      <SessionHeader name={session} branch={branch} outline={outline} />
      <div className="mx-auto w-full max-w-5xl space-y-4 px-4 py-4 sm:px-6">
        {error && <ErrorBox error={error} />}
        {!data && !error && <Loading label="Reading the log …" />}
        {data && <Figures session={session} branch={branch} context={data} />}
      </div>
    </>
  )
}

function Figures({
  session,
  branch,
  context,
}: {
  session: string
  branch: string | undefined
  context: ContextResult
}) {
  const { points, compactions } = context
  if (points.length === 0 && context.sizes.length === 0) return <Empty>The model was asked nothing in it.</Empty>
  const most = points.reduce((top, point) => (point.windowTokens > (top?.windowTokens ?? 0) ? point : top), points[0])
  const last = points.at(-1)
  return (
    <>
      <Card
        title="The window, response by response"
        aside={
          <span className="text-sm text-muted">
            {plural(points.length, 'response')} · at most {tokensText(most?.windowTokens)} tokens · at the end{' '}
            {tokensText(last?.windowTokens)}
            {compactions.length > 0 && ` · ${plural(compactions.length, 'compaction')}`}
          </span>
        }
      >
        <WindowChart session={session} branch={branch} context={context} />
      </Card>
      <Card title="What was in it, turn by turn">
        <SizeTable session={session} branch={branch} context={context} />
      </Card>
    </>
  )
}

function SizeTable({
  session,
  branch,
  context,
}: {
  session: string
  branch: string | undefined
  context: ContextResult
}) {
  const windows = turnWindows(context)
  const largest = context.sizes.reduce(
    (most, sizes) =>
      Math.max(
        most,
        sizeKinds(sizes).reduce((sum, { bytes }) => sum + bytes, 0),
      ),
    1,
  )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section aria-label="Sizes by turn" tabIndex={0} className="overflow-x-auto">
      <ul className="mb-3 flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
        {sizeKinds(undefined).map(({ name, fill }) => (
          <li key={name} className="flex items-center gap-1.5">
            <span aria-hidden="true" className={`inline-block size-3 rounded-sm ${fill}`} />
            {name}
          </li>
        ))}
      </ul>
      <table className="w-full text-sm">
        <thead>
          <tr className="border-b border-line text-left text-xs text-muted">
            <th scope="col" className="py-1 pr-3 font-medium">
              Turn
            </th>
            <th scope="col" className="py-1 pr-3 font-medium">
              Content
            </th>
            <th scope="col" className="py-1 pr-3 text-right font-medium">
              Added
            </th>
            <th scope="col" className="py-1 text-right font-medium">
              Window
            </th>
          </tr>
        </thead>
        <tbody>
          {context.sizes.map((sizes) => {
            const kinds = sizeKinds(sizes).filter(({ bytes }) => bytes > 0)
            if (kinds.length === 0) return null
            const sum = kinds.reduce((all, { bytes }) => all + bytes, 0)
            const window = windows.get(sizes.turn)
            return (
              <tr key={sizes.turn} className="border-b border-line align-top">
                <td className="max-w-64 py-1.5 pr-3">
                  <Link
                    to="/s/$session"
                    params={{ session }}
                    search={{ ...(branch !== undefined && { branch }), ...(window && { at: window.uuid }) }}
                    className="block truncate text-accent underline"
                  >
                    {sizes.turn} {visible(sizes.text ?? 'Before the first prompt').replace(/\s+/g, ' ')}
                  </Link>
                </td>
                <td className="w-1/2 min-w-48 py-1.5 pr-3">
                  <div
                    className="flex h-3.5 overflow-hidden rounded-sm"
                    style={{ width: `${Math.max(0.5, (sum / largest) * 100)}%` }}
                  >
                    {kinds.map(({ name, bytes, fill }) => (
                      <span
                        key={name}
                        className={fill}
                        title={`${name}: ${bytesText(bytes)}`}
                        style={{ width: `${(bytes / sum) * 100}%` }}
                      />
                    ))}
                  </div>
                  <span className="sr-only">
                    {kinds.map(({ name, bytes }) => `${name} ${bytesText(bytes)}`).join(', ')}
                  </span>
                </td>
                <td className="py-1.5 pr-3 text-right whitespace-nowrap tabular-nums">{bytesText(sum)}</td>
                <td className="py-1.5 text-right whitespace-nowrap tabular-nums">
                  {window ? tokensText(window.tokens) : '–'}
                  {window?.isCompacted && (
                    <span className="text-warn" title="Compacted in this turn">
                      {' '}
                      ⌁<span className="sr-only"> compacted</span>
                    </span>
                  )}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}
