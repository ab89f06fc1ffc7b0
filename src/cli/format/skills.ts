import type { Static } from '../../core/schema.ts'
import type { skills } from '../../ops/skills.ts'
import { count, plural, shortPath } from '../terminal/human.ts'
import { oneLine, plain } from '../terminal/sanitize.ts'
import { truncate, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, footer, nothing, spaced } from './parts/lines.ts'
import { fitPath, when } from './parts/names.ts'
import { table } from './parts/table.ts'

type Skill = Static<typeof skills.result>['items'][number]

/** Commands, skills and agents that are defined, each with how often it was used. */
export function formatSkills(result: Static<typeof skills.result>, view: View): readonly string[] {
  const { items, total } = result
  if (items.length === 0) {
    const isAll = view.input.unused === true
    const { name } = view.input
    if (name !== undefined) return nothing(`Nothing called "${name}" is defined.`, view, 'Run `annals skills` for all.')
    return nothing(isAll ? 'Everything that is defined has been used.' : 'No command, skill or agent is defined.', view)
  }
  if (view.input.name !== undefined) return spaced(items.map((item) => wholeLines(item, view)))
  const unused = items.filter((item) => item.uses === 0).length
  const sum = dotted([`${count(total)} defined`, unused === 0 ? '' : `${count(unused)} never used`])
  const foot = footer([view.style.dim(truncate(sum, view.width))])
  if (view.width === Number.POSITIVE_INFINITY) return spaced([items.map((item) => dataOf(item, view)), foot])
  const kinds = [...new Set(items.map((item) => item.kind))]
  const rows = kinds.map((kind) => items.filter((item) => item.kind === kind).map((item) => rowOf(item, view)))
  // One table, so that the columns of all kinds stand below each other.
  const lines = table(rows.flat(), { width: view.width, align: ['left', 'right'], flex: [0, 3] })
  let used = 0
  const sections = kinds.map((kind, at) => {
    const own = lines.slice(used, used + (rows[at]?.length ?? 0))
    used += own.length
    return [view.style.title(truncate(HEADINGS.get(kind) ?? oneLine(kind), view.width)), ...own]
  })
  return spaced([...sections, foot])
}

const HEADINGS: ReadonlyMap<string, string> = new Map([
  ['command', 'Commands'],
  ['skill', 'Skills'],
  ['agent', 'Agents'],
])

/** One of them, with its text. */
function wholeLines(item: Skill, view: View): string[] {
  const { style, width } = view
  const used = item.uses === 0 ? 'not used' : dotted([plural(item.uses, 'use'), `last ${when(item.lastUsed, view)}`])
  const facts = dotted([oneLine(item.kind), oneLine(item.color ?? ''), used])
  return [
    style.title(truncate(rowOf(item, view)[0] ?? '', width)),
    ...wrap(oneLine(item.description ?? ''), width).filter((line) => line !== ''),
    style.dim(truncate(facts, width)),
    style.dim(fitPath(shortPath(item.path, view.home), width)),
    '',
    ...wrap(plain(item.body.trim()), width),
  ]
}

/** A row for programs: what it is, its name, how often it was used, when last, its colour, what it is for. */
function dataOf(item: Skill, view: View): string {
  const [name = ''] = rowOf(item, view)
  const about = [item.color, item.description].map((text) => oneLine(text ?? ''))
  return [oneLine(item.kind), name, item.uses, when(item.lastUsed, view), ...about].join('\t')
}

function rowOf(item: Skill, view: View): string[] {
  const name = oneLine(item.group === null ? item.name : `${item.name} (${item.group})`)
  return [
    item.kind === 'command' ? `/${name.replace(/^\//, '')}` : name,
    item.uses === 0 ? view.style.dim('not used') : plural(item.uses, 'use'),
    when(item.lastUsed, view),
    view.style.dim(dotted([oneLine(item.color ?? ''), oneLine(item.description ?? '')])),
  ]
}
