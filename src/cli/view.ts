import type { Style } from './terminal/style.ts'

/** What a formatter knows of the one who reads. Formatters are pure: a result and a view in, lines out. */
export interface View {
  readonly style: Style
  /** Columns of the terminal; `Infinity` when nobody looks on. */
  readonly width: number
  readonly now: Date
  readonly home: string
  readonly timeZone: string | undefined
  /** How much of tool calls is shown. */
  readonly tools: 'none' | 'brief' | 'full'
  /** The flag that shows what is folded, where a command has one. */
  readonly unfold?: string
  /** The command line's own input, for formatters that show more or less by a flag. */
  readonly input: Readonly<Record<string, unknown>>
}
