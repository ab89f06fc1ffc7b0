import type { Static } from '../../core/schema.ts'
import type { blame } from '../../ops/blame.ts'
import { count, plural } from '../terminal/human.ts'
import { oneLine, plain } from '../terminal/sanitize.ts'
import { expandTabs, padEnd, truncate, width as widthOf } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { formatPorcelain } from './blame-porcelain.ts'
import { dotted, nothing } from './parts/lines.ts'
import { shortId, shortIds } from './parts/names.ts'
import { table } from './parts/table.ts'

type Result = Static<typeof blame.result>
type Line = Result['lines'][number]

/** A file line by line, as `git blame` shows it, with the prompt in place of the commit; of a commit, who made it. */
export function formatBlame(result: Result, view: View): readonly string[] {
  if (view.input.porcelain === true) return formatPorcelain(result, view)
  if (result.commit) return commitLines(result, result.commit, view)
  if (result.lines.length === 0) return nothing('The file is empty.', view)
  const short = shortIds(result.lines.flatMap(({ call }) => call?.session ?? []))
  const rows = result.lines.map((line) => [
    who(line, short),
    ...(view.input.git ? [gitOf(line)] : []),
    dayOf(line),
    said(line),
  ])
  const columns = [0, 1, 2, 3].map((column) =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[column] ?? '')), 0),
  )
  // Prompts are cut off: the code is what is read.
  const widest = view.width < 100 ? 20 : 36
  const digits = String(result.lines.at(-1)?.line ?? 1).length
  const lines = result.lines.map((line, at) => {
    const cells = (rows[at] as string[]).map((cell, column) =>
      padEnd(truncate(cell, widest), Math.min(columns[column] as number, widest)),
    )
    const paint = line.rule === 'proven' ? (text: string) => text : view.style.dim
    const number = view.style.dim(`${String(line.line).padStart(digits)})`)
    const text = expandTabs(plain(line.text).replaceAll('\n', ' '))
    return truncate(`${paint(cells.join('  '))}  ${number} ${text}`, view.width)
  })
  // A file that is piped has as many lines as it has.
  return view.width === Number.POSITIVE_INFINITY
    ? lines
    : [...lines, '', view.style.dim(truncate(footer(result), view.width))]
}

function who({ rule, call }: Line, short: (id: string) => string): string {
  if (!call) return oneLine(rule)
  return call.turn === null ? short(call.session) : `${short(call.session)}:${call.turn}`
}

function gitOf({ git }: Line): string {
  return git ? oneLine(git.commit).slice(0, 8) : '-'
}

function dayOf({ call, outside }: Line): string {
  return oneLine(call?.timestamp ?? outside?.before ?? '').slice(0, 10)
}

function said({ rule, call, outside }: Line): string {
  if (call) return oneLine(call.prompt ?? call.tool)
  if (outside)
    return outside.after === null ? 'changed outside' : `changed outside after ${oneLine(outside.after).slice(0, 10)}`
  return rule === 'before' ? 'before any log' : 'not known'
}

function footer({ total, proven, outside, before, unknown, onDisk }: Result): string {
  const parts = [
    plural(total, 'line'),
    `${count(proven)} proven`,
    outside === 0 ? '' : `${count(outside)} outside`,
    before === 0 ? '' : `${count(before)} before any log`,
    unknown === 0 ? '' : `${count(unknown)} unknown`,
    onDisk ? '' : 'the file is not on this disk',
  ]
  return dotted(parts)
}

function commitLines(result: Result, commit: NonNullable<Result['commit']>, view: View): readonly string[] {
  const { style } = view
  const rows = commit.sessions.flatMap(({ session, prompts }) =>
    prompts.map(({ turn, prompt, lines }) => [
      turn === null ? shortId(session) : `${shortId(session)}:${turn}`,
      plural(lines, 'line'),
      oneLine(prompt ?? ''),
    ]),
  )
  const share = commit.share === null ? 'no line added' : `${Math.round(commit.share * 100)} % proven`
  return [
    style.title(`${oneLine(commit.sha).slice(0, 8)}  ${oneLine(commit.summary)}`),
    style.dim(
      dotted([
        oneLine(commit.author),
        oneLine(commit.timestamp).slice(0, 10),
        `${plural(commit.added, 'line')} added`,
        share,
      ]),
    ),
    ...(rows.length > 0 ? ['', ...table(rows, { width: view.width, flex: [2] })] : []),
    ...(result.total > result.proven ? ['', style.dim(truncate(footer({ ...result, onDisk: true }), view.width))] : []),
  ]
}
