import type { LogFacts, SummaryRow } from '../core/facts.ts'
import type { Agent } from '../disk/family.ts'
import type { ProjectFiles, SessionFiles } from '../disk/inventory.ts'
import { describeSession, type SessionFacts } from '../disk/session.ts'
import { readSessionsIndex } from '../disk/sessions-index.ts'
import type { Context } from './op.ts'
import { type SessionItem, sessionItems } from './session-item.ts'
import { costsByOwner, plus, type Spent } from './usage-costs.ts'

/** Lists the sessions of some projects: from heads and tails, or from whole logs. */
export function listSessions(
  context: Context,
  projects: readonly ProjectFiles[],
  options: { readonly full: boolean },
): SessionItem[] {
  const toItem = sessionItems(context)
  const total = projects.flatMap((project) => project.sessions).reduce((sum, { log }) => sum + (log?.sizeBytes ?? 0), 0)
  let done = 0
  const spent: Spent<string>[] = []
  const listed = projects.flatMap((project) => {
    const seen = project.sessions.flatMap((files) => {
      const seen = look(context, files, options.full, spent)
      done += files.log?.sizeBytes ?? 0
      if (options.full) context.progress(done, total)
      return seen
    })
    titleBySummary(seen)
    const origins = options.full ? originsOf(seen) : new Map<string, string>()
    const goesOn = new Map([...origins].map(([id, origin]) => [origin, id]))
    const items = seen.map(({ facts, agents }) => {
      const { id } = facts.files
      return toItem(facts, { agents, continues: origins.get(id) ?? null, continuedIn: goesOn.get(id) ?? null })
    })
    return [...items, ...goneItems(context, project)]
  })
  return options.full ? withCosts(context, listed, spent, projects !== context.library.projects()) : listed
}

/** Fills in what the sessions cost. That takes all of them: a response counts for the session that has it first. */
function withCosts(
  context: Context,
  items: readonly SessionItem[],
  spent: readonly Spent<string>[],
  isPart: boolean,
): SessionItem[] {
  const costs = costsByOwner(context, spent, { isPart })
  return items.map((item) => {
    if (item.file === null) return item
    const ownCostUsd = costs.of(item.file)
    return { ...item, ownCostUsd, costUsd: plus(ownCostUsd, costs.of(agentsOf(item.file))) }
  })
}

function agentsOf(file: string): string {
  return `agents of ${file}`
}

/** A session that was looked at: what its log says, and what other logs may need to know of it. */
interface Seen {
  facts: SessionFacts
  readonly agents: readonly Agent[] | null
  readonly uuids: ReadonlySet<string>
  readonly summaries: readonly SummaryRow[]
}

function look({ library }: Context, files: SessionFiles, full: boolean, spent: Spent<string>[]): readonly Seen[] {
  if (!files.log) return []
  const known = full ? library.facts(files.log) : library.glance(files.log)
  if (!known) return []
  const facts = describeSession(files, known, { sidecarTitle: library.sidecarTitle(files) })
  const agents = full ? library.agents(files, known) : null
  const { path } = files.log
  const own = known.facts.usage.filter((row) => !row.isSidechain)
  const inline = known.facts.usage.filter((row) => row.isSidechain)
  const logs = new Map(agents?.map(({ entry, facts: { facts } }) => [entry.path, facts.usage] as const))
  logs.set(path, inline)
  if (full) spent.push({ owner: path, rows: own }, { owner: agentsOf(path), rows: [...logs.values()].flat() })
  const uuids = new Set(known.facts.nodes.map((node) => node.uuid))
  const { summaries } = known.facts
  // The rows have served; a list of a thousand sessions must not hold them all.
  const light: LogFacts = { ...known.facts, nodes: [], usage: [], agentCalls: [], summaries: [] }
  return [{ facts: { ...facts, known: { ...known, facts: light } }, agents, uuids, summaries }]
}

/** A summary may stand in any file; the one that names a row of a session is its title. The newest file's wins. */
function titleBySummary(seen: readonly Seen[]): void {
  const newestFirst = seen.toSorted((a, b) => writtenAt(b) - writtenAt(a))
  const summaries = newestFirst.flatMap((session) => session.summaries.toReversed())
  for (const session of seen) {
    const { titleFrom } = session.facts
    if (titleFrom !== 'prompt' && titleFrom !== 'none') continue
    const summary = summaries.find((row) => session.uuids.has(row.leafUuid))
    if (summary) session.facts = { ...session.facts, title: summary.text, titleFrom: 'summary' }
  }
}

function writtenAt({ facts }: Seen): number {
  return facts.files.log?.modifiedAt ?? 0
}

/** Which session each one continues: the one that holds the parent of its first row. */
function originsOf(seen: readonly Seen[]): ReadonlyMap<string, string> {
  const origins = new Map<string, string>()
  for (const { facts } of seen) {
    const parent = facts.whole?.parentElsewhere
    const origin = parent && seen.find((other) => other.facts !== facts && other.uuids.has(parent))
    if (origin) origins.set(facts.files.id, origin.facts.files.id)
  }
  return origins
}

/** Sessions that only a sessions-index.json still knows: their logs were swept. */
function goneItems(context: Context, project: ProjectFiles): SessionItem[] {
  if (!project.sessionsIndex) return []
  const { items, warnings } = readSessionsIndex(project.dir)
  for (const warning of warnings) context.warn(warning)
  const onDisk = new Set(project.sessions.filter((session) => session.log).map((session) => session.id))
  return items
    .filter((entry) => !onDisk.has(entry.sessionId))
    .map((entry) => ({
      ...NOTHING_KNOWN,
      id: entry.sessionId,
      root: project.root,
      project: { key: project.key, path: entry.projectPath },
      title: entry.summary ?? entry.firstPrompt,
      titleFrom: entry.summary ? 'summary' : entry.firstPrompt ? 'prompt' : 'none',
      kind: 'gone',
      createdAt: entry.createdAt,
      updatedAt: entry.modifiedAt,
      gitBranch: entry.gitBranch,
    }))
}

const NOTHING_KNOWN = {
  file: null,
  slug: null,
  status: 'finished',
  sizeBytes: null,
  lines: null,
  counts: null,
  branches: null,
  compactions: null,
  agents: null,
  models: null,
  version: null,
  forkedFrom: null,
  continues: null,
  continuedIn: null,
  costUsd: null,
  ownCostUsd: null,
  expiresAt: null,
  kept: false,
} as const
