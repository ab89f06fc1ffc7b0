import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isObject, type JsonValue, numberAt, textAt } from '../core/json.ts'
import { errorCode } from './regular-file.ts'
import { attempt, type Found, listFolder, readJsonFile, timeAt } from './small-file.ts'
import type { Warning } from './warning.ts'

/** What a running client says of itself in `sessions/<pid>.json`, and whether that is still so. */
export interface LiveSession extends Claim {
  readonly sessionId: string | null
  readonly cwd: string | null
  readonly status: string | null
  readonly name: string | null
  readonly updatedAt: string | null
  readonly alive: boolean
}

/** Which process a registry file says it speaks for. */
export interface Claim {
  readonly pid: number
  readonly startedAt: string | null
  /** The client's own note of its process's start: on Linux clock ticks since boot, on macOS the UTC time as `ps` prints it. */
  readonly procStart: string | null
}

/** What the system shows of a process. */
export interface ProcessSeen {
  readonly exists: boolean
  /** Clock ticks from boot to its start, where the system tells. */
  readonly startTicks: number | null
  /** The same as a time. */
  readonly startedAtMs: number | null
  /** Whether the system can tell start times at all. */
  readonly tellsStart: boolean
}

/** Reads the registry of running clients. Files left behind by a crash are kept, as not alive; keys are never opened. */
export function readLiveSessions(
  root: string,
  judge: (claim: Claim) => boolean = (claim) => isAlive(claim, lookAtProcess(claim.pid)),
): Found<LiveSession> {
  const warnings: Warning[] = []
  const items = listFolder(join(root, 'sessions'), warnings)
    .filter((entry) => /^\d+\.json$/.test(entry.name))
    .flatMap(({ path }) => {
      const value = readJsonFile(path, warnings)?.value
      if (value === undefined) return []
      if (isObject(value)) return [toLiveSession(path, value, judge)]
      warnings.push({ file: path, message: 'The file does not describe a running client.' })
      return []
    })
  return { items, warnings }
}

/** Whether the process seen is the one that wrote the claim: it runs, and its start time agrees where that can be compared. */
export function isAlive({ procStart, startedAt }: Claim, seen: ProcessSeen): boolean {
  if (!seen.exists || !seen.tellsStart) return seen.exists
  const { startTicks, startedAtMs } = seen
  if (startTicks === null) return false
  if (procStart !== null && /^\d+$/.test(procStart)) return Number(procStart) === startTicks
  if (startedAtMs === null) return false
  const noted = procStart === null ? Number.NaN : Date.parse(`${procStart} UTC`)
  if (!Number.isNaN(noted)) return Math.abs(noted - startedAtMs) <= CLOCK_SLACK_MS
  // Clients that note no process start note their own, seconds later: a process younger than that is another one.
  return startedAtMs <= Date.parse(startedAt ?? '') + CLOCK_SLACK_MS
}

/** The system counts in hundredths of a second from a boot time that it rounds to whole seconds. */
const CLOCK_SLACK_MS = 2000

/** Looks a process up. */
export function lookAtProcess(pid: number): ProcessSeen {
  const tellsStart = process.platform === 'linux'
  if (!processExists(pid)) return { exists: false, startTicks: null, startedAtMs: null, tellsStart }
  if (!tellsStart) return { exists: true, startTicks: null, startedAtMs: null, tellsStart }
  const stat = attempt('', [], () => readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? ''
  // The second field is the program's name in brackets and may itself hold brackets and spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = Number(fields[22 - 3])
  const isEnded = fields[0] === 'Z' || fields[0] === 'X'
  if (isEnded || stat === '' || !Number.isFinite(ticks)) {
    return { exists: !isEnded, startTicks: null, startedAtMs: null, tellsStart }
  }
  const bootSeconds = /^btime (\d+)$/m.exec(attempt('', [], () => readFileSync('/proc/stat', 'latin1')) ?? '')?.[1]
  const startedAtMs = bootSeconds === undefined ? null : Number(bootSeconds) * 1000 + ticks * 10
  return { exists: true, startTicks: ticks, startedAtMs, tellsStart }
}

function processExists(pid: number): boolean {
  // 0 and negative numbers mean groups of processes.
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

function toLiveSession(path: string, value: JsonValue, judge: (claim: Claim) => boolean): LiveSession {
  const procStart = textAt(value, 'procStart') ?? numberAt(value, 'procStart')?.toString() ?? null
  const claim = {
    pid: numberAt(value, 'pid') ?? Number(basename(path, '.json')),
    startedAt: timeAt(value, 'startedAt'),
    procStart,
  }
  return {
    ...claim,
    sessionId: textAt(value, 'sessionId') ?? null,
    cwd: textAt(value, 'cwd') ?? null,
    status: textAt(value, 'status') ?? null,
    name: textAt(value, 'name') ?? null,
    updatedAt: timeAt(value, 'updatedAt'),
    alive: judge(claim),
  }
}
