import { comparable } from '../core/time.ts'
import type { Context } from './context.ts'
import { listSessions } from './list.ts'
import { isListed, type SessionItem } from './view/session-item.ts'

/** Sessions that will be swept within this time are told. */
const SOON_MS = 7 * 86_400_000

/** The sessions of a list that Claude Code deletes within a week and that are not kept, the first to go first. */
export function expiringOf(items: readonly SessionItem[], now: Date): readonly SessionItem[] {
  const soon = new Date(comparable(now.getTime() + SOON_MS)).toISOString()
  const isDue = ({ kept, status, expiresAt }: SessionItem) =>
    !kept && status !== 'live' && expiresAt !== null && expiresAt < soon
  return items.filter(isDue).sort((a, b) => ((a.expiresAt ?? '') < (b.expiresAt ?? '') ? -1 : 1))
}

/** All that expire, in all roots. */
export async function listExpiring(context: Context): Promise<readonly SessionItem[]> {
  const items = await listSessions(context)
  return expiringOf(items.filter(isListed), context.now)
}
