import { objectAt, stringAt } from '../../core/json.ts'
import { type LogRecord, readLine } from '../../core/log/record.ts'
import { FileTouchFold, type LoggedTouch } from '../../core/tools/file-touches.ts'
import { readBytesAt, readRecordAt } from '../../disk/log-file.ts'
import type { Source, SourceEntry } from '../../disk/source.ts'
import type { FileCall } from '../../index/queries/file-calls.ts'
import type { RowPlace } from '../../index/text-batch.ts'
import { LoggedText } from './logged-text.ts'

/** What a call did to its file, read back from the rows that made and answered it; `undefined` where it did nothing. */
export function touchOfCall(source: Source, entry: SourceEntry, call: FileCall): LoggedTouch | undefined {
  const { made, answer, path, id } = call
  if (!made || !answer || answer.isError || path === null) return undefined
  const at = ({ line, offset, length }: RowPlace) => ({ file: entry.path, line, offset, length })
  const asked = readRecordAt(source, entry, at(made))
  const isLong = call.tool === 'Edit' && answer.length >= LONG_BYTES
  const long = !isLong ? undefined : readLong(source, entry, at(answer))
  const answered = long?.record ?? readRecordAt(source, entry, at(answer))
  if (!asked || !answered) return undefined
  const fold = new FileTouchFold(path)
  fold.add(asked)
  fold.add(answered)
  const touch = fold.touches().find(({ toolUseId }) => toolUseId === id)
  if (!long || touch?.touch.kind !== 'edit') return touch
  return { ...touch, touch: { ...touch.touch, before: long.text } }
}

/** Rows from this size on are read without the text of the file in them. */
const LONG_BYTES = 128 * 1024

/** Stands for that text. */
const LEFT_OUT = '\u0000'
const LEFT_OUT_JSON = Buffer.from(JSON.stringify(LEFT_OUT).slice(1, -1))

const BEGIN = Buffer.from('"originalFile":"')
const END = Buffer.from('","structuredPatch":')

/**
 * A row whose text of a file is left out, and that text. No string of JSON has a quote in it that is not escaped, so what is looked
 * for here can only be where it says.
 */
function readLong(source: Source, entry: SourceEntry, place: RowPlace & { readonly file: string }) {
  const read = () => {
    const bytes = readBytesAt(source, entry, place)
    if (!bytes) return undefined
    const row = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    const from = row.indexOf(BEGIN) + BEGIN.length
    const to = row.lastIndexOf(END)
    return from < BEGIN.length || to < from ? undefined : { row, from, to }
  }
  const found = read()
  if (!found) return undefined
  const { row, from, to } = found
  const short = Buffer.concat([row.subarray(0, from), LEFT_OUT_JSON, row.subarray(to)])
  const [record, ...others] = readLine(short, { ...place, length: short.length }).value
  const noted = record && objectAt(record.raw, 'toolUseResult')
  if (!record || others.length > 0 || stringAt(noted, 'originalFile') !== LEFT_OUT) return undefined
  const text: LoggedText = new LoggedText(
    () => {
      const again = read()
      return again?.row.subarray(again.from, again.to)
    },
    row.subarray(from, to),
  )
  return { record: { ...record, place } as LogRecord, text }
}
