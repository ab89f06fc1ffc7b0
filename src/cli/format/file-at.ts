import { createTwoFilesPatch } from 'diff'
import type { Static } from '../../core/schema.ts'
import type { files } from '../../ops/files.ts'
import { plural, shortPath } from '../terminal/human.ts'
import { oneLine, plain } from '../terminal/sanitize.ts'
import type { Style } from '../terminal/style.ts'
import { truncate, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, nothing } from './parts/lines.ts'
import { fitPath, shortId, shortIds, when } from './parts/names.ts'
import { table } from './parts/table.ts'

type Result = Static<typeof files.result>
type Version = NonNullable<Result['versions']>[number]
type At = NonNullable<Result['against']>

/** A file at one point: its text and nothing else, so that it can be piped; or what changed until another. */
export function formatFileAt(result: Result, view: View): readonly string[] {
  if (result.versions) return versions(result, result.versions, view)
  if (result.log) return log(result, result.log, view)
  const { written, against } = result
  if (written) return [plain(`Written to ${shortPath(written, view.home)}: ${sureness(result)}.`)]
  if (against) return difference(result, against, view)
  if (result.text === null || result.text === undefined) return missing(result, view)
  if (result.base64) return nothing('This file is not text.', view, 'Write it to a file: --out FILE')
  return plain(result.text).replace(/\n$/, '').split('\n')
}

function missing({ exists, unknown = [] }: Result, view: View): readonly string[] {
  if (exists === false) return nothing('The file did not exist at that point.', view)
  return nothing('Its content at that point is not known.', view, unknown.join(' ') || undefined)
}

function sureness({ confidence, unknown = [] }: Result): string {
  if (confidence === 'confirmed') return 'seen before and after that point'
  return confidence === 'recorded' ? 'as last recorded' : `doubtful. ${unknown.join(' ').replace(/\.$/, '')}`
}

function difference(result: Result, against: At, view: View): readonly string[] {
  const { path = '', at } = result
  const isKnown = [result, against].every((one) => one.exists !== null && !one.base64)
  if (!isKnown) return nothing('One of the two versions is unknown, or not text.', view, 'See all: --versions')
  if ((result.text ?? '') === (against.text ?? '')) return nothing('Nothing changed between the two.', view)
  const name = (one: { readonly exists?: boolean | null }) => (one.exists === false ? '/dev/null' : path)
  const patch = createTwoFilesPatch(
    name(result),
    name(against),
    result.text ?? '',
    against.text ?? '',
    at ? pointName(at) : '',
    pointName(against.at),
  )
  const lines = plain(patch).replace(/\n$/, '').split('\n')
  // What stands before the names only sets patches apart from one another.
  return lines.slice(lines.findIndex((line) => line.startsWith('--- '))).map((line) => paint(line, view.style))
}

function pointName({ turn, uuid, timestamp, isDisk }: At['at']): string {
  if (isDisk) return 'on disk'
  if (turn !== null) return `turn ${turn}`
  return uuid === null ? 'end' : dotted([shortId(uuid), timestamp ?? ''])
}

function paint(line: string, style: Style): string {
  if (line.startsWith('+++') || line.startsWith('---')) return style.title(line)
  if (line.startsWith('@@')) return style.dim(line)
  if (line.startsWith('+')) return style.good(line)
  return line.startsWith('-') ? style.bad(line) : line
}

/** Every version over all sessions, each with its prompt. */
function log(result: Result, all: NonNullable<Result['log']>, view: View): readonly string[] {
  const { style } = view
  const short = shortIds(all.flatMap(({ call }) => call?.session ?? []))
  const rows = all.map(({ number, operation, timestamp, call, path, exists, lines }) => [
    String(number),
    call ? (call.turn === null ? short(call.session) : `${short(call.session)}:${call.turn}`) : '–',
    oneLine(operation),
    exists === null ? 'not known' : exists ? (lines === null ? 'no text' : plural(lines, 'line')) : 'no file',
    when(timestamp, view) || '–',
    oneLine(call?.prompt ?? '') +
      (path === result.path ? '' : style.dim(` ${fitPath(shortPath(path, view.home), 40)}`)),
  ])
  const name = fitPath(shortPath(result.path ?? '', view.home), view.width)
  const hint = `annals files ${name} --at <session:turn>   annals blame ${name}`
  return [
    style.title(name),
    ...table(rows, { width: view.width, flex: [5] }),
    '',
    style.dim(truncate(hint, view.width)),
  ]
}

function versions(result: Result, all: readonly Version[], view: View): readonly string[] {
  const { style } = view
  const rows = all.map((one) => [
    String(one.number),
    one.at.turn === null ? '' : `turn ${one.at.turn}`,
    one.operation,
    one.exists === false ? 'no file' : one.text === null ? 'not known' : sizeOf(one),
    one.confidence === 'doubtful' || one.confidence === 'none' ? style.bad(one.confidence) : one.confidence,
    when(one.at.timestamp, view) || '–',
    style.dim(one.at.uuid === null ? '' : shortId(one.at.uuid)),
  ])
  const notes = all.flatMap((one) =>
    one.confidence === 'doubtful' || one.confidence === 'none'
      ? one.unknown.map((said) => `${one.number}: ${said}`)
      : [],
  )
  const name = fitPath(shortPath(result.path ?? '', view.home), view.width)
  const hint = `annals files ${name} --session ${shortId(result.session ?? '')} --at <turn or uuid>`
  return [
    style.title(name),
    ...table(rows, { width: view.width, flex: [3] }),
    ...(notes.length > 0 ? ['', ...notes.flatMap((note) => wrap(plain(note), view.width))] : []),
    '',
    style.dim(truncate(hint, view.width)),
  ]
}

function sizeOf({ text, base64 }: Version): string {
  if (base64) return 'no text'
  const lines = (text ?? '').replace(/\n$/, '')
  return lines === '' ? 'empty' : plural(lines.split('\n').length, 'line')
}
