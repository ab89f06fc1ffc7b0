import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
} from 'react'
import { OpError } from '../api.ts'
import { ErrorBox } from '../ui/error-box.tsx'
import { IN_ELEMENT, rowHeight } from '../ui/virtual-rows.ts'
import { ForkNote } from './fork-note.tsx'
import type { Forks } from './forks.ts'
import { SoughtProvider } from './open-state.tsx'
import { RowView } from './row-view.tsx'
import type { Outline } from './types.ts'
import { type Reading, useRows } from './use-rows.ts'

/** What the page can ask of the conversation it shows. */
export interface ConversationHandle {
  /** Goes to a row. With `focus`, keys act on it afterwards. */
  readonly goTo: (
    row: number,
    options?: { readonly align?: 'start' | 'center' | 'end'; readonly focus?: boolean },
  ) => void
  readonly goToEnd: () => void
  /** The row one reads: the last that was gone to, or the topmost on the screen. */
  readonly place: () => number
  readonly scroller: () => HTMLElement | null
  /** What a row is called, where it has been read. */
  readonly uuidOf: (row: number) => string | undefined
}

interface Props {
  readonly reading: Reading
  readonly total: number
  /** It stands inside a row of another. */
  readonly isNested?: boolean
  readonly turns?: Outline['turns']
  readonly ref?: Ref<ConversationHandle>
  readonly forks?: Forks
  /** Rows from here on were abandoned. */
  readonly abandonedFrom?: number | undefined
  /** The row to begin at: at the top of the screen where one was reading, with the focus where one was led. */
  readonly start?: number
  readonly startAt?: 'top' | 'focus' | undefined
  readonly marked?: string | undefined
  /** The words that were found, and the row one was led to. */
  readonly sought?: { readonly words: readonly string[]; readonly row: number } | undefined
  readonly isFollowing?: boolean
  readonly onPlace?: (place: { readonly top: number; readonly isAtEnd: boolean; readonly isBackward: boolean }) => void
  readonly onBranch?: (leaf: string | undefined) => void
}

const NO_TURNS: Outline['turns'] = []
const NO_FORKS: Forks = new Map()
const nothing = () => {}

/** A row that has not been seen is taken to be so high. */
const LIKELY_HEIGHT = 52
/** So near to the end counts as being there. */
const NEAR_END = 80

