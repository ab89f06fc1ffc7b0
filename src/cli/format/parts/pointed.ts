import type { Static } from '../../../core/schema.ts'
import type { PointShape } from '../../../history/view/shown-point.ts'
import type { Style } from '../../terminal/style.ts'
import type { View } from '../../view.ts'
import type { Lines } from './lines.ts'

/** The row that a reader is opened at. */
export type Pointed = Static<typeof PointShape>

interface Placed {
  readonly kind: string
  readonly file: string
  readonly offset: number
  readonly id?: unknown
}

/** Whether an item, or a prompt, shows the row that is meant: a call also shows its answer. */
export function isPointed(item: Placed, point: Pointed | null | undefined): boolean {
  if (!point || item.file !== point.file) return false
  const isCall = item.kind === 'tool' && point.calls.length > 0
  return isCall ? point.calls.includes(item.id as string) : item.offset === point.offset
}

/** How such a row is seen: all of it. */
export function unfolded(view: View): View {
  return { ...view, tools: 'full', input: { ...view.input, full: true } }
}

/** Lines of it, to be found again when all are laid out. No text has this sign: data passes `plain`. */
export function pointedAt(lines: readonly string[]): string[] {
  return lines.map((line) => SIGN + line)
}

const SIGN = '\u0001'

/** The lines with a bar beside those that are meant, and which of them is the first. */
export function withBar(lines: Lines, style: Style): Lines {
  const at = lines.findIndex((line) => line.includes(SIGN))
  if (at === -1) return lines
  const barred = lines.map((line) => barredLine(line, style))
  return Object.defineProperties(barred, {
    footerFrom: { value: lines.footerFrom },
    openAt: { value: at },
  })
}

function barredLine(line: string, style: Style): string {
  const sign = line.indexOf(SIGN)
  if (sign === -1) return line
  const [lead, text] = [line.slice(0, sign), line.slice(sign + 1)]
  // A prompt stands at the very left: there its own mark is painted.
  if (sign < 2) return lead + text.replace('›', style.match('▸'))
  return `${lead.slice(0, -2)}${style.match('▌')} ${text}`
}
