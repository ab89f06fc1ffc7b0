import { lstatSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { diskSource } from './disk-source.ts'
import type { SourceEntry } from './source.ts'

/** How to watch. The sweep alone finds every change; the watcher only finds it sooner. */
export interface WatchOptions {
  /** Time between two sweeps. A sweep that takes long makes the next one later, so that all of them cost a hundredth of a core. */
  readonly sweepMs?: number
  /** How long changes are gathered before they are told together. */
  readonly debounceMs?: number
  readonly useWatcher?: boolean
  /** Told, once each: what cannot be read, and that the watcher was given up. */
  readonly onNotice?: (message: string) => void
  /** A clock in milliseconds, to time the sweeps. */
  readonly now?: () => number
}

/** Something that runs until it is closed. */
export interface Watching {
  close(): Promise<void>
}

const SWEEP_SHARE = 100

/**
 * Tells which logs and sidecars of some roots were written, made, moved or removed since the call. A path may be told
 * although nothing is new in it: what happened, a cursor says.
 */
export function watchLogs(
  roots: readonly string[],
  onChange: (paths: Set<string>) => void,
  options: WatchOptions = {},
): Watching {
  const { sweepMs = 2000, debounceMs = 100, useWatcher = true, now = () => performance.now() } = options
  const noticed = new Set<string>()
  const source = diskSource(roots, { include: isLogPath, onProblem: ({ message }) => notice(message) })
  const signs = listSigns()
  let batch = new Set<string>()
  let batchTimer: NodeJS.Timeout | undefined
  let sweepTimer: NodeJS.Timeout | undefined
  let isClosed = false

  function notice(message: string): void {
    if (noticed.has(message)) return
    noticed.add(message)
    options.onNotice?.(message)
  }

  function note(path: string, sign: string | undefined): void {
    if (signs.get(path) === sign) return
    if (sign === undefined) signs.delete(path)
    else signs.set(path, sign)
    batch.add(path)
    // From the first change on, not the last: a log that is written all the time must not wait for ever.
    batchTimer ??= setTimeout(tell, debounceMs)
  }

  function tell(): void {
    batchTimer = undefined
    const paths = batch
    batch = new Set()
    onChange(paths)
  }

  function listSigns(): Map<string, string> {
    return new Map(Array.from(source.list(), (entry) => [entry.path, signOf(entry)]))
  }

  function sweep(): void {
    const startedAt = now()
    const current = listSigns()
    for (const path of new Set([...signs.keys(), ...current.keys()])) note(path, current.get(path))
    sweepLater(now() - startedAt)
  }

  function sweepLater(tookMs: number): void {
    sweepTimer = setTimeout(sweep, Math.max(sweepMs, tookMs * SWEEP_SHARE))
  }

  async function startWatcher(): Promise<() => Promise<void>> {
    const { watch } = await import('chokidar')
    if (isClosed) return async () => {}
    const watcher = watch(
      roots.flatMap((root) => [join(resolve(root), 'projects'), join(resolve(root), 'history.jsonl')]),
      {
        ignoreInitial: true,
        followSymlinks: false,
        ignored: (path, stats) => stats?.isFile() === true && !isLog(path, roots),
      },
    )
    const close = () => watcher.close()
    for (const event of ['add', 'change', 'unlink'] as const) {
      watcher.on(event, (path) => {
        if (!isClosed) note(path, signAt(path))
      })
    }
    watcher.on('error', (error) => {
      notice(`The file watcher was given up (${reasonOf(error)}); changes are found by looking every few seconds.`)
      void close()
    })
    return close
  }

  sweepLater(0)
  const watcher = useWatcher
    ? startWatcher().catch((error: unknown) => {
        notice(
          `The file watcher could not be started (${reasonOf(error)}); changes are found by looking every few seconds.`,
        )
      })
    : undefined

  return {
    async close() {
      isClosed = true
      clearTimeout(sweepTimer)
      clearTimeout(batchTimer)
      source.close()
      await (await watcher)?.()
    },
  }
}

function isLogPath(relativePath: string): boolean {
  if (relativePath === 'history.jsonl') return true
  return relativePath.startsWith('projects/') && /(\/|\.jsonl|\.json|\.txt)$/.test(relativePath)
}

function isLog(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => isLogPath(relative(resolve(root), path).split(sep).join('/')))
}

function signOf({ sizeBytes, modifiedAt, inode }: Pick<SourceEntry, 'sizeBytes' | 'modifiedAt' | 'inode'>): string {
  return `${sizeBytes} ${modifiedAt} ${inode}`
}

/** The same, for a path the watcher names. Links are left to the sweep, which knows where they may lead. */
function signAt(path: string): string | undefined {
  try {
    const stats = lstatSync(path)
    if (!stats.isFile()) return undefined
    return signOf({ sizeBytes: stats.size, modifiedAt: stats.mtimeMs, inode: `${stats.dev}:${stats.ino}` })
  } catch {
    // Gone, or not to be read: the next sweep says which.
    return undefined
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Error) return 'code' in error ? String(error.code) : error.message
  return String(error)
}
