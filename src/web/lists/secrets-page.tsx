import { type OpResult, useOp } from '../api.ts'
import { RecordLink } from '../record-link.tsx'
import { getRouteApi, useNavigate } from '../routing.tsx'
import { SessionLink, useTitles } from '../session-link.tsx'
import { Button } from '../ui/button.tsx'
import { Tag } from '../ui/chip.tsx'
import { Progress } from '../ui/progress.tsx'
import { Said } from '../ui/said.tsx'
import { Select } from '../ui/select.tsx'
import { Time } from '../ui/time.tsx'
import { bytesText, countText, plural } from '../ui/words.ts'
import { type Fold, ListPage, ListRow } from './list-page.tsx'

const route = getRouteApi('/secrets')

type Scan = OpResult<'redact'>
type Place = Scan['items'][number]

/** One secret, and all the places where it stands. */
interface Secret {
  readonly kind: string
  readonly placeholder: string
  readonly places: readonly Place[]
}

/** Secrets: what lies in the logs that should not. Reading every log takes a while, so it waits to be asked; none is ever shown. */
export function SecretsPage() {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/secrets' })
  const isAsked = search.show !== undefined
  const asked = useOp('redact', { action: 'scan' }, { enabled: isAsked, staleMs: Number.POSITIVE_INFINITY })
  const { data, refetch, isFetching } = asked
  const titles = useTitles()
  const all = data && secretsOf(data)
  const kinds = Object.entries(data?.kinds ?? {}).sort(([, a], [, b]) => b - a)
  const ask = () => (isAsked ? refetch() : navigate({ search: (now) => ({ ...now, show: 'all' }) }))
  return (
    <ListPage
      title="Secrets"
      about="Keys, tokens and passwords that stand in your logs. They are found, never shown: the same secret has the same mark."
      noun={['secret', 'secrets']}
      items={isAsked ? all?.filter(({ kind }) => search.show === 'all' || kind === search.show) : []}
      asked={asked}
      textOf={textOf}
      keyOf={({ placeholder, kind }) => `${kind} ${placeholder}`}
      row={(secret, fold) => <Row secret={secret} fold={fold} titles={titles} />}
      none={
        isAsked
          ? ['No secret was found.', 'What leaves annals (exports, shares, a team) is masked all the same.']
          : ['The logs were not looked through yet.', 'Large histories take a minute.']
      }
      filters={
        isAsked && kinds.length > 0 ? (
          <Select
            label="Kind"
            value={search.show ?? 'all'}
            options={[
              { value: 'all', text: 'Every kind' },
              ...kinds.map(([kind, count]) => ({ value: kind, text: `${kind} (${countText(count)})` })),
            ]}
            onChange={(show) => navigate({ search: (now) => ({ ...now, show }) })}
          />
        ) : null
      }
    >
      <div className="mb-4 rounded-lg border border-line bg-surface px-4 py-3 text-sm">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <p className="min-w-0 flex-1 basis-72">
            {data ? summaryOf(data) : 'Every log is read, with all its agents.'}
          </p>
          <Button look={data ? 'plain' : 'main'} disabled={isFetching} onClick={ask}>
            {isFetching ? 'Reading …' : isAsked ? 'Look again' : 'Look for secrets'}
          </Button>
        </div>
        {isFetching ? <Progress op="redact" label="How much was read" className="mt-3" /> : null}
        {data && data.items.length > 0 ? (
          <p className="mt-2 text-muted">
            What to do: change each at the service it belongs to, for it was written to a file. Then mask it in the log
            of its session with <code className="font-mono text-[0.9em]">annals edit prune SESSION --secret</code>, for
            good.
          </p>
        ) : null}
      </div>
    </ListPage>
  )
}

const textOf = ({ kind, placeholder, places }: Secret) =>
  `${kind} ${placeholder} ${places.map(({ session, file }) => `${session ?? ''} ${file}`).join(' ')}`

function summaryOf({ items, sessions, bytesRaw, problems }: Scan): string {
  const found = items.length === 0 ? 'No secret' : `${plural(items.length, 'place')} with a secret`
  const missed = problems.length > 0 ? ` ${plural(problems.length, 'file')} could not be read.` : ''
  return `${found} in ${plural(sessions, 'session')}, ${bytesText(bytesRaw)}.${missed}`
}

function secretsOf({ items }: Scan): readonly Secret[] {
  const found = new Map<string, Place[]>()
  for (const item of items) {
    const key = `${item.kind} ${item.placeholder}`
    const same = found.get(key)
    if (same) same.push(item)
    else found.set(key, [item])
  }
  return [...found.values()]
    .map((places) => ({ kind: places[0]?.kind ?? '', placeholder: places[0]?.placeholder ?? '', places }))
    .sort((a, b) => b.places.length - a.places.length)
}

const MOST = 50

function Row(props: { readonly secret: Secret; readonly fold: Fold; readonly titles: ReadonlyMap<string, string> }) {
  const { secret, fold, titles } = props
  const sessions = new Set(secret.places.map(({ session }) => session))
  return (
    <ListRow
      fold={fold}
      title={<Said className="font-mono text-[0.9em]">{secret.placeholder}</Said>}
      aside={<Tag tone="warn">{secret.kind}</Tag>}
      facts={
        <>
          <span>
            {plural(secret.places.length, 'place')} in {plural(sessions.size, 'session')}
          </span>
          <span>
            last{' '}
            <Time
              iso={secret.places
                .map(({ timestamp }) => timestamp ?? '')
                .sort()
                .at(-1)}
            />
          </span>
        </>
      }
    >
      <ul className="space-y-1 text-sm">
        {secret.places.slice(0, MOST).map((place) => (
          <li key={`${place.file} ${place.offset} ${place.where}`} className="flex min-w-0 flex-wrap gap-x-3">
            <RecordLink place={place} session={place.agent !== null ? `agent-${place.agent}` : (place.session ?? '')} />
            {place.session !== null ? <SessionLink session={place.session} titles={titles} /> : null}
            <Said className="text-muted">{place.where}</Said>
          </li>
        ))}
        {secret.places.length > MOST ? <li className="text-muted">and {secret.places.length - MOST} more</li> : null}
      </ul>
    </ListRow>
  )
}
