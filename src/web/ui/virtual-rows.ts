import { elementScroll, measureElement, type Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useLayoutEffect, useState } from 'react'

// What lists have in common that draw only rows near the screen. None of it asks the browser for a place or a height while
// rows are being drawn: for an answer, the browser would lay out the whole page in the middle of it.

type List<Scroller extends Element | Window, Row extends Element> = Virtualizer<Scroller, Row>

/** The height of a row, as the browser tells it once it has laid out the page; until then, the likely one. */
export function rowHeight<Scroller extends Element | Window, Row extends Element>(
  row: Row,
  told: ResizeObserverEntry | undefined,
  list: List<Scroller, Row>,
): number {
  if (told) return measureElement(row, told, list)
  const index = list.indexFromElement(row)
  return list.itemSizeCache.get(list.options.getItemKey(index)) ?? list.options.estimateSize(index)
}

const begun = new WeakSet<object>()

/** Scrolls. A list that is new asks to be scrolled to where it is: that is not done. */
function scrollTo<Scroller extends Element | Window, Row extends Element>(
  offset: number,
  options: { readonly adjustments?: number; readonly behavior?: ScrollBehavior },
  list: List<Scroller, Row>,
): void {
  const isNew = !begun.has(list)
  begun.add(list)
  if (!isNew || offset !== 0) elementScroll(offset, options, list as unknown as Virtualizer<Element, Row>)
}

/** Tells how large the element is that a list scrolls in. */
function watchScroller<Row extends Element>(
  { scrollElement }: List<HTMLElement, Row>,
  tell: (size: { width: number; height: number }) => void,
): () => void {
  const observer = new ResizeObserver(([entry]) => {
    if (entry) tell({ width: Math.round(entry.contentRect.width), height: Math.round(entry.contentRect.height) })
  })
  if (scrollElement) observer.observe(scrollElement)
  return () => observer.disconnect()
}

/** What lists have that scroll in an element of their own. */
export const IN_ELEMENT = { scrollToFn: scrollTo, observeElementRect: watchScroller }

/** A list in the page's own scrolling: rows for the whole screen at once, and where that is scrolled to is told a moment later. */
export const IN_PAGE = {
  scrollToFn: scrollTo,
  initialRect: { width: innerWidth, height: innerHeight },
  initialOffset: 0,
}

/** How far below the top of the page a list begins; told again when more has come above it. */
export function useTop(ref: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => {
      setTop((ref.current?.getBoundingClientRect().top ?? 0) + window.scrollY)
    })
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [ref])
  return top
}
