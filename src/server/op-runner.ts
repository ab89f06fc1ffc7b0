import type { OpenStore } from '../collector/team/open-store.ts'
import { Failure } from '../core/failure.ts'
import { resultText } from '../core/json-text.ts'
import type { Library } from '../disk/library.ts'
import type { Warning } from '../disk/warning.ts'
import { openLibrary } from '../history/compose.ts'
import type { Context, TeamStore } from '../history/context.ts'
import { historyOf } from '../history/history.ts'
import { loadAll, opLoaders } from '../ops/index.ts'
import type { Op } from '../ops/op.ts'
import { errorJson, type HttpError } from './http-error.ts'
import { addWarning, type ListingUpdate, NOTHING_SERVED, updated } from './served-logs.ts'

/** What is served, and for whom. Plain data: it goes to other threads as it is. */
export interface Setup {
  readonly roots: readonly string[]
  readonly cwd: string
  readonly home: string
  readonly configDir: string | undefined
  readonly cacheDir: string | undefined
  readonly dataDir?: string | undefined
  readonly currentSession: string | undefined
  /** A team store that is served in the place of roots, and where what is fetched of it is kept. */
  readonly store?: (TeamStore & { readonly cacheDir: string }) | undefined
}

/** A question: the operation's name and an input that was checked. */
export interface Question {
  readonly op: string
  readonly input: Readonly<Record<string, unknown>>
  /** The folder that what it writes goes to, where that is not the one annals runs in. */
  readonly cwd?: string
}

/** An answer, ready to be sent; `bug` is what nobody foresaw, for who runs the server and for nobody else. */
export interface Answer {
  readonly status: number
  readonly body: Uint8Array<ArrayBuffer>
  /** What was asked for is not there, as far as is known. */
  readonly isNothing?: boolean
  readonly bug?: string
}

/** Runs operations, one after the other, on a library that it keeps open and does not list itself. Never rejects. */
export interface OpRunner {
  /** What is asked from now on is answered from what the writer has found. */
  reload(update: ListingUpdate): void
  answer(question: Question): Promise<Answer>
  /** Closes what is open, once nothing is underway; the next question opens what it needs. */
  letGo(): void
  close(): void
}

/** Hears how far an operation has come. */
export type OnProgress = (op: string, doneBytes: number, totalBytes: number) => void

/** Loads the operations that are served. */
export async function servedOps(): Promise<readonly Op[]> {
  const ops: readonly Op[] = Object.values(await loadAll(opLoaders))
  return ops.filter((op) => !op.commandLineOnly)
}

const MOST_BYTES = 64 * 1024 * 1024
const STORE_AGE_MS = 5_000

/** Opens a runner. */
export function openOpRunner(setup: Setup, onProgress: OnProgress = () => {}): OpRunner {
  let served = NOTHING_SERVED
  let library: Library | undefined
  let warnings: Warning[] = []
  const warn = (warning: Warning) => addWarning(warnings, warning)

  let remote: OpenStore | undefined
  let askedAt = 0

  /** What lies in the store is asked anew after a while; until then it is as it was. */
  async function openRemote(store: NonNullable<Setup['store']>): Promise<OpenStore> {
    const { openStore } = await import('../collector/team/open-store.ts')
    if (remote && Date.now() - askedAt > STORE_AGE_MS) await remote.refresh()
    else if (remote) return remote
    remote ??= await openStore(store, store.cacheDir, warn)
    askedAt = Date.now()
    return remote
  }

  function take(update: ListingUpdate): void {
    if (setup.store) return
    if (update.index !== served.index) close()
    served = updated(served, update)
    library?.adopt(served.listing)
  }

  /** A library whose history reads what the writer writes; where that cannot be kept, it is made here, in memory. */
  function openToRead(): Library {
    const opened = openLibrary(setup.roots, warn, setup.dataDir, setup.cacheDir)
    opened.adopt(served.listing)
    const isReader = served.index !== null
    historyOf({ ...setup, cacheDir: isReader ? setup.cacheDir : undefined, library: opened, isReader, warn })
    return opened
  }

  function close(): void {
    remote?.remote.close()
    remote = undefined
    if (library) closeLibrary(library)
    library = undefined
  }

  function closeLibrary(opened: Library): void {
    historyOf({ ...setup, library: opened, warn }).close()
    opened.close()
  }

  async function run({ op: name, input, cwd = setup.cwd }: Question): Promise<Answer> {
    warnings = [...served.warnings]
    let own: Library | undefined
    try {
      const op: Op = await opLoaders[name as keyof typeof opLoaders]()
      const opened = setup.store && (await openRemote(setup.store))
      // What changes something may change the index too, and has to know what is there now.
      if (opened) mustRead(op)
      else if (op.changes) own = openLibrary(setup.roots, warn, setup.dataDir, setup.cacheDir)
      else library ??= openToRead()
      const context: Context = {
        ...setup,
        cwd,
        library: opened?.library ?? own ?? (library as Library),
        remote: opened?.remote,
        now: new Date(),
        rootsOnly: true,
        warn,
        // How far the index is that it needs first is told by itself.
        progress: (done, total, stage) => stage === undefined && onProgress(name, done, total),
      }
      const result = (await op.run(context, input)) as object
      const isNothing = 'total' in result && result.total === 0
      return { ...sized(resultText({ schema: `annals/${name}/1`, ...result, warnings })), isNothing }
    } catch (error) {
      return failed(error)
    } finally {
      if (own) closeLibrary(own)
    }
  }

  let last: Promise<unknown> = Promise.resolve()
  return {
    reload(update) {
      last = last.then(() => take(update))
    },
    answer(question) {
      const answer = last.then(() => run(question))
      last = answer
      return answer
    },
    letGo() {
      last = last.then(close)
    },
    close,
  }
}

/** Nothing of a store is changed from a browser. */
function mustRead({ name, teamStore }: Op): void {
  if (teamStore !== 'read')
    throw new Failure('USAGE', `annals ${name} works on this machine alone, not on a team store.`)
}

/** The answer that a failure makes: a sentence, never a stack. */
export function failed(error: unknown): Answer {
  if (error instanceof Failure) {
    const { code, message, hint } = error
    const status = statusOf(error)
    return { ...errorAnswer({ status, code, message, hint }), isNothing: status === 404 }
  }
  const bug = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { ...errorAnswer(BUG), bug }
}

/** An error as an answer. */
export function errorAnswer(error: HttpError): Answer {
  return { status: error.status, body: new TextEncoder().encode(errorJson(error)) }
}

const BUG: HttpError = {
  status: 500,
  code: 'BUG',
  message: 'Something went wrong.',
  hint: 'This is a bug in annals; the terminal it runs in says more.',
}

function statusOf({ code }: Failure): 400 | 404 | 500 {
  if (code === 'SESSION_NOT_FOUND' || code === 'NOT_FOUND') return 404
  return code === 'USAGE' || code === 'BAD_INPUT' || code === 'SESSION_AMBIGUOUS' ? 400 : 500
}

function sized(text: string): Answer {
  const body = new TextEncoder().encode(text)
  if (body.length <= MOST_BYTES) return { status: 200, body }
  const hint = 'Ask for less: a limit, a time, or a part of a session.'
  const message = `The answer has ${Math.round(body.length / 2 ** 20)} MB, which is more than a page can take.`
  return errorAnswer({ status: 500, code: 'CANNOT_RUN', message, hint })
}
