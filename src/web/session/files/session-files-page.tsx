import { useMemo, useState } from 'react'
import { meaningOf } from '../../../core/tools/meaning-of.ts'
import { type OpResult, useOp } from '../../api.ts'
import { getRouteApi } from '../../routing.tsx'
import { Chevron } from '../../ui/chevron.tsx'
import { Toggle } from '../../ui/chip.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ErrorBox } from '../../ui/error-box.tsx'
import { FoldButton } from '../../ui/fold-button.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Time } from '../../ui/time.tsx'
import { VirtualList } from '../../ui/virtual-list.tsx'
import { plural } from '../../ui/words.ts'
import { pathFrom } from '../call-words.ts'
import { changeOf } from '../change.ts'
import { createOpenState, OpenStateProvider, useOpen } from '../open-state.tsx'
import { SessionHeader } from '../session-header.tsx'
import { ChangeCount, DiffView } from '../tools/diff-view.tsx'
import type { AgentItem, ToolCall } from '../types.ts'
import { visible } from '../visible.ts'
import { BlameView } from './blame-view.tsx'
import { FileVersions, whoText } from './file-versions.tsx'

const route = getRouteApi('/s/$session/files')

type Touch = OpResult<'files'>['items'][number]

/** The files that a session touched: by whom, and each change in its order. */
export function SessionFilesPage() {
  const { session } = route.useParams()
  const { path, reads: isReads, open } = route.useSearch()
  const navigate = route.useNavigate()
  const reads = isReads === 'true'
  const keep = (change: { readonly reads?: string | undefined; readonly open?: string }) =>
    navigate({ search: (before) => ({ ...before, ...change }), replace: true, resetScroll: false })
  const setReads = (on: boolean) => keep({ reads: on ? 'true' : undefined })
  const [openState] = useState(() => createOpenState(open, (told) => keep({ open: told })))
  const { data: outline } = useOp('outline', { session })
  const id = outline?.session.id
  const { data, error } = useOp(
    'files',
    { session: id ?? session, ...(reads && { reads }) },
    { enabled: id !== undefined, keepPrevious: true },
  )
  const agentId = outline?.agent?.id
  const groups = useMemo(() => byPath(data?.items ?? [], agentId), [data, agentId])
  const agents = useMemo(() => new Map(outline?.agents.map((agent) => [agent.id, agent])), [outline])
  return (
    <>
      <SessionHeader name={session} branch={undefined} outline={outline} />
      <div className="mx-auto w-full max-w-5xl px-4 py-4 sm:px-6">
        {error && <ErrorBox error={error} />}
        {!data && !error && <Loading />}
        {data && (
          <div className="mb-3 flex flex-wrap items-center gap-3">
            <p className="text-sm text-muted">{plural(groups.length, 'file')}</p>
            <Toggle on={reads} onChange={setReads}>
              Also files that were only read
            </Toggle>
          </div>
        )}
        {data && groups.length === 0 && <Empty>No file was changed in it.</Empty>}
        <OpenStateProvider state={openState}>
          <VirtualList
            label="Files"
            items={groups}
            keyOf={([name]) => name}
            estimate={() => 46}
            active={groups.findIndex(([name]) => name === path)}
          >
            {([name, touches]) => (
              <FileCard
                session={id ?? session}
                path={name}
                touches={touches}
                folder={outline?.session.project.path ?? null}
                agents={agents}
                isWanted={name === path || groups.length === 1}
              />
            )}
          </VirtualList>
        </OpenStateProvider>
      </div>
    </>
  )
}

/** The touches of each file, the earliest first; the files in the order they were first touched. */
function byPath(
  items: readonly Touch[],
  agentId: string | undefined,
): readonly (readonly [string, readonly Touch[]])[] {
  const groups = new Map<string, Touch[]>()
  for (const touch of items.toReversed()) {
    if (agentId !== undefined && touch.agent !== agentId) continue
    const group = groups.get(touch.path)
    if (group) group.push(touch)
    else groups.set(touch.path, [touch])
  }
  return [...groups]
}

interface FileProps {
  readonly session: string
  readonly path: string
  readonly touches: readonly Touch[]
  readonly folder: string | null
  readonly agents: ReadonlyMap<string, AgentItem>
  readonly isWanted: boolean
}

