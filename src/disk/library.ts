import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { keyMatches } from '../core/encode.ts'
import { Failure } from '../core/failure.ts'
import { isObject, parseJson, textAt } from '../core/json.ts'
import { type DiskSource, diskSource } from './disk-source.ts'
import { type Agent, linkFamily } from './family.ts'
import { glanceFacts } from './glance.ts'
import { type AgentFiles, type ProjectFiles, type SessionFiles, takeInventory } from './inventory.ts'
import type { FilePlace } from './layout.ts'
import { type FactsCache, type KnownFacts, readFacts } from './log-facts.ts'
import { readBytesAt } from './log-file.ts'
import type { Source, SourceEntry } from './source.ts'
import type { Warning } from './warning.ts'

export interface LibraryOptions {
  /** The config folders to read. */
  readonly roots: readonly string[]
  /** Hears of files that could not be read; the rest goes on without them. */
  readonly onWarning?: (warning: Warning) => void
  /** Where the facts of whole logs are kept between runs. */
  readonly cache?: FactsCache
  /** For logs that lie outside of any root: which files count, and what they are. */
  readonly layout?: Layout
}

const SETTLED_MS = 2000

export interface Layout {
  readonly include: (relativePath: string) => boolean
  readonly placeOf: (relativePath: string) => FilePlace
}

/** Everything below some roots, read when it is asked for. Nothing is written anywhere. */
export class Library {
  readonly roots: readonly string[]
  readonly source: Source
  readonly #disk: DiskSource
  readonly #layout: Layout | undefined
  readonly #cache: FactsCache | undefined
  #projects: readonly ProjectFiles[] | undefined
  #newest: number | undefined
  /** What was asked for last: an operation asks for the same log several times, one after the other. */
  #last: { readonly entry: SourceEntry; readonly known: KnownFacts | undefined } | undefined
  readonly #flatOwners = new Map<string, string | null>()

  constructor(options: LibraryOptions) {
    this.roots = options.roots.map((root) => resolve(root))
    for (const root of this.roots) mustBeFolder(root)
    this.#layout = options.layout
    this.#cache = options.cache
    this.#disk = diskSource(this.roots, {
      ...(options.onWarning && { onProblem: options.onWarning }),
      ...(options.layout && { include: options.layout.include }),
    })
    this.source = this.#disk
  }

  /** The projects and sessions on disk. Listed once; `refresh` lists again. */
  projects(): readonly ProjectFiles[] {
    this.#projects ??= takeInventory(this.source, this.#layout?.placeOf)
    return this.#projects
  }

  refresh(): void {
    this.#projects = undefined
    this.#newest = undefined
    this.#last = undefined
    this.#flatOwners.clear()
  }

  /** All sessions that have a log. */
  sessions(): readonly SessionFiles[] {
    return this.projects().flatMap((project) => project.sessions.filter((session) => session.log))
  }

  /** What head and tail of a log tell; small logs are read whole. */
  glance(entry: SourceEntry): KnownFacts | undefined {
    return glanceFacts(this.source, entry)
  }

  /** All facts of a log: kept from an earlier run, or read now. Who asks cannot tell. */
  facts(entry: SourceEntry): KnownFacts | undefined {
    if (this.#last?.entry === entry) return this.#last.known
    const known = this.#cache?.get(this.source, entry) ?? this.#readFacts(entry)
    this.#last = { entry, known }
    return known
  }

  #readFacts(entry: SourceEntry): KnownFacts | undefined {
    const known = readFacts(this.source, entry)
    if (known) this.#cache?.put(this.source, entry, known, this.#isSettled(entry))
    return known
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

  /** The title that a session's sidecar file holds. */
  sidecarTitle(session: SessionFiles): string | null {
    const entry = session.customTitle
    if (!entry) return null
    const place = { file: entry.path, line: 1, offset: 0, length: Math.min(entry.sizeBytes, 64 * 1024) }
    const value = parseJson(new TextDecoder().decode(readBytesAt(this.source, entry, place)))
    return isObject(value) ? (textAt(value, 'customTitle') ?? null) : null
  }

  close(): void {
    this.#cache?.close()
    this.#disk.close()
  }

  /** Two writes in one tick of the clock leave the same time: only a file older than others can be known by its time. */
  #isSettled(entry: SourceEntry): boolean {
    this.#newest ??= this.sessions().reduce((newest, { log }) => Math.max(newest, log?.modifiedAt ?? 0), 0)
    return this.#newest - entry.modifiedAt > SETTLED_MS
  }

  /** The session that a flat agent log names in its first records. */
  #ownerOf(agent: AgentFiles): string | null {
    if (!agent.log) return null
    const { path } = agent.log
    const found = this.#flatOwners.get(path)
    if (found !== undefined) return found
    const owner = this.glance(agent.log)?.facts.sessionIds[0] ?? null
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

function mustBeFolder(root: string): void {
  const hint = 'Name another with --root, or set CLAUDE_CONFIG_DIR if yours is elsewhere.'
  if (!existsSync(root)) throw new Failure('NO_ROOT', `There is no folder ${root}.`, { hint })
  if (!statSync(root).isDirectory()) throw new Failure('NO_ROOT', `${root} is not a folder.`, { hint })
}
