import type { Static } from '../../core/schema.ts'
import type { collect } from '../../ops/collect.ts'
import { bytes, count, plural, shortPath } from '../terminal/human.ts'
import { oneLine, plain } from '../terminal/sanitize.ts'
import { truncate, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { nextSteps, spaced } from './parts/lines.ts'
import { fitPath } from './parts/names.ts'
import { table } from './parts/table.ts'

type Result = Static<typeof collect.result>

/** What was delivered, what is behind, or what has left. */
export function formatCollect(result: Result, view: View): readonly string[] {
  const lead = headLines(result, view)
  if (result.busy) return lead
  return spaced([
    lead,
    choiceLines(result, view),
    unitLines(result, view),
    sentLines(result, view),
    lagLines(result, view),
    previewLines(result, view),
    footLines(result, view),
  ])
}

function headLines(result: Result, view: View): string[] {
  const { action, records, batches, deadLetters, lagBytes, message } = result
  const { style, width } = view
  const amount = `${plural(records, 'record')}, ${bytes(result.bytes)}`
  const done = batches === 0 ? 'Nothing new to send.' : `${style.good('✓')} Sent ${amount}`
  const words = new Map([
    ['run', message === null ? done : oneLine(message)],
    ['dry-run', `Would send ${amount}. ${oneLine(message ?? '')}`],
    ['status', `${oneLine(message ?? '')} ${lagBytes === 0 ? 'Nothing is behind.' : `${bytes(lagBytes)} are behind.`}`],
    ['sent', records === 0 ? 'Nothing has been sent.' : `Sent so far: ${amount}`],
    [
      'install',
      `${result.unit?.written ? `${style.good('✓')} Written.` : 'This would be written:'} ${oneLine(message ?? '')}`.trim(),
    ],
  ])
  const lines = wrap(words.get(action) ?? '', width)
  const { content, user, paths } = result.choices
  const what = `to ${result.destination}, content ${content}, user ${user}, paths ${paths}`
  lines.push(...wrap(oneLine(what), width).map(style.dim))
  const letters =
    deadLetters === 0 ? [] : wrap(`${plural(deadLetters, 'record')} not taken; kept here, with the reason.`, width)
  lines.push(...letters.map(style.warn))
  return lines
}

function choiceLines({ effective }: Result, view: View): string[] {
  const rows = effective.map(({ name, value, from, limited }) => {
    const whence = from === 'default' || from.startsWith('--') ? oneLine(from) : shortPath(oneLine(from), view.home)
    return [
      oneLine(name),
      oneLine(value),
      limited === null ? whence : `${whence}, allows no more; not ${oneLine(limited)}`,
    ]
  })
  return table(rows, { width: view.width, flex: [2] })
}

function unitLines({ unit }: Result, { home, width }: View): string[] {
  if (!unit) return []
  const text = unit.written ? [] : unit.files.flatMap((file) => ['', ...plain(file.text).split('\n')])
  const names = unit.files.map(({ path }) => fitPath(shortPath(oneLine(path), home), width))
  const next = `To begin or end at once: ${oneLine(unit.run)}`
  return [...names, ...[...text, next].flatMap((line) => wrap(oneLine(line), width))]
}

function sentLines({ sent, vanished }: Result, view: View): string[] {
  const rows = sent.map((row) => [
    oneLine(row.day ?? ''),
    row.project === null ? '' : shortPath(oneLine(row.project), view.home),
    oneLine(row.kind),
    count(row.records),
    bytes(row.bytes),
  ])
  const gone =
    vanished === 0 ? [] : wrap(`Of ${plural(vanished, 'log')} that are gone, something was sent too.`, view.width)
  return [
    ...table(rows, { width: view.width, flex: [1], align: [undefined, undefined, undefined, 'right', 'right'] }),
    ...gone,
  ]
}

function lagLines({ action, lag, lagByClass }: Result, view: View): string[] {
  if (action !== 'status') return []
  const classes = lagByClass.map((one) => [
    bytes(one.bytes),
    oneLine(one.class),
    `${plural(one.files, 'file')}, last written ${oneLine(one.newest ?? '')}`,
  ])
  const logs = lag.map(({ file, sizeBytes, sentBytes }) => {
    const behind = bytes(sizeBytes - sentBytes)
    return truncate(
      `${behind.padStart(9)}  ${fitPath(shortPath(oneLine(file), view.home), Math.max(10, view.width - 11))}`,
      view.width,
    )
  })
  const blank = classes.length > 0 && logs.length > 0 ? [''] : []
  return [...table(classes, { width: view.width, flex: [2], align: ['right'] }), ...blank, ...logs]
}

/** As they are, one to a line: this is what leaves. */
function previewLines({ preview }: Result, view: View): string[] {
  return preview.flatMap((line) => wrap(oneLine(line), view.width))
}

function footLines({ action, lagBytes }: Result, view: View): string[] {
  if (action === 'run' && lagBytes > 0)
    return wrap(`${bytes(lagBytes)} are not whole lines yet, or wait.`, view.width).map(view.style.dim)
  return action === 'status' ? nextSteps(['annals collect sent', 'annals collect --dry-run'], view) : []
}
