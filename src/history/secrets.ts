import { isKeptFile, ownerByPath } from '../archive/kept-files.ts'
import { type JsonObject, textAt } from '../core/json.ts'
import type { Place } from '../core/log/place.ts'
import type { Static } from '../core/schema.ts'
import { between } from '../core/usage/moment.ts'
import { placeOf as filePlaceOf, relativePath } from '../disk/layout.ts'
import { readBytesAt, readLogFile } from '../disk/log-file.ts'
import { startOf } from '../disk/read-start.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import type { Warning } from '../disk/warning.ts'
import { openRedactor } from '../redact/open.ts'
import type { Redactor } from '../redact/redactor.ts'
import type { Context } from './context.ts'
import { type FoundSession, findSession } from './find.ts'
import { isEverything, type ScopeInput, sessionsInScope } from './scope.ts'
import type { SecretScanShape } from './secret-scan.ts'
import { placeOf } from './shapes.ts'

/** What is looked at. */
export interface ScanInput extends ScopeInput {
  readonly sessions?: readonly string[] | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
}

type SecretScan = Static<typeof SecretScanShape>
type SecretItem = SecretScan['items'][number]

/** A file that is looked at: a log, or a text beside one. */
interface ScannedFile {
  readonly source: Source
  readonly entry: SourceEntry
  readonly isLog: boolean
  readonly session: string | null
  readonly agent: string | null
}

/** Texts beside the logs are read whole; longer ones are no output that a client kept. */
const LONGEST_TEXT = 256 * 1024 * 1024

/**
 * Looks for secrets in logs and in all texts that the client keeps beside them. Everything is read with the rules of now:
 * nothing that an earlier scan found is kept, so a new rule finds at once what an older one passed over.
 */
export async function scanForSecrets(context: Context, input: ScanInput): Promise<SecretScan> {
  const redactor = openRedactor(context)
  const isWanted = between(input, context.now)
  const families = await familiesOf(context, input)
  const beside = context.library.beside(isText)
  const files = [...families.flatMap(filesOf), ...besides(beside, input, families)]
  const total = files.reduce((sum, { entry }) => sum + entry.sizeBytes, 0)
  const items: SecretItem[] = []
  const problems: Warning[] = []
  let done = 0
  for (const file of files) {
    for (const item of file.isLog ? scanLog(file, redactor, problems) : scanText(file, redactor, problems)) {
      if (isWanted(item.timestamp)) items.push(item)
    }
    done += file.entry.sizeBytes
    context.progress(done, total)
  }
  beside.close()
  return {
    rules: redactor.version,
    sessions: families.length,
    files: files.length,
    bytesRaw: total,
    bytesStored: null,
    kinds: countKinds(items),
    items,
    problems,
  }
}

async function familiesOf(context: Context, input: ScanInput): Promise<readonly FoundSession[]> {
  if (input.sessions?.length) return Promise.all(input.sessions.map((name) => findSession(context, name)))
  const { library } = context
  return (await sessionsInScope(context, input)).map((files) => ({ library, files, agent: null }))
}

/** Of an agent only its log is looked at, or the one that it lies in. */
function filesOf({ library, files, agent }: FoundSession): readonly ScannedFile[] {
  const of = (entry: SourceEntry | undefined, agent: string | null, isLog: boolean): readonly ScannedFile[] =>
    entry ? [{ source: library.source, entry, isLog, session: files.id, agent }] : []
  if (agent) return agent.log ? of(agent.log, agent.id, true) : of(files.log, null, true)
  return [
    ...of(files.log, null, true),
    ...files.agents.flatMap(({ id, log }) => of(log, id, true)),
    ...files.toolResults.flatMap((entry) => of(entry, null, false)),
  ]
}

/**
 * The other texts of the roots: checkpoints, plans, todos and tasks, pasted texts, memory, the prompt history and what lies in
 * the folders of sessions. Those that belong to no session are looked at only where everything is.
 */
