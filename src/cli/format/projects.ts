import type { Static } from '../../core/schema.ts'
import type { projects } from '../../ops/projects.ts'
import { type Column, listOf } from '../terminal/columns.ts'
import { bytes, count, plural, shortPath } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, footer, nothing, spaced } from './parts/lines.ts'
import { cost, fitPath, shortIds, when } from './parts/names.ts'

type Result = Static<typeof projects.result>
type Project = Result['items'][number]

/** Projects, worktrees below their repositories; with `--families` also their sessions and agents. */
export function formatProjects(result: Result, view: View): readonly string[] {
  const { items, families, total } = result
  if (items.length === 0) return nothing('No projects here.', view, 'All of them: --scope global')
  const isPiped = view.width === Number.POSITIVE_INFINITY
  const isData = isPiped && families.length === 0
  const branches = isData
    ? items.map((item) => projectTwig(item, null, result, view))
    : byRepository(items).map((group) => groupBranch(group, result, view))
  const drawnRows = branches.flatMap((branch) => drawn(branch, '', ''))
  const { head, rows } = listOf(
    drawnRows,
    families.length === 0 ? COLUMNS.filter(({ name }) => name !== 'cost') : COLUMNS,
    view.width,
  )
  const sessions = items.reduce((sum, item) => sum + item.sessions, 0)
  const hidden = items.reduce((sum, item) => sum + item.hidden, 0)
  const gone = families.filter(({ kind }) => kind === 'gone').length
  const sum = dotted([
    plural(total, 'project'),
    plural(sessions, 'session'),
    gone === 0 ? '' : `${count(gone)} gone`,
    hidden === 0 ? '' : `${plural(hidden, 'log')} without a conversation`,
    bytes(items.reduce((sum, item) => sum + item.sizeBytes, 0)),
    families.length === 0 ? 'sessions and agents: --families' : '',
  ])
  return spaced([
    [...(isPiped ? [] : [view.style.dim(head)]), ...rows.map((row, at) => wholeLine(drawnRows[at] ?? [], row, view))],
    footer([view.style.dim(truncate(sum, view.width))]),
  ])
}

/** A row that has a name alone, such as an agent, needs no columns: it may take the whole line. */
function wholeLine([name = '', ...cells]: readonly string[], row: string, { width }: View): string {
  return cells.length === 0 && width !== Number.POSITIVE_INFINITY ? truncate(name, width) : row
}

/** The columns of the picture; only sessions, which --families shows, have a cost. */
const COLUMNS: readonly Column<readonly string[]>[] = [
  { name: 'project', flex: true, most: 90, cell: ([name = '']) => name },
  { name: 'sessions', align: 'right', cell: ([, sessions = '']) => sessions },
  { name: 'agents', align: 'right', from: 60, cell: ([, , agents = '']) => agents },
  { name: 'size', align: 'right', from: 70, cell: ([, , , size = '']) => size },
  { name: 'cost', align: 'right', from: 90, cell: ([, , , , cost = '']) => cost },
  { name: 'last', cell: ([, , , , , last = '']) => last },
]

/** Something in the picture, and what hangs below it. */
interface Twig {
  readonly cells: readonly string[]
  readonly below: readonly Twig[]
}

/** The repository first, then what else lies in it; in the order of their newest activity. */
function byRepository(items: readonly Project[]): readonly (readonly Project[])[] {
  const groups = new Map<string, Project[]>()
  for (const item of items) {
    const key = item.repository ?? item.path ?? item.dir
    const same = groups.get(key)
    if (same) same.push(item)
    else groups.set(key, [item])
  }
  return [...groups.values()]
}

function groupBranch(group: readonly Project[], result: Result, view: View): Twig {
  const [first] = group as [Project]
  const main = group.find((item) => item.path !== null && item.path === item.repository)
  if (group.length === 1 && (main || !first.worktree)) return projectTwig(first, null, result, view)
  const rest = group.filter((item) => item !== main)
  const repository = first.repository ?? ''
  const below = rest.map((item) => projectTwig(item, repository, result, view))
  if (main) {
    const twig = projectTwig(main, null, result, view)
    return { cells: twig.cells, below: [...twig.below, ...below] }
  }
  return { cells: [fitPath(shortPath(repository, view.home), room(view))], below }
}

function projectTwig(item: Project, repository: string | null, { families }: Result, view: View): Twig {
  const name = item.path === null ? oneLine(item.key) : fitPath(shortPath(item.path, view.home), room(view))
  const inside = repository !== null && item.path?.startsWith(`${repository}/`)
  const shown = inside ? oneLine(item.path?.slice(repository.length + 1) ?? '') : name
  const own = families.filter((family) => family.project === item.key && family.root === item.root)
  const short = shortIds(own.map((family) => family.session))
  return {
    cells: [
      shown + (item.worktree && view.width !== Number.POSITIVE_INFINITY ? view.style.dim(' (worktree)') : ''),
      count(item.sessions),
      item.agents === 0 ? '' : count(item.agents),
      bytes(item.sizeBytes),
      own.length === 0 ? '' : cost(own.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)),
      when(item.lastActivity, view),
    ],
    below: own.map((family) => ({
      cells: [
        `${view.style.dim(short(family.session))} ${familyTitle(family, view)}`,
        '',
        family.agents.length === 0 ? '' : count(family.agents.length),
        family.sizeBytes === null ? view.style.dim('gone') : bytes(family.sizeBytes),
        cost(family.costUsd),
        when(family.updatedAt, view),
      ],
      below: agentTwigs(family.agents, view),
    })),
  }
}

type Family = Result['families'][number]

/** What it was about; what kind of log it is where that is no conversation. */
function familyTitle({ title, kind }: Family, { style }: View): string {
  const words = oneLine(title ?? '')
  const what = kind === 'conversation' ? '' : style.dim(`(${oneLine(kind).replace('-', ' ')})`)
  return [words || (what === '' ? style.dim('(untitled)') : ''), what].filter((part) => part !== '').join(' ')
}

function agentTwigs(agents: Family['agents'], view: View): readonly Twig[] {
  const { style } = view
  const short = shortIds(agents.map(({ id }) => id))
  const shown = agents.slice(0, AGENTS)
  const rest = agents.length - shown.length
  return [
    ...shown.map(({ id, type, class: kind, description }) => {
      const name = `${style.accent('◆')} ${style.dim(`agent-${short(id)}`)} ${style.strong(oneLine(type ?? kind))}`
      return { cells: [`${name} ${oneLine(description ?? '')}`.trimEnd()], below: [] }
    }),
    ...(rest > 0 ? [{ cells: [style.dim(`… ${count(rest)} more`)], below: [] }] : []),
  ]
}

const AGENTS = 20

/** The rows of a twig and all below it, with the lines that hold them together. Never deeper than agents. */
function drawn(twig: Twig, lead: string, nextLead: string): string[][] {
  const [name = '', ...cells] = twig.cells
  return [
    [lead + name, ...cells],
    ...twig.below.flatMap((child, at) =>
      at === twig.below.length - 1
        ? drawn(child, `${nextLead}└─ `, `${nextLead}   `)
        : drawn(child, `${nextLead}├─ `, `${nextLead}│  `),
    ),
  ]
}

function room(view: View): number {
  return Math.max(20, view.width - 44)
}
