import type { Static } from '../../core/schema.ts'
import type { check } from '../../ops/check.ts'
import { bytes, count, plural, shortPath } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { driftLines } from './drift.ts'
import { diagnosticLines } from './parts/diagnostics.ts'
import { dotted, indent, nothing, spaced } from './parts/lines.ts'
import { fitPath } from './parts/names.ts'

type Check = Static<typeof check.result>

/** Whether every byte is accounted for and the format still fits, with a verdict at the end. */
export function formatCheck(result: Check, view: View): readonly string[] {
  const { summary, diagnostics, drift, unread } = result
  const others = Object.entries(result.others)
  if (summary.files === 0 && others.length === 0 && unread.length === 0) {
    return nothing('No logs here.', view, 'Name a log, a folder or a root.')
  }
  const lost = diagnostics.filter((diagnostic) => !diagnostic.salvaged)
  const salvaged = diagnostics.filter((diagnostic) => diagnostic.salvaged)
  const { style } = view
  return spaced([
    [...summaryLines(summary, view), ...aboutLines(result, view)],
    lost.length > 0 ? [style.title('Could not be read'), ...indent(diagnosticLines(lost, view), 2)] : [],
    salvaged.length > 0 ? [style.title('Odd, but nothing is lost'), ...indent(diagnosticLines(salvaged, view), 2)] : [],
    drift.length > 0 ? [style.title('New or different in the format'), ...indent(driftLines(drift, view), 2)] : [],
    unread.length > 0 ? [style.title('Was not read'), ...indent(unreadLines(unread, view), 2)] : [],
    verdict(result, view),
  ])
}

function summaryLines(summary: Check['summary'], view: View): string[] {
  const { recordBytes, diagnosticBytes, separatorBytes, pendingBytes } = summary
  const missing = summary.bytes - recordBytes - diagnosticBytes - separatorBytes - pendingBytes
  const read = dotted([
    plural(summary.files, 'log'),
    bytes(summary.bytes),
    plural(summary.lines, 'line'),
    plural(summary.records, 'record'),
  ])
  const owners = [
    `${count(recordBytes)} in records`,
    diagnosticBytes > 0 ? `${count(diagnosticBytes)} unreadable` : '',
    `${count(separatorBytes)} between them`,
    pendingBytes > 0 ? `${count(pendingBytes)} not yet whole` : '',
  ]
  const account =
    missing === 0
      ? `${view.style.good('✓')} every byte accounted for: ${owners.filter((part) => part !== '').join(', ')}`
      : `${view.style.bad('✗')} ${plural(Math.abs(missing), 'byte')} not accounted for: a bug in annals, please report it`
  return [...wrap(read, view.width), ...wrap(account, view.width)]
}

/** Which clients wrote the logs, and what lies beside them. */
function aboutLines({ versions, others }: Check, view: View): string[] {
  const names = Object.keys(versions).map(oneLine)
  const first = names[0] ?? ''
  const clients =
    names.length === 0 ? '' : names.length === 1 ? `Claude Code ${first}` : `Claude Code ${first} to ${names.at(-1)}`
  const beside = Object.entries(others).map(
    ([kind, { files, problems }]) =>
      `${count(files)} ${oneLine(kind)}${problems > 0 ? ` (${plural(problems, 'problem')})` : ''}`,
  )
  const lines = [clients, beside.length === 0 ? '' : `beside the logs: ${beside.join(', ')}`]
  return lines.filter((line) => line !== '').flatMap((line) => wrap(line, view.width).map(view.style.dim))
}

function unreadLines(unread: Check['unread'], view: View): string[] {
  const shown = unread.slice(0, MOST_UNREAD).map(({ file, message }) => {
    const why = oneLine(message)
    return `${fitPath(shortPath(file, view.home), view.width - why.length - 4)}  ${view.style.warn(why)}`
  })
  const rest = unread.length - shown.length
  return rest > 0 ? [...shown, view.style.dim(`… ${count(rest)} more`)] : shown
}

const MOST_UNREAD = 10

function verdict({ summary, diagnostics, drift: differences, unread }: Check, view: View): string[] {
  const { style } = view
  const salvaged = diagnostics.filter((diagnostic) => diagnostic.salvaged).length
  const lost = diagnostics.length - salvaged
  const drift = differences.length
  const odd = salvaged > 0 ? `${plural(salvaged, 'oddity', 'oddities')} salvaged` : ''
  const unfamiliar = drift > 0 ? `${plural(drift, 'difference')} from the format annals knows, kept as found` : ''
  const rest = [odd, unfamiliar].filter((part) => part !== '').join('; ')
  const missed = [
    unread.length > 0 ? `${plural(unread.length, 'file or folder', 'files or folders')} could not be opened` : '',
    lost > 0 ? `${plural(lost, 'place')} could not be read` : '',
  ].filter((part) => part !== '')
  const line =
    missed.length > 0
      ? style.bad(`✗ ${missed.join(', ')}; ${summary.files === 0 ? 'no log was read' : 'everything else was'}.`)
      : style.good(`✓ Everything was read${rest === '' ? ', and all of it is in the known format' : ` (${rest})`}.`)
  return wrap(line, view.width)
}
