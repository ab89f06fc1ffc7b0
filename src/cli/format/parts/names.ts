import { modelName } from '../../../core/usage/model-name.ts'
import { calendarDay, clockTime } from '../../terminal/day.ts'
import { ago, plural, shortPath, until } from '../../terminal/human.ts'
import { oneLine } from '../../terminal/sanitize.ts'
import { truncate, width as widthOf } from '../../terminal/width.ts'
import type { View } from '../../view.ts'

/** Shortens the ids of a list so far that each can still be told from the others; ids that people chose stay whole. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  const whole = [...new Set(ids.filter((id) => RANDOM.test(id)))]
  const length = [8, 13, 18, 23].find((n) => new Set(whole.map((id) => id.slice(0, n))).size === whole.length)
  return (id) => (RANDOM.test(id) ? id.slice(0, length) : oneLine(id))
}

/** One id on its own, short enough to read and long enough to type. */
export function shortId(id: string): string {
  return shortIds([id])(id)
}

/** A project as one says it: the last part of its path, or the name of its folder where the path is not known. */
export function projectName(project: { readonly key: string; readonly path: string | null }): string {
  return lastPart(project.path) || oneLine(project.key)
}

/** A session as a heading: `title · project · id`. Where that is too long, the title gives way: the id is what one types. */
export function sessionHeading(title: string, behind: readonly string[], columns: number): string {
  const rest = behind
    .filter((part) => part !== '')
    .map((part) => ` · ${part}`)
    .join('')
  return truncate(truncate(title, Math.max(SHORTEST_TITLE, columns - widthOf(rest))) + rest, columns)
}

const SHORTEST_TITLE = 12

/** The last part of a path; empty where there is none. */
export function lastPart(path: string | null): string {
  return oneLine(path?.split(/[\\/]/).findLast((part) => part !== '') ?? '')
}

/** A path as seen from a folder, which is `.` itself, else from home. */
export function pathFrom(folder: string | null, path: string, view: View): string {
  if (path === folder) return '.'
  const isInside =
    folder !== null && folder !== '' && path.startsWith(folder) && /^[\\/]./.test(path.slice(folder.length))
  return isInside ? oneLine(path.slice(folder.length + 1)) : shortPath(path, view.home)
}

/** A path that is too long loses its beginning, because its end says which file it is. Expects plain text. */
export function fitPath(path: string, columns: number): string {
  if (widthOf(path) <= columns) return path
  const parts = path.split('/')
  const fits = parts.findIndex((_, at) => at > 0 && widthOf(`…/${parts.slice(at).join('/')}`) <= columns)
  return fits === -1 ? truncate(parts.at(-1) ?? '', columns) : `…/${parts.slice(fits).join('/')}`
}

/** A place as editors take it, with the byte behind it: `log.jsonl:12 @3455`. */
export function placeName(
  place: { readonly file: string; readonly line: number; readonly offset: number },
  view: View,
  columns: number,
): string {
  return fitPath(`${shortPath(place.file, view.home)}:${place.line} @${place.offset}`, columns)
}

/** What a session's copied rows cost elsewhere: `$103.57 inherited`; empty where it has none. */
export function inheritance(inherited: { readonly responses: number; readonly costUsd: number | null } | null): string {
  if (inherited === null || inherited.responses === 0) return ''
  return `${cost(inherited.costUsd) || plural(inherited.responses, 'response')} inherited`
}

/** What a fork is drawn with, under its original. */
export function forkMark(depth: number): string {
  return depth === 0 ? '' : `${'  '.repeat(depth - 1)}└ `
}

/** The model that something was done with, short, and how many others. */
export function modelsName(models: readonly string[] | null): string {
  const [first, ...others] = [...new Set((models ?? []).map(modelName))]
  if (first === undefined) return ''
  return `${oneLine(first).replace(/^claude-/, '')}${others.length > 0 ? ` +${others.length}` : ''}`
}

/** How long ago something was; piped, its day and time; empty where that is not known. */
export function when(iso: string | null, view: View): string {
  if (iso === null) return ''
  return view.width === Number.POSITIVE_INFINITY ? moment(iso, view) : ago(iso, view.now.getTime(), view.timeZone)
}

/** `2026-11-12 14:37`: for programs, which cannot tell what "yesterday" was. */
export function moment(iso: string | null, { timeZone }: View): string {
  const ms = Date.parse(iso ?? '')
  if (Number.isNaN(ms)) return ''
  return `${new Date(calendarDay(ms, timeZone)).toISOString().slice(0, 10)} ${clockTime(iso, timeZone)}`
}

/** Whether something expires soon: within seven days. */
export function isExpiring(iso: string | null, view: View): boolean {
  return iso !== null && Date.parse(iso) - view.now.getTime() < SOON_MS
}

/** `expires in 3 d`, and whether that is soon. */
export function expiry(
  iso: string | null,
  view: View,
): { readonly text: string; readonly isSoon: boolean } | undefined {
  if (iso === null || Number.isNaN(Date.parse(iso))) return undefined
  return { text: `expires ${until(iso, view.now.getTime())}`, isSoon: isExpiring(iso, view) }
}

/** An amount of money; empty where it is not known. */
export function cost(usd: number | null): string {
  return usd === null || !Number.isFinite(usd) ? '' : `$${usd.toFixed(2)}`
}

const SOON_MS = 7 * 86_400_000
// Ids that the client made up, rather than file names that people chose.
const RANDOM = /^[0-9a-f]{8}[0-9a-f-]*$/
