import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useCallback, useLayoutEffect, useRef } from 'react'
import { IN_PAGE, rowHeight, useTop } from './virtual-rows.ts'

/** A long list in the page's own scrolling: only the rows near the screen are drawn. Rows may have any height. */
export function VirtualList<T>(props: {
  readonly items: readonly T[]
  readonly keyOf: (item: T) => string
  /** What a row is likely to be high, in pixels. */
  readonly estimate: (item: T) => number
  readonly children: (item: T, index: number) => ReactNode
  /** The row to keep in view, for lists one walks through by keys. */
  readonly active?: number
  readonly label: string
}) {
  const { items } = props
  const ref = useRef<HTMLUListElement>(null)
  const top = useTop(ref)
  const keyOf = useRef(props.keyOf)
  keyOf.current = props.keyOf
  // With another function for keys, the places of all rows would be made anew each time one scrolls.
  const getItemKey = useCallback((index: number) => keyOf.current(items[index] as T), [items])
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: (index) => props.estimate(items[index] as T),
    getItemKey,
    measureElement: rowHeight,
    overscan: 4,
    scrollMargin: top,
    ...IN_PAGE,
  })
  const { active } = props
  useLayoutEffect(() => {
    if (active !== undefined && active >= 0) virtualizer.scrollToIndex(active, { align: 'auto' })
  }, [active, virtualizer])
  const rows = virtualizer.getVirtualItems()
  return (
    <ul ref={ref} aria-label={props.label} className="relative" style={{ height: virtualizer.getTotalSize() }}>
      {rows.map((row) => (
        <li
          key={row.key}
          ref={virtualizer.measureElement}
          data-index={row.index}
          className="absolute inset-x-0"
          style={{ top: row.start - virtualizer.options.scrollMargin }}
        >
          {props.children(items[row.index] as T, row.index)}
        </li>
      ))}
    </ul>
  )
}
