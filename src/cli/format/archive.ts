import type { Static } from '../../core/schema.ts'
import type { archive } from '../../ops/archive.ts'
import { bytes, count, plural, shortPath } from '../terminal/human.ts'
import { oneLine, plain } from '../terminal/sanitize.ts'
import { truncate, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { headed } from './parts/headed.ts'
import { dotted, footer, nextSteps, nothing, spaced } from './parts/lines.ts'
import { fitPath, shortId, shortIds, when } from './parts/names.ts'

type Result = Static<typeof archive.result>

/** The archive: what is in it, whether it is sound, what was put back. */
export function formatArchive(result: Result, view: View): readonly string[] {
  const { action, problems, items, sessions, lost } = result
  if (sessions + items.length + problems.length + lost.length === 0 && action !== 'sync') {
    return nothing('Nothing is kept yet.', view, 'Run `annals keep`: Claude Code deletes logs after a while.')
  }
  const head = headLines(result, view)
  const isData = action === 'list' && view.width === Number.POSITIVE_INFINITY
  return spaced([
    isData ? [] : head,
    itemLines(items, view),
    problemLines(problems, view),
    lostLines(lost, view),
    footLines(result, view),
    isData ? footer(head) : [],
  ])
}

function headLines(result: Result, view: View): string[] {
  const { action, sessions, files, bytesRaw, bytesStored, problems } = result
  const { style, width } = view
  const amount = dotted([
    plural(sessions, 'session'),
    plural(files, 'file'),
    `${bytes(bytesRaw)} as ${bytes(bytesStored)}`,
  ])
  const open = problems.filter((problem) => !problem.repaired).length
  const found =
    problems.length === open ? plural(open, 'problem') : `${plural(problems.length, 'problem')}, ${open} left`
  const verdict = problems.length === 0 ? style.good('No damage found.') : style.bad(found)
  const words = new Map([
    [
      'sync',
      files === 0 && open > 0
        ? style.bad('Nothing was kept.')
        : files === 0
          ? 'Everything is kept already.'
          : `${style.good('✓')} Kept ${amount}`,
    ],
    [
      'restore',
      files === 0
        ? 'Everything is there already.'
        : `${style.good('✓')} Restored ${plural(files, 'file')}, ${bytes(bytesRaw)}`,
    ],
    ['verify', `${verdict} ${style.dim(amount)}`],
  ])
  const line = words.get(action) ?? amount
  return wrap(line, width)
}

function itemLines(items: Result['items'], view: View): string[] {
  const { style } = view
  const short = shortIds(items.map((item) => item.session))
  return headed(
    items,
    [
      { name: 'id', cell: ({ session }) => style.dim(short(session)) },
      { name: 'title', flex: true, cell: ({ title }) => oneLine(title ?? '') || style.dim('(untitled)') },
      { name: 'when', cell: ({ updatedAt }) => when(updatedAt, view) },
      { name: 'files', align: 'right', cell: ({ files }) => count(files) },
      { name: 'size', align: 'right', cell: ({ bytesRaw }) => bytes(bytesRaw) },
      { name: 'state', cell: ({ state }) => stateWords(state, view) },
    ],
    view,
  )
}

function stateWords(state: string, { style }: View): string {
  if (state === 'behind') return style.warn('has grown since')
  return state === 'gone' ? 'only here' : oneLine(state)
}

function problemLines(problems: Result['problems'], view: View): string[] {
  const { style, width } = view
  return problems.flatMap(({ file, message, repaired, touches }) => [
    `${repaired ? style.good('✓') : style.bad('✗')} ${fitPath(shortPath(file, view.home), Math.max(10, width - 2))}`,
    ...wrap(`${plain(message)}${repaired ? ' Repaired.' : ''}`, Math.max(20, width - 4), '    '),
    ...touches.slice(0, TOUCHES).flatMap(({ session, path, generation, from, to }) => {
      const whose = session === null ? 'shared' : `session ${shortId(session)}`
      const which = generation > 1 ? `, generation ${generation}` : ''
      return [
        truncate(`    touches ${whose}, bytes ${from} to ${to}${which} of`, width),
        style.dim(truncate(`      ${oneLine(path)}`, width)),
      ]
    }),
    ...(touches.length > TOUCHES ? [style.dim(`    and ${touches.length - TOUCHES} more`)] : []),
  ])
}

const TOUCHES = 5

/** Stretches without a place: what they were part of, and how to have them. */
function lostLines(lost: Result['lost'], view: View): string[] {
  if (lost.length === 0) return []
  const { style, width } = view
  const stretches = plural(lost.length, 'stretch', 'stretches')
  const words = `${stretches} that belong to no file. \`annals keep restore lost+found --to DIR\` unpacks them.`
  return [
    ...wrap(words, width),
    ...lost.slice(0, LOST).flatMap(({ file, bytes: size, owners: [owner] }) => {
      const what = size === null ? 'cannot be read' : bytes(size)
      const whose = owner?.session ? `session ${shortId(owner.session)}` : 'shared'
      const from = owner ? `from byte ${owner.offset} of ${oneLine(owner.path)}` : ''
      return [
        `  ${fitPath(shortPath(file, view.home), Math.max(10, width - 2))}`,
        style.dim(truncate(`    ${dotted([what, owner ? whose : 'whose it was is not known', from])}`, width)),
      ]
    }),
    ...(lost.length > LOST ? [style.dim(`  and ${lost.length - LOST} more`)] : []),
  ]
}

const LOST = 10

function footLines({ action, folder, changedAt, auto, problems }: Result, view: View): string[] {
  const { style, width } = view
  const canRepair =
    (action === 'verify' || action === 'sync' || action === 'status') &&
    problems.some(({ repaired }) => !repaired) &&
    view.input.repair !== true
  if (canRepair) return nextSteps(['annals keep verify --repair'], view)
  if (action !== 'status') return []
  const last = changedAt === null ? '' : `last written ${when(changedAt, view)}`
  const mode = auto ? 'kept automatically' : 'kept when you run `annals keep`'
  return [
    ...wrap(dotted([last, mode]), width).map(style.dim),
    style.dim(fitPath(shortPath(folder, view.home), width)),
    ...nextSteps(['annals keep list', 'annals keep verify'], view),
  ]
}
