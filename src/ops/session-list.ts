import type { LogDigest } from '../core/digest.ts'
import type { AgentLine } from '../disk/agent-lines.ts'
import type { ProjectFiles, SessionFiles } from '../disk/inventory.ts'
import type { Library } from '../disk/library.ts'
import { describeDigest, type SessionFacts } from '../disk/session.ts'
import { readSessionsIndex } from '../disk/sessions-index.ts'
import type { SourceEntry } from '../disk/source.ts'
import type { Context } from './op.ts'
import { type SpentSession, sessionCosts } from './session-costs.ts'
import { type SessionItem, sessionItems } from './session-item.ts'
import { plus } from './usage-costs.ts'

/** How long a list that reads only what it must may spend on logs that were written since they were last read whole. */
const CATCH_UP_MS = 300

/**
 * Lists the sessions of some projects: from what is kept of their logs, with a moment for those that grew; else from heads
 * and tails, or from whole logs where the list is to be full.
 */
export function listSessions(
  context: Context,
  projects: readonly ProjectFiles[],
  options: { readonly full: boolean },
): readonly SessionItem[] {
  const { library } = context
  const toItem = sessionItems(context)
  const total = projects.flatMap((project) => project.sessions).reduce((sum, { log }) => sum + (log?.sizeBytes ?? 0), 0)
  const digestOf = options.full ? (entry: SourceEntry) => library.digest(entry) : quickDigests(library)
  let done = 0
  const looks = projects.flatMap((project) => {
    const seen = project.sessions.flatMap((files) => {
      const one = look(library, files, digestOf, options.full)
      done += files.log?.sizeBytes ?? 0
      if (options.full) context.progress(done, total)
      return one
    })
    titleBySummary(seen)
    const origins = originsOf(seen)
    const goesOn = new Map([...origins].map(([id, origin]) => [origin, id]))
    const items = seen.map(({ facts, agents }) => {
      const { id } = facts.files
      return toItem(facts, { agents, continues: origins.get(id) ?? null, continuedIn: goesOn.get(id) ?? null })
    })
    return [{ seen, items: [...items, ...goneItems(context, project)] }]
  })
  const seen = looks.flatMap((project) => project.seen)
  const isPart = projects !== library.projects()
  if (!isPart) library.shelve()
  return withCosts(
    context,
    looks.flatMap((project) => project.items),
    seen,
    isPart,
  )
}

/** Digests that are kept; those of logs that grew are made as long as there is time, the others from head and tail. */
function quickDigests(library: Library): (entry: SourceEntry) => LogDigest | undefined {
  const until = performance.now() + CATCH_UP_MS
  let isWarm = false
  return (entry) => {
    const kept = library.keptDigest(entry)
    if (kept) {
      isWarm = true
      return kept
    }
    // Without an index there is nothing to catch up with.
    if (isWarm && performance.now() < until) return library.digest(entry)
    return library.glanceDigest(entry)
  }
}

/** Fills in what the sessions cost. That takes all of them: a response counts for the session that has it first. */
function withCosts(
  context: Context,
  items: readonly SessionItem[],
  seen: readonly Seen[],
  isPart: boolean,
): readonly SessionItem[] {
  const spent: SpentSession[] = []
  for (const { facts, agentLogs } of seen) {
    const { whole, files } = facts
    if (!whole || !agentLogs) return items
    const agents = agentLogs.flatMap((log) => log.whole ?? [])
    if (files.log) spent.push({ log: files.log, own: whole, agents })
  }
  const costOf = sessionCosts(context, spent, { isPart })
  return items.map((item) => {
    if (item.file === null) return item
    const { own, agents } = costOf(item.file)
    return { ...item, ownCostUsd: own, costUsd: plus(own, agents) }
  })
}

/** A session that was looked at. */
interface Seen {
  facts: SessionFacts
  readonly agents: readonly AgentLine[] | null
  /** What its agents' logs say; `null` where that is not known. */
  readonly agentLogs: readonly LogDigest[] | null
}

function look(
  library: Library,
  files: SessionFiles,
  digestOf: (entry: SourceEntry) => LogDigest | undefined,
  mayRead: boolean,
): readonly Seen[] {
  const digest = files.log && digestOf(files.log)
  if (!digest) return []
  const facts = describeDigest(files, digest, { sidecarTitle: library.sidecarTitle(files) })
  if (!digest.whole) return [{ facts, agents: null, agentLogs: null }]
  const logs = library.agentFiles(files).flatMap(({ log }) => log ?? [])
  const agentLogs = logs.map((log) => (mayRead ? library.digest(log) : library.keptDigest(log)))
  const agents = library.agentLines(files, { mayRead }) ?? null
  const known = agentLogs.filter((log) => log !== undefined)
  return [{ facts, agents, agentLogs: mayRead || known.length === logs.length ? known : null }]
}

/** A summary may stand in any file; the one that names a row of a session is its title. The newest file's wins. */
function titleBySummary(seen: readonly Seen[]): void {
  const newestFirst = seen.toSorted((a, b) => writtenAt(b) - writtenAt(a))
  const summaries = newestFirst.flatMap((session) => session.facts.facts.summaries.toReversed())
  for (const session of seen) {
    const { titleFrom } = session.facts
    if (titleFrom !== 'prompt' && titleFrom !== 'none') continue
    const summary = summaries.find((row) => session.facts.whole?.uuids.has(row.leafUuid))
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
    const origin = parent && seen.find((other) => other.facts !== facts && other.facts.whole?.uuids.has(parent))
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
