import { linkSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../core/failure.ts'
import { numberAt, parseJson, textAt } from '../core/json.ts'
import { isAlive, lookAtProcess } from '../disk/live.ts'
import { asideOf, makeNewFile, makePrivateFolder, readWhole } from './private-file.ts'

/** The right to write something of ours, which one process has at a time. */
export interface Lock {
  /** Fails where somebody else took it for abandoned. Asked before every change that others see. */
  check(): void
  release(): void
}

/** How long to wait for a process that holds it, and what it holds, for the sentence that says so. */
export interface LockOptions {
  readonly waitMs?: number
  readonly what?: string
}

/** Takes the lock of a folder; waits a while for a process that holds it. */
export function takeLock(folder: string, { waitMs = 10_000, what = 'the archive' }: LockOptions = {}): Lock {
  makePrivateFolder(folder)
  const path = join(folder, 'lock')
  const start = performance.now()
  const mine = JSON.stringify({ pid: process.pid, procStart: startOf(process.pid), key: crypto.randomUUID() })
  for (;;) {
    if (makeNewFile(path, Buffer.from(mine))) {
      clearAsides(folder)
      return lockOf(path, mine, what)
    }
    const held = readWhole(path)?.toString('utf8')
    const holder = held === undefined ? undefined : aliveHolder(held)
    if (held !== undefined && holder === undefined) {
      takeAway(path, held)
      continue
    }
    if (performance.now() - start > waitMs) {
      const who = holder === undefined ? 'Another annals' : `Another annals (process ${holder})`
      throw new Failure('CANNOT_WRITE', `${who} is writing ${what} at ${folder}.`, { hint: 'Try again later.' })
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
  }
}

/** The process that holds the lock of a folder; `undefined` where none does. Only reads. */
export function lockHolder(folder: string): number | undefined {
  const held = readWhole(join(folder, 'lock'))?.toString('utf8')
  return held === undefined ? undefined : aliveHolder(held)
}

function lockOf(path: string, mine: string, what: string): Lock {
  const isMine = () => readWhole(path)?.toString('utf8') === mine
  return {
    check() {
      if (!isMine()) throw new Failure('CANNOT_WRITE', `Another annals has taken over ${what}.`)
    },
    release() {
      if (isMine()) rmSync(path, { force: true })
    },
  }
}

/** The process that holds a lock; `undefined` when it no longer runs. */
function aliveHolder(text: string): number | undefined {
  const claim = parseJson(text)
  const pid = numberAt(claim, 'pid')
  if (pid === undefined) return undefined
  const procStart = textAt(claim, 'procStart') ?? null
  const seen = lookAtProcess(pid)
  return isAlive({ pid, startedAt: null, procStart }, seen) ? pid : undefined
}

/**
 * Removes a lock that nobody holds. Two may come to that view at once, and the slower must not remove the lock of the
 * faster: what was taken away is looked at again, and put back if it is not what was judged.
 */
function takeAway(path: string, judged: string): void {
  const aside = asideOf(path)
  try {
    renameSync(path, aside)
  } catch {
    return
  }
  const isRight = readWhole(aside)?.toString('utf8') === judged
  try {
    if (!isRight) linkSync(aside, path)
  } catch {
    // Someone has made a lock meanwhile; the one we took away finds out when it checks.
  }
  rmSync(aside, { force: true })
}

/** Removes what processes that were killed while they took a lock left beside it. */
function clearAsides(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = /^lock\.(\d+)-\d+$/.exec(name) ?? []
    if (pid !== undefined && !isRunning(Number(pid), join(folder, name))) rmSync(join(folder, name), { force: true })
  }
}

/** Whether the process that made a file beside a lock still runs; its number may have been given to another since. */
function isRunning(pid: number, path: string): boolean {
  const text = readWhole(path)?.toString('utf8') ?? ''
  // Half a claim says nothing of its process; the lock that it took away speaks of another.
  const isOwn = numberAt(parseJson(text), 'pid') === pid
  return isOwn ? aliveHolder(text) !== undefined : lookAtProcess(pid).exists
}

function startOf(pid: number): string | null {
  return lookAtProcess(pid).startTicks?.toString() ?? null
}
