import { asFailure } from '../collector/sinks/postgres/store.ts'
import { type Mirror, type MirrorOptions, pullTeam } from '../collector/team-mirror.ts'
import type { Access } from './op.ts'

/** A team store as somebody named it, and what the environment says of whoever asks. */
export interface TeamStore {
  readonly url: string
  readonly access: Access
}

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
