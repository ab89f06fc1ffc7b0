import { resolve } from 'node:path'
import { Failure } from '../core/failure.ts'
import { type JsonObject, parseAnyDepth, stringAt } from '../core/json.ts'
import { isTooDeep } from '../core/json-depth.ts'
import { jsonText } from '../core/json-text.ts'
import type { Place } from '../core/log/place.ts'
import type { LogRecord } from '../core/log/record.ts'
import { Type } from '../core/schema.ts'
import type { TreeNode } from '../core/tree/node.ts'
import { chunksFrom } from '../disk/fill.ts'
import type { Library } from '../disk/library.ts'
import { readBytesAt, readerOf, readRecordAt, streamRecords } from '../disk/log-file.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import { mayBeSystemPrompt, withoutSystemPrompt } from '../export/hidden-rows.ts'
import type { Context } from '../history/context.ts'
import { placeAt } from '../history/family.ts'
import { historyOf } from '../history/history.ts'
import { openSession } from '../history/open.ts'
import { findPoint, isPoint } from '../history/point.ts'
import { NullableString, nullable, placeFields } from '../history/shapes.ts'
import { defineOp } from './op.ts'

export const record = defineOp({
  name: 'record',
  teamStore: 'read',
  summary: 'Show one record of a log as it was written.',
  examples: [
    'annals record last 8c1d2e3f',
    'annals show last:8c1d2e3f --raw',
    'annals record --file ~/.claude/projects/-x/3f9a.jsonl --offset 0',
  ],
  input: Type.Object({
    session: Type.Optional(Type.String('The session or agent; or a point: SESSION:UUID, FILE:LINE')),
    uuid: Type.Optional(Type.String('The uuid of the record, or the start of it')),
    file: Type.Optional(Type.String('The path of a log, instead of a session')),
    offset: Type.Optional(Type.Integer({ minimum: 0, description: 'With --file: a byte of the record' })),
    raw: Type.Optional(Type.Boolean("Also show Claude Code's own system prompt")),
  }),
  positional: ['session', 'uuid'],
  result: Type.Object({
    ...placeFields,
    type: NullableString,
    raw: nullable(Type.Record(Type.Unknown())),
    text: Type.String('The same as text; if it is not a record, all there is'),
    withheld: Type.Boolean("Whether Claude Code's own system prompt was left out"),
  }),
  async run(context, input) {
    const { source, entry, place, raw: cut } = await found(context, input)
    const written = writtenAt(source, entry, place)
    // Of a record that is nested too deep, the text is all there is.
    const raw = isTooDeep(parseAnyDepth(written)) ? undefined : cut
    const { shown, text } = input.raw ? { shown: raw, text: written } : withoutSystem(raw, written)
    const type = raw ? (stringAt(raw, 'type') ?? null) : null
    return { ...place, type, raw: shown ?? null, text, withheld: text !== written }
  },
})

interface Input {
  readonly session?: string
  readonly uuid?: string
  readonly file?: string
  readonly offset?: number
}

interface Found {
  readonly source: Source
  readonly entry: SourceEntry
  readonly place: Place
  /** `undefined` where no record can be read there. */
  readonly raw: JsonObject | undefined
}

async function found(context: Context, { session, uuid, file, offset }: Input): Promise<Found> {
  if (file !== undefined && offset !== undefined) return await recordAt(context, file, offset)
  if (session !== undefined && uuid) return recordOf(context, session, uuid)
  if (session !== undefined && isPoint(session)) {
    const { opened, place } = await findPoint(context, session)
    const log = [opened.conversation.entry, ...opened.family.map(({ entry }) => entry)].find(
      ({ path }) => path === place?.file,
    )
    const { source } = opened.library
    if (place && log) return { source, entry: log, place, raw: readRecordAt(source, log, place)?.raw }
  }
  throw new Failure('BAD_INPUT', 'A record is named by its session and uuid, or by a log and an offset in it.', {
    hint: 'Write annals show SESSION:UUID --raw, or annals record --file LOG --offset BYTE.',
  })
}

