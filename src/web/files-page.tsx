import { useMemo, useState } from 'react'
import { type OpResult, useOp } from './api.ts'
import { ProjectSelect } from './project-select.tsx'
import { RecordLink } from './record-link.tsx'
import { getRouteApi, useNavigate } from './routing.tsx'
import { BlameView } from './session/files/blame-view.tsx'
import { VersionLog } from './session/files/version-log.tsx'
import { useTitles } from './session-link.tsx'
import { folderName } from './session-words.ts'
import { Toggle } from './ui/chip.tsx'
import { Empty } from './ui/empty.tsx'
import { ErrorBox } from './ui/error-box.tsx'
import { FilterBox } from './ui/filter-box.tsx'
import { Loading } from './ui/loading.tsx'
import { Page } from './ui/page.tsx'
import { Said } from './ui/said.tsx'
import { Time } from './ui/time.tsx'
import { VirtualList } from './ui/virtual-list.tsx'
import { countText, plural } from './ui/words.ts'
import { useScope } from './use-scope.ts'

const route = getRouteApi('/files')

type Touch = OpResult<'files'>['items'][number]

interface TouchedFile {
  readonly path: string
  readonly touches: readonly Touch[]
  readonly added: number
  readonly removed: number
  readonly sessions: number
}

/** Files: what was touched, how often, by whom; the last touched first. */
export function FilesPage() {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/files' })
  const scope = useScope(search.project)
  const { data, error, refetch } = useOp(
    'files',
    { ...scope, ...(search.reads && { reads: true }) },
    { enabled: scope !== undefined, keepPrevious: true },
  )
  const files = useMemo(() => filesOf(data?.items ?? []), [data])
  const shown = files.filter(({ path }) => path.toLowerCase().includes((search.path ?? '').toLowerCase()))
  const open = search.open
  const setOpen = (path: string | undefined) =>
    navigate({ search: (now) => ({ ...now, open: path }), replace: true, resetScroll: false })
  return (
    <Page
      title="Files"
      aside={data ? <span className="text-sm text-muted">{plural(shown.length, 'file')}</span> : null}
    >
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <FilterBox
          label="Filter by path"
          value={search.path ?? ''}
          onChange={(path) => navigate({ search: (now) => ({ ...now, path }), replace: search.path !== undefined })}
          className="w-full xs:w-64"
        />
        <ProjectSelect
          value={search.project}
          onChange={(project) => navigate({ search: (now) => ({ ...now, project }) })}
        />
        <Toggle
          on={search.reads === 'true'}
          onChange={(on) => navigate({ search: (now) => ({ ...now, reads: on ? 'true' : undefined }) })}
        >
          Also what was only read
        </Toggle>
      </div>
      {error ? <ErrorBox error={error} onRetry={() => refetch()} /> : null}
      {!data && !error ? <Loading label="Looking through the logs …" /> : null}
      {data && shown.length === 0 ? (
        <Empty hint={files.length > 0 ? 'Try a shorter part of the path.' : undefined}>
          {files.length > 0 ? 'No file fits.' : 'No file was written or edited.'}
        </Empty>
      ) : null}
      {shown.length > 0 ? (
        <VirtualList label="Files" items={shown} keyOf={({ path }) => path} estimate={() => 58}>
          {(file) => (
            <FileRow
              file={file}
              isOpen={open === file.path}
              onToggle={() => setOpen(open === file.path ? undefined : file.path)}
            />
          )}
        </VirtualList>
      ) : null}
    </Page>
  )
}

function filesOf(touches: readonly Touch[]): readonly TouchedFile[] {
  const byPath = new Map<string, Touch[]>()
  for (const touch of touches) {
    const same = byPath.get(touch.path)
    if (same) same.push(touch)
    else byPath.set(touch.path, [touch])
  }
  return [...byPath].map(([path, same]) => ({
    path,
    touches: same,
    added: same.reduce((sum, touch) => sum + (touch.added ?? 0), 0),
    removed: same.reduce((sum, touch) => sum + (touch.removed ?? 0), 0),
    sessions: new Set(same.map(({ session }) => session)).size,
  }))
}

