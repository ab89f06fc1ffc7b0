import type { Static } from '../../core/schema.ts'
import type { exporting } from '../../ops/export.ts'
import { bytes, plural, shortPath } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { problemLines } from './keep.ts'
import { dotted, spaced } from './parts/lines.ts'
import { fitPath } from './parts/names.ts'

type Export = Static<typeof exporting.result>

/** What was written where, and what was masked. Nothing where standard output has the export itself. */
export function formatExport(result: Export, view: View): readonly string[] {
  const { style, width } = view
  if (result.out === '-') return []
  if (result.total === 0) return ['No session fits.']
  const [only, ...others] = result.files
  const amount = dotted([
    plural(result.sessions, 'session'),
    others.length > 0 ? plural(result.files.length, 'file') : '',
    bytes(result.bytes),
  ])
  const path = others.length === 0 && only ? only.file : result.out
  return spaced([
    [`${style.good('✓')} ${fitPath(shortPath(path, view.home), width - 2)}`, style.dim(amount)],
    wrap(maskedWords(result), width).map(result.redacted ? style.dim : style.warn),
    result.problems.length > 0
      ? [
          `${style.warn(plural(result.problems.length, 'session'))} could not be written:`,
          ...problemLines(result.problems, view),
        ]
      : [],
  ])
}

function maskedWords({ redacted, redactions }: Export): string {
  if (!redacted) return 'Secrets were left in.'
  const kinds = Object.entries(redactions)
  if (kinds.length === 0) return 'No secrets were found in it.'
  const total = kinds.reduce((sum, [, count]) => sum + count, 0)
  const named = kinds.map(([kind, count]) => (count === 1 ? oneLine(kind) : `${oneLine(kind)} ×${count}`))
  return `${plural(total, 'secret')} masked: ${named.join(', ')}`
}
