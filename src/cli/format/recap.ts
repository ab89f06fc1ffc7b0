import type { Static } from '../../core/schema.ts'
import type { recap } from '../../ops/recap.ts'
import { type Column, listOf } from '../terminal/columns.ts'
import { count, plural, shortDuration, shortPath } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, footer, indent, measure, nextSteps, nothing, spaced } from './parts/lines.ts'
import { cost, lastPart, shortId, shortIds, when } from './parts/names.ts'
import { recapMarkdown } from './parts/recap-markdown.ts'
import { changedText, periodName, startText, totalText } from './parts/recap-words.ts'

export type Recap = Static<typeof recap.result>
type Project = Recap['projects'][number]
export type RecapSession = Project['sessions'][number]

/** What runs or waits, then what was done, project by project. */
export function formatRecap(result: Recap, view: View): readonly string[] {
  if (view.input.markdown) return recapMarkdown(result, view)
  const { style, width } = view
  const head = truncate(dotted([style.title(periodName(result, view)), style.dim(oneLine(result.timezone))]), width)
  const { projects } = result
  if (projects.length === 0) {
    const hint = 'Try a longer time: `annals recap 7d`, `annals recap 1mo` or `annals recap 2026-10`.'
    return spaced([[head], liveLines(result, view), nothing('No activity.', view, hint)])
  }
  const all = projects.flatMap(({ sessions }) => sessions)
  const lines = sessionRows(all, result, view)
  const dearest = all.reduce((most, one) => ((one.costUsd ?? 0) > (most.costUsd ?? 0) ? one : most))
  return spaced([
    [head],
    liveLines(result, view),
    wrap(totalText(result), width),
    ...projects.map((project) => projectLines(project, lines, view)),
    footer(nextSteps([`annals show ${shortId(dearest.id)}`, 'annals recap --markdown', 'annals usage'], view)),
  ])
}

function liveLines({ live }: Recap, view: View): string[] {
  const { style } = view
  const columns: Column<Recap['live'][number]>[] = [
    { name: '', cell: ({ status }) => (status === 'idle' ? style.warn('◌ waits for you') : `${style.good('●')} runs`) },
    { name: '', cell: ({ session }) => style.dim(session === null ? '–' : shortId(session)) },
    { name: '', flex: true, cell: ({ title }) => oneLine(title ?? '(untitled)') },
    { name: '', cell: ({ path }) => lastPart(path) },
    { name: '', cell: ({ since }) => style.dim(when(since, view)) },
  ]
  return live.length === 0 ? [] : [...listOf(live, columns, roomOf(view)).rows]
}

/** The rows of all sessions, laid out together: they line up over all projects. */
function sessionRows(all: readonly RecapSession[], result: Recap, view: View): ReadonlyMap<RecapSession, string> {
  const { style } = view
  const short = shortIds(all.map(({ id }) => id))
  const at = startText(result, view)
  const columns: Column<RecapSession>[] = [
    { name: 'time', align: 'right', cell: at },
    { name: 'id', cell: ({ id }) => style.dim(short(id)) },
    { name: 'title', flex: true, cell: ({ title }) => oneLine(title ?? '(untitled)') },
    { name: 'active', align: 'right', cell: ({ activeMs }) => (activeMs ? shortDuration(activeMs) : '') },
    { name: 'turns', align: 'right', from: 60, cell: ({ turns }) => plural(turns, 'turn') },
    { name: 'cost', align: 'right', cell: ({ costUsd }) => cost(costUsd) },
  ]
  const { rows } = listOf(all, columns, roomOf(view) - 2)
  return new Map(all.map((one, i) => [one, rows[i] as string]))
}

function projectLines(
  { key, path, costUsd, sessions }: Project,
  lines: ReadonlyMap<RecapSession, string>,
  view: View,
): string[] {
  const { style, width } = view
  const name = path === null ? oneLine(key) : shortPath(path, view.home)
  const sum = sessions.length > 1 ? style.dim(dotted([plural(sessions.length, 'session'), cost(costUsd)])) : ''
  return [
    truncate(`${style.strong(name)}${sum === '' ? '' : `  ${sum}`}`, width),
    ...sessions.flatMap((one) => [`  ${lines.get(one) ?? ''}`, ...indent(detailLines(one, path, view), DETAIL)]),
  ]
}

const DETAIL = 9

/** What is read as a page is laid out as one, also where nobody looks on. */
function roomOf({ width }: View): number {
  return Math.min(width, 1000)
}

/** What was changed and what failed, and the last answer, a line each at most. */
function detailLines(one: RecapSession, folder: string | null, view: View): string[] {
  const { style } = view
  const room = measure(view) - DETAIL
  const [first] = one.files
  const files =
    one.files.length === 1 && first
      ? changedText(first, folder, view)
      : one.files.length > 1
        ? filesText(one, folder, view)
        : ''
  const messages = one.commits.map(({ hash, message }) => oneLine(message ?? hash ?? '')).filter((text) => text !== '')
  const trouble = dotted([
    one.failures > 0 ? style.bad(plural(one.failures, 'failure')) : '',
    one.openTodos > 0 ? plural(one.openTodos, 'open todo') : '',
  ])
  return [
    dotted([files, trouble]),
    one.commits.length > 0 ? `${plural(one.commits.length, 'commit')}: ${messages.join('; ')}` : '',
    one.lastAnswer === null ? '' : style.dim(`› ${oneLine(one.lastAnswer)}`),
  ]
    .filter((line) => line !== '')
    .map((line) => truncate(line, room))
}

function filesText({ files }: RecapSession, folder: string | null, view: View): string {
  const shown = files.slice(0, 3).map((file) => changedText(file, folder, view))
  const rest = files.length - shown.length
  return `${shown.join(', ')}${rest > 0 ? ` and ${count(rest)} more` : ''}`
}
