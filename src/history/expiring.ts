import { comparable } from '../core/time.ts'
import type { Context } from './context.ts'
import { type Conversation, listConversations } from './list.ts'

/** Sessions that will be swept within this time are told. */
const SOON_MS = 7 * 86_400_000

/** The conversations that Claude Code deletes within a week and that are not kept, the first to go first. */
export function expiringOf(conversations: readonly Conversation[], now: Date): readonly Conversation[] {
  const soon = new Date(comparable(now.getTime() + SOON_MS)).toISOString()
  const isDue = ({ kept, isLive, expiresAt }: Conversation) =>
    !kept && !isLive && expiresAt !== null && expiresAt < soon
  return conversations.filter(isDue).sort((a, b) => ((a.expiresAt ?? '') < (b.expiresAt ?? '') ? -1 : 1))
}

/** All that expire, in all roots. */
export async function listExpiring(context: Context): Promise<readonly Conversation[]> {
  return expiringOf(await listConversations(context), context.now)
}
