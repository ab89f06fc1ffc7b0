import { expect } from 'vitest'
import { annals } from '../cli/annals.ts'

/** Where a file lies, and when the store had it last, differ between a disk and a store; what is in it does not. */
const PLACES = new Set([
  'file',
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
    stats: ['stats', '--all'],
    projects: ['projects', '--all'],
    recap: ['recap', '--since', '400d'],
    show: ['show', session],
    files: ['files', session],
    export: ['export', session, '--format', 'md', '--inline'],
  }
  return Object.fromEntries(
    Object.entries(commands).map(([name, args]) => {
      const { stdout, stderr, code } = annals([...args, ...where, '--json'], { env: { ANNALS_HOME: home } })
      expect({ name, code, stderr: code === 0 ? '' : stderr }).toEqual({ name, code: 0, stderr: '' })
      return [name, withoutPlaces(JSON.parse(stdout))]
    }),
  )
}

function withoutPlaces(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPlaces)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => !PLACES.has(key))
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutPlaces(one)]))
}
