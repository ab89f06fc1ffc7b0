import type { LogDigest } from '../core/digest.ts'
import type { AgentLine } from '../disk/agent-lines.ts'
import type { ProjectFiles, SessionFiles } from '../disk/inventory.ts'
import type { Library } from '../disk/library.ts'
import { describeDigest, type SessionFacts } from '../disk/session.ts'
import { readSessionsIndex } from '../disk/sessions-index.ts'
import type { SourceEntry } from '../disk/source.ts'
import type { Context } from './op.ts'
import { sessionCosts } from './session-costs.ts'
import { type SessionItem, sessionItems } from './session-item.ts'
import { projectTitles } from './session-title.ts'

/** How long a list that reads only what it must may spend on logs that were written since they were last read whole. */
const CATCH_UP_MS = 300

interface ListOptions {
  readonly full: boolean
  /** Only these of the projects' sessions; the others are looked at for what they tell of them. */
  readonly only?: readonly SessionFiles[]
}

/**
 * Lists the sessions of some projects: from what is kept of their logs, with a moment for those that grew; else from heads
 * and tails, or from whole logs where the list is to be full.
 */
export function listSessions(
  context: Context,
  projects: readonly ProjectFiles[],
  options: ListOptions,
): readonly SessionItem[] {
  const { library } = context
  const toItem = sessionItems(context)
  const total = projects.flatMap((project) => project.sessions).reduce((sum, { log }) => sum + (log?.sizeBytes ?? 0), 0)
  const digestOf = options.full ? (entry: SourceEntry) => library.digest(entry) : quickDigests(library)
  let done = 0
  const looks = projects.flatMap((project) => {
    const titles = projectTitles(library, project, digestOf)
    const seen = (options.only ?? project.sessions).flatMap((files) => {
      const one = look(library, files, digestOf, titles, options.full)
      done += files.log?.sizeBytes ?? 0
      if (options.full) context.progress(done, total)
      return one
    })
    const origins = originsOf(project, digestOf)
    const goesOn = new Map([...origins].map(([id, origin]) => [origin, id]))
    const items = seen.map(({ facts, agents }) => {
      const { id } = facts.files
      return toItem(facts, { agents, continues: origins.get(id) ?? null, continuedIn: goesOn.get(id) ?? null })
    })
    return [{ seen, items: options.only ? items : [...items, ...goneItems(context, project)] }]
  })
  if (projects === library.projects()) library.shelve()
  const items = looks.flatMap((project) => project.items)
  const isWhole = looks.every(({ seen }) => seen.every(({ facts }) => facts.whole))
  const costsOf = isWhole ? sessionCosts(context, { mayRead: options.full }) : undefined
  return costsOf ? items.map((item) => withCosts(item, costsOf)) : items
}

/** One session as lists show it: what other logs tell of it is looked up there. */
export function sessionItem(context: Context, files: SessionFiles): SessionItem | undefined {
  return listSessions(context, [files.project], { full: true, only: [files] })[0]
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

/** Fills in what only all logs together tell: a response counts for the session that made it. */
function withCosts(item: SessionItem, costsOf: NonNullable<ReturnType<typeof sessionCosts>>): SessionItem {
  if (item.file === null) return item
  const { costUsd, ownCostUsd, inherited, origin, startedAt } = costsOf(item)
  return {
    ...item,
    costUsd,
    ownCostUsd,
    inherited,
    forkedFrom: item.forkedFrom ?? origin,
    createdAt: startedAt ?? item.createdAt,
  }
}

/** A session that was looked at. */
interface Seen {
  readonly facts: SessionFacts
  readonly agents: readonly AgentLine[] | null
}

function look(
  library: Library,
  files: SessionFiles,
  digestOf: (entry: SourceEntry) => LogDigest | undefined,
  titles: ReturnType<typeof projectTitles>,
  mayRead: boolean,
): readonly Seen[] {
  const digest = files.log && digestOf(files.log)
  if (!digest) return []
  const facts = describeDigest(files, digest, titles(files, digest))
  const agents = digest.whole ? (library.agentLines(files, { mayRead }) ?? null) : null
  return [{ facts, agents }]
}

/** Which session each one continues: the one that holds the parent of its first row. */
function originsOf(
  { sessions }: ProjectFiles,
  digestOf: (entry: SourceEntry) => LogDigest | undefined,
): ReadonlyMap<string, string> {
  const known = sessions.map(({ id, log }) => ({ id, whole: log && digestOf(log)?.whole }))
  const origins = new Map<string, string>()
  for (const { id, whole } of known) {
    const parent = whole?.parentElsewhere
    const origin = parent && known.find((other) => other.whole !== whole && other.whole?.uuids.has(parent))
    if (origin) origins.set(id, origin.id)
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
  inherited: null,
  expiresAt: null,
  kept: false,
} as const
