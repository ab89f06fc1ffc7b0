import { moreLines } from '../../terminal/fold.ts'
import { count } from '../../terminal/human.ts'
import { oneLine } from '../../terminal/sanitize.ts'
import { truncate } from '../../terminal/width.ts'
import type { View } from '../../view.ts'
import { indent } from './lines.ts'
import { placeName } from './names.ts'

/** Something odd in a log, as operations tell it. */
interface Told {
  readonly code: string
  readonly message: string
  readonly file: string
  readonly line: number
  readonly offset: number
}

/** What was odd, by code, with the first places of each. */
export function diagnosticLines(diagnostics: readonly Told[], view: View): string[] {
  const byCode = new Map<string, Told[]>()
  for (const told of diagnostics) {
    const same = byCode.get(told.code)
    if (same) same.push(told)
    else byCode.set(told.code, [told])
  }
  const room = view.width - 4
  return [...byCode].flatMap(([code, told]) => {
    const head = `${view.style.warn(oneLine(code))} ×${count(told.length)}  ${oneLine(told[0]?.message ?? '')}`
    const places = told.slice(0, PLACES).map((one) => placeName(one, view, room))
    const hidden = told.length - places.length
    const rest = hidden > 0 ? [moreLines(hidden).replace(/lines?$/, hidden === 1 ? 'place' : 'places')] : []
    return [truncate(head, view.width - 2), ...indent([...places, ...rest].map(view.style.dim), 2)]
  })
}

const PLACES = 3
