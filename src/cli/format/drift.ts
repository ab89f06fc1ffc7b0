import type { Static } from '../../core/schema.ts'
import type { check } from '../../ops/check.ts'
import { count } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { indent } from './parts/lines.ts'
import { placeName } from './parts/names.ts'
import { table } from './parts/table.ts'

type Drift = Static<typeof check.result>['drift'][number]

/** How the logs differ from the format we know: by kind, each with the clients that wrote it. */
export function driftLines(drift: readonly Drift[], view: View): string[] {
  const byKind = new Map<string, Drift[]>()
  for (const item of drift) {
    const same = byKind.get(item.kind)
    if (same) same.push(item)
    else byKind.set(item.kind, [item])
  }
  return [...byKind].flatMap(([kind, items]) => {
    const shown = items.slice(0, SHOWN)
    const example = items[0] ? [`first: ${placeName(items[0].example, view, view.width - 11)}`] : []
    const rest = items.length > SHOWN ? [`… ${count(items.length - SHOWN)} more: --json lists all`] : []
    return [
      truncate(`${view.style.warn(oneLine(kind))}  ${SENTENCES.get(kind) ?? ''}`.trimEnd(), view.width - 2),
      ...indent(rowsOf(shown, view), 2),
      ...indent([...rest, ...example].map(view.style.dim), 2),
    ]
  })
}

const SHOWN = 8

const SENTENCES: ReadonlyMap<string, string> = new Map([
  ['UNKNOWN_TYPE', 'record types that annals does not know'],
  ['NEW_FIELD', 'fields that annals does not know'],
  ['TYPE_MISMATCH', 'fields of another type'],
  ['MISSING_FIELD', 'missing fields'],
])

function rowsOf(items: readonly Drift[], view: View): string[] {
  const rows = items.map(({ type, path, detail, count: times, versions }) => [
    oneLine(type) || '(no type)',
    detail === null ? oneLine(path) : `${oneLine(path)}  ${view.style.dim(oneLine(detail))}`,
    `×${count(times)}`,
    view.style.dim(range(versions.map(oneLine))),
  ])
  return table(rows, { width: view.width - 4, align: ['left', 'left', 'right'], flex: [0, 1] })
}

function range(versions: readonly string[]): string {
  const [first = '', ...others] = versions
  return others.length === 0 ? first : `${first} to ${others.at(-1)}`
}
