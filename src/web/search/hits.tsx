import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { fetchOp, type OpInput } from '../api.ts'
import { Link } from '../routing.tsx'
import { CopyLink } from '../session/copy-link.tsx'
import { projectName, titleText } from '../session-words.ts'
import { Tag } from '../ui/chip.tsx'
import { Marked } from '../ui/marked.tsx'
import { Time } from '../ui/time.tsx'
import { VirtualList } from '../ui/virtual-list.tsx'
import { countText, plural } from '../ui/words.ts'
import { type Hit, hitWords, plainSnippet, sessionOf } from './hit-words.ts'
import { type HitGroup, keyOf } from './stable-groups.ts'

/** A line of the list: a session, a hit in it, or how many more it has. */
export type HitLine =
  | { readonly kind: 'session'; readonly group: HitGroup }
  | { readonly kind: 'hit'; readonly hit: Hit; readonly isFirst: boolean; readonly isLast: boolean }
  | { readonly kind: 'more'; readonly group: HitGroup; readonly hidden: number }

/** The most hits of one session that are listed. */
const MOST_OF_ONE = 2000

/** The lines of some groups; of those that were opened all hits, as soon as they have come. */
export function useHitLines(
  groups: readonly HitGroup[],
  opened: ReadonlySet<string>,
  input: OpInput<'search'>,
): readonly HitLine[] {
  const whole = useQueries({
    queries: [...opened].map((session) => {
      const { 'per-session': _, ...rest } = input
      const asked = { ...rest, session, limit: MOST_OF_ONE }
      return { queryKey: ['search', asked], queryFn: () => fetchOp('search', asked), staleTime: 60_000 }
    }),
    combine: (results) => new Map([...opened].map((session, at) => [session, results[at]?.data?.hits] as const)),
  })
  return useMemo(
    () =>
      groups.flatMap((group): HitLine[] => {
        const all = whole.get(group.session)
        const has = new Set(group.hits.map(keyOf))
        // What is shown stays first; the others follow it.
        const hits = all ? [...group.hits, ...all.filter((hit) => !has.has(keyOf(hit)))] : group.hits
        const hidden = group.count - hits.length
        return [
          { kind: 'session', group },
          ...hits.map((hit, at): HitLine => {
            return { kind: 'hit', hit, isFirst: at === 0, isLast: at === hits.length - 1 }
          }),
          ...(hidden > 0 && !all ? [{ kind: 'more' as const, group, hidden }] : []),
        ]
      }),
    [groups, whole],
  )
}

interface Props {
  readonly lines: readonly HitLine[]
  readonly query: string
  readonly active: number
  readonly onOpen: (session: string) => void
}

/** Hits under their sessions; only what is near the screen is drawn. The active one is kept in view. */
export function Hits({ lines, query, active, onOpen }: Props) {
  return (
    <VirtualList
      label="Hits by session"
      items={lines}
      keyOf={lineKey}
      estimate={({ kind }) => (kind === 'hit' ? 62 : kind === 'session' ? 52 : 32)}
      active={active}
    >
      {(line, index) => <Line line={line} query={query} isActive={index === active} onOpen={onOpen} />}
    </VirtualList>
  )
}

function lineKey(line: HitLine): string {
  return line.kind === 'hit' ? keyOf(line.hit) : `${line.kind} ${line.group.session}`
}

function Line({
  line,
  query,
  isActive,
  onOpen,
}: Omit<Props, 'lines' | 'active'> & { line: HitLine; isActive: boolean }) {
  if (line.kind === 'session') return <SessionLine group={line.group} />
  if (line.kind === 'hit') return <HitRow line={line} query={query} isActive={isActive} />
  return (
    <button
      type="button"
      onClick={() => onOpen(line.group.session)}
      className="mt-1 rounded px-1 text-sm text-accent hover:underline"
    >
      +{countText(line.hidden)} more<span className="sr-only"> in this session</span>
    </button>
  )
}

function SessionLine({ group: { session, project, hits, count } }: { group: HitGroup }) {
  const [first] = hits
  return (
    <h2 className="flex items-baseline justify-between gap-4 pt-5 pb-1">
      <Link
        to="/s/$session"
        params={{ session }}
        dir="auto"
        className="truncate font-semibold [unicode-bidi:isolate] hover:underline"
      >
        {titleText({ id: session, title: first?.title ?? null })}
      </Link>
      <span className="max-w-[40%] shrink-0 truncate text-sm font-normal text-muted [unicode-bidi:isolate]">
        {projectName(project)} · {plural(count, 'hit')}
      </span>
    </h2>
  )
}

function HitRow({ line, query, isActive }: { line: HitLine & { kind: 'hit' }; query: string; isActive: boolean }) {
  const { hit, isFirst, isLast } = line
  const { who, what } = hitWords(hit)
  const { text, matches } = plainSnippet(hit)
  return (
    <div
      className={`group/hit relative border-x border-line bg-surface ${isFirst ? 'rounded-t-lg border-t' : ''} ${isLast ? 'rounded-b-lg' : ''} border-b`}
    >
      <Link
        to="/s/$session"
        params={{ session: sessionOf(hit) }}
        search={{ hits: query, ...(hit.uuid !== null && { at: hit.uuid }) }}
        data-active={isActive || undefined}
        className={`block px-3 py-1.5 ${isFirst ? 'rounded-t-lg' : ''} ${isLast ? 'rounded-b-lg' : ''} ${isActive ? 'bg-accent-soft' : 'hover:bg-sunk'}`}
      >
        <span className="flex items-baseline gap-x-1.5 text-sm text-muted">
          <span
            className={`min-w-0 truncate font-medium [unicode-bidi:isolate] ${hit.role === 'user' ? 'text-prompt-edge' : 'text-ink'}`}
          >
            {who}
          </span>
          {hit.turn !== null && <span className="shrink-0 whitespace-nowrap">· turn {hit.turn}</span>}
          {what !== undefined && <Tag>{what}</Tag>}
          {hit.kind === 'error' && <Tag tone="danger">failed</Tag>}
          {hit.timestamp !== null && <Time iso={hit.timestamp} className="ml-auto shrink-0" />}
        </span>
        <span dir="auto" className="mt-0.5 line-clamp-2 text-sm [unicode-bidi:isolate]">
          {hit.snippet === null ? (
            <em className="text-muted">Its log is gone or cannot be read now; only the index knows it.</em>
          ) : (
            <Marked text={text} matches={matches} />
          )}
        </span>
      </Link>
      {hit.uuid !== null && (
        <span className="absolute right-2 bottom-1 opacity-0 group-focus-within/hit:opacity-100 group-hover/hit:opacity-100 pointer-coarse:hidden">
          <CopyLink session={sessionOf(hit)} uuid={hit.uuid} />
        </span>
      )}
    </div>
  )
}
