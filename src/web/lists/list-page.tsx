import { type ReactNode, useMemo } from 'react'
import type { OpError } from '../api.ts'
import { ProjectSelect } from '../project-select.tsx'
import { useNavigate, usePlace } from '../routing.tsx'
import { shortOf } from '../session/open-state.tsx'
import { Chevron } from '../ui/chevron.tsx'
import { Toggle } from '../ui/chip.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorBox } from '../ui/error-box.tsx'
import { FilterBox } from '../ui/filter-box.tsx'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { VirtualList } from '../ui/virtual-list.tsx'
import { countText, plural } from '../ui/words.ts'

interface Props<T> {
  readonly title: string
  /** In a sentence, what is listed and where it comes from. */
  readonly about: ReactNode
  /** What one of them is called, and many. */
  readonly noun: readonly [one: string, many: string]
  readonly items: readonly T[] | undefined
  /** The question that they answer. */
  readonly asked: { readonly error: OpError | null; readonly refetch: () => unknown }
  /** Whether it can be narrowed to a project. */
  readonly hasProjects?: boolean
  /** What the filter looks at. */
  readonly textOf: (item: T) => string
  readonly keyOf: (item: T) => string
  readonly row: (item: T, fold: Fold) => ReactNode
  /** What is said where there is nothing at all. */
  readonly none: readonly [message: string, hint: string]
  /** What the address calls another choice of them, and what it is called on the page. */
  readonly other?: { readonly show: string; readonly text: string }
  /** Further filters. */
  readonly filters?: ReactNode
  /** What stands above the list. */
  readonly children?: ReactNode
}

/** An address has room for so many. */
const MOST_OPEN = 40

/** Whether a row is unfolded, and what changes that. */
export interface Fold {
  readonly isOpen: boolean
  readonly toggle: () => void
}

/** A page that lists things: filters in the address, a count, as many rows as there are. */
export function ListPage<T>(props: Props<T>) {
  const { items, textOf, keyOf, asked, other } = props
  const { search } = usePlace()
  const navigate = useNavigate()
  const set = (part: Record<string, string | undefined>, replace = false) =>
    void navigate({ search: (now) => ({ ...now, ...part }), replace, resetScroll: false })
  const open = (search.open ?? '').split('.').filter(Boolean)
  const shown = useMemo(() => {
    const words = (search.q ?? '').toLowerCase().split(/\s+/)
    return (items ?? []).filter((item) => {
      const text = textOf(item).toLowerCase()
      return words.every((word) => text.includes(word))
    })
  }, [items, search.q, textOf])
  const foldOf = (item: T): Fold => {
    const name = shortOf(keyOf(item))
    const others = open.filter((one) => one !== name)
    const isOpen = others.length < open.length
    const toggle = () => set({ open: (isOpen ? others : [...open, name]).slice(-MOST_OPEN).join('.') }, true)
    return { isOpen, toggle }
  }
  const count = items && countOf(shown.length, items.length, props.noun)
  return (
    <Page title={props.title} aside={<span className="text-sm text-muted">{count}</span>}>
      <p className="-mt-2 mb-4 text-sm text-pretty text-muted">{props.about}</p>
      {props.children}
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <FilterBox
          label={`Filter ${props.noun[1]}`}
          value={search.q ?? ''}
          onChange={(q) => set({ q }, search.q !== undefined)}
          className="w-full xs:w-64"
        />
        {props.hasProjects ? <ProjectSelect value={search.project} onChange={(project) => set({ project })} /> : null}
        {other ? (
          <Toggle on={search.show === other.show} onChange={(on) => set({ show: on ? other.show : undefined })}>
            {other.text}
          </Toggle>
        ) : null}
        {props.filters}
      </div>
      {asked.error ? <ErrorBox error={asked.error} onRetry={() => asked.refetch()} /> : null}
      {!items && !asked.error ? <Loading label={`Looking for ${props.noun[1]} …`} /> : null}
      {items && shown.length === 0 ? <None {...props} /> : null}
      {shown.length > 0 ? (
        <VirtualList label={props.title} items={shown} keyOf={keyOf} estimate={() => 58}>
          {(item) => props.row(item, foldOf(item))}
        </VirtualList>
      ) : null}
    </Page>
  )
}

function countOf(shown: number, all: number, [one, many]: readonly [string, string]): string {
  return shown === all ? plural(all, one, many) : `${countText(shown)} of ${plural(all, one, many)}`
}

function None<T>({ items, none, noun }: Props<T>) {
  const [message, hint] = items?.length ? [`None of the ${noun[1]} fits.`, 'Try fewer letters.'] : none
  return <Empty hint={hint}>{message}</Empty>
}

/** A row of a list: a line that unfolds, facts below it, and what is inside. */
export function ListRow(props: {
  readonly fold: Fold
  readonly title: ReactNode
  readonly aside?: ReactNode
  readonly facts: ReactNode
  /** What unfolds; without it there is nothing to unfold. */
  readonly children?: ReactNode
}) {
  const { fold } = props
  return (
    <article className="border-t border-line py-2">
      <div className="flex items-baseline gap-3">
        <button
          type="button"
          aria-expanded={fold.isOpen}
          onClick={fold.toggle}
          className="flex min-w-0 flex-1 items-baseline gap-1.5 rounded-md text-left hover:bg-sunk"
        >
          <Chevron isOpen={fold.isOpen} />
          <span className="min-w-0 flex-1 truncate">{props.title}</span>
        </button>
        {props.aside === undefined ? null : <span className="shrink-0 text-sm">{props.aside}</span>}
      </div>
      <div className="flex flex-wrap items-baseline gap-x-3 pl-4.5 text-sm text-muted">{props.facts}</div>
      {fold.isOpen ? <div className="mt-2 mb-1 min-w-0 pl-4.5">{props.children}</div> : null}
    </article>
  )
}
