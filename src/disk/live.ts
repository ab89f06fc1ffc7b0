import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isObject, type JsonValue, numberAt, textAt } from '../core/json.ts'
import { attempt, type Found, listFolder, readJsonFile, timeAt } from './small-file.ts'
import type { Warning } from './warning.ts'

/** What a running client says of itself in `sessions/<pid>.json`, and whether that is still so. */
export interface LiveSession extends Claim, Verdict {
  readonly file: string
  readonly sessionId: string | null
  readonly cwd: string | null
  readonly version: string | null
  readonly status: string | null
  readonly name: string | null
  readonly updatedAt: string | null
}

/** Which process a registry file says it speaks for. */
export interface Claim {
  readonly pid: number
  readonly startedAt: string | null
  /** The client's own note of its process's start: on Linux clock ticks since boot, on macOS the UTC time as `ps` prints it. */
  readonly procStart: string | null
}

/** Whether the process that wrote a registry file still runs, with the reason in a sentence. */
export interface Verdict {
  readonly alive: boolean
  readonly why: string
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
  isAlive: (claim: Claim) => Verdict = (claim) => judgeClaim(claim, lookAtProcess(claim.pid)),
): Found<LiveSession> {
  const warnings: Warning[] = []
  const items = listFolder(join(root, 'sessions'), warnings)
    .filter((entry) => /^\d+\.json$/.test(entry.name))
    .flatMap(({ path }) => {
      const value = readJsonFile(path, warnings)?.value
      if (value === undefined) return []
      if (isObject(value)) return [toLiveSession(path, value, isAlive)]
      warnings.push({ file: path, message: 'The file does not describe a running client.' })
      return []
    })
  return { items, warnings }
}

/** Decides whether the process seen is the one that wrote the claim: it runs, and its start time agrees. */
export function judgeClaim(claim: Claim, seen: ProcessSeen): Verdict {
  if (!seen.exists) return { alive: false, why: `No process ${claim.pid} runs.` }
  if (!seen.tellsStart) return { alive: true, why: `Process ${claim.pid} runs; its start cannot be compared here.` }
  const { startTicks, startedAtMs } = seen
  if (startTicks === null)
    return { alive: false, why: `Process ${claim.pid} runs, but the system does not say since when.` }
  if (claim.procStart !== null && /^\d+$/.test(claim.procStart)) {
    return agreement(claim.pid, Number(claim.procStart) === startTicks)
  }
  if (startedAtMs === null)
    return { alive: false, why: `Process ${claim.pid} runs, but the system does not say since when.` }
  const noted = claim.procStart === null ? Number.NaN : Date.parse(`${claim.procStart} UTC`)
  if (!Number.isNaN(noted)) return agreement(claim.pid, Math.abs(noted - startedAtMs) <= CLOCK_SLACK_MS)
  // Clients that note no process start note their own, seconds later: a process younger than that is another one.
  const started = claim.startedAt === null ? Number.NaN : Date.parse(claim.startedAt)
  if (!Number.isNaN(started)) return agreement(claim.pid, startedAtMs <= started + CLOCK_SLACK_MS)
  return { alive: false, why: `Process ${claim.pid} runs, but the file does not say since when its own did.` }
}

/** The system counts in hundredths of a second from a boot time that it rounds to whole seconds. */
const CLOCK_SLACK_MS = 2000

function agreement(pid: number, agrees: boolean): Verdict {
  const why = agrees ? `Process ${pid} runs since the time noted.` : `Process ${pid} is another one: its start differs.`
  return { alive: agrees, why }
}

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
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function toLiveSession(path: string, value: JsonValue, isAlive: (claim: Claim) => Verdict): LiveSession {
  const procStart = textAt(value, 'procStart') ?? numberAt(value, 'procStart')?.toString() ?? null
  const claim = {
    pid: numberAt(value, 'pid') ?? Number(basename(path, '.json')),
    startedAt: timeAt(value, 'startedAt'),
    procStart,
  }
  return {
    file: path,
    ...claim,
    sessionId: textAt(value, 'sessionId') ?? null,
    cwd: textAt(value, 'cwd') ?? null,
    version: textAt(value, 'version') ?? null,
    status: textAt(value, 'status') ?? null,
    name: textAt(value, 'name') ?? null,
    updatedAt: timeAt(value, 'updatedAt'),
    ...isAlive(claim),
  }
}
