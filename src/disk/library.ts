import { createHash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { digestOf, type LogDigest } from '../core/digest.ts'
import { keyMatches } from '../core/encode.ts'
import { Failure } from '../core/failure.ts'
import { isObject, type JsonObject, type JsonValue, parseJson, stringAt, textAt } from '../core/json.ts'
import type { LogRecord } from '../core/record.ts'
import { advance, type Cursor, look } from './cursor.ts'
import { type DiskSource, diskSource } from './disk-source.ts'
import { currentFacts, type FactsCache, type FactsJob, MOST_ROWS, type PackedLog } from './facts-cache.ts'
import { type Agent, linkFamily } from './family.ts'
import { glanceFacts } from './glance.ts'
import { type AgentFiles, type ProjectFiles, type SessionFiles, takeInventory } from './inventory.ts'
import { unpackDigest } from './kept-facts.ts'
import type { FilePlace } from './layout.ts'
import { type KnownFacts, readOn } from './log-facts.ts'
import { readBytesAt, readLogFile } from './log-file.ts'
import { type LogFold, packFold, unpackFold } from './log-fold.ts'
import type { Source, SourceEntry } from './source.ts'
import { onAllCores, threadScript, WORTH_BYTES } from './threads.ts'
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

const SETTLED_MS = 2000
const QUIET_MS = 60_000

export interface Layout {
  readonly include: (relativePath: string) => boolean
  readonly placeOf: (relativePath: string) => FilePlace
}

/** A digest and the state of the log it was made from. */
interface MadeDigest {
  readonly entry: SourceEntry
  readonly digest: LogDigest
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
  #last:
    | { readonly entry: SourceEntry; readonly known: KnownFacts | undefined; readonly cursor: Cursor | undefined }
    | undefined
  /** Digests that were asked for: small, and asked for again by the sums after the lists. */
  readonly #digests = new Map<string, MadeDigest>()
  readonly #glances = new Map<string, MadeDigest>()
  readonly #flatOwners = new Map<string, string | null>()

  constructor(options: LibraryOptions) {
    this.roots = options.roots.map((root) => resolve(root))
    for (const root of this.roots) mustBeFolder(root)
    this.#layout = options.layout
    this.#cache = options.cache
    this.#disk = (options.open ?? diskSource)(this.roots, {
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
    this.#flatOwners.clear()
  }

  /** All sessions that have a log. */
  sessions(): readonly SessionFiles[] {
    return this.projects().flatMap((project) => project.sessions.filter((session) => session.log))
  }

  /** What lists and sums need to know of a log: kept from an earlier run, or made from its facts. */
  digest(entry: SourceEntry): LogDigest | undefined {
    const kept = this.keptDigest(entry)
    if (kept) return kept
    const isOpen = this.#last?.entry === entry
    const known = this.facts(entry)
    const digest = known && digestOf(known.facts, known.totals)
    // Whoever asks for digests has no use for the rows, and those of a huge log are many.
    if (!isOpen && known && known.facts.nodes.length > MOST_ROWS) this.#last = undefined
    if (digest) this.#digests.set(entry.path, { entry, digest })
    return digest
  }

  /** The same, if it need not be made. */
  keptDigest(entry: SourceEntry): LogDigest | undefined {
    const made = this.#digests.get(entry.path)
    if (made && this.#isSame(made.entry, entry)) return made.digest
    const kept = this.#cache?.digest(entry.path)
    if (!kept || look(kept.cursor, this.source, entry).kind !== 'same') return undefined
    const isSettled = this.isSettled(entry)
    if (isSettled && !kept.cursor.settled) this.#cache?.settle({ ...kept.cursor, settled: true })
    this.#digests.set(entry.path, { entry, digest: kept.digest })
    return kept.digest
  }

  /**
   * Makes the digests of all logs that are not kept, on all cores, where that is more than a little work: lists and sums that
   * come after it find them made. `whole`: makes every last one, also where it is little work.
   */
  async warmUp(
    progress: (doneBytes: number, totalBytes: number) => void = () => {},
    options: { readonly whole?: boolean } = {},
  ): Promise<void> {
    const logs = this.projects().flatMap(logsOf)
    await this.#warmUpCold(logs, progress)
    if (options.whole) for (const entry of logs) this.digest(entry)
  }

  async #warmUpCold(
    logs: readonly SourceEntry[],
    progress: (doneBytes: number, totalBytes: number) => void,
  ): Promise<void> {
    const script = threadScript('facts-worker')
    const cold = logs.filter((entry) => !entry.gone && !this.#canGoOn(entry))
    const total = cold.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    if (!script || total < WORTH_BYTES || cold.length < 2) return
    let done = 0
    // The largest first, so that no thread is left alone with one at the end.
    const jobs = cold.sort((a, b) => b.sizeBytes - a.sizeBytes)
    const isKept = this.#cache !== undefined
    const asked = jobs.map((entry) => ({ entry, isKept }))
    await onAllCores<FactsJob, PackedLog | undefined>(script, asked, ({ entry }, packed): undefined => {
      if (packed) this.#keep(entry, packed)
      done += entry.sizeBytes
      progress(done, total)
    })
  }

  /** Whether a log's digest is kept, or needs only what was added to the log. */
  #canGoOn(entry: SourceEntry): boolean {
    if (this.keptDigest(entry)) return true
    const kept = this.#cache?.digest(entry.path)
    return kept !== undefined && look(kept.cursor, this.source, entry).kind === 'grown'
  }

  #keep(entry: SourceEntry, packed: PackedLog): void {
    this.#put(entry, packed)
    this.#digests.set(entry.path, { entry, digest: unpackDigest(packed.digest, entry.path) })
  }

  #put(entry: SourceEntry, packed: PackedLog): void {
    this.#cache?.put({ ...packed, cursor: { ...packed.cursor, settled: this.isSettled(entry) } })
  }

  /** What head and tail of a log tell; small logs are read whole. */
  glance(entry: SourceEntry): KnownFacts | undefined {
    return glanceFacts(this.source, entry)
  }

  /** A digest of what head and tail tell, for lists that read only what they must. */
  glanceDigest(entry: SourceEntry): LogDigest | undefined {
    const made = this.#glances.get(entry.path)
    if (made && this.#isSame(made.entry, entry)) return made.digest
    const known = this.glance(entry)
    const digest = known && digestOf(known.facts, known.totals)
    if (digest) this.#glances.set(entry.path, { entry, digest })
    return digest
  }

  /** All facts of a log: kept from an earlier run, or read now. Who asks cannot tell. */
  facts(entry: SourceEntry): KnownFacts | undefined {
    if (this.#last && this.#isSame(this.#last.entry, entry)) return this.#last.known
    const { known, cursor } = this.#goneOn(entry) ?? this.#currentFacts(entry)
    this.#last = { entry, known, cursor }
    return known
  }

  #currentFacts(entry: SourceEntry) {
    const current = currentFacts(this.source, entry, this.#cache)
    if (current.packed) this.#put(entry, current.packed)
    return current
  }

  /** The facts of the log that was asked for last, if it grew: a log that is being written is not kept anew for every line. */
  #goneOn(entry: SourceEntry) {
    const { known, cursor } = this.#last ?? {}
    if (!known || cursor?.path !== entry.path || look(cursor, this.source, entry).kind !== 'grown') return undefined
    const grown = readOn(this.source, entry, known)
    const { totals } = grown ?? {}
    if (!grown || !totals || totals.bytes !== entry.sizeBytes) return undefined
    const end = { offset: totals.bytes, line: totals.endLine }
    return { known: grown, cursor: advance(cursor, this.source, entry, end) }
  }

  /** What a log comes to: kept from an earlier run while the log is what it was, else made now; `undefined` when it is gone. */
  folded<T>(entry: SourceEntry, fold: LogFold<T>): T | undefined {
    const cursor = this.#cursorOf(entry)
    const kept = cursor && this.#cache?.folded(entry.path, fold.name, stateOf(cursor))
    const known = kept && unpackFold(fold, kept)
    if (known !== undefined) return known
    const running = fold.begin()
    const read = this.#readFor(entry, cursor, (record) => running.record(record))
    if (!read) return undefined
    const value = running.end()
    if (read.cursor) this.#cache?.keepFolded(entry.path, fold.name, stateOf(read.cursor), packFold(value))
    return value
  }

  /** Reads a whole log, and says which state of it that was, if it is known: then its facts are kept too. */
  #readFor(
    entry: SourceEntry,
    cursor: Cursor | undefined,
    record: (record: LogRecord) => void,
  ): { readonly cursor: Cursor | undefined } | undefined {
    if (this.#cache && !cursor) {
      const { known, packed } = currentFacts(this.source, entry, this.#cache, record)
      if (packed) this.#put(entry, packed)
      return known && { cursor: packed?.cursor }
    }
    const totals = readLogFile(this.source, entry, { record })
    return totals && { cursor: totals.bytes === entry.sizeBytes ? cursor : undefined }
  }

  /** The cursor of a log's kept facts, if the log is still what it was. */
  #cursorOf(entry: SourceEntry): Cursor | undefined {
    const cursor = this.#cache?.cursor(entry.path)
    if (!cursor || look(cursor, this.source, entry).kind !== 'same') return undefined
    if (!cursor.settled && this.isSettled(entry)) this.#cache?.settle({ ...cursor, settled: true })
    return cursor
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

  /** Who a session's agents are, as a list shows them: kept, or linked now; `undefined` where they may not be linked now. */
  agentLines(session: SessionFiles, options: { readonly mayRead: boolean }): readonly AgentLine[] | undefined {
    const files = this.agentFiles(session)
    const isInline = session.log && this.keptDigest(session.log)?.whole?.hasSidechains !== false
    if (files.length === 0 && !isInline) return []
    const logs = [session.log, ...files.flatMap(({ log, meta }) => [log, meta])].flatMap((entry) => entry ?? [])
    const key = `agents of ${session.log?.path ?? session.id}`
    const stamp = stampOf(logs)
    const isTrusted = logs.every((entry) => this.isSettled(entry))
    const kept = isTrusted ? this.#cache?.recall(key, stamp) : undefined
    if (Array.isArray(kept)) return kept.flatMap(readAgentLine)
    if (!options.mayRead) return undefined
    const lines = this.agents(session).map(({ id, class: kind, type, description }) => {
      return { id, class: kind, type, description }
    })
    if (isTrusted) this.#cache?.remember(key, stamp, lines)
    return lines
  }

  /** Bytes made of some logs, all of them at rest: kept while none of them changes; `undefined` where nothing is kept. */
  async rememberedBytes(
    key: string,
    logs: readonly SourceEntry[],
    make: () => Promise<Uint8Array>,
  ): Promise<Uint8Array | undefined> {
    if (!this.#cache) return undefined
    const stamp = stampOf(logs)
    const kept = this.#cache.recallBytes(key, stamp)
    if (kept) return kept
    const made = await make()
    this.#cache.rememberBytes(key, stamp, made)
    return made
  }

  /** Something made of all logs together: kept while none of them changes. */
  remembered(key: string, make: () => JsonObject): JsonObject {
    const logs = this.projects().flatMap(logsOf)
    const isTrusted = this.#cache !== undefined && logs.every((entry) => this.isSettled(entry))
    if (!isTrusted) return make()
    const stamp = stampOf(logs)
    const kept = this.#cache?.recall(key, stamp)
    if (isObject(kept)) return kept
    const made = make()
    this.#cache?.remember(key, stamp, made)
    return made
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

  /** Whether a file is still the one that was read. */
  #isSame(read: SourceEntry, entry: SourceEntry): boolean {
    if (read === entry) return true
    const isUntouched = read.sizeBytes === entry.sizeBytes && read.modifiedAt === entry.modifiedAt
    return isUntouched && read.inode === entry.inode && this.isSettled(entry)
  }

  /**
   * Two writes in one tick of the clock leave the same time. A file can be known by its time if it is older than others, or
   * by far older than now: a disk's clock may be a little off.
   */
  isSettled(entry: SourceEntry): boolean {
    if (Date.now() - entry.modifiedAt > QUIET_MS) return true
    this.#newest ??= this.sessions().reduce((newest, { log }) => Math.max(newest, log?.modifiedAt ?? 0), 0)
    return this.#newest - entry.modifiedAt > SETTLED_MS
  }

  /** The session that a flat agent log names in its first records. */
  #ownerOf(agent: AgentFiles): string | null {
    if (!agent.log) return null
    const { path } = agent.log
    const found = this.#flatOwners.get(path)
    if (found !== undefined) return found
    const known = this.keptDigest(agent.log) ?? this.glance(agent.log)
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

/** An agent as a line of its session. */
export interface AgentLine {
  readonly id: string
  readonly class: string
  readonly type: string | null
  readonly description: string | null
}

function readAgentLine(value: JsonValue): AgentLine[] {
  const id = stringAt(value, 'id')
  const kind = stringAt(value, 'class')
  if (id === undefined || kind === undefined) return []
  return [
    { id, class: kind, type: stringAt(value, 'type') ?? null, description: stringAt(value, 'description') ?? null },
  ]
}

/** All logs of a project, agents' included. */
export function logsOf(project: ProjectFiles): readonly SourceEntry[] {
  const agents = [...project.flatAgents, ...project.sessions.flatMap((session) => session.agents)]
  return [...project.sessions, ...agents].flatMap(({ log }) => log ?? [])
}

/** A name for the bytes that a cursor has behind it. */
function stateOf({ offset, prefixSum, headHash, tailHash }: Cursor): string {
  return `${offset} ${prefixSum} ${headHash} ${tailHash}`
}

/** A name for the state that some files are in. */
function stampOf(entries: readonly SourceEntry[]): string {
  const hash = createHash('sha256')
  for (const { path, sizeBytes, modifiedAt, inode } of entries) {
    hash.update(`${path}\0${sizeBytes}\0${modifiedAt}\0${inode}\n`)
  }
  return hash.digest('hex')
}

function mustBeFolder(root: string): void {
  const hint = 'Name another with --root, or set CLAUDE_CONFIG_DIR if yours is elsewhere.'
  if (!existsSync(root)) throw new Failure('NO_ROOT', `There is no folder ${root}.`, { hint })
  if (!statSync(root).isDirectory()) throw new Failure('NO_ROOT', `${root} is not a folder.`, { hint })
}
