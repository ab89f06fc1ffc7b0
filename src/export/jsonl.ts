import { isObject, type JsonObject } from '../core/json.ts'
import { jsonText } from '../core/json-text.ts'
import { LogReader } from '../core/log/log.ts'
import type { Place } from '../core/log/place.ts'
import { readBytesAt, sha256Hash, streamRecords } from '../disk/log-file.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import { logOf } from '../history/gone.ts'
import { sessionItem } from '../history/list.ts'
import { rowsInside } from '../history/open.ts'
import type { Redactor } from '../redact/redactor.ts'
import { chunksOf } from './chunks.ts'
import type { Exporter } from './exporter.ts'
import { mayBeSystemPrompt, withoutSystemPrompt } from './hidden-rows.ts'
import { masked } from './masked.ts'
import { baseName, slug } from './names.ts'

/**
 * The records as the client wrote them, one on a line, without secrets and without the client's own system prompt. Where
 * secrets are wanted, the bytes of the log, all of them as they are. In a folder the logs of its agents lie beside it.
 */
export const jsonl: Exporter = {
  extension: 'jsonl',
  async *session(found, job) {
    const { library, files, agent } = found
    const context = { ...job.context, library }
    const log = await logOf(context, found)
    const item = masked(job, await sessionItem(context, files))
    const name = baseName(item, job, agent?.id)
    const { redactor } = job
    const only = await rowsInside(context, found)
    const content = (entry: SourceEntry) => {
      if (redactor) return maskedLines(library.source, entry, redactor, only)
      return only ? rawLines(library.source, entry, only) : chunksOf(library.source, entry)
    }
    yield { name: `${name}.jsonl`, content: content(log), item }
    if (job.options.agents === 'none' || agent) return
    for (const { id, log: own } of files.agents) {
      if (own) yield { name: `${name}/agent-${slug(masked(job, id), 60)}.jsonl`, content: content(own) }
    }
  },
}

/** Some rows of a log. */
function* rawLines(source: Source, entry: SourceEntry, only: ReadonlySet<number>): Generator<Uint8Array> {
  for (const { place } of streamRecords(source, entry)) {
    const bytes = only.has(place.offset) ? readBytesAt(source, entry, place) : undefined
    if (bytes) yield Buffer.concat([bytes, Buffer.from('\n')])
  }
}

/** A line of a log: a record, or bytes that are none. */
type Found = { readonly raw: JsonObject } | { readonly place: Place }

/** Lines that are longer than this are not looked through for secrets, and left out. */
const LONGEST_LINE = 64 * 1024 * 1024

/** The lines of a log; with `only`, the records at these places and nothing else. */
function* maskedLines(
  source: Source,
  entry: SourceEntry,
  redactor: Redactor,
  only: ReadonlySet<number> | undefined,
): Generator<string> {
  let found: Found[] = []
  const isWanted = ({ offset }: Place) => only?.has(offset) ?? true
  const reader = new LogReader(
    entry.path,
    {
      record: ({ kind, raw, place }) => {
        if (isWanted(place)) found.push(kind === 'oversize' ? { place } : { raw })
      },
      diagnostic: ({ place, salvaged }) => {
        if (!salvaged && !only) found.push({ place })
      },
    },
    { hash: sha256Hash },
  )
  for (const chunk of chunksOf(source, entry)) {
    reader.push(chunk)
    for (const one of found) yield* maskedLine(one, source, entry, redactor)
    found = []
  }
  reader.finish()
  for (const one of found) yield* maskedLine(one, source, entry, redactor)
  const { pendingBytes, bytes, endLine } = reader.totals
  const place = { file: entry.path, line: endLine + 1, offset: bytes - pendingBytes, length: pendingBytes }
  if (pendingBytes > 0 && !only) yield* maskedLine({ place }, source, entry, redactor)
}

/** What is no record is masked as text: a damaged line leaks as well as any other. */
function* maskedLine(found: Found, source: Source, entry: SourceEntry, redactor: Redactor): Generator<string> {
  if ('raw' in found) {
    const shown = withoutSystemPrompt(found.raw)
    const value = shown && redactor.value(shown).value
    if (isObject(value)) yield `${jsonText(value)}\n`
    return
  }
  const bytes = found.place.length > LONGEST_LINE ? undefined : readBytesAt(source, entry, found.place)
  // A crash leaves runs of NUL, and a file of two bytes a character has one beside each: they would hide a secret.
  const text = bytes && new TextDecoder().decode(bytes).replaceAll('\0', '').trim()
  if (text && !mayBeSystemPrompt(text)) yield `${redactor.text(text).text}\n`
}