function FileRow(props: { readonly file: TouchedFile; readonly isOpen: boolean; readonly onToggle: () => void }) {
  const { file, isOpen } = props
  const name = folderName(file.path)
  return (
    <div className="border-t border-line py-1.5">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={props.onToggle}
        title={file.path}
        className="grid w-full grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 rounded-md text-left hover:bg-sunk"
      >
        <Said className="truncate">{name}</Said>
        <span className="text-right text-sm whitespace-nowrap">
          {file.added > 0 ? <span className="text-added">+{countText(file.added)} </span> : null}
          {file.removed > 0 ? <span className="text-removed">−{countText(file.removed)}</span> : null}
        </span>
        <Said className="truncate text-sm text-muted">{folderText(file.path)}</Said>
        <span className="text-right text-sm whitespace-nowrap text-muted">
          {countText(file.touches.length)}×
          <span className="hidden sm:inline"> in {plural(file.sessions, 'session')}</span> ·{' '}
          <Time iso={file.touches[0]?.timestamp} />
        </span>
      </button>
      {isOpen ? <FileDetails file={file} /> : null}
    </div>
  )
}

const VIEWS = ['Touches', 'Versions', 'Who wrote each line'] as const

function FileDetails({ file }: { file: TouchedFile }) {
  const [view, setView] = useState<(typeof VIEWS)[number]>('Touches')
  return (
    <div className="my-2 overflow-hidden rounded-md border border-line bg-surface">
      <div className="flex flex-wrap gap-2 px-3 py-2">
        {VIEWS.map((one) => (
          <Toggle key={one} on={view === one} onChange={() => setView(one)}>
            {one}
          </Toggle>
        ))}
      </div>
      {view === 'Touches' && <Touches touches={file.touches} />}
      {view === 'Versions' && <VersionLog path={file.path} />}
      {view === 'Who wrote each line' && <BlameView path={file.path} />}
    </div>
  )
}

/** The folder of a file, from its last names on: these tell files of one name apart. */
function folderText(path: string): string {
  const sign = path.includes('/') ? '/' : '\\'
  const names = path.split(sign).slice(0, -1)
  return names.length > KEPT_FOLDERS + 1
    ? `…${sign}${names.slice(-KEPT_FOLDERS).join(sign)}${sign}`
    : `${names.join(sign)}${sign}`
}

const KEPT_FOLDERS = 4

const MOST = 100

function Touches(props: { readonly touches: readonly Touch[] }) {
  const titles = useTitles()
  return (
    <ul className="space-y-1 px-3 pb-2 text-sm">
      {props.touches.slice(0, MOST).map((touch) => (
        <li
          key={`${touch.file} ${touch.offset} ${touch.operation} ${touch.version ?? ''} ${touch.toolUseId ?? ''}`}
          className="flex flex-wrap items-baseline gap-x-3"
        >
          <span className={`w-20 shrink-0 ${touch.isError ? 'text-danger' : ''}`}>
            {touch.operation}
            {touch.isError ? ' ✗' : ''}
          </span>
          <span className="w-20 shrink-0 whitespace-nowrap">
            {touch.added ? <span className="text-added">+{touch.added} </span> : null}
            {touch.removed ? <span className="text-removed">−{touch.removed}</span> : null}
            {touch.version !== null ? `version ${touch.version}` : null}
          </span>
          <span className="min-w-0 flex-1 truncate">
            <RecordLink
              place={touch}
              session={touch.agent === null ? touch.session : `agent-${touch.agent}`}
              text={`${titles.get(touch.session) ?? touch.session.slice(0, 8)}${touch.agent === null ? '' : ', by an agent'}`}
            />
          </span>
          <Time iso={touch.timestamp} as="moment" className="text-muted" />
        </li>
      ))}
      {props.touches.length > MOST ? (
        <li className="text-muted">and {plural(props.touches.length - MOST, 'earlier one')}</li>
      ) : null}
    </ul>
  )
}
