import type { Static } from '../../core/schema.ts'
import type { files } from '../../ops/files.ts'
import { type Column, listOf } from '../terminal/columns.ts'
import { count, plural, shortPath } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import type { Style } from '../terminal/style.ts'
import { truncate, width as widthOf } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { formatFileAt } from './file-at.ts'
import { dotted, footer, nothing, spaced } from './parts/lines.ts'
import { fitPath, shortId, shortIds, when } from './parts/names.ts'
import { table } from './parts/table.ts'
import { changeText } from './parts/tool-line.ts'

type Touch = Static<typeof files.result>['items'][number]

/** Files that were changed, one a line for each session; of a single file every change. */
export function formatFiles(result: Static<typeof files.result>, view: View): readonly string[] {
  const { items } = result
  if (result.path !== undefined) return formatFileAt(result, view)
  if (items.length === 0) return nothing('No files were changed.', view, 'Files that were only read: --reads')
  const paths = new Set(items.map((item) => item.path))
  const isNamed = typeof view.input.path === 'string'
  const lines = paths.size === 1 && isNamed ? history(items, view) : overview(items, view)
  const changes = items.filter(({ operation }) => operation !== 'checkpoint' && operation !== 'read').length
  const sum = dotted([plural(paths.size, 'file'), plural(changes, 'change')])
  return spaced([lines, footer([view.style.dim(truncate(sum, view.width))])])
}

/** What happened to one file, newest first. */
function history(items: readonly Touch[], view: View): string[] {
  const short = shortIds(items.map((item) => item.session))
  const rows = items.map((item) => [
    when(item.timestamp, view) || '–',
    oneLine(item.operation) + (item.version === null ? '' : ` v${item.version}`),
    changed([item], view.style),
    view.style.dim(whoOf(item, short)),
    view.style.dim(item.backup === null ? `line ${item.line}` : fitPath(shortPath(item.backup, view.home), 40)),
  ])
  const name = fitPath(shortPath(items[0]?.path ?? '', view.home), view.width)
  return [view.style.title(name), ...table(rows, { width: view.width, flex: [1, 4] })]
}

function overview(items: readonly Touch[], view: View): string[] {
  const short = shortIds(items.map((item) => item.session))
  const groups = new Map<string, Touch[]>()
  for (const item of items) {
    const key = JSON.stringify([item.path, item.session])
    const same = groups.get(key)
    if (same) same.push(item)
    else groups.set(key, [item])
  }
  const rows = [...groups.values()]
  const rest: readonly Column<readonly Touch[]>[] = [
    { name: 'change', cell: operationsOf },
    { name: 'lines', cell: (touches) => changed(touches, view.style) },
    { name: 'when', cell: ([touch]) => when(touch?.timestamp ?? null, view) },
    { name: 'session', cell: ([touch]) => view.style.dim(short(touch?.session ?? '')) },
  ]
  const widest = ({ name, cell }: (typeof rest)[number]) =>
    Math.max(name.length, ...rows.map((row) => widthOf(cell(row))))
  const room = Math.max(NARROWEST, view.width - rest.reduce((sum, column) => sum + 2 + widest(column), 0))
  const file = {
    name: 'file',
    cell: ([touch]: readonly Touch[]) => fitPath(shortPath(touch?.path ?? '', view.home), room),
  }
  const { head, rows: lines } = listOf(rows, [file, ...rest], view.width)
  return view.width === Number.POSITIVE_INFINITY ? [...lines] : [view.style.dim(head), ...lines]
}

const NARROWEST = 20

/** `write, 3 edits`. That there is a checkpoint is only worth telling where it is all there is. */
function operationsOf(touches: readonly Touch[]): string {
  const times = new Map<string, number>()
  for (const { operation } of touches) times.set(operation, (times.get(operation) ?? 0) + 1)
  if (times.size > 1) times.delete('checkpoint')
  return [...times].map(([operation, n]) => (n === 1 ? oneLine(operation) : plural(n, oneLine(operation)))).join(', ')
}

function changed(touches: readonly Touch[], style: Style): string {
  const added = touches.reduce((sum, touch) => sum + (touch.isError ? 0 : (touch.added ?? 0)), 0)
  const removed = touches.reduce((sum, touch) => sum + (touch.isError ? 0 : (touch.removed ?? 0)), 0)
  const failed = touches.filter((touch) => touch.isError).length
  const parts = [
    changeText({ added, removed }, style),
    failed === 0 ? '' : style.bad(touches.length === 1 ? '✗' : `✗ ${count(failed)}`),
  ]
  return parts.filter((part) => part !== '').join(' ')
}

function whoOf(item: Touch, short: (id: string) => string): string {
  return item.agent === null ? short(item.session) : `${short(item.session)} agent-${shortId(item.agent)}`
}
