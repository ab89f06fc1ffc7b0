import { unwatchFile, watchFile } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../core/failure.ts'
import { placeOf } from '../disk/layout.ts'
import type { Library } from '../disk/library.ts'
import type { SourceEntry } from '../disk/source.ts'
import type { Warning } from '../disk/warning.ts'
import { watchLogs } from '../disk/watch.ts'
import { openLibrary } from '../history/compose.ts'
import { findSession } from '../history/find.ts'
import { logOf } from '../history/gone.ts'
import { type History, historyOf } from '../history/history.ts'
import { settingFiles } from '../history/setting-files.ts'
import { type LogEvent, tellAppends } from './follow-appends.ts'
import { type Answer, failed, type Setup } from './op-runner.ts'
import { addWarning, type ListingUpdate, NOTHING_SERVED, updateFrom } from './served-logs.ts'

/** How far the index has come with what it did not know yet. */
export interface IndexState {
  readonly doneBytes: number
  readonly totalBytes: number
  /** Why it does not go on, in a sentence. */
  readonly trouble: string | null
}

/** What a writer tells. An update comes before all that speaks of what it brings. */
export type WriterEvent =
  | { readonly kind: 'update'; readonly update: ListingUpdate }
  /** There is nothing to answer from: this is the answer to everything. */
  | { readonly kind: 'unavailable'; readonly answer: Answer }
  | { readonly kind: 'index'; readonly state: IndexState }
  /** Files have changed; what that means, updates tell, and then `change`, or `settled` where nobody else need know. */
  | { readonly kind: 'noticed' }
  | { readonly kind: 'settled' }
  | { readonly kind: 'change'; readonly sessions: readonly string[] }
  /** Of a log that is followed, by the number it was given. */
  | { readonly kind: 'log'; readonly id: number; readonly event: LogEvent }
  | { readonly kind: 'refused'; readonly id: number; readonly answer: Answer }

/** The one that lists, watches and indexes the logs; all others read what it has found. */
export interface Writer {
  /** Lists everything again; resolves when that was told. */
  look(): Promise<void>
  /** Follows a log under a number: `from` is the offset that was seen last; without it, the end of what is there. */
  follow(id: number, session: string, from: number | undefined): void
  leave(id: number): void
  close(): void | Promise<void>
}

/** Other processes need the index too, and opening it takes a lock: after so long they get their turn, if they look as often as SQLite does. */
const SLICE_MS = 400
const PAUSE_MS = 120
/** After trouble it is tried again by itself, for a disk may get room. */
const AGAIN_MS = 30_000
const SETTINGS_MS = 1000
const DEBOUNCE_MS = 25
/** Progress is told so often at most. */
const TELL_MS = 100

/** What is to be looked at; without paths everything. */
interface Wish {
  readonly paths: ReadonlySet<string> | undefined
  readonly done: () => void
}

interface Opened {
  readonly library: Library
  readonly history: History
}