function besides(source: Source, input: ScanInput, families: readonly FoundSession[]): readonly ScannedFile[] {
  const chosen = new Set(families.flatMap(({ files, agent }) => (agent ? [] : [files.id])))
  const isAll = !input.sessions?.length && isEverything(input)
  return [...source.list()].flatMap((entry): ScannedFile[] => {
    const path = relativePath(entry)
    const session = ownerByPath(path) ?? null
    if (!isAll && (session === null || !chosen.has(session))) return []
    return [{ source, entry, isLog: path.endsWith('.jsonl'), session, agent: null }]
  })
}

function isText(path: string): boolean {
  if (!isKeptFile(path) || path.startsWith('image-cache/')) return false
  return path.endsWith('/') || !OF_FAMILIES.has(filePlaceOf(path).kind)
}

/** What is looked at with its session. */
const OF_FAMILIES = new Set(['session', 'agent', 'tool-result'])

function scanLog(file: ScannedFile, redactor: Redactor, problems: Warning[]): readonly SecretItem[] {
  const { source, entry, agent } = file
  const items: SecretItem[] = []
  const unread: Place[] = []
  // A row without a time belongs to the one before it.
  let timestamp: string | null = null
  const add = (place: Place, text: JsonObject | string): void => {
    const found = typeof text === 'string' ? redactor.scan(text) : redactor.value(text).found
    const session = file.session ?? (typeof text === 'string' ? null : (textAt(text, 'sessionId') ?? null))
    for (const { kind, placeholder, path } of found) {
      items.push({ kind, placeholder, session, agent, timestamp, where: path, ...placeOf(place) })
    }
  }
  const totals = readLogFile(source, entry, {
    record(record) {
      timestamp = timeOf(record.raw) ?? timestamp
      if (record.kind === 'oversize') unread.push(record.place)
      else add(record.place, record.raw)
    },
    diagnostic({ place, salvaged }) {
      if (!salvaged) unread.push(place)
    },
  })
  if (!totals) problems.push({ file: entry.path, message: 'It is gone.' })
  // What is no record is looked at as text: a damaged line leaks as well as any other.
  for (const place of unread) {
    const text = textOfPlace(source, entry, place)
    if (text === undefined) problems.push({ file: entry.path, message: `Line ${place.line} is too long to look at.` })
    else add(place, text)
  }
  return items
}

/** Rows have ISO times; the prompt history counts milliseconds. */
function timeOf(raw: JsonObject): string | undefined {
  const { timestamp } = raw
  if (typeof timestamp === 'string') return timestamp
  const date = new Date(typeof timestamp === 'number' ? timestamp : Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

function scanText(file: ScannedFile, redactor: Redactor, problems: Warning[]): readonly SecretItem[] {
  const { source, entry, session, agent } = file
  const bytes = startOf(source, entry, LONGEST_TEXT + 1)
  if (!bytes || bytes.length > LONGEST_TEXT) {
    problems.push({ file: entry.path, message: 'It is gone, or too long to look at.' })
    return []
  }
  const text = new TextDecoder().decode(bytes)
  const timestamp = new Date(entry.modifiedAt).toISOString()
  return redactor.scan(text).map(({ kind, placeholder, from }) => {
    const before = text.slice(0, from)
    const lineStart = before.lastIndexOf('\n') + 1
    const end = text.indexOf('\n', from)
    const place = {
      file: entry.path,
      line: before.split('\n').length,
      offset: Buffer.byteLength(text.slice(0, lineStart)),
      length: Buffer.byteLength(text.slice(lineStart, end === -1 ? text.length : end)),
    }
    return { kind, placeholder, session, agent, timestamp, where: '', ...place }
  })
}

function textOfPlace(source: Source, entry: SourceEntry, place: Place): string | undefined {
  const bytes = place.length > LONGEST_TEXT ? undefined : readBytesAt(source, entry, place)
  return bytes && new TextDecoder().decode(bytes)
}

function countKinds(items: readonly SecretItem[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const { kind } of items) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)))
}
