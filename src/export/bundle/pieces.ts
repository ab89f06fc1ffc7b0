import { isUtf8 } from 'node:buffer'
import { isObject, type JsonObject, objectAt, parseRewritable, stringAt } from '../../core/json.ts'
import { jsonText } from '../../core/json-text.ts'
import { type Line, LineSplitter } from '../../core/log/lines.ts'
import { sha256Hash } from '../../disk/log-file.ts'
import type { Source, SourceEntry } from '../../disk/source.ts'
import { hidesSecrets, maskedBytes, maskedText } from '../../redact/masked-file.ts'
import type { Redactor } from '../../redact/redactor.ts'
import { chunksOf } from '../chunks.ts'
import { mayBeSystemPrompt, withoutSystemPrompt } from '../hidden-rows.ts'

/** A piece of a file, without secrets: text, or bytes that are none. `trouble`: the file cannot be handed on. */
export type CleanPiece = { readonly text: string } | { readonly bytes: Buffer } | { readonly trouble: string }

/** Characters of a piece: a line of a bundle stays short enough to hold. */
const PIECE_CHARACTERS = 128 * 1024

/** Files that are masked as one text are not larger than this. */
const MOST_TEXT_BYTES = 256 * 1024 * 1024

/** The content of a file as it may be handed on: logs record by record, JSON by its values, the rest as text. */
export function* cleanPieces(
  entry: SourceEntry,
  source: Source,
  path: string,
  redactor: Redactor | undefined,
): Generator<CleanPiece> {
  if (path.endsWith('.jsonl')) yield* cleanLines(entry, source, redactor)
  else yield* cleanFile(entry, source, path, redactor)
}

/** Every line stays a line, whatever became of it, so that places mean the same in the copy. */
function* cleanLines(entry: SourceEntry, source: Source, redactor: Redactor | undefined): Generator<CleanPiece> {
  let held = ''
  let ready: CleanPiece[] = []
  const take = ({ bytes, complete, hash }: Line) => {
    const line = Buffer.from(bytes)
    const end = complete ? '\n' : ''
    if (hash !== undefined) ready.push({ trouble: 'one of its lines is too long to search for secrets' })
    else if (isUtf8(line)) held += cleanLine(line.toString('utf8'), redactor) + end
    else {
      ready.push(...inPieces(held), ...bytePieces(Buffer.concat([maskedBytes(line, redactor), Buffer.from(end)])))
      held = ''
    }
  }
  const splitter = new LineSplitter({ hash: sha256Hash })
  for (const chunk of chunksOf(source, entry)) {
    splitter.push(chunk, take)
    yield* ready
    ready = []
    if (held.length < PIECE_CHARACTERS) continue
    yield* inPieces(held)
    held = ''
  }
  splitter.finish(take)
  yield* ready
  yield* inPieces(held)
}

/** A record without secrets and the client's own system prompt; its bytes as they were where it has neither. */
function cleanLine(line: string, redactor: Redactor | undefined): string {
  const raw = parseRewritable(line)
  if (!isObject(raw)) return mayBeSystemPrompt(line) ? '' : (redactor?.text(line).text ?? line)
  const shown = withoutSystemPrompt(raw) ?? envelopeOf(raw)
  const value = redactor ? redactor.value(shown).value : shown
  return value === raw ? line : isObject(value) ? jsonText(value) : ''
}

/** Of a row that holds the system prompt stays what others hang on to: a tree without it would be another. */
function envelopeOf(raw: JsonObject): JsonObject {
  const type = stringAt(objectAt(raw, 'attachment'), 'type')
  const { shape: _, message: __, attachment: ___, rendered: ____, renderedInHumanTurn: _____, ...rest } = raw
  return type === undefined ? rest : { ...rest, attachment: { type } }
}

function* cleanFile(
  entry: SourceEntry,
  source: Source,
  path: string,
  redactor: Redactor | undefined,
): Generator<CleanPiece> {
  if (entry.sizeBytes > MOST_TEXT_BYTES) {
    yield { trouble: 'it is too large to search for secrets' }
    return
  }
  const bytes = Buffer.concat([...chunksOf(source, entry)])
  if (!isUtf8(bytes)) {
    const clean = maskedBytes(bytes, redactor)
    if (hidesSecrets(clean, redactor)) yield { trouble: 'it holds secrets in an encoding that cannot be masked' }
    else yield* bytePieces(clean)
    return
  }
  yield* inPieces(maskedText(bytes.toString('utf8'), path, redactor))
}

function* bytePieces(bytes: Buffer): Generator<CleanPiece> {
  for (let at = 0; at < bytes.length; at += PIECE_CHARACTERS) yield { bytes: bytes.subarray(at, at + PIECE_CHARACTERS) }
}

function* inPieces(text: string): Generator<CleanPiece> {
  for (let at = 0; at < text.length; ) {
    const isSplit = /[\ud800-\udbff]/.test(text[at + PIECE_CHARACTERS - 1] ?? '')
    const piece = text.slice(at, at + PIECE_CHARACTERS - (isSplit ? 1 : 0))
    yield { text: piece }
    at += piece.length
  }
}
