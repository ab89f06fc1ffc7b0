import { duration, plural, shortPath } from '../../terminal/human.ts'
import { oneLine } from '../../terminal/sanitize.ts'
import type { View } from '../../view.ts'
import type { Recap, RecapSession } from '../recap.ts'
import { dotted, spaced } from './lines.ts'
import { cost, shortId } from './names.ts'
import { changedText, periodName, startText, totalText } from './recap-words.ts'

/** What was done as a note: headings for projects, a list item for each session. */
export function recapMarkdown(result: Recap, view: View): readonly string[] {
  const { projects } = result
  const at = startText(result, view)
  return spaced([
    [`# ${periodName(result, view)}`],
    [projects.length === 0 ? 'No activity.' : totalText(result)],
    ...projects.flatMap(({ key, path, sessions }) => [
      [`## ${escaped(path === null ? key : shortPath(path, view.home))}`],
      sessions.flatMap((one) => sessionItem(one, at(one), path, view)),
    ]),
  ])
}

function sessionItem(one: RecapSession, at: string, folder: string | null, view: View): string[] {
  const facts = dotted([
    at,
    one.activeMs ? duration(one.activeMs) : '',
    plural(one.turns, 'turn'),
    cost(one.costUsd),
    `\`${shortId(one.id)}\``,
  ])
  const trouble = dotted([
    one.failures > 0 ? plural(one.failures, 'failure') : '',
    one.openTodos > 0 ? plural(one.openTodos, 'open todo') : '',
  ])
  return [
    `- **${escaped(one.title ?? '(untitled)')}** (${facts})`,
    ...one.commits.map(({ hash, message }) => `  - commit ${escaped([hash ?? '', message ?? ''].join(' ').trim())}`),
    ...one.files.map((file) => `  - ${escaped(changedText(file, folder, view))}`),
    ...(trouble === '' ? [] : [`  - ${trouble}`]),
    ...(one.lastAnswer === null ? [] : [`  - ${escaped(oneLine(one.lastAnswer).slice(0, MOST_ANSWER))}`]),
  ]
}

/** An answer is named, not told. */
const MOST_ANSWER = 300

/** What Markdown would take for its own is written as it is. */
function escaped(text: string): string {
  return oneLine(text).replace(/[\\`*_[\]<>#]/g, '\\$&')
}