/** Looks in the log that was named, then in those of the session's agents. */
async function recordOf(context: Context, session: string, uuid: string): Promise<Found> {
  const { library, family, conversation, agent } = await openSession(context, session)
  const own = { entry: conversation.entry, nodes: conversation.tree.nodes }
  for (const { entry, nodes } of [own, ...(agent ? [] : family)]) {
    const node = nodeNamed(nodes, uuid)
    if (!node) continue
    const place = placeAt(entry, node)
    return { source: library.source, entry, place, raw: readRecordAt(library.source, entry, place)?.raw }
  }
  throw new Failure('NOT_FOUND', `No record of ${session} has a uuid that starts with "${uuid}".`, {
    hint: 'Run `annals tree <session> --rows` to see them.',
  })
}

function nodeNamed(nodes: Iterable<TreeNode>, name: string): TreeNode | undefined {
  let started: TreeNode | undefined
  for (const node of nodes) {
    if (node.uuid === name) return node
    if (node.uuid.startsWith(name)) started ??= node
  }
  return started
}

/** A file is read only where it is one of the library's own logs. */
async function recordAt(context: Context, file: string, offset: number): Promise<Found> {
  const { library } = context
  const entry = logAt(library, resolve(context.cwd, file))
  if (!entry) throw new Failure('NOT_FOUND', `${file} is not one of the logs in ${library.roots.join(', ')}.`)
  await historyOf(context).fetchLogs([entry])
  const line = lineAt(library.source, entry, offset)
  if (!line) throw new Failure('NOT_FOUND', `${file} has no byte ${offset}.`)
  const { source } = library
  const holder = recordsFrom(source, entry, line).find(
    ({ place }) => offset >= place.offset && offset < place.offset + place.length,
  )
  const isReadable = holder !== undefined && holder.kind !== 'oversize'
  return { source, entry, place: holder?.place ?? line, raw: isReadable ? holder.raw : undefined }
}

function logAt(library: Library, path: string): SourceEntry | undefined {
  for (const project of library.projects()) {
    const agents = [...project.flatAgents, ...project.sessions.flatMap((session) => session.agents)]
    for (const { log } of [...project.sessions, ...agents]) if (log?.path === path) return log
  }
  return undefined
}

/** The line that holds a byte. */
function lineAt(source: Source, entry: SourceEntry, offset: number): Place | undefined {
  let line = 1
  let start = 0
  let at = 0
  for (const bytes of chunksFrom(readerOf(source, entry))) {
    for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, end + 1)) {
      if (at + end >= offset) return { file: entry.path, line, offset: start, length: at + end - start }
      line += 1
      start = at + end + 1
    }
    at += bytes.length
  }
  return offset < at ? { file: entry.path, line, offset: start, length: at - start } : undefined
}

/** The records of one line: more than one where it is damaged. */
function recordsFrom(source: Source, entry: SourceEntry, { line, offset }: Place): readonly LogRecord[] {
  const records: LogRecord[] = []
  for (const one of streamRecords(source, entry, { offset, line: line - 1 })) {
    if (one.place.line > line) break
    records.push(one)
  }
  return records
}

const LONGEST_TEXT = 64 * 1024 * 1024

function writtenAt(source: Source, entry: SourceEntry, place: Place): string {
  const bytes = readBytesAt(source, entry, { ...place, length: Math.min(place.length, LONGEST_TEXT) })
  return new TextDecoder().decode(bytes)
}

interface Shown {
  readonly shown: JsonObject | undefined
  readonly text: string
}

const NOTHING: Shown = { shown: undefined, text: '' }

/** A record without what the client tells the model of itself; of what cannot be read, nothing where it may be such a record. */
function withoutSystem(raw: JsonObject | undefined, text: string): Shown {
  if (!raw) return mayBeSystemPrompt(text) ? NOTHING : { shown: raw, text }
  const shown = withoutSystemPrompt(raw)
  if (!shown) return NOTHING
  return { shown, text: shown === raw ? text : jsonText(shown) }
}
