import type { Static } from '../../core/schema.ts'
import type { status } from '../../ops/status.ts'
import { bytes, count, plural, shortPath } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, nextSteps, nothing, spaced } from './parts/lines.ts'
import { fitPath, lastPart, shortId, when } from './parts/names.ts'
import { sessionLines } from './parts/session-line.ts'
import { table } from './parts/table.ts'

type Status = Static<typeof status.result>

/** What there is: roots, what runs, what will soon be gone, what is new. */
export function formatStatus(result: Status, view: View): readonly string[] {
  const { roots, live, expiring, expiringTotal, newest, total } = result
  if (roots.length === 0) return nothing('No Claude Code folder found.', view, 'Name one with --root.')
  const { style } = view
  return spaced([
    roots.flatMap((root) => rootLines(root, view)),
    live.length > 0 ? [style.title('Running now'), ...liveLines(live, view)] : [],
    expiring.length > 0 ? [style.title('Expiring soon'), ...expiringLines(result, view)] : [],
    expiring.length > 0 ? wrap(keepWords(expiringTotal), view.width) : [],
    newest.length > 0 ? [style.title('Newest'), ...sessionLines(newest, view, { byDay: false })] : ['No sessions yet.'],
    nextSteps(
      total > newest.length || expiring.length > 0 ? [`annals sessions   (all ${plural(total, 'session')})`] : [],
      view,
    ),
  ])
}

/** The first of them, and how many more there are. */
function expiringLines({ expiring, expiringTotal }: Status, view: View): string[] {
  const more = expiringTotal - expiring.length
  return [
    ...sessionLines(expiring, view, { byDay: false }),
    ...(more > 0 ? [view.style.dim(`… ${count(more)} more`)] : []),
  ]
}

/** What to do about sessions that will be gone: all of them, or those of a list that is only a part. */
export function keepWords(n: number, { isPart = false } = {}): string {
  const which = isPart
    ? plural(n, 'of these expires', 'of these expire')
    : plural(n, 'session expires', 'sessions expire')
  return `${which} within 7 days. Run \`annals keep\` to keep your history.`
}

function rootLines(root: Status['roots'][number], view: View): string[] {
  const facts = dotted([
    plural(root.projects, 'project'),
    plural(root.sessions, 'session'),
    root.hidden === 0 ? '' : `${plural(root.hidden, 'log')} without a conversation`,
    plural(root.agents, 'agent'),
    bytes(root.sizeBytes),
  ])
  const from = root.retentionSetIn === null ? 'the default' : `set in ${shortPath(root.retentionSetIn, view.home)}`
  const kept = `Claude Code deletes logs after ${plural(root.retentionDays, 'day')} (${from})`
  return [
    view.style.strong(fitPath(shortPath(root.path, view.home), view.width)),
    ...wrap(facts, view.width, '  '),
    ...wrap(kept, view.width, '  ').map(view.style.dim),
  ]
}

function liveLines(live: Status['live'], view: View): string[] {
  const rows = live.map(({ pid, session, cwd, status: state, since }) => [
    view.style.good('●'),
    view.style.dim(session === null ? '–' : shortId(session)),
    lastPart(cwd) || '–',
    oneLine(state ?? ''),
    since === null ? '' : `since ${when(since, view)}`,
    view.style.dim(`pid ${pid}`),
  ])
  return table(rows, { width: view.width, flex: [2, 3] })
}