/** The rows of a conversation. Only those near the screen are drawn, and what one reads stays where it is. */
export function Conversation(props: Props) {
  const { reading, total, turns = NO_TURNS, forks = NO_FORKS, start = 0, sought, isFollowing = false } = props
  const { isNested = false, onPlace = nothing, onBranch = nothing } = props
  // The rows of a conversation inside a row must not be taken for those around it.
  const indexAttribute = isNested ? 'data-inner-index' : 'data-index'
  const scroller = useRef<HTMLElement>(null)
  const frame = useRef(0)
  const virtualizer = useVirtualizer<HTMLElement, HTMLDivElement>({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => LIKELY_HEIGHT,
    indexAttribute,
    measureElement: rowHeight,
    ...IN_ELEMENT,
    overscan: 6,
    // With it, rows are drawn at once, not after the screen was measured.
    initialRect: { width: innerWidth, height: isNested ? 0 : innerHeight },
    gap: 4,
    paddingStart: 12,
    paddingEnd: 72,
    scrollPaddingStart: 8,
    anchorTo: isFollowing ? 'end' : 'start',
    followOnAppend: isFollowing,
    scrollEndThreshold: NEAR_END,
    // Every row that is measured is a change, and where one is takes a look at all rows: once for each frame is enough.
    onChange: () => {
      if (frame.current === 0) frame.current = requestAnimationFrame(tellPlace)
    },
  })
  const tellPlace = () => {
    frame.current = 0
    const top = virtualizer.getVirtualItemForOffset(virtualizer.scrollOffset ?? 0)?.index ?? 0
    const isBackward = virtualizer.scrollDirection === 'backward'
    onPlace({ top, isAtEnd: virtualizer.isAtEnd(NEAR_END), isBackward })
  }
  useEffect(() => () => cancelAnimationFrame(frame.current), [])
  // What one reads must not move for what is drawn above it: it stays where it was gone to, else the top of the screen does.
  const pin = usePin(scroller)
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = (item, _delta, instance) => {
    const top = instance.scrollOffset ?? 0
    if (pin.current !== undefined) return item.index < pin.current
    return instance.itemSizeCache.has(item.key) ? item.end <= top : item.start < top
  }
  const items = virtualizer.getVirtualItems()
  const range = { first: items[0]?.index ?? start, last: items.at(-1)?.index ?? start }
  const { rowAt, ensure, error } = useRows(reading, range, total)

  const jumps = useRef(0)
  const goTo = useCallback<ConversationHandle['goTo']>(
    async (row, { align = 'start', focus = false } = {}) => {
      const jump = ++jumps.current
      const wanted = Math.max(0, Math.min(row, total - 1))
      pin.current = wanted
      await ensure(wanted)
      if (jump !== jumps.current) return
      // The last row goes all the way down: there one follows what comes.
      if (align === 'end' && wanted === total - 1) virtualizer.scrollToEnd()
      else virtualizer.scrollToIndex(wanted, { align })
      settle(() => {
        if (jump !== jumps.current) return
        if (focus) articleIn(scroller.current, wanted)?.focus({ preventScroll: true })
      })
    },
    [ensure, total, virtualizer, pin],
  )
  useImperativeHandle(
    props.ref,
    () => ({
      goTo,
      goToEnd: () => goTo(total - 1, { align: 'end' }),
      place: () => {
        const top = (virtualizer.scrollOffset ?? 0) + 16
        return pin.current ?? virtualizer.getVirtualItemForOffset(top)?.index ?? 0
      },
      scroller: () => scroller.current,
      uuidOf: (row) => rowAt(row)?.uuid,
    }),
    [goTo, total, virtualizer, pin, rowAt],
  )

  const begun = useRef(false)
  useLayoutEffect(() => {
    if (begun.current || total === 0) return
    begun.current = true
    if (start > 0 && props.startAt === 'top') goTo(start, { align: 'start' })
    else if (start > 0 || props.startAt === 'focus') goTo(start, { align: 'center', focus: props.startAt === 'focus' })
  }, [goTo, start, total, props.startAt])

  const costs = useMemo(() => new Map(turns.map(({ row, costUsd }) => [row, costUsd])), [turns])
  return (
    <section
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
      tabIndex={0}
      aria-label={isNested ? 'Conversation of the agent' : 'Conversation'}
      className="@container h-full overflow-x-clip overflow-y-auto overscroll-contain outline-none [overflow-anchor:none]"
    >
      {error && !isToldElsewhere(error) && (
        <div className="sticky top-0 z-10 mx-auto h-0 max-w-3xl px-4">
          <ErrorBox error={error} />
        </div>
      )}
      <div className="relative mx-auto w-full max-w-3xl" style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, key, start: top, size }) => {
          const row = rowAt(index)
          const isAbandoned = props.abandonedFrom !== undefined && index >= props.abandonedFrom
          if (!row) return <Waiting key={key} top={top} height={size} isLost={error !== null} />
          return (
            <div
              key={key}
              ref={virtualizer.measureElement}
              {...{ [indexAttribute]: index }}
              className="absolute inset-x-0 pr-7 pl-4 sm:px-6"
              style={{ top }}
            >
              <ForkNote branches={forks.get(index)} onBranch={onBranch} />
              <div className={isAbandoned ? 'border-l-2 border-dashed border-warn pl-3 text-muted' : ''}>
                <SoughtProvider words={sought?.row === index ? sought.words : null}>
                  <RowView row={row} costUsd={costs.get(index) ?? null} isMarked={row.uuid === props.marked} />
                </SoughtProvider>
              </div>
              {index === total - 1 && <ForkNote branches={forks.get(total)} onBranch={onBranch} />}
            </div>
          )
        })}
      </div>
    </section>
  )
}

/** The row that was gone to, until the reader does anything else. */
function usePin(scroller: RefObject<HTMLElement | null>): RefObject<number | undefined> {
  const pin = useRef<number>(undefined)
  useEffect(() => {
    const element = scroller.current
    const drop = () => {
      pin.current = undefined
    }
    const onKey = ({ key }: KeyboardEvent) => {
      if (SCROLLING.has(key)) drop()
    }
    const names = ['wheel', 'touchmove', 'pointerdown'] as const
    for (const name of names) element?.addEventListener(name, drop, { passive: true })
    document.addEventListener('keydown', onKey)
    return () => {
      for (const name of names) element?.removeEventListener(name, drop)
      document.removeEventListener('keydown', onKey)
    }
  }, [scroller])
  return pin
}

/** Keys with which a browser scrolls or a reader opens something. */
const SCROLLING = new Set([' ', 'ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', 'Enter', 'Tab'])

/** That nobody answers is told above all pages, that the log is gone above the conversation. */
function isToldElsewhere(error: Error): boolean {
  return error instanceof OpError && (error.code === 'UNREACHABLE' || error.code === 'SESSION_NOT_FOUND')
}

/** A row whose page has not come, or could not be read. It is not measured: its height is not its own. */
function Waiting({ top, height, isLost }: { top: number; height: number; isLost: boolean }) {
  return (
    <div aria-hidden="true" className="absolute inset-x-0 pr-7 pl-4 sm:px-6" style={{ top, height }}>
      {isLost ? <p className="text-sm text-muted">Not read.</p> : <div className="skeleton h-5 w-2/3" />}
    </div>
  )
}

function articleIn(scroller: HTMLElement | null, index: number): HTMLElement | null {
  return scroller?.querySelector<HTMLElement>(`[data-index="${index}"] article`) ?? null
}

/** Runs after what was scrolled to has been drawn and measured. */
function settle(then: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(then)))
}
