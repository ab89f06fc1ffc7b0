import { Link } from '@tanstack/react-router'
import { useOp } from '../api.ts'
import { KeepButton } from '../keep-button.tsx'
import { titleText } from '../session-words.ts'
import { Time } from '../ui/time.tsx'

/** Says which sessions Claude Code is about to delete, and keeps them. */
export function Expiring(props: { readonly isReady: boolean }) {
  const { data } = useOp('status', {}, { enabled: props.isReady })
  const expiring = (data?.expiring ?? []).filter(({ kept }) => !kept)
  if (expiring.length === 0) return null
  const [root] = data?.roots ?? []
  const days = root?.retentionDays
  const count = expiring.length === 1 ? 'One session expires' : `${expiring.length} sessions expire`
  return (
    <section
      aria-label="Sessions that expire"
      className="relative mt-5 rounded-lg border border-line bg-warn-soft px-4 py-2.5"
    >
      <div className="float-right ml-4">
        <KeepButton
          what="expiring"
          label={expiring.length === 1 ? 'Keep it in the archive' : `Keep all ${expiring.length} in the archive`}
        >
          {expiring.length === 1 ? 'Keep it' : 'Keep all'}
        </KeepButton>
      </div>
      <details>
        <summary className="min-h-8 py-1 text-warn">{count} this week</summary>
        <p className="mt-2 text-sm">
          Claude Code deletes a log {days === undefined ? 'some time' : `${days} days`} after it was last written. What
          is kept goes to annals' own archive and stays readable here. To keep logs longer where they are, raise{' '}
          <Name>cleanupPeriodDays</Name> in{' '}
          <Name>{root?.retentionSetIn ?? `${root?.path ?? '~/.claude'}/settings.json`}</Name>.
        </p>
        <ul className="mt-2 max-h-64 overflow-y-auto text-sm">
          {expiring.map((item) => (
            <li key={item.file ?? item.id} className="flex justify-between gap-4 py-0.5">
              <Link
                to="/s/$session"
                params={{ session: item.id }}
                className="truncate [unicode-bidi:isolate] hover:underline"
              >
                {titleText(item)}
              </Link>
              <Time iso={item.expiresAt} as="moment" className="shrink-0 text-muted" />
            </li>
          ))}
        </ul>
      </details>
    </section>
  )
}

function Name(props: { readonly children: string }) {
  return <code className="font-mono text-[0.85em]">{props.children}</code>
}
