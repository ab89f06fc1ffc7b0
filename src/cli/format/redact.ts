import type { Static } from '../../core/schema.ts'
import type { redact } from '../../ops/redact.ts'
import { bytes, count, plural } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, footer, indent, nothing, spaced } from './parts/lines.ts'
import { placeName } from './parts/names.ts'

type Scan = Static<typeof redact.result>
type Item = Scan['items'][number]

/** Where secrets lie: by kind, then by secret, with the first places of each. Shows placeholders only. */
export function formatRedact(result: Scan, view: View): readonly string[] {
  const { style, width } = view
  const read = dotted([plural(result.sessions, 'session'), plural(result.files, 'file'), bytes(result.bytesRaw)])
  const problems = result.problems.map(({ file, message }) => truncate(`${oneLine(file)}: ${oneLine(message)}`, width))
  if (result.items.length === 0) {
    return spaced([nothing(`No secret was found: ${read}.`, view), problems.map(style.warn)])
  }
  const kinds = [...grouped(result.items, ({ kind }) => kind)].sort(([, a], [, b]) => b.length - a.length)
  const different = grouped(result.items, ({ placeholder }) => placeholder).size
  const sum = `${plural(result.items.length, 'secret')} found, ${count(different)} different`
  return spaced([
    wrap(`${style.bad(sum)}  ${style.dim(read)}`, width),
    ...kinds.map(([kind, items]) => [
      truncate(`${style.title(oneLine(kind))} ×${count(items.length)}`, width),
      ...indent(
        [...grouped(items, ({ placeholder }) => placeholder)].flatMap(([placeholder, same]) =>
          secretLines(placeholder, same, view),
        ),
        2,
      ),
    ]),
    problems.map(style.warn),
    footer(wrap(style.dim('Exports are redacted by default. Replace any secret that was ever in a session.'), width)),
  ])
}

function secretLines(placeholder: string, items: readonly Item[], view: View): string[] {
  const { style, width } = view
  const places = items.slice(0, PLACES).map((item) => {
    const name = placeName(item, view, width - 4)
    return truncate(dotted([name, oneLine(item.where)]), width - 4)
  })
  const hidden = items.length - places.length
  const more = hidden > 0 ? [`… ${plural(hidden, 'more place', 'more places')}`] : []
  const head = `${oneLine(placeholder)}${items.length > 1 ? ` ×${count(items.length)}` : ''}`
  return [truncate(style.accent(head), width - 2), ...indent([...places, ...more].map(style.dim), 2)]
}

const PLACES = 3

function grouped(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const same = groups.get(keyOf(item))
    if (same) same.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}
