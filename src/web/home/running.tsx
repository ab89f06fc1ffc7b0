import { useOp } from '../api.ts'
import { Link } from '../routing.tsx'
import { folderName } from '../session-words.ts'
import { Said } from '../ui/said.tsx'
import { Time } from '../ui/time.tsx'

/** What runs now, and what waits for the person. */
export function Running(props: { readonly isReady: boolean; readonly titles: ReadonlyMap<string, string> }) {
  const { data } = useOp('status', {}, { enabled: props.isReady, staleMs: 3000 })
  const live = data?.live ?? []
  if (live.length === 0) return null
  // Who waits comes first.
  const sorted = live.toSorted((a, b) => Number(b.status === 'idle') - Number(a.status === 'idle'))
  return (
    <section aria-label="Running now" className="mt-5 rounded-lg border border-line bg-surface px-4 py-2.5">
      <h2 className="sr-only">Running now</h2>
      <ul className="space-y-1">
        {sorted.map((one) => (
          <li key={one.pid} className="flex flex-wrap items-baseline gap-x-3">
            <span aria-hidden="true" className={one.status === 'idle' ? 'text-warn' : 'text-live'}>
              ●
            </span>
            <span className="min-w-0 flex-1 basis-40 truncate">
              {one.session === null ? (
                <Said>{one.cwd === null ? `process ${one.pid}` : folderName(one.cwd)}</Said>
              ) : (
                <Link to="/s/$session" params={{ session: one.session }} className="hover:underline">
                  <Said>{props.titles.get(one.session) ?? `session ${one.session.slice(0, 8)}`}</Said>
                </Link>
              )}
            </span>
            <span className={`text-sm ${one.status === 'idle' ? 'text-warn' : 'text-live'}`}>
              {one.status === 'idle' ? 'waits for you' : 'works'}
            </span>
            <span className="text-sm text-muted">
              since <Time iso={one.since} as="moment" />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
