import type { Static } from '../../core/schema.ts'
import type { memory } from '../../ops/memory.ts'
import { foldLines } from '../terminal/fold.ts'
import { bytes, shortPath } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, indent, nothing, spaced } from './parts/lines.ts'
import { projectName, when } from './parts/names.ts'

/** What the client remembers: each note with its first lines. */
export function formatMemory(result: Static<typeof memory.result>, view: View): readonly string[] {
  if (result.items.length === 0) return nothing('No memory files here.', view)
  const { style, width } = view
  return spaced(
    result.items.map((item) => {
      const whose = item.agent === null ? '' : `agent ${oneLine(item.agent)}`
      const facts = dotted([
        item.project === null ? '' : projectName(item.project),
        whose,
        bytes(item.sizeBytes),
        when(item.modifiedAt, view),
      ])
      const text =
        item.text.trim() === '' ? [] : foldLines(item.text.trim(), { head: LINES, columns: width - 2, style })
      return [
        truncate(`${style.title(oneLine(item.name))}  ${style.dim(facts)}`, width),
        ...indent(text, 2),
        style.dim(truncate(`  ${shortPath(item.file, view.home)}`, width)),
      ]
    }),
  )
}

const LINES = 12
