import type { Static } from '../../core/schema.ts'
import type { purge } from '../../ops/purge.ts'
import { oneLine, plain } from '../terminal/sanitize.ts'
import { truncate, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { problemLines } from './keep.ts'
import { spaced } from './parts/lines.ts'
import { shortId } from './parts/names.ts'
import { table } from './parts/table.ts'

/** What was removed where, and what is still somewhere. */
export function formatPurge(result: Static<typeof purge.result>, view: View): readonly string[] {
  const { style, width } = view
  const rows = result.removed.map(({ where, what }) => [`  ${oneLine(where)}`, oneLine(what)])
  return spaced([
    [truncate(`${style.good('✓')} Session ${shortId(result.session)} is forgotten, and will not come back.`, width)],
    rows.length > 0 ? [style.title('Removed'), ...table(rows, { width, flex: [1] })] : [],
    result.problems.length > 0 ? [style.bad('Not done'), ...problemLines(result.problems, view)] : [],
    sentLines(result, view),
    [style.title('Left'), ...result.left.flatMap((words) => wrap(plain(words), Math.max(20, width - 2), '  '))],
  ])
}

/** Where it has gone, and what removes it there. */
function sentLines({ collected }: Static<typeof purge.result>, { style, width }: View): readonly string[] {
  if (collected.length === 0) return []
  const lines = collected.flatMap(({ destination, run, isTold }) => {
    const next = isTold ? 'It has been removed there.' : `To remove it there: ${run}`
    return [`${oneLine(destination)}`, ...wrap(oneLine(next), Math.max(20, width - 4)).map((line) => `  ${line}`)]
  })
  return [style.title('Sent to'), ...lines.map((line) => truncate(`  ${line}`, width))]
}
