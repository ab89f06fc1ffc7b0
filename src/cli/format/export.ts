import type { Static } from '../../core/schema.ts'
import type { exporting } from '../../ops/export.ts'
import { bytes, count, plural, shortPath } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { problemLines } from './keep.ts'
import { dotted, footer, spaced } from './parts/lines.ts'
import { fitPath } from './parts/names.ts'

type Export = Static<typeof exporting.result>

/** What was written where, and what was masked. Nothing where standard output has the export itself. */
export function formatExport(result: Export, view: View): readonly string[] {
  const { style, width } = view
  // Standard output has the export itself: what is said about it goes to stderr, unless that is the same screen.
  if (result.out === '-') return width === Number.POSITIVE_INFINITY ? footer(sizeWords(result)) : []
  if (result.total === 0) return ['No session matches.']
  const [only, ...others] = result.files
  const amount = dotted([
    plural(result.sessions, 'session'),
    others.length > 0 ? plural(result.files.length, 'file') : '',
    bytes(result.bytes),
  ])
  const path = others.length === 0 && only ? only.file : result.out
  return spaced([
    [
      `${style.good('✓')} ${fitPath(shortPath(path, view.home), width - 2)}`,
      style.dim(amount),
      ...sizeWords(result).map(style.dim),
    ],
    wrap(stepWords(result), width).filter((line) => line !== ''),
    wrap(maskedWords(result), width).map(result.redacted ? style.dim : style.warn),
    result.problems.length > 0
      ? [
          `${style.warn(plural(result.problems.length, 'session'))} could not be written:`,
          ...problemLines(result.problems, view),
        ]
      : [],
  ])
}

/** What was saved, for a model that is to read it. */
function sizeWords({ compressed, bytes: size }: Export): string[] {
  if (compressed === null) return []
  const { rawBytes, rawTokens, tokens: left } = compressed
  return [`${bytes(rawBytes)} of logs as ${bytes(size)}: about ${count(left)} tokens instead of ${count(rawTokens)}.`]
}

/** Which sessions have new steps. */
function stepWords({ to, files }: Export): string {
  if (to !== 'steps') return ''
  const own = files.filter(({ added }) => added !== null)
  const of = (status: string) => own.filter((file) => file.status === status)
  const added = own.reduce((sum, file) => sum + (file.added ?? 0), 0)
  return dotted([
    of('new').length === 0 ? '' : `${count(of('new').length)} new`,
    of('updated').length === 0 ? '' : `${count(of('updated').length)} updated`,
    of('unchanged').length === 0 ? '' : `${count(of('unchanged').length)} unchanged`,
    `${plural(added, 'step')} added`,
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
