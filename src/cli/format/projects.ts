import type { Static } from '../../core/schema.ts'
import type { projects } from '../../ops/projects.ts'
import { bytes, count, plural, shortPath } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, footer, nothing, spaced } from './parts/lines.ts'
import { fitPath, shortIds, when } from './parts/names.ts'
import { table } from './parts/table.ts'

type Result = Static<typeof projects.result>
type Project = Result['items'][number]

/** Projects, worktrees below their repositories; with `--families` also their sessions and agents. */
export function formatProjects(result: Result, view: View): readonly string[] {
  const { items, families, total } = result
  if (items.length === 0) return nothing('There is no project here.', view, 'All of them: --scope global')
  const branches = byRepository(items).map((group) => groupBranch(group, result, view))
  const rows = branches.flatMap((branch) => drawn(branch, '', ''))
  const sessions = items.reduce((sum, item) => sum + item.sessions, 0)
  const sum = dotted([
    plural(total, 'project'),
    plural(sessions, 'session'),
    bytes(items.reduce((sum, item) => sum + item.sizeBytes, 0)),
    families.length === 0 ? 'sessions and agents: --families' : '',
  ])
  return spaced([
    table(rows, { width: view.width, align: ['left', 'right', 'right', 'right', 'left'], flex: [0] }),
    footer([view.style.dim(truncate(sum, view.width))]),
  ])
}

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
  const own = families.filter((family) => family.project === item.key)
  const short = shortIds(own.map((family) => family.session))
  return {
    cells: [
      shown + (item.worktree ? view.style.dim(' (worktree)') : ''),
      plural(item.sessions, 'session'),
      item.agents === 0 ? '' : plural(item.agents, 'agent'),
      bytes(item.sizeBytes),
      when(item.lastActivity, view),
    ],
    below: own.map((family) => ({
      cells: [view.style.dim(short(family.session)), '', '', bytes(family.sizeBytes)],
      below: agentTwigs(family.agents, view),
    })),
  }
}

function agentTwigs(agents: readonly string[], view: View): readonly Twig[] {
  const short = shortIds(agents)
  const shown = agents.slice(0, AGENTS)
  const rest = agents.length - shown.length
  return [
    ...shown.map((id) => ({ cells: [`${view.style.accent('◆')} ${view.style.dim(`agent-${short(id)}`)}`], below: [] })),
    ...(rest > 0 ? [{ cells: [view.style.dim(`… ${count(rest)} more`)], below: [] }] : []),
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
