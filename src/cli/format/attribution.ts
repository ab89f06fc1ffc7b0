import { jsonText } from '../../core/json-text.ts'
import type { Static } from '../../core/schema.ts'
import type { attribution } from '../../ops/attribution.ts'
import { count, plural, shortPath } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import type { View } from '../view.ts'
import { dotted, nothing, spaced } from './parts/lines.ts'
import { fitPath, shortIds } from './parts/names.ts'
import { table } from './parts/table.ts'

/** Who wrote what commits added, by model and session; or one record a line. */
export function formatAttribution(result: Static<typeof attribution.result>, view: View): readonly string[] {
  if (result.records) return result.records.map((record) => oneLine(jsonText(record)))
  const { style } = view
  if (result.total === 0) {
    return nothing('No commits in the time that your sessions cover.', view, 'Ask for more: --since 2026-01-01')
  }
  const short = shortIds(result.sessions.map(({ session }) => session))
  const row = (name: string, lines: number, commits: number, more: string) => {
    return [name, plural(lines, 'line'), share(lines, result.added), plural(commits, 'commit'), style.dim(more)]
  }
  const models = result.models.map((one) =>
    row(oneLine(one.model), one.lines, one.commits, plural(one.sessions, 'session')),
  )
  const sessions = result.sessions
    .slice(0, MOST_SESSIONS)
    .map((one) => row(short(one.session), one.lines, one.commits, oneLine(one.models.join(', '))))
  const left = result.sessions.length - sessions.length
  const rest = [
    ['changed outside', result.outside],
    ['before any log', result.before],
    ['unknown', result.unknown],
  ] as const
  const others = rest.flatMap(([name, lines]) => (lines === 0 ? [] : [row(name, lines, 0, '').slice(0, 3)]))
  return spaced([
    [
      style.title(fitPath(shortPath(result.repository, view.home), view.width)),
      style.dim(
        dotted([
          result.since === null ? '' : `since ${oneLine(result.since).slice(0, 10)}`,
          plural(result.total, 'commit'),
          `${count(result.added)} lines added`,
          result.share === null ? '' : `${Math.round(result.share * 100)} % proven`,
        ]),
      ),
    ],
    table(models, { width: view.width, flex: [0] }),
    [
      ...table(sessions, { width: view.width, flex: [4] }),
      ...(left > 0 ? [style.dim(`and ${plural(left, 'session')} more`)] : []),
    ],
    table(others, { width: view.width }),
  ])
}

const MOST_SESSIONS = 20

function share(lines: number, of: number): string {
  return of === 0 ? '' : `${Math.round((lines / of) * 100)} %`
}