/** Opens a writer in this thread. It begins at once. */
export function openWriter(setup: Setup, tell: (event: WriterEvent) => void): Writer {
  const followed = new Map<number, AbortController>()
  const settings: string[] = []
  let wishes: Wish[] = []
  let served = NOTHING_SERVED
  let warnings: Warning[] = []
  let opened: Opened | undefined
  let running: Promise<void> | undefined
  let again: NodeJS.Timeout | undefined
  let isClosed = false
  let doneBytes = 0
  let toldAt = 0

  function open(): Opened {
    const warn = (warning: Warning) => addWarning(warnings, warning)
    const library = openLibrary(setup.roots, warn, setup.dataDir, setup.cacheDir)
    for (const file of settingFiles(setup)) watchSetting(file, false)
    return { library, history: historyOf({ ...setup, library, warn }) }
  }

  /** The file of the index, and `null` where there is none. */
  function indexOf(history: History): string | null {
    const file = history.index?.currentFile()
    if (file && !settings.includes(file.path)) watchSetting(file.path, true)
    return file?.id ?? null
  }

  /** What others change beside the logs is seen within a second; the index is written here, unless it is another file. */
  function watchSetting(file: string, isOurs: boolean): void {
    settings.push(file)
    watchFile(file, { interval: SETTINGS_MS, persistent: false }, (now, before) => {
      if (now.ino !== before.ino || (!isOurs && now.mtimeMs !== before.mtimeMs)) void look()
    })
  }

  /** Looks at some files, or at all; resolves when what was found was told. */
  function look(paths?: ReadonlySet<string>): Promise<void> {
    return new Promise((done) => {
      wishes.push({ paths, done })
      running ??= run()
    })
  }

  async function run(): Promise<void> {
    // What is wished for in the same moment is done in one round; and nothing is told before who opened this can hear it.
    await Promise.resolve()
    while (wishes.length > 0 && !isClosed) {
      const taken = wishes
      wishes = []
      const isThere = await addFacts(taken.map(({ paths }) => paths))
      for (const { done } of taken) done()
      if (isThere && served.index !== null) await addWords()
    }
    running = undefined
  }

  /** Brings listing and facts up to date and tells it; says no where that failed. */
  async function addFacts(wished: readonly (ReadonlySet<string> | undefined)[]): Promise<boolean> {
    try {
      opened ??= open()
      const { library, history } = opened
      const isAll = wished.includes(undefined)
      const paths = new Set(wished.flatMap((one) => [...(one ?? [])]))
      const isSame = !isAll && indexOf(history) === served.index
      const isQuick = isSame && (served.index === null ? library.look(paths) : history.index?.refreshFiles(paths))
      if (!isQuick) await listAgain(opened)
      tellUpdate(library, indexOf(history), isAll)
      return true
    } catch (error) {
      tellTrouble(error)
      // Without an index each thread answers from the logs; without a listing there is no answer.
      if (opened) tellUpdate(opened.library, null, true)
      else tell({ kind: 'unavailable', answer: failed(error) })
      return false
    }
  }

  async function listAgain({ library, history }: Opened): Promise<void> {
    warnings = []
    library.refresh()
    library.entries()
    if (!history.hasTextIndex) return
    await history.refresh('facts', (done, total) => {
      // Who has something to look at is told of an index that is behind when it can be searched.
      if (served === NOTHING_SERVED && performance.now() - toldAt > TELL_MS) tellIndex(done, total)
    })
  }

  function tellUpdate(library: Library, index: string | null, isAlways: boolean): void {
    const now = { listing: library.entries(), warnings: [...warnings], index }
    const update = updateFrom(served, now)
    const isNews = update.changed.length + update.removed.length > 0 || index !== served.index
    served = now
    if (isNews || isAlways) tell({ kind: 'update', update })
  }

  /** Words come in slices, as long as nobody wishes for something else. */
  async function addWords(): Promise<void> {
    const { index } = (opened as Opened).history
    if (!index) return
    try {
      // Only a look: how much there is.
      let { behindBytes } = index.catchUp(-1)
      for (let isMore = behindBytes > 0; isMore; isMore &&= wishes.length === 0 && !isClosed) {
        tellIndex(doneBytes, doneBytes + behindBytes)
        const slice = index.catchUp(SLICE_MS)
        doneBytes += slice.bytesRead
        behindBytes = slice.behindBytes
        isMore = behindBytes > 0 && slice.bytesRead > 0
        if (isMore) await sleep(PAUSE_MS)
      }
      tellIndex(doneBytes, doneBytes + behindBytes)
      if (behindBytes === 0) doneBytes = 0
    } catch (error) {
      tellTrouble(error)
    }
  }

  function tellIndex(done: number, total: number, trouble: string | null = null): void {
    toldAt = performance.now()
    tell({ kind: 'index', state: { doneBytes: done, totalBytes: total, trouble } })
  }

  function tellTrouble(error: unknown): void {
    if (!(error instanceof Failure)) throw error
    tellIndex(doneBytes, doneBytes, error.message)
    clearTimeout(again)
    again = setTimeout(() => void look(), AGAIN_MS).unref()
  }

  async function entryOf(session: string): Promise<SourceEntry> {
    opened ??= open()
    const { library } = opened
    const nothing = () => {}
    const context = { ...setup, library, now: new Date(), rootsOnly: true, warn: nothing, progress: nothing }
    return logOf(context, await findSession(context, session))
  }

  async function follow(id: number, session: string, from: number | undefined, signal: AbortSignal): Promise<void> {
    const find = () => entryOf(session)
    try {
      // What was written just now may not be listed yet.
      const entry = await look(NO_PATHS)
        .then(find)
        .catch(() => look().then(find))
      const { source } = (opened as Opened).library
      await tellAppends(source, entry, from, signal, async (event) => {
        const told = () => void (signal.aborted || tell({ kind: 'log', id, event }))
        if (event.kind === 'started') return told()
        // What was appended is read from the log itself, and need not wait for the index; all else does.
        tell({ kind: 'noticed' })
        if (event.kind === 'rows') told()
        await look(new Set([entry.path]))
        if (event.kind !== 'rows') told()
        tell({ kind: 'settled' })
      })
    } catch (error) {
      tell({ kind: 'refused', id, answer: failed(error) })
    }
  }

  const roots = setup.roots.map((root) => resolve(root))
  // Watched first, listed then: nothing is missed in between.
  const onChange = async (paths: ReadonlySet<string>) => {
    tell({ kind: 'noticed' })
    await look(paths)
    tell({ kind: 'change', sessions: [...new Set([...paths].flatMap((path) => sessionOf(roots, path)))] })
  }
  const watching = watchLogs(roots, onChange, { debounceMs: DEBOUNCE_MS })
  void look()
  return {
    look: () => look(),
    follow(id, session, from) {
      const stop = new AbortController()
      followed.set(id, stop)
      void follow(id, session, from, stop.signal)
    },
    leave(id) {
      followed.get(id)?.abort()
      followed.delete(id)
    },
    async close() {
      isClosed = true
      clearTimeout(again)
      for (const stop of followed.values()) stop.abort()
      for (const file of settings) unwatchFile(file)
      await Promise.all([watching.close(), running])
      opened?.history.close()
      opened?.library.close()
    },
  }
}

const NO_PATHS: ReadonlySet<string> = new Set()

function sessionOf(roots: readonly string[], path: string): readonly string[] {
  const root = roots.find((one) => path.startsWith(one + sep))
  const place = root === undefined ? undefined : placeOf(relative(root, path).split(sep).join('/'))
  return place && 'session' in place && place.session !== null ? [place.session] : []
}
