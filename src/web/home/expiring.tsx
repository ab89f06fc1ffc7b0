import { useOp } from '../api.ts'
import { KeepButton } from '../keep-button.tsx'
import { Link } from '../routing.tsx'
import { titleText } from '../session-words.ts'
import { Said } from '../ui/said.tsx'
import { Time, useNow } from '../ui/time.tsx'
import { countText, plural } from '../ui/words.ts'

/** More are not told one by one. */
const MOST = 200

/** Says which sessions Claude Code is about to delete, and keeps them. Whose day is past are counted, not listed: they may go any moment. */
export function Expiring(props: { readonly isReady: boolean }) {
  const { data } = useOp('status', {}, { enabled: props.isReady, staleMs: 3000 })
  const now = useNow()
  const expiring = (data?.expiring ?? []).filter(({ kept }) => !kept)
  if (expiring.length === 0) return null
  const coming = expiring.filter(({ expiresAt }) => Date.parse(expiresAt ?? '') >= now)
  const overdue = expiring.length - coming.length
  const [root] = data?.roots ?? []
  const days = root?.retentionDays
  const one = expiring.length === 1
  return (
    <section
      aria-label="Sessions that expire"
      className="relative mt-5 rounded-lg border border-line bg-warn-soft px-4 py-2.5"
    >
      <div className="float-right ml-4">
        <KeepButton
          what="expiring"
          label={one ? 'Keep it in the archive' : `Keep all ${expiring.length} in the archive`}
        >
          {one ? 'Keep it' : 'Keep all'}
        </KeepButton>
      </div>
      <details>
        <summary className="min-h-8 py-1 text-warn">{summaryText(coming.length, overdue)}</summary>
        <p className="mt-2 text-sm">
          Claude Code deletes a log {days === undefined ? 'some time' : `${days} days`} after it was last written. What
          is kept goes to annals' own archive and stays readable here. To keep logs longer where they are, raise{' '}
          <Name>cleanupPeriodDays</Name> in{' '}
          <Name>{root?.retentionSetIn ?? `${root?.path ?? '~/.claude'}/settings.json`}</Name>.
        </p>
        {coming.length > 0 ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
          <ul tabIndex={0} aria-label="Expire this week" className="mt-2 max-h-64 overflow-y-auto text-sm">
            {coming.slice(0, MOST).map((item) => (
              <li key={item.file ?? item.id} className="flex justify-between gap-4 py-0.5">
                <Link to="/s/$session" params={{ session: item.id }} className="truncate hover:underline">
                  <Said>{titleText(item)}</Said>
                </Link>
                <Time iso={item.expiresAt} as="moment" className="shrink-0 text-muted" />
              </li>
            ))}
            {coming.length > MOST ? (
              <li className="py-0.5 text-muted">and {countText(coming.length - MOST)} more</li>
            ) : null}
          </ul>
        ) : null}
      </details>
    </section>
  )
}

function summaryText(coming: number, overdue: number): string {
  const soon = coming === 1 ? 'One session expires this week' : `${countText(coming)} sessions expire this week`
  const past = `${plural(overdue, 'session')} ${overdue === 1 ? 'is' : 'are'} past the day and may be deleted any moment`
  return [coming > 0 ? soon : '', overdue > 0 ? past : ''].filter(Boolean).join('; ')
}

function Name(props: { readonly children: string }) {
  return <code className="font-mono text-[0.85em]">{props.children}</code>
}
