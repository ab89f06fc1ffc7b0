import { useEffect } from 'react'

/** The most places that are painted: a page has no room for more. */
const MOST = 2000

/**
 * Paints words wherever they stand in the text of an element, as long as it is shown. The browser paints over the text; no
 * element is changed for it. The row one was led to is painted apart, and scrolled to within what is tall.
 */
export function useHighlights(
  scroller: () => HTMLElement | null,
  words: readonly string[],
  row: number | undefined,
): void {
  useEffect(() => {
    const element = scroller()
    const wanted = words.map((word) => word.trim().toLowerCase()).filter((word) => word !== '')
    if (!element || wanted.length === 0 || !('highlights' in CSS)) return
    let frame = 0
    let isLed = false
    const paint = () => {
      frame = 0
      const ranges = wanted.flatMap((word) => rangesIn(element, word))
      const own = element.querySelector(`[data-index="${row ?? -1}"]`)
      const now = own ? ranges.filter((range) => own.contains(range.startContainer)) : []
      CSS.highlights.set('found', new Highlight(...ranges.filter((range) => !now.includes(range))))
      CSS.highlights.set('found-now', new Highlight(...now))
      const [first] = now
      if (first && !isLed) {
        isLed = true
        requestAnimationFrame(() => bringIntoView(element, first))
      }
    }
    const later = () => {
      if (frame === 0) frame = requestAnimationFrame(paint)
    }
    element.dataset.found = ''
    const observer = new MutationObserver(later)
    observer.observe(element, { childList: true, characterData: true, subtree: true })
    later()
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      delete element.dataset.found
      CSS.highlights.delete('found')
      CSS.highlights.delete('found-now')
    }
  }, [scroller, words, row])
}

function rangesIn(element: HTMLElement, wanted: string): Range[] {
  const ranges: Range[] = []
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node && ranges.length < MOST; node = walker.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase()
    // Some letters are longer in lower case; then the places would not fit.
    if (text.length !== node.nodeValue?.length) continue
    for (
      let at = text.indexOf(wanted);
      at !== -1 && ranges.length < MOST;
      at = text.indexOf(wanted, at + wanted.length)
    ) {
      const range = new Range()
      range.setStart(node, at)
      range.setEnd(node, at + wanted.length)
      ranges.push(range)
    }
  }
  return ranges
}

function bringIntoView(scroller: HTMLElement, range: Range): void {
  const box = range.getBoundingClientRect()
  const room = scroller.getBoundingClientRect()
  const isSeen = box.top >= room.top && box.bottom <= room.bottom
  if (!isSeen && box.height > 0) scroller.scrollTop += box.top - room.top - room.height / 3
}
