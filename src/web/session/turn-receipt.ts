/** What the receipt of a turn is called. Turns of agents belong to those of their session, and have none of their own. */
export function turnReceipt(session: string, turn: number): string | undefined {
  return session.startsWith('agent-') ? undefined : `${session}:${turn}`
}
