import { expect } from 'vitest'
import { annals } from '../cli/annals.ts'

/** Where a file lies, and when its machine deletes it, a store does not tell; what is in it, it does. */
const PLACES = new Set([
  'file',
  'dir',
  'expiresAt',
  'path',
  'root',
  'roots',
  'folder',
  'sizeBytes',
  'modifiedAt',
  'warnings',
  'took',
  'tookMs',
  'indexed',
])

/** What the commands that read answer, from a root or from a store, without the places of files. */
export function answersFrom(
  where: readonly string[],
  home: string,
  session: string,
): Readonly<Record<string, unknown>> {
  const commands: Readonly<Record<string, readonly string[]>> = {
    sessions: ['sessions', '--all', '--full'],
    search: ['search', 'webhooks'],
    usage: ['usage', '--all', '--by', 'model'],
    stats: ['stats'],
    projects: ['projects'],
    recap: ['recap', '2026-11'],
    show: ['show', session],
    files: ['files', session],
    export: ['export', session, '--to', 'md', '--inline'],
  }
  return Object.fromEntries(
    Object.entries(commands).map(([name, args]) => {
      const { stdout, stderr, code } = annals([...args, ...where, '--json'], { env: { ANNALS_HOME: home } })
      expect({ name, failed: code === 2 && stderr }).toEqual({ name, failed: false })
      return [name, { code, told: withoutPlaces(JSON.parse(stdout)) }]
    }),
  )
}

function withoutPlaces(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPlaces)
  // Costs are added in the order of logs, which is another there.
  if (typeof value === 'number') return Number(value.toFixed(9))
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => !PLACES.has(key))
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutPlaces(one)]))
}
