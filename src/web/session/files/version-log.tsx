import { useMemo, useState } from 'react'
import { type OpResult, useOp } from '../../api.ts'
import { Link } from '../../routing.tsx'
import { ErrorBox } from '../../ui/error-box.tsx'
import { FoldButton } from '../../ui/fold-button.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Time } from '../../ui/time.tsx'
import { plural } from '../../ui/words.ts'
import { changeBetween } from '../change.ts'
import { pointOf } from '../point-link.ts'
import { DiffView } from '../tools/diff-view.tsx'
import { visible } from '../visible.ts'

type Version = NonNullable<OpResult<'files'>['log']>[number]

/** Every version of a file over all sessions, the newest first, and what made each of the one before. */
export function VersionLog({ path }: { path: string }) {
  const { data, error, refetch } = useOp('files', { path, log: true }, { staleMs: 60_000 })
  if (error) return <ErrorBox error={error} onRetry={() => refetch()} />
  if (!data) return <Loading rows={3} label="Putting the versions together …" />
  const versions = (data.log ?? []).toReversed()
  return (
    <ol className="divide-y divide-line text-sm">
      {versions.map((version, at) => (
        <li key={version.number}>
          <VersionLine path={path} version={version} before={versions.slice(at + 1).find(({ call }) => call?.uuid)} />
        </li>
      ))}
      {versions.length === 0 && <li className="px-3 py-2 text-muted">What it held was not written down.</li>}
    </ol>
  )
}

function VersionLine({ path, version, before }: { path: string; version: Version; before: Version | undefined }) {
  const [isOpen, setOpen] = useState(false)
  const { number, operation, timestamp, call, lines } = version
  const canCompare = call?.uuid != null && before?.call?.uuid != null
  return (
    <div>
      <div className="flex flex-wrap items-baseline gap-x-3 px-3 py-1.5">
        <span className="font-medium">Version {number}</span>
        <span className="text-muted">{visible(operation)}</span>
        {lines !== null && <span className="text-muted">{plural(lines, 'line')}</span>}
        <Time iso={timestamp} as="moment" className="text-muted" />
        {call && (
          <Link
            to="/s/$session"
            params={{ session: call.agent === null ? call.session : `agent-${call.agent}` }}
            search={call.uuid === null ? {} : { at: call.uuid }}
            className="min-w-0 flex-1 truncate text-accent hover:underline"
          >
            {visible(call.prompt ?? call.tool).replace(/\s+/g, ' ')}
          </Link>
        )}
        {canCompare && (
          <FoldButton isOpen={isOpen} onToggle={() => setOpen(!isOpen)}>
            What changed
          </FoldButton>
        )}
      </div>
      {isOpen && before && <Changes path={path} from={before} to={version} />}
    </div>
  )
}

function Changes({ path, from, to }: { path: string; from: Version; to: Version }) {
  const [old, now] = [useOp('files', { path, at: pointIn(from) }), useOp('files', { path, at: pointIn(to) })]
  const change = useMemo(
    () => (old.data && now.data ? changeBetween(old.data.text ?? '', now.data.text ?? '') : undefined),
    [old.data, now.data],
  )
  const error = old.error ?? now.error
  if (error) return <ErrorBox error={error} />
  if (!change) return <Loading rows={3} />
  return (
    <div className="border-t border-line">
      {change.hunks.length === 0 ? (
        <p className="px-3 py-2 text-muted">Nothing changed in it.</p>
      ) : (
        <DiffView id={`${path} ${to.number}`} change={change} path={path} />
      )}
    </div>
  )
}

function pointIn({ call }: Version): string {
  return pointOf(call?.session ?? '', call?.uuid ?? '')
}
