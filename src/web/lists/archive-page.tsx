import { useMutation, useQuery } from '@tanstack/react-query'
import { doOp, type OpError, type OpResult, queryClient, useAbout } from '../api.ts'
import { KeepButton } from '../keep-button.tsx'
import { getRouteApi } from '../routing.tsx'
import { SessionLink } from '../session-link.tsx'
import { titleText } from '../session-words.ts'
import { Button } from '../ui/button.tsx'
import { Tag } from '../ui/chip.tsx'
import { Said } from '../ui/said.tsx'
import { Time } from '../ui/time.tsx'
import { bytesText, plural, shareText } from '../ui/words.ts'
import { type Fold, ListPage, ListRow } from './list-page.tsx'

const route = getRouteApi('/archive')

type Archive = OpResult<'archive'>
type Kept = Archive['items'][number]

const STATES: Readonly<Record<string, string>> = {
  kept: 'kept whole',
  behind: 'the log has grown since',
  gone: 'only here',
}

/** The archive: what is kept, what of it is gone elsewhere, and what puts it back. */
export function ArchivePage() {
  const { show } = route.useSearch()
  const about = useAbout()
  const asked = useQuery<Archive, OpError>({
    queryKey: ['archive'],
    queryFn: () => doOp('archive', { action: 'list' }),
    enabled: about?.isDemo === false,
  })
  const { data } = asked
  const items = about?.isDemo ? [] : data?.items.filter(({ state }) => show !== 'gone' || state === 'gone')
  return (
    <ListPage
      title="Archive"
      about="Byte-exact copies of your sessions, which stay when Claude Code deletes its logs. Standard tools can read them."
      noun={['session', 'sessions']}
      items={items}
      asked={asked}
      textOf={textOf}
      keyOf={({ root, session }) => `${root} ${session}`}
      row={(kept, fold) => <Row kept={kept} fold={fold} />}
      none={[
        'Nothing is kept yet.',
        about?.isDemo
          ? 'A made-up history is not kept. On your own, one button keeps everything there is.'
          : 'The button above keeps everything there is; annals keep --auto does so every day.',
      ]}
      other={{ show: 'gone', text: 'Only here' }}
    >
      {about?.isDemo ? null : (
        <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-line bg-surface px-4 py-3 text-sm">
          {data ? <Totals archive={data} /> : null}
          <KeepButton what="all" look="main">
            Keep everything
          </KeepButton>
          {data && data.sessions > 0 ? <Verify /> : null}
        </div>
      )}
    </ListPage>
  )
}

const textOf = ({ title, session }: Kept) => `${title ?? ''} ${session}`

function Totals({ archive }: { archive: Archive }) {
  return (
    <p className="min-w-0 flex-1 basis-72">
      {plural(archive.sessions, 'session')}, {bytesText(archive.bytesRaw)}, stored in {bytesText(archive.bytesStored)}
      {archive.bytesRaw > 0 ? ` (${shareText(archive.bytesStored, archive.bytesRaw)})` : ''}.{' '}
      {archive.auto ? 'What is new is kept every day.' : 'New sessions are kept when you ask for it.'}
      <span className="block text-muted">
        <Said>{archive.folder}</Said>
      </span>
    </p>
  )
}

function Verify() {
  const { mutate, isPending, data, error } = useMutation<Archive, OpError>({
    mutationFn: () => doOp('archive', { action: 'verify' }),
  })
  const [problem] = data?.problems ?? []
  const said = error
    ? error.message
    : problem
      ? `${plural(data?.problems.length ?? 0, 'problem')}: ${problem.message} Repair it with annals keep verify --repair.`
      : data
        ? `All ${plural(data.files, 'file')} are as they were kept.`
        : ''
  return (
    <span className="inline-flex flex-wrap items-center gap-3">
      <Button disabled={isPending} onClick={() => mutate()}>
        {isPending ? 'Comparing every byte …' : 'Verify'}
      </Button>
      <span role="status" className={error || problem ? 'text-danger' : 'text-muted'}>
        {said}
      </span>
    </span>
  )
}

function Row(props: { readonly kept: Kept; readonly fold: Fold }) {
  const { kept, fold } = props
  const title = titleText({ id: kept.session, title: kept.title })
  return (
    <ListRow
      fold={fold}
      title={<Said>{title}</Said>}
      aside={
        <Tag tone={kept.state === 'gone' ? 'accent' : kept.state === 'behind' ? 'warn' : 'plain'}>
          {STATES[kept.state] ?? kept.state}
        </Tag>
      }
      facts={
        <>
          <Time iso={kept.updatedAt} />
          <span>{bytesText(kept.bytesRaw)}</span>
          <span>{plural(kept.files, 'file')}</span>
          {kept.generations > 1 ? <span>{plural(kept.generations, 'version')} of its log</span> : null}
        </>
      }
    >
      <p className="flex flex-wrap items-center gap-3 text-sm">
        <SessionLink session={kept.session} titles={new Map([[kept.session, 'Read it']])} />
        {kept.state === 'gone' ? <Restore kept={kept} /> : null}
        {kept.state === 'behind' ? <KeepButton what={{ session: kept.session }}>Keep what is new</KeepButton> : null}
        <Said className="text-muted">{kept.session}</Said>
      </p>
    </ListRow>
  )
}

/** Puts a session back, so that `claude --resume` opens it again. */
function Restore(props: { readonly kept: Kept }) {
  const { mutate, isPending, data, error } = useMutation<Archive, OpError>({
    mutationFn: () => doOp('archive', { action: 'restore', session: [props.kept.session] }),
    onSuccess: () => queryClient.invalidateQueries(),
  })
  return (
    <>
      <Button disabled={isPending} onClick={() => mutate()}>
        Put it back
      </Button>
      <span role="status" className={error ? 'text-danger' : 'text-muted'}>
        {error ? error.message : data ? `${plural(data.files, 'file')} put back.` : ''}
      </span>
    </>
  )
}
