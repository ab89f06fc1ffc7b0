import { fstatSync, statSync } from 'node:fs'
import { devNull } from 'node:os'

/**
 * Whether a person sits at the other end of standard input (0), output (1) or error (2). Node's own streams are asked only where that
 * can be: making one takes longer than many a command that is piped.
 */
export function isTerminal(descriptor: 0 | 1 | 2): boolean {
  return isDevice(descriptor) && STREAMS[descriptor]().isTTY === true
}

const STREAMS = [() => process.stdin, () => process.stdout, () => process.stderr] as const

function isDevice(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor)
    return stats.isCharacterDevice() && stats.rdev !== statSync(devNull).rdev
  } catch {
    return false
  }
}
