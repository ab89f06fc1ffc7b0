import type { Frame } from './frame.ts'

/** Puts frames on the screen. */
export interface Display {
  draw(frame: Frame): void
  /** What is on the screen is no longer what was drawn: the next frame is drawn anew. */
  reset(): void
}

const CSI = '\u001b['

/**
 * Writes what differs from the frame before, line by line and in one go. Terminals that know how show it at once; in the others the
 * cursor is hidden meanwhile.
 */
export function createDisplay(write: (text: string) => void): Display {
  let shown: Frame | undefined
  return {
    draw: (frame) => {
      const text = changesFrom(shown, frame)
      shown = frame
      if (text !== '') write(`${CSI}?2026h${CSI}?25l${text}${at(frame.cursor.x, frame.cursor.y)}${CSI}?25h${CSI}?2026l`)
    },
    reset: () => {
      shown = undefined
    },
  }
}

function changesFrom(before: Frame | undefined, { lines, cursor }: Frame): string {
  const changed = lines.map((line, y) => (line === before?.lines[y] ? '' : `${at(0, y)}${CSI}0m${line}${CSI}0m${CSI}K`))
  // A terminal that became narrower may still hold what stood at its right, and show it when it is made wider.
  if (!before) return `${CSI}0m${CSI}H${CSI}2J${changed.join('')}`
  const text = changed.join('') + (before.lines.length > lines.length ? `${at(0, lines.length)}${CSI}J` : '')
  const isMoved = before.cursor.x !== cursor.x || before.cursor.y !== cursor.y
  return text === '' && isMoved ? `${CSI}0m` : text
}

function at(x: number, y: number): string {
  return `${CSI}${y + 1};${x + 1}H`
}
