import type { Static } from '../../core/schema.ts'
import type { edit } from '../../ops/edit/edit.ts'
import type { star } from '../../ops/edit/star.ts'
import type { undo } from '../../ops/edit/undo.ts'
import { bytes, count, plural, shortPath } from '../terminal/human.ts'
import { oneLine, plain } from '../terminal/sanitize.ts'
import { truncate, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { measure, nextSteps, nothing, spaced } from './parts/lines.ts'
import { fitPath, shortId, when } from './parts/names.ts'
import { table } from './parts/table.ts'

type Edit = Static<typeof edit.result>

/** What an edit did or would do, file by file, and what to expect of it. */
export function formatEdit(result: Edit, view: View): readonly string[] {
  const { style, width } = view
  if (result.plan.length === 0 && !result.applied) {
    return spaced([nothing('Nothing to do.', view), sentences('', result.left, view)])
  }
  const mark = result.applied ? style.good('✓') : style.accent('plan')
  const created = result.created === null ? [] : [truncate(`  ${oneLine(result.created)}`, width)]
  return spaced([
    [truncate(`${mark} ${oneLine(result.summary)}`, width), ...created],
    stepLines(result.plan, view),
    sentences('Expect', result.expect, view),
    sentences('Left', result.left, view),
    nextSteps(nextOf(result), view),
  ])
}

/** What was taken back, or the edits that were made. */
export function formatUndo(result: Static<typeof undo.result>, view: View): readonly string[] {
  const { items, ...done } = result
  if (done.plan !== undefined) return formatEdit(done as Edit, view)
  if (items.length === 0) return nothing('No edits yet.', view)
  const rows = items.map((item) => [
    oneLine(item.id),
    when(item.at, view),
    oneLine(item.summary),
    item.unfinished
      ? view.style.bad('interrupted')
      : view.style.dim(item.undoneBy === null ? plural(item.files, 'file') : `undone by ${oneLine(item.undoneBy)}`),
  ])
  const open = items.filter(({ unfinished }) => unfinished).map(({ id }) => oneLine(id))
  const next = open.flatMap((id) => [`annals undo ${id}`, `annals undo ${id} --finish`])
  return spaced([table(rows, { width: view.width, flex: [2] }), nextSteps(next, view)])
}

/** What is noted of a session now. */
export function formatMark({ session, starred, note }: Static<typeof star.result>, view: View): readonly string[] {
  const name = shortId(session)
  const headline = `${starred ? '★ ' : ''}${name}${starred || note !== null ? '' : ' has neither star nor note'}`
  return [
    truncate(headline, view.width),
    ...(note === null ? [] : wrap(plain(note), Math.max(20, measure(view) - 2), '  ')),
  ]
}

const SHOWN = 20

function stepLines(plan: Edit['plan'], view: View): readonly string[] {
  const room = view.width === Number.POSITIVE_INFINITY ? view.width : Math.max(20, view.width - 36)
  const rows = plan
    .slice(0, SHOWN)
    .map(({ action, file, bytes: size, rows: changed, to }) => [
      `  ${oneLine(action)}`,
      fitPath(oneLine(shortPath(file, view.home)), room) +
        (to === null ? '' : ` → ${fitPath(oneLine(shortPath(to, view.home)), room)}`),
      changed === null ? '' : plural(changed, 'row'),
      size === 0 ? '' : bytes(size),
    ])
  const more = plan.length > SHOWN ? [view.style.dim(`  and ${count(plan.length - SHOWN)} more`)] : []
  return [...table(rows, { width: view.width, flex: [1], align: [undefined, undefined, 'right', 'right'] }), ...more]
}

function sentences(title: string, said: readonly string[], view: View): readonly string[] {
  if (said.length === 0) return []
  const lines = said.flatMap((one) => wrap(plain(one), Math.max(20, measure(view) - 2), '  '))
  return title === '' ? lines : [view.style.title(title), ...lines]
}

function nextOf({ id, undoable, applied, created }: Edit): readonly string[] {
  if (!applied || id === null) return []
  return [
    ...(undoable ? [`annals undo ${oneLine(id)}`] : []),
    ...(created === null ? [] : [`annals resume ${oneLine(created.slice(0, 8))}`]),
  ]
}
