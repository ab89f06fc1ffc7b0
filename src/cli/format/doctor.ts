import type { Static } from '../../core/schema.ts'
import type { doctor } from '../../ops/doctor.ts'
import { oneLine, plain } from '../terminal/sanitize.ts'
import { padEnd, width as widthOf, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { indent, measure, nothing, spaced } from './parts/lines.ts'

/** What was looked at, whether it is well, and what to do where it is not. */
export function formatDoctor(result: Static<typeof doctor.result>, view: View): readonly string[] {
  const { checks } = result
  if (checks.length === 0) return nothing('Nothing to check.', view, 'Name a root with --root.')
  const { style } = view
  const names = checks.map((check) => oneLine(check.name))
  const widest = Math.min(
    WIDEST_NAME,
    names.reduce((most, name) => Math.max(most, widthOf(name)), 0),
  )
  const lead = widest + 4
  const room = Math.max(20, measure(view) - lead)
  const lines = checks.flatMap((check, at) => {
    const mark = check.note ? style.dim('·') : check.ok ? style.good('✓') : style.bad('✗')
    const [first = '', ...rest] = wrap(plain(check.detail), room)
    const fix = check.fix === null ? [] : wrap(`→ ${plain(check.fix)}`, room).map(style.warn)
    return [`${mark} ${padEnd(names[at] ?? '', widest)}  ${first}`.trimEnd(), ...indent([...rest, ...fix], lead)]
  })
  const bad = checks.filter((check) => !check.ok).length
  const verdict =
    bad === 0
      ? style.good('No problems found.')
      : `${bad} of ${checks.length} checks ${bad === 1 ? 'needs' : 'need'} attention.`
  return spaced([lines, [verdict]])
}

const WIDEST_NAME = 20
