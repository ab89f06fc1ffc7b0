import type { Static } from '../../core/schema.ts'
import type { keep } from '../../ops/keep.ts'
import { bytes, count, plural, shortPath } from '../terminal/human.ts'
import { oneLine, plain } from '../terminal/sanitize.ts'
import { truncate, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, indent, nextSteps, spaced } from './parts/lines.ts'
import { fitPath, shortIds } from './parts/names.ts'
import { table } from './parts/table.ts'

type Keep = Static<typeof keep.result>

/** What was kept, what the archive holds, and how it goes on by itself. */
export function formatKeep(result: Keep, view: View): readonly string[] {
  const { style, width } = view
  const { items, sessions, files, bytesRaw, bytesStored, archive } = result
  const taken = dotted([
    plural(sessions, 'session'),
    plural(files, 'file'),
    `${bytes(bytesRaw)} as ${bytes(Math.max(0, bytesStored))}`,
  ])
  if (result.damage.length > 0) return damageLines(result, view)
  const headline = files === 0 ? 'Everything is kept already.' : `${style.good('✓')} Kept ${taken}`
  const total = dotted([
    `The archive holds ${plural(archive.sessions, 'session')}`,
    `${bytes(archive.bytesRaw)} as ${bytes(archive.bytesStored)}`,
  ])
  return spaced([
    result.auto.timer?.written === false ? [] : [headline, ...itemLines(items, view)],
    result.problems.length > 0
      ? [
          `${style.warn(plural(result.problems.length, 'file'))} could not be kept:`,
          ...problemLines(result.problems, view),
        ]
      : [],
    timerLines(result, view),
    [...wrap(total, width).map(style.dim), style.dim(fitPath(shortPath(archive.folder, view.home), width))],
  ])
}

const SHOWN = 20

/** An archive that may have lost something is left as it is. */
function damageLines({ damage }: Keep, view: View): readonly string[] {
  const more = damage.length > SHOWN ? [view.style.dim(`  and ${count(damage.length - SHOWN)} more`)] : []
  return spaced([
    [view.style.bad('Nothing was kept: the archive is damaged.')],
    [...problemLines(damage, view), ...more],
    nextSteps(['annals archive verify --repair'], view),
  ])
}

function itemLines(items: Keep['items'], view: View): string[] {
  const short = shortIds(items.map((item) => item.session))
  const rows = items
    .slice(0, SHOWN)
    .map((item) => [
      `  ${view.style.dim(short(item.session))}`,
      plural(item.files, 'file'),
      bytes(item.bytesRaw),
      item.rewritten ? 'rewritten; the old content is kept too' : '',
    ])
  const more = items.length > SHOWN ? [view.style.dim(`  and ${count(items.length - SHOWN)} more`)] : []
  return [...table(rows, { width: view.width, flex: [3], align: [undefined, undefined, 'right'] }), ...more]
}

/** Files with what is wrong with them. */
export function problemLines(problems: readonly { file: string; message: string }[], view: View): string[] {
  return problems
    .slice(0, SHOWN)
    .flatMap(({ file, message }) => [
      truncate(`  ${shortPath(file, view.home)}`, view.width),
      ...wrap(plain(message), Math.max(20, view.width - 4), '    '),
    ])
}

function timerLines({ auto }: Keep, view: View): string[] {
  const { timer } = auto
  if (timer === null) return []
  const { style, width } = view
  if (!timer.written) {
    return timer.files.flatMap(({ path, text }) => [
      style.title(fitPath(shortPath(path, view.home), width)),
      ...indent(
        text.split('\n').map((line) => truncate(oneLine(line), width - 2)),
        2,
      ),
      '',
    ])
  }
  const words = auto.on
    ? 'From now on sessions are kept every day, and what is about to expire with any command. To begin at once:'
    : 'Sessions are no longer kept automatically. To stop it now:'
  return [...wrap(words, width), ...wrap(plain(timer.run), width - 2, '  ').map(style.accent)]
}
