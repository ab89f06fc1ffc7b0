import { lstatSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { diskSource } from './disk-source.ts'
import type { SourceEntry } from './source.ts'

/** How to watch. The sweep alone finds every change; the watcher only finds it sooner. */
export interface WatchOptions {
  /**
   * Time between two sweeps. One that takes long makes the next one later, so that all of them cost half a hundredth of a core;
   * while the watcher runs and sweeps find nothing that it had not told, they become rarer still.
   */
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

const SWEEP_SHARE = 200
/** How rare sweeps become while the watcher tells everything: a file system that tells nothing is found out by then. */
const RAREST_MS = 30_000

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
  const source = diskSource(roots, {
    include: isLogPath,
    onProblem: ({ file, message }) => notice(`${file}: ${message}`),
  })
  const signs = new Map<string, Sign>()
  for (const entry of source.list()) signs.set(entry.path, signOf(entry, 0))
  let round = 0
  let isWatched = false
  let quietSweeps = 0
  let batch = new Set<string>()
  let batchTimer: NodeJS.Timeout | undefined
  let sweepTimer: NodeJS.Timeout | undefined
  let isClosed = false

  function notice(message: string): void {
    if (noticed.has(message)) return
    noticed.add(message)
    options.onNotice?.(message)
  }

  function note(path: string): void {
    batch.add(path)
    // From the first change on, not the last: a log that is written all the time must not wait for ever.
    batchTimer ??= setTimeout(tell, debounceMs)
  }

  /** Takes what a path looks like now; says whether that is new. */
  function take(path: string, now: Seen | undefined): boolean {
    const known = signs.get(path)
    if (known) known.round = round
    if (known ? now && isSame(known, now) : !now) return false
    if (now) signs.set(path, signOf(now, round))
    else signs.delete(path)
    note(path)
    return true
  }

  function tell(): void {
    batchTimer = undefined
    const paths = batch
    batch = new Set()
    onChange(paths)
  }

  function sweep(): void {
    const startedAt = now()
    round += 1
    let isNews = false
    let count = 0
    for (const entry of source.list()) {
      count += 1
      if (take(entry.path, entry)) isNews = true
    }
    if (count < signs.size) {
      isNews = true
      for (const [path, sign] of signs) if (sign.round !== round) take(path, undefined)
    }
    quietSweeps = isNews ? 0 : quietSweeps + 1
    sweepLater(now() - startedAt)
  }

  function sweepLater(tookMs: number): void {
    const usual = Math.max(sweepMs, tookMs * SWEEP_SHARE)
    // What a sweep finds, the watcher had missed: then it is not relied on.
    const rarer = isWatched ? Math.min(usual * 2 ** Math.min(quietSweeps, 16), RAREST_MS) : usual
    sweepTimer = setTimeout(sweep, Math.max(usual, rarer))
  }

  async function startWatcher(): Promise<() => Promise<void>> {
    const { watch } = await import('chokidar')
    if (isClosed) return async () => {}
    const watcher = watch(
      roots.flatMap((root) => [join(resolve(root), 'projects'), join(resolve(root), 'history.jsonl')]),
      {
        ignoreInitial: true,
        followSymlinks: false,
        // One file that is closed to us must not cost the events of all others.
        ignorePermissionErrors: true,
        ignored: (path, stats) => stats?.isFile() === true && !isLog(path, roots),
      },
    )
    const close = () => watcher.close()
    for (const event of ['add', 'change', 'unlink'] as const) {
      watcher.on(event, (path) => {
        if (!isClosed) take(path, seenAt(path))
      })
    }
    // Until then it looks at every file, and misses what happens to those it has not come to.
    watcher.on('ready', () => {
      isWatched = true
      quietSweeps = 0
    })
    watcher.on('error', (error) => {
      giveUp()
      notice(`The file watcher stopped (${reasonOf(error)}); ${INSTEAD}`)
      void close()
    })
    return close
  }

  /** From now on sweeps are all there is: the next one does not wait as long as it would have. */
  function giveUp(): void {
    if (!isWatched || isClosed) return
    isWatched = false
    clearTimeout(sweepTimer)
    sweepLater(0)
  }

  sweepLater(0)
  const watcher = useWatcher
    ? startWatcher().catch((error: unknown) => {
        notice(`The file watcher could not be started (${reasonOf(error)}); ${INSTEAD}`)
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

type Seen = Pick<SourceEntry, 'sizeBytes' | 'modifiedAt' | 'inode'>

/** What a file looked like, and the sweep that met it last. */
interface Sign extends Seen {
  round: number
}

function signOf({ sizeBytes, modifiedAt, inode }: Seen, round: number): Sign {
  return { sizeBytes, modifiedAt, ...(inode !== undefined && { inode }), round }
}

function isSame(a: Seen, b: Seen): boolean {
  return a.sizeBytes === b.sizeBytes && a.modifiedAt === b.modifiedAt && a.inode === b.inode
}

/** How a path that the watcher names looks. Links are left to the sweep, which knows where they may lead. */
function seenAt(path: string): Seen | undefined {
  try {
    const stats = lstatSync(path)
    if (!stats.isFile()) return undefined
    return { sizeBytes: stats.size, modifiedAt: stats.mtimeMs, inode: `${stats.dev}:${stats.ino}` }
  } catch {
    // Gone, or not to be read: the next sweep says which.
    return undefined
  }
}

const INSTEAD = 'changes are found by looking every few seconds.'

/** What the system ran out of, and which of its settings says how much there is. */
const LIMITS = new Map([
  ['ENOSPC', 'ENOSPC, the limit is fs.inotify.max_user_watches'],
  ['EMFILE', 'EMFILE, the limit is fs.inotify.max_user_instances'],
])

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? String(error.code) : error.message
  return LIMITS.get(code) ?? code
}
