import { existsSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { Failure } from '../core/failure.ts'
import { isObject, type JsonValue, parseJson } from '../core/json.ts'
import type { DriftFold } from '../core/log/drift.ts'
import type { Place } from '../core/log/place.ts'
import { compareVersions } from '../core/log/version.ts'
import { Type } from '../core/schema.ts'
import type { FileCheck } from '../disk/check-files.ts'
import { diskSource } from '../disk/disk-source.ts'
import { placeOf as fileAt, relativePath } from '../disk/layout.ts'
import { readLogFile } from '../disk/log-file.ts'
import { readSmallFile } from '../disk/small-file.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import type { Warning } from '../disk/warning.ts'
import type { Context } from '../history/context.ts'
import { nullable, PlaceShape, placeFields, placeOf } from '../history/shapes.ts'
import { defineOp } from './op.ts'

const Counts = Type.Record(Type.Integer())

export const check = defineOp({
  name: 'check',
  alsoIn: 'Look after',
  lists: 'diagnostics',
  effort: 'long',
  summary: 'Check logs for damage, and for changes of the format.',
  examples: ['annals check', 'annals check session.jsonl --json', 'annals check ~/.claude --strict'],
  input: Type.Object({
    paths: Type.Optional(Type.Array(Type.String(), 'Files or folders (default: all Claude Code folders)')),
  }),
  positional: ['paths'],
  result: Type.Object({
    summary: Type.Object({
      files: Type.Integer(),
      bytes: Type.Integer(),
      lines: Type.Integer('Lines that hold something'),
      blankLines: Type.Integer(),
      records: Type.Integer('Objects recovered; a glued line gives two'),
      diagnostics: Type.Integer(),
      pendingBytes: Type.Integer('Last lines that have no newline and are not a complete record yet'),
      recordBytes: Type.Integer(),
      diagnosticBytes: Type.Integer('Bytes that only a diagnostic owns'),
      separatorBytes: Type.Integer('Newlines, blanks, carriage returns, byte order marks'),
    }),
    types: Counts,
    systemSubtypes: Counts,
    versions: Counts,
    diagnostics: Type.Array(
      Type.Object({ ...placeFields, code: Type.String(), message: Type.String(), salvaged: Type.Boolean() }),
    ),
    drift: Type.Array(
      Type.Object({
        kind: Type.String(),
        type: Type.String(),
        path: Type.String(),
        detail: nullable(Type.String({ description: 'Of types that differ, which was expected and which was found' })),
        count: Type.Integer(),
        versions: Type.Array(Type.String()),
        example: PlaceShape,
      }),
    ),
    others: Type.Record(Type.Object({ files: Type.Integer(), records: Type.Integer(), problems: Type.Integer() })),
    unread: Type.Array(
      Type.Object({ file: Type.String(), message: Type.String() }),
      'Files and folders that could not be read, and why',
    ),
  }),
  // One file that cannot be read is a warning; where nothing could be read, nothing was checked.
  isTrouble: ({ summary, diagnostics, drift, unread }, isStrict) =>
    (summary.files === 0 && unread.length > 0) ||
    diagnostics.some(({ salvaged }) => !salvaged) ||
    (isStrict && drift.length > 0),
  async run(context, input) {
    const { DriftFold } = await import('../core/log/drift.ts')
    const { checkFiles } = await import('../disk/check-files.ts')
    const drift = new DriftFold()
    const logs: FileCheck[] = []
    const others = countOthers(drift)
    const unread = new Map<string, Warning>()
    const onProblem = (warning: Warning) => {
      unread.set(warning.file, warning)
      context.warn(warning)
    }
    for (const target of targetsOf(context, input.paths ?? [])) {
      const source = diskSource([target.folder], { include: target.include, onProblem })
      const entries = [...source.list()]
      const transcripts = entries.filter((entry) => target.kindOf(entry) === 'transcript')
      const checked = await checkFiles(source, transcripts, context.progress)
      logs.push(...checked.results)
      for (const warning of checked.unread) onProblem(warning)
      for (const entry of entries) others.add(source, entry, target.kindOf(entry))
      source.close()
    }
    for (const log of logs) drift.merge(log.drift)
    const diagnostics = logs.flatMap((log) => log.diagnostics).concat(others.diagnostics)
    return {
      summary: {
        files: logs.length,
        bytes: sum(logs, 'bytes'),
        lines: sum(logs, 'lines'),
        blankLines: sum(logs, 'blankLines'),
        records: sum(logs, 'records'),
        diagnostics: diagnostics.length,
        pendingBytes: sum(logs, 'pendingBytes'),
        recordBytes: sum(logs, 'recordBytes'),
        diagnosticBytes: sum(logs, 'diagnosticBytes'),
        separatorBytes: sum(logs, 'separatorBytes'),
      },
      types: merged(logs.map((log) => log.types)),
      systemSubtypes: merged(logs.map((log) => log.systemSubtypes)),
      versions: merged(
        logs.map((log) => log.versions),
        compareVersions,
      ),
      diagnostics: diagnostics.map(({ place, code, message, salvaged }) => ({
        ...placeOf(place),
        code,
        message,
        salvaged,
      })),
      drift: drift.items().map((item) => ({ ...item, versions: [...item.versions], example: placeOf(item.example) })),
      others: others.counts(),
      unread: [...unread.values()].map(({ file, message }) => ({ file, message })),
    }
  },
})

/** What a path to check stands for. */
interface Target {
  readonly folder: string
  readonly include: (relativePath: string) => boolean
  readonly kindOf: (entry: SourceEntry) => string
}

function targetsOf(context: Context, paths: readonly string[]): readonly Target[] {
  if (paths.length === 0) return context.library.roots.map(rootTarget)
  return paths.map((named) => {
    const path = resolve(context.cwd, named)
    const stats = isOpen(context, path) ? statSync(path, { throwIfNoEntry: false }) : undefined
    if (!stats)
      throw new Failure('NOT_FOUND', `There is nothing at ${path}.`, { hint: 'Name a log, a folder or a root.' })
    if (!stats.isDirectory()) return fileTarget(path)
    return statSync(join(path, 'projects'), { throwIfNoEntry: false })?.isDirectory()
      ? rootTarget(path)
      : folderTarget(path)
  })
}

/** Whether a path may be opened: any, or where only roots are, what a listing of them found. */
function isOpen(context: Context, path: string): boolean {
  // A file is checked without any root, so the library is not asked for before it is needed.
  if (!context.rootsOnly) return true
  const { library } = context
  return (
    library.roots.includes(path) ||
    library.projects().some(({ dir, sessions, flatAgents }) => {
      const agents = sessions.flatMap((session) => session.agents)
      return dir === path || [...sessions, ...agents, ...flatAgents].some(({ log }) => log?.path === path)
    })
  )
}

function fileTarget(path: string): Target {
  const name = basename(path)
  return { folder: join(path, '..'), include: (path) => path === name, kindOf: () => 'transcript' }
}

/** A folder: every log below it. */
function folderTarget(folder: string): Target {
  const include = (path: string) => path.endsWith('/') || path.endsWith('.jsonl')
  return { folder, include, kindOf: (entry) => otherLog(basename(entry.path)) ?? 'transcript' }
}

/** A root: its transcripts, and the small documents beside them. */
function rootTarget(folder: string): Target {
  const kindOf = (path: string): string => {
    if (path === 'history.jsonl') return 'history'
    if (path === 'stats-cache.json') return 'stats-cache'
    if (/^todos\/[^/]+\.json$/.test(path)) return 'todos'
    if (/^tasks\/[^/]+\/\d+\.json$/.test(path)) return 'task'
    if (/^sessions\/\d+\.json$/.test(path)) return 'live-session'
    const place = fileAt(path)
    if (place.kind === 'session' || place.kind === 'agent') return 'transcript'
    if (place.kind === 'agent-meta' || place.kind === 'sessions-index' || place.kind === 'journal') return place.kind
    return path.endsWith('.jsonl') && place.kind !== 'other' ? 'other-log' : ''
  }
  const folders = ['projects', 'todos', 'tasks', 'sessions']
  return {
    folder,
    include: (path) => (path.endsWith('/') ? folders.includes(path.split('/')[0] as string) : kindOf(path) !== ''),
    kindOf: (entry) => kindOf(relativePath(entry)),
  }
}

function otherLog(name: string): string | undefined {
  if (name === 'journal.jsonl') return 'journal'
  if (name === 'history.jsonl') return 'history'
  return ['resume-head.jsonl', 'parent-transcript.jsonl', 'timeline.jsonl'].includes(name) ? 'other-log' : undefined
}

/** Everything in a root that is no transcript: counted apart. */
function countOthers(drift: DriftFold) {
  const diagnostics: FileCheck['diagnostics'][number][] = []
  const counts = new Map<string, { files: number; records: number; problems: number }>()
  return {
    diagnostics,
    counts: () => Object.fromEntries(counts),
    add(source: Source, entry: SourceEntry, kind: string): void {
      if (kind === 'transcript' || kind === '') return
      const count = counts.get(kind) ?? { files: 0, records: 0, problems: 0 }
      counts.set(kind, count)
      count.files += 1
      const record = (raw: JsonValue, place: Place) => {
        count.records += 1
        if (kind !== 'other-log') drift.addDocument(kind, raw, place)
      }
      const diagnostic = (one: FileCheck['diagnostics'][number]) => {
        count.problems += 1
        diagnostics.push(one)
      }
      if (entry.path.endsWith('.jsonl'))
        readLogFile(source, entry, { record: ({ raw, place }) => record(raw, place), diagnostic })
      else readDocument(entry, record, diagnostic)
    },
  }
}

function readDocument(
  entry: SourceEntry,
  record: (value: JsonValue, place: Place) => void,
  diagnostic: (one: FileCheck['diagnostics'][number]) => void,
): void {
  const file = readSmallFile(entry.path, [])
  // An empty document is how the client leaves one behind, and nothing is lost with it; nor with one that is gone since.
  if (entry.sizeBytes === 0 || file?.sizeBytes === 0 || !existsSync(entry.path)) return
  const place = { file: entry.path, line: 1, offset: 0, length: file?.sizeBytes ?? entry.sizeBytes }
  const value = parseJson(file?.text ?? '')
  if (isObject(value) || Array.isArray(value)) record(value, place)
  else diagnostic({ code: 'BAD_JSON', message: 'The file is not a JSON document.', place, salvaged: false })
}

type Sums = Exclude<keyof FileCheck['totals'], 'endOffset' | 'endLine'>

function sum(logs: readonly FileCheck[], key: Sums): number {
  return logs.reduce((total, log) => total + log.totals[key], 0)
}

/** Adds counts up, the largest first or in the order given. */
function merged(
  maps: readonly ReadonlyMap<string, number>[],
  order?: (a: string, b: string) => number,
): Record<string, number> {
  const totals = new Map<string, number>()
  for (const map of maps) for (const [key, value] of map) totals.set(key, (totals.get(key) ?? 0) + value)
  const sorted = [...totals].sort(([a, x], [b, y]) => (order ? order(a, b) : y - x))
  // Names come from the logs: `__proto__` must become a key like any other.
  return Object.fromEntries(sorted)
}
