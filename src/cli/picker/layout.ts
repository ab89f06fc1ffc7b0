/** Columns and rows of the terminal. */
export interface Size {
  readonly columns: number
  readonly rows: number
}

/** How the screen is divided, from top to bottom; what is left out has no rows. */
export interface Layout {
  /** Columns that are used: long lines are hard to follow, however wide the terminal is. */
  readonly width: number
  /** Lines in all. The last row of the terminal stays free, so that nothing ever scrolls. */
  readonly height: number
  readonly gap: number
  readonly list: number
  readonly preview: number
  readonly hasRules: boolean
  readonly hasHints: boolean
}

const WIDEST = 120
const NARROWEST = 20
const TALLEST_PREVIEW = 14

/** Divides the screen. The list gets most of it, and all of it where there is little. */
export function layoutOf({ columns, rows }: Size): Layout {
  const width = Math.max(NARROWEST, Math.min(columns, WIDEST))
  const height = Math.max(1, rows - 1)
  const isLow = height < 14
  const hasHints = height >= 4
  const gap = isLow ? 0 : 1
  const preview = isLow ? 0 : Math.min(TALLEST_PREVIEW, Math.floor((height - 5) * 0.4))
  const list = Math.max(0, height - 1 - gap - (hasHints ? 1 : 0) - (isLow ? 0 : preview + 2))
  return { width, height, gap, list, preview, hasRules: !isLow, hasHints }
}
