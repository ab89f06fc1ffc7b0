/** How long a page may take to become as long as it was. */
const PATIENCE_MS = 3000

interface Kept {
  readonly scrollY?: number
}

let waiting = 0

/** Notes in the browser's history how far the page is scrolled, so that Back, Forward and a reload lead there again. */
export function keepScroll(): void {
  const state: Kept = { scrollY: Math.round(scrollY) }
  history.replaceState(state, '')
}

/** A new page: whatever was to be scrolled to is not on it. */
export function forgetPlace(): void {
  cancelAnimationFrame(waiting)
}

/** Scrolls to where the page was left, as soon as it is long enough; a person who scrolls goes first. */
export function restoreScroll(): void {
  const { scrollY: wanted = 0 } = (history.state ?? {}) as Kept
  const until = performance.now() + PATIENCE_MS
  cancelAnimationFrame(waiting)
  if (wanted === 0) {
    scrollTo(0, 0)
    return
  }
  const stop = () => cancelAnimationFrame(waiting)
  addEventListener('wheel', stop, { once: true, passive: true })
  addEventListener('touchmove', stop, { once: true, passive: true })
  const look = () => {
    const most = document.documentElement.scrollHeight - innerHeight
    scrollTo(0, Math.min(wanted, most))
    if (most < wanted && performance.now() < until) waiting = requestAnimationFrame(look)
  }
  waiting = requestAnimationFrame(look)
}
