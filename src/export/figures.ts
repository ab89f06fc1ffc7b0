import { shownLine } from './shown-text.ts'

/** A sum of money as it is told: `$4.12`; nothing where it is not known. */
export function money(usd: number | null): string {
  return usd === null ? '' : `$${usd.toFixed(2)}`
}

/** `2026-11-12 09:30` in UTC. */
export function moment(iso: string | null): string {
  return iso === null || Number.isNaN(Date.parse(iso)) ? '' : new Date(iso).toISOString().slice(0, 16).replace('T', ' ')
}

/** How long something took, in at most two units. */
export function took(ms: number | null): string {
  if (ms === null || ms < 1000) return ''
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** A number and its noun. */
export function plural(count: number, one: string): string {
  return `${count.toLocaleString('en-US')} ${one}${count === 1 ? '' : 's'}`
}

/** Parts that say something, with a dot between. */
export function dotted(parts: readonly (string | null | undefined)[]): string {
  return parts
    .map((part) => shownLine(part ?? ''))
    .filter((part) => part !== '')
    .join(' · ')
}
