import { oneLine } from '../../terminal/sanitize.ts'
import type { View } from '../../view.ts'
import type { UsageResult } from '../usage.ts'
import { lastPart, shortIds } from './names.ts'

type Row = UsageResult['rows'][number]
const DAY = /^\d{4}-\d\d-\d\d$/

/** What a row is called on the screen. */
export function rowName(by: string, row: Row, rows: readonly Row[], result: UsageResult, view: View): string {
  const { key, label } = row
  if (by === 'day' && DAY.test(key)) return dayName(key, rows.length > 7 || result.since === null)
  if (by === 'month') return monthName(key)
  if (by === 'block') return blockName(key, result.timezone)
  if (by === 'project') return lastPart(label) || oneLine(key)
  if (by === 'session') return view.style.dim(shortIds(rows.map((one) => one.key))(key))
  if (by === 'turn') {
    const [session = '', turn = ''] = key.split('#')
    return view.style.dim(`${oneLine(session.slice(0, 8))} ${oneLine(turn)}`)
  }
  if (key === 'main') return 'main sessions'
  if (by === 'agent') return view.style.dim(oneLine(key.slice(0, 14)))
  return oneLine(key === 'total' ? 'everything' : key)
}

/** What a row was about, where its name does not say it. */
export function aboutOf(by: string, { key, label }: Row): string {
  const isNamed = by === 'session' || by === 'turn' || (by === 'agent' && key !== 'main')
  return isNamed ? oneLine(label ?? '') : ''
}

/** The row that most is to be asked about, and what `receipt` knows it by. */
export function askName(by: string, rows: readonly Row[]): { readonly name: string; readonly key: string } | undefined {
  const most = rows.reduce(
    (max: Row | undefined, row) => ((row.costUsd ?? 0) > (max?.costUsd ?? 0) ? row : max),
    undefined,
  )
  if (!most) return undefined
  if (by === 'day' && DAY.test(most.key)) return { name: weekday(most.key, 'long'), key: most.key }
  if (by === 'session') return { name: 'that much', key: oneLine(most.key.slice(0, 8)) }
  return undefined
}

function dayName(day: string, isLong: boolean): string {
  const date = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(date.getTime())) return oneLine(day)
  const short = `${weekday(day, 'short')} ${String(date.getUTCDate()).padStart(2)}`
  return isLong ? `${short} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}` : short
}

function weekday(day: string, length: 'short' | 'long'): string {
  const name = WEEKDAYS[new Date(`${day}T00:00:00Z`).getUTCDay()] as string
  return length === 'long' ? name : name.slice(0, 3)
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function monthName(key: string): string {
  const [, year, month] = /^(\d{4})-(\d\d)$/.exec(key) ?? []
  return year ? `${MONTHS[Number(month) - 1] ?? month} ${year}` : oneLine(key)
}

function blockName(key: string, timeZone: string): string {
  const start = Date.parse(key)
  if (Number.isNaN(start)) return oneLine(key)
  try {
    const day = new Date(start).toLocaleDateString('en-CA', { timeZone })
    return `${day} ${clock(start, timeZone)}–${clock(start + 5 * 3_600_000, timeZone)}`
  } catch {
    return oneLine(key)
  }
}

function clock(ms: number, timeZone: string): string {
  return new Date(ms).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', timeZone })
}