function FileCard({ session, path, touches, folder, agents, isWanted }: FileProps) {
  const [isOpen, setOpen] = useOpen(`file:${path}`, isWanted)
  const [isVersions, setVersions] = useOpen(`versions:${path}`, false)
  const [isLines, setLines] = useOpen(`lines:${path}`, false)
  const show = (what: 'touches' | 'versions' | 'lines') => {
    setVersions(what === 'versions')
    setLines(what === 'lines')
  }
  const sum = (key: 'added' | 'removed') =>
    touches.reduce((all, touch) => all + (touch.isError ? 0 : (touch[key] ?? 0)), 0)
  // The touches of a file never move, and have no other name.
  const numbered = useMemo(() => touches.map((touch, at) => ({ touch, at })), [touches])
  const edits = touches.filter(({ operation }) => operation === 'edit' || operation === 'write').length
  const reads = touches.filter(({ operation }) => operation === 'read').length
  return (
    <section aria-label={path} className="mb-2 overflow-hidden rounded-md border border-line bg-surface">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full min-w-0 items-baseline gap-2 px-3 py-2 text-left text-sm hover:bg-sunk"
      >
        <Chevron isOpen={isOpen} />
        <span className="min-w-0 flex-1 truncate font-mono text-[0.8125rem]">{visible(pathFrom(folder, path))}</span>
        <span className="shrink-0 text-xs text-muted">
          {[edits > 0 && plural(edits, 'change'), reads > 0 && plural(reads, 'read')].filter(Boolean).join(' · ')}
        </span>
        <ChangeCount added={sum('added')} removed={sum('removed')} />
      </button>
      {isOpen && (
        <div className="border-t border-line">
          <div className="flex flex-wrap gap-2 px-3 py-2">
            <Toggle on={!isVersions && !isLines} onChange={() => show('touches')}>
              By whom
            </Toggle>
            <Toggle on={isVersions} onChange={() => show('versions')}>
              Versions
            </Toggle>
            <Toggle on={isLines} onChange={() => show('lines')}>
              Who wrote each line
            </Toggle>
          </div>
          {isLines ? (
            <BlameView path={path} />
          ) : isVersions ? (
            <FileVersions session={session} path={path} agents={agents} />
          ) : (
            <VirtualList
              label={`Who touched ${path}`}
              items={numbered}
              keyOf={({ at }) => String(at)}
              estimate={() => 36}
            >
              {({ touch, at }) => <TouchLine id={`${path} ${at}`} session={session} touch={touch} agents={agents} />}
            </VirtualList>
          )}
        </div>
      )}
    </section>
  )
}

const DONE: ReadonlyMap<string, string> = new Map([
  ['read', 'read'],
  ['write', 'written'],
  ['edit', 'edited'],
])

function TouchLine({
  id,
  session,
  touch,
  agents,
}: {
  id: string
  session: string
  touch: Touch
  agents: ReadonlyMap<string, AgentItem>
}) {
  const [isOpen, setOpen] = useOpen(`touch:${id}`, false)
  const reader = touch.agent === null ? session : `agent-${touch.agent}`
  const isChange = touch.operation === 'edit' || touch.operation === 'write'
  return (
    <div className="border-b border-line text-sm">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-3 py-1.5">
        <span>
          {touch.operation === 'checkpoint'
            ? `checkpoint ${touch.version ?? '?'} taken`
            : (DONE.get(touch.operation) ?? touch.operation)}
        </span>
        <span className="text-muted">by {whoText(touch.agent, agents)}</span>
        <Time iso={touch.timestamp} as="moment" className="text-muted" />
        <ChangeCount added={touch.added} removed={touch.removed} />
        {touch.isError && (
          <span className="text-danger">{touch.operation === 'checkpoint' ? 'the copy is gone' : 'failed'}</span>
        )}
        <span className="ml-auto flex gap-3">
          {isChange && touch.toolUseId !== null && (
            <FoldButton isOpen={isOpen} onToggle={() => setOpen(!isOpen)}>
              {isOpen ? 'Fold' : 'Show the change'}
            </FoldButton>
          )}
          {touch.toolUseId !== null && (
            <a
              href={`/s/${encodeURIComponent(reader)}?at=${encodeURIComponent(touch.toolUseId)}`}
              className="text-accent underline"
            >
              In the conversation
            </a>
          )}
        </span>
        {touch.backup !== null && (
          <span className="w-full font-mono text-xs break-all text-muted">{visible(touch.backup)}</span>
        )}
      </div>
      {isOpen && touch.toolUseId !== null && <TouchDiff reader={reader} call={touch.toolUseId} path={touch.path} />}
    </div>
  )
}

function TouchDiff({ reader, call, path }: { reader: string; call: string; path: string }) {
  const { data, error } = useOp('read', { session: reader, around: call, count: 1 })
  const items = data?.rows.flatMap((row) => row.items)
  const item = items?.find((one): one is ToolCall => one.kind === 'tool' && one.id === call)
  const change = useMemo(() => item && changeOf(meaningOf(item), item.patch), [item])
  if (error) return <ErrorBox error={error} />
  if (!data) return <Loading rows={3} />
  return (
    <div className="border-t border-line">
      {change && change.hunks.length > 0 ? (
        <DiffView id={`${call} files`} change={change} path={path} />
      ) : (
        <p className="px-3 py-2 text-muted">What it changed was not written down.</p>
      )}
    </div>
  )
}
