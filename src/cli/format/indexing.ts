import type { Static } from '../../core/schema.ts'
import type { indexing } from '../../ops/indexing.ts'
import { bytes, count, duration, plural } from '../terminal/human.ts'
import { truncate } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, nothing } from './parts/lines.ts'

/** What was indexed, and how large the index is. */
export function formatIndex(result: Static<typeof indexing.result>, view: View): readonly string[] {
  const { filesSeen, filesRead, bytesRead, records, tookMs, indexBytes, behindBytes, forgottenFiles } = result
  if (filesSeen === 0) return nothing('There is no log to index.', view)
  const read =
    filesRead === 0
      ? `${plural(filesSeen, 'log')}, nothing new`
      : `${count(filesRead)} of ${plural(filesSeen, 'log')} read: ${bytes(bytesRead)}, ${plural(records, 'record')}`
  const lines = [dotted([read, duration(tookMs), `index ${bytes(indexBytes)}`])]
  if (behindBytes > 0) lines.push(view.style.warn(`${bytes(behindBytes)} are left.`))
  if (forgottenFiles > 0)
    lines.push(view.style.warn(`${plural(forgottenFiles, 'vanished log')} can no longer be found.`))
  return lines.map((line) => truncate(line, view.width))
}
