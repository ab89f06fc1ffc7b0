import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { keyMatches } from '../core/encode.ts'
import { Failure } from '../core/failure.ts'
import { isObject, parseJson, textAt } from '../core/json.ts'
import { type DiskSource, diskSource } from './disk-source.ts'
import type { FactsCache } from './facts-cache.ts'
import { type Agent, linkFamily } from './family.ts'
import { glanceFacts } from './glance.ts'
import { type AgentFiles, type ProjectFiles, type SessionFiles, takeInventory } from './inventory.ts'
import { KnownLogs } from './known-logs.ts'
import type { FilePlace } from './layout.ts'
import type { KnownFacts } from './log-facts.ts'
import type { LogFold } from './log-fold.ts'
import { startOf } from './read-start.ts'
import { Rest } from './rest.ts'
import type { Source, SourceEntry } from './source.ts'
import type { Warning } from './warning.ts'

export interface LibraryOptions {
  /** The config folders to read. */
  readonly roots: readonly string[]
  /** Hears of files that could not be read; the rest goes on without them. */
  readonly onWarning?: (warning: Warning) => void
  /** How files are listed and read: from the disk, or from the disk with an archive behind it. */
  readonly open?: typeof diskSource
  /** Where the facts of whole logs are kept between runs. */
  readonly cache?: FactsCache
  /** For logs that lie outside of any root: which files count, and what they are. */
  readonly layout?: Layout
}

export interface Layout {
  readonly include: (relativePath: string) => boolean
  readonly placeOf: (relativePath: string) => FilePlace
}

/** Everything below some roots, read when it is asked for. Nothing is written anywhere. */
export class Library {
  readonly roots: readonly string[]
  readonly source: Source
  /** The files beside the logs that are chosen by their paths below a root: from the archive too where logs are. */
  readonly beside: (include: (relativePath: string) => boolean) => DiskSource
  readonly #disk: DiskSource
  readonly #layout: Layout | undefined
  readonly #cache: FactsCache | undefined
  #projects: readonly ProjectFiles[] | undefined
  #newest: number | undefined
  readonly #rest: Rest
  readonly #known: KnownLogs
  readonly #flatOwners = new Map<string, string | null>()

  constructor(options: LibraryOptions) {
    this.roots = options.roots.map((root) => resolve(root))
    for (const root of this.roots) mustBeFolder(root)
    this.#layout = options.layout
    this.#cache = options.cache
    const open = options.open ?? diskSource
    const onProblem = options.onWarning && { onProblem: options.onWarning }
    this.#disk = open(this.roots, { ...onProblem, ...(options.layout && { include: options.layout.include }) })
    this.beside = (include) => open(this.roots, { ...onProblem, include })
    this.source = this.#disk
    const { source } = this
    const cache = options.cache
    this.#rest = new Rest(() => this.#newestAt())
    this.#known = new KnownLogs(source, cache, this.#rest)
  }

  /** The projects and sessions on disk. Listed once; `refresh` lists again. */
  projects(): readonly ProjectFiles[] {
    this.#projects ??= takeInventory(this.source, this.#layout?.placeOf)
    return this.#projects
  }

  refresh(): void {
    this.#projects = undefined
    this.#newest = undefined
    this.#flatOwners.clear()
  }

  /** All sessions that have a log. */
  sessions(): readonly SessionFiles[] {
    return this.projects().flatMap((project) => project.sessions.filter((session) => session.log))
  }

  /** All logs, agents' included. */
  logs(): readonly SourceEntry[] {
    return this.projects().flatMap(logsOf)
  }

  /** What head and tail of a log tell; small logs are read whole. */
  glance(entry: SourceEntry): KnownFacts | undefined {
    return glanceFacts(this.source, entry)
  }

  /** All facts of a log: kept from an earlier run, or read now. Who asks cannot tell. */
  facts(entry: SourceEntry): KnownFacts | undefined {
    return this.#known.facts(entry)
  }

  /** What a log comes to: kept from an earlier run while the log is what it was, else made now; `undefined` when it is gone. */
  folded<T>(entry: SourceEntry, fold: LogFold<T>): T | undefined {
    return this.#known.folded(entry, fold)
  }

  /** The agent logs that belong to a session: those in its folder, and flat ones whose rows name it. */
  agentFiles(session: SessionFiles): readonly AgentFiles[] {
    const flat = session.project.flatAgents.filter((agent) => this.#ownerOf(agent) === session.id)
    return [...session.agents, ...flat]
  }

  /** A session's agents, linked; `main` are the facts of its log where they are known already. */
  agents(session: SessionFiles, main?: KnownFacts): readonly Agent[] {
    const known = main ?? (session.log && this.facts(session.log))
    const agents = this.agentFiles(session).flatMap((files) => {
      const facts = files.log && this.facts(files.log)
      return facts ? [{ files, known: facts }] : []
    })
    return linkFamily(this.source, {
      session: session.id,
      main: session.log && known ? { entry: session.log, known } : undefined,
      agents,
    })
  }

  /** Whether anything is kept between runs. */
  get remembers(): boolean {
    return this.#cache !== undefined
  }

  /** Whether a file is at rest, so that it is known by its size and time. */
  isSettled(entry: SourceEntry): boolean {
    return this.#rest.isSettled(entry)
  }

  /** The title that a session's sidecar file holds. */
  sidecarTitle(session: SessionFiles): string | null {
    const entry = session.customTitle
    if (!entry) return null
    const value = parseJson(new TextDecoder().decode(startOf(this.source, entry, 64 * 1024)))
    return isObject(value) ? (textAt(value, 'customTitle') ?? null) : null
  }

  close(): void {
    this.#cache?.close()
    this.#disk.close()
  }

  #newestAt(): number {
    this.#newest ??= this.sessions().reduce((newest, { log }) => Math.max(newest, log?.modifiedAt ?? 0), 0)
    return this.#newest
  }

  /** The session that a flat agent log names in its first records. */
  #ownerOf(agent: AgentFiles): string | null {
    if (!agent.log) return null
    const { path } = agent.log
    const found = this.#flatOwners.get(path)
    if (found !== undefined) return found
    const known = this.glance(agent.log)
    const owner = known?.facts.sessionIds[0] ?? null
    this.#flatOwners.set(path, owner)
    return owner
  }
}

/** The real path of a project: the working folder its records name, the one its folder name was made from if there is one. */
export function projectPath(key: string, cwds: Iterable<string | null>): string | null {
  let first: string | null = null
  for (const cwd of cwds) {
    if (cwd === null) continue
    if (keyMatches(key, cwd)) return cwd
    first ??= cwd
  }
  return first
}

/** All logs of a project, agents' included. */
export function logsOf(project: ProjectFiles): readonly SourceEntry[] {
  const agents = [...project.flatAgents, ...project.sessions.flatMap((session) => session.agents)]
  return [...project.sessions, ...agents].flatMap(({ log }) => log ?? [])
}

function mustBeFolder(root: string): void {
  const hint = 'Name another with --root, or set CLAUDE_CONFIG_DIR if yours is elsewhere.'
  if (!existsSync(root)) throw new Failure('NO_ROOT', `There is no folder ${root}.`, { hint })
  if (!statSync(root).isDirectory()) throw new Failure('NO_ROOT', `${root} is not a folder.`, { hint })
}
