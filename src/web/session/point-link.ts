/** So much of a uuid tells it from all others of a session. */
const UUID_START = 8

/** A row as a point: what `annals show` opens, and an address of the app ends with. */
export function pointOf(session: string, uuid: string): string {
  return `${session}:${/^[0-9a-f]{8}-/.test(uuid) ? uuid.slice(0, UUID_START) : uuid}`
}

/** The address of a row. */
export function pointLink(session: string, uuid: string): string {
  return `${location.origin}/s/${encodeURIComponent(pointOf(session, uuid)).replace('%3A', ':')}`
}

/** A point taken apart: the session, and the row or the turn in it. `undefined` where the name is no point. */
export function readPoint(name: string): { readonly session: string; readonly at: string } | undefined {
  const [, session, at] = /^(.+):([\w-]+)$/s.exec(name) ?? []
  return session === undefined || at === undefined ? undefined : { session, at }
}

/** What the receipt of a turn is called. Turns of agents belong to those of their session, and have none of their own. */
export function turnReceipt(session: string, turn: number): string | undefined {
  return session.startsWith('agent-') ? undefined : `${session}:${turn}`
}
