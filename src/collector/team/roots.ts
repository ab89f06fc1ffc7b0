import type { TeamStore } from '../../history/context.ts'
import { asFailure } from '../sinks/postgres/store.ts'
import { type Mirror, type MirrorOptions, pullTeam } from './mirror.ts'

/** Copies what one may see of a team store, so that every operation reads it as roots of its own. */
export async function openTeam(
  { url, access }: TeamStore,
  options: Omit<MirrorOptions, 'url' | 'defaults'>,
): Promise<Mirror> {
  try {
    return await pullTeam({ url, defaults: access, ...options })
  } catch (error) {
    throw asFailure(error)
  }
}
