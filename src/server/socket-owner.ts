import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'

/**
 * Whether somebody else on this machine is at the other end of a local connection. The command line that opens a browser
 * shows the code to all who can list processes; this keeps it from being of use to them. `false` where the system does not tell.
 */
export function isOtherUser(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>, own = process.getuid?.()): boolean {
  const { remoteAddress = '', remotePort = 0 } = socket
  const [address, table] = LOCAL[remoteAddress] ?? []
  if (own === undefined || address === undefined || table === undefined) return false
  const user = userOf(`${address}:${remotePort.toString(16).toUpperCase().padStart(4, '0')}`, table)
  // Root may read everything anyway, and passes connections on (from outside of a virtual machine, for one).
  return user !== undefined && user !== own && user !== 0
}

/** Addresses of this machine and the tables that list them, as x86 and ARM write them: elsewhere nothing is found. */
const LOCAL: Readonly<Record<string, readonly [address: string, table: string]>> = {
  '127.0.0.1': ['0100007F', '/proc/net/tcp'],
  '::1': ['00000000000000000000000001000000', '/proc/net/tcp6'],
}

/** The owner of a socket, by its own end. */
function userOf(end: string, table: string): number | undefined {
  try {
    for (const line of readFileSync(table, 'utf8').split('\n')) {
      const [, local, , , , , , uid] = line.trim().split(/\s+/)
      if (local === end) return Number(uid)
    }
  } catch {
    // No such table on this system.
  }
  return undefined
}
