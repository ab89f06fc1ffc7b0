import { Failure } from '../../core/failure.ts'
import { watchLogs } from '../../disk/watch.ts'
import type { Context } from '../../history/context.ts'
import { type Lock, takeLock } from '../../state/lock.ts'
import { type Collected, Collector } from '../collector.ts'
import type { CollectorOptions } from '../collector-options.ts'
import { renewMachine } from '../machine.ts'
import { SinkTrouble } from '../sink.ts'
import { AnotherCame } from '../visits.ts'
import { asCollectFailure, asStateFailure, type CollectSetup, collectSetup } from './setup.ts'
import { type CollectAsked, type Collection, nothingDone } from './shape.ts'

const BUSY = 'Another annals collects on this machine; it does the work.'

/** One collector per machine; `undefined` where another runs. */
function lockOr({ folder }: CollectSetup): Lock | undefined {
  try {
    return takeLock(folder, { waitMs: 0, what: 'what was collected' })
  } catch (error) {
    if (error instanceof Failure && error.message.startsWith('Another annals')) return undefined
    throw asStateFailure(error, folder)
  }
}

/** Delivers what is there. */
export async function runOnce(context: Context, setup: CollectSetup, input: CollectAsked): Promise<Collection> {
  const nothing = nothingDone(setup, 'run')
  const lock = lockOr(setup)
  if (!lock) return { ...nothing, busy: true, message: BUSY }
  try {
    // Who stays has time; who does not, tells soon that nobody is there.
    const attempts = input.follow ? 1 : 5
    const done = await withCollector(context, setup, input, { attempts }, async (collector) => {
      await collector.start()
      return { ...(await collector.pass()), lag: collector.lag() }
    })
    return { ...nothing, ...done, lag: done.lag.map(({ path, ...one }) => ({ file: path, ...one })) }
  } catch (error) {
    if (input.follow && error instanceof SinkTrouble && error.passes) return { ...nothing, message: error.message }
    throw asStateFailure(asCollectFailure(error), setup.folder)
  } finally {
    lock.release()
  }
}

/**
 * A collector with all it needs, for as long as something is done with it. Where another machine delivers under our id, this
 * one takes a new id, and begins anew.
 */
export async function withCollector<T>(
  context: Context,
  setup: CollectSetup,
  input: CollectAsked,
  more: Partial<CollectorOptions>,
  use: (collector: Collector) => Promise<T>,
): Promise<T> {
  const { machine, maker, choices, destination, state, isIgnored, tombstones } = setup
  const { warn } = context
  const source = setup.openSource()
  const sink = more.sink ?? (await setup.openSink())
  try {
    return await use(
      new Collector({
        source,
        machine,
        maker,
        choices,
        destination: destination.name,
        state,
        isIgnored,
        tombstones,
        thorough: input.thorough === true,
        onNotice: (message) => warn({ file: destination.name, message }),
        ...more,
        sink,
      }),
    )
  } catch (error) {
    if (!(error instanceof AnotherCame)) throw error
  } finally {
    source.close()
    await sink.close()
  }
  renewMachine(setup.folder)
  const message = 'This home was copied: another machine delivers under its id. It goes on as a machine of its own.'
  warn({ file: destination.name, message })
  return withCollector(context, collectSetup(context, input), input, more, use)
}

/** Delivers what is written until the signal comes, if no other collector does. */
export async function* follow(
  context: Context,
  setup: CollectSetup,
  input: CollectAsked,
  signal: AbortSignal,
): AsyncGenerator<Collection> {
  const lock = lockOr(setup)
  if (!lock) {
    yield { ...nothingDone(setup, 'run'), busy: true, message: BUSY }
    return
  }
  try {
    // Settings are read again when they change: what may leave is what they say now.
    for (let now = setup; !signal.aborted; now = collectSetup(context, input)) {
      yield* followLogs(context, now, input, signal)
    }
  } catch (error) {
    throw asCollectFailure(error)
  } finally {
    lock.release()
  }
}

const SWEEP_MS = 5 * 60_000
/** How often settings are looked at while a delivery waits or nothing happens; before each delivery they are anyway. */
const SETTINGS_MS = 1_000

/** Delivers what is written until the signal comes or the settings change. Documents outside of projects wait for the next round. */
async function* followLogs(
  context: Context,
  setup: CollectSetup,
  input: CollectAsked,
  stop: AbortSignal,
): AsyncGenerator<Collection> {
  const outdated = new AbortController()
  const signal = AbortSignal.any([stop, outdated.signal])
  const checkSettings = () => {
    if (setup.isOutdated()) outdated.abort()
  }
  const looking = setInterval(checkSettings, SETTINGS_MS)
  const found: Collection[] = []
  let wakeReader = () => {}
  const tell = (one: Collection) => {
    found.push(one)
    wakeReader()
  }
  const said = new Set<string>()
  /** Says a thing once, until something was delivered again. */
  const say = (message: string) => {
    if (!said.has(message)) tell({ ...nothingDone(setup, 'run'), message })
    said.add(message)
  }

  let changed: Set<string> | undefined = new Set()
  let wake = () => {}
  const onChange = (paths: ReadonlySet<string>) => {
    for (const path of paths) changed?.add(path)
    wake()
  }
  const watching = watchLogs(setup.roots, onChange, {
    debounceMs: 20,
    useWatcher: setup.settings.watch,
    onNotice: (message) => tell({ ...nothingDone(setup, 'run'), message }),
  })
  /** Until something changed, or it is time to look at everything again. */
  const quiet = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        changed = undefined
        resolve()
      }, SWEEP_MS)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
      if (signal.aborted) wake()
    })
  signal.addEventListener('abort', () => wake())

  const more = {
    onNotice: say,
    onTrouble: ({ message }: SinkTrouble) => say(message),
    beforeDelivery: checkSettings,
    onBatch: () => said.clear(),
  }
  const working = withCollector(context, setup, input, more, async (collector) => {
    await collector.start(signal)
    let before = collector.collected()
    for (let only: ReadonlySet<string> | undefined; !signal.aborted; ) {
      await collector.pass(signal, only)
      const now = collector.collected()
      if (now.batches > before.batches) tell(since(nothingDone(setup, 'run'), before, now))
      before = now
      if (changed?.size === 0) await quiet()
      only = changed
      changed = new Set()
    }
  }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
  try {
    let isDone = false
    const ended = working.finally(() => {
      isDone = true
    })
    for (;;) {
      const next = new Promise<void>((resolve) => {
        wakeReader = resolve
      })
      yield* found.splice(0)
      if (isDone) break
      await Promise.race([next, ended])
    }
    await ended
  } finally {
    clearInterval(looking)
    await watching.close()
  }
}

function since(nothing: Collection, before: Collected, now: Collected): Collection {
  return {
    ...nothing,
    records: now.records - before.records,
    bytes: now.bytes - before.bytes,
    batches: now.batches - before.batches,
    deadLetters: now.deadLetters - before.deadLetters,
    lagBytes: now.lagBytes,
  }
}
