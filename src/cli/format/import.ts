import type { Static } from '../../core/schema.ts'
import type { importing } from '../../ops/import.ts'
import { bytes, plural, shortPath } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, nextSteps, nothing, spaced } from './parts/lines.ts'
import { fitPath, shortId } from './parts/names.ts'

type Result = Static<typeof importing.result>

/** What was imported, where it lies and how to read it. */
export function formatImport({ items }: Result, view: View): readonly string[] {
  if (items.length === 0) return nothing('Nothing was imported.', view)
  return spaced([
    ...items.map((item) => itemLines(item, view)),
    nextSteps(
      items.slice(0, 1).flatMap(({ session }) => [`annals show ${shortId(session)}`, 'annals sessions']),
      view,
    ),
  ])
}

function itemLines(item: Result['items'][number], view: View): string[] {
  const { style, width } = view
  const name = oneLine(item.title ?? item.session)
  const isNew = item.state === 'imported'
  const headline = isNew ? `${style.good('✓')} Imported ${name}` : `${name} is there already; nothing was changed.`
  const secrets = item.redacted === null ? '' : item.redacted ? 'secrets are masked' : 'secrets were not masked'
  const amount = isNew ? dotted([plural(item.files, 'file'), bytes(item.bytes), secrets]) : ''
  return [
    truncate(headline, width),
    ...(amount === '' ? [] : [style.dim(truncate(`  ${amount}`, width))]),
    style.dim(`  ${fitPath(shortPath(item.root, view.home), Math.max(10, width - 2))}`),
  ]
}
