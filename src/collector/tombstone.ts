import { createHash } from 'node:crypto'

/** The name under which a purged session is remembered everywhere: nobody can tell from it what it was. */
export function tombstoneOf(session: string): string {
  return createHash('sha256').update(`annals purged\n${session}`).digest('hex')
}
