import { type Static, Type } from 'typebox'
import { collectedFile } from '../collector/collected-files.ts'
import { type Collected, Collector, type CollectorOptions } from '../collector/collector.ts'
import { readLogHead } from '../collector/log-head.ts'
import { type Sink, SinkTrouble } from '../collector/sink.ts'
import type { StateStore } from '../collector/state.ts'
import { documentToJson, rowToJson } from '../collector/wire.ts'
import { Failure } from '../core/failure.ts'
import { jsonText } from '../core/json-text.ts'
import { watchLogs } from '../disk/watch.ts'
import { type Lock, takeLock } from '../state/lock.ts'
import { whatWasSent } from './collect-sent.ts'
import { asCollectFailure, type CollectSetup, collectSetup } from './collect-setup.ts'
import { collectUnit } from './collect-unit.ts'
import { installTimer, removeTimer } from './keep-timer.ts'
import { type Context, defineOp } from './op.ts'
import { NullableString, nullable } from './shapes.ts'

const ACTIONS = ['run', 'status', 'sent', 'install'] as const

const choice = (names: readonly string[], description: string) =>
  Type.Optional(
    Type.Union(
      names.map((name) => Type.Literal(name)),
      { description },
    ),
  )

const CollectInput = Type.Object({
  action: choice(ACTIONS, 'run (default), status (what is behind), sent (what has left), install (run it always)'),
  to: Type.Optional(Type.String({ description: 'folder:DIR, postgres://HOST/DATABASE or https://HOST' })),
  once: Type.Optional(Type.Boolean({ description: 'Deliver what is there and end; the default' })),
  follow: Type.Optional(Type.Boolean({ description: 'Stay, and deliver what is written', alias: 'f' })),
  content: choice(['none', 'prompts', 'all'], 'How much leaves: facts only, also prompts, or everything'),
  user: choice(['real', 'hashed', 'none'], 'How your name leaves'),
  paths: choice(['real', 'hashed', 'none'], 'How paths of projects and files leave'),
  'tool-results': Type.Optional(Type.Boolean({ description: 'Also outputs too large for a log' })),
  checkpoints: Type.Optional(Type.Boolean({ description: 'Also files as they were before an edit' })),
  format: choice(['jsonl', 'parquet'], 'folder: packed lines (default) or columns'),
  'dry-run': Type.Optional(Type.Boolean({ description: 'Send nothing; show byte for byte what would leave' })),
  limit: Type.Optional(Type.Integer({ minimum: 0, description: 'dry-run and sent: how many records to show' })),
  thorough: Type.Optional(Type.Boolean({ description: 'Compare every byte, whatever sizes and times say' })),
  print: Type.Optional(Type.Boolean({ description: 'install: only show what would be written' })),
  remove: Type.Optional(Type.Boolean({ description: 'install: no longer run it always' })),
})

type Input = Static<typeof CollectInput>

const CollectResult = Type.Object({
  action: Type.String(),
  destination: Type.String({ description: 'Without its password' }),
  choices: Type.Object({ content: Type.String(), user: Type.String(), paths: Type.String() }),
  records: Type.Integer({ description: 'Delivered now; what the sink had already counts too' }),
  bytes: Type.Integer({ description: 'Bytes of content that left' }),
  batches: Type.Integer(),
  deadLetters: Type.Integer({ description: 'Records that were not taken; they are kept here, with the reason' }),
  lagBytes: Type.Integer({ description: 'Bytes of logs that are not delivered yet' }),
  busy: Type.Boolean({ description: 'Another annals collects on this machine; nothing was done' }),
  message: NullableString,
  lag: Type.Array(Type.Object({ file: Type.String(), sizeBytes: Type.Integer(), sentBytes: Type.Integer() })),
  preview: Type.Array(Type.String({ description: 'A record or document as it would leave, or has left' })),
  sent: Type.Array(
    Type.Object({
      day: NullableString,
      project: NullableString,
      kind: Type.String(),
      records: Type.Integer(),
      bytes: Type.Integer(),
    }),
  ),
  vanished: Type.Integer({ description: 'sent: logs that are gone, of which something had left' }),
  unit: nullable(
    Type.Object({
      files: Type.Array(Type.Object({ path: Type.String(), text: Type.String() })),
      run: Type.String({ description: 'What to run so that it begins, or ends, at once' }),
      written: Type.Boolean(),
    }),
  ),
})

type Result = Static<typeof CollectResult>

export const collect = defineOp({
  name: 'collect',
  changes: true,
  summary: 'Deliver sessions to a folder, a team store or a receiver, secrets masked, each record once.',
  examples: [
    'annals collect --to folder:~/Sync/annals',
    'annals collect --to postgres://annals.example.com/team --dry-run',
    'annals collect --to https://annals.example.com --follow',
    'annals collect status',
    'annals collect sent',
    'annals collect install --to https://annals.example.com',
  ],
  input: CollectInput,
  positional: ['action'],
  result: CollectResult,
  async run(context, input) {
    const setup = collectSetup(context, input as Parameters<typeof collectSetup>[1])
    if (input.action === 'status') return status(setup)
    if (input.action === 'sent') return sent(setup, input)
    if (input.action === 'install') return install(context, setup, input)
    if (input['dry-run']) return dryRun(setup, input)
    return runOnce(context, setup, input)
  },
  async *follow(context, input, signal) {
    const setup = collectSetup(context, input as Parameters<typeof collectSetup>[1])
    const lock = lockOr(setup)
    if (!lock) {
      yield { ...nothingDone(setup, 'run'), busy: true, message: BUSY }
      return
    }
    try {
      yield* followLogs(context, setup, input, signal)
    } catch (error) {
      throw asCollectFailure(error)
    } finally {
      lock.release()
    }
  },
})

const BUSY = 'Another annals collects on this machine; it does the work.'

/** What every answer says, and nothing done. */
function nothingDone({ destination, choices }: CollectSetup, action: string): Result {
  const { content, user, paths } = choices
  return {
    action,
    destination: destination.name,
    choices: { content, user, paths },
    records: 0,
    bytes: 0,
    batches: 0,
    deadLetters: 0,
    lagBytes: 0,
    busy: false,
    message: null,
    lag: [],
    preview: [],
    sent: [],
    vanished: 0,
    unit: null,
  }
}

/** One collector per machine; `undefined` where another runs. */
function lockOr({ folder }: CollectSetup): Lock | undefined {
  try {
    return takeLock(folder, { waitMs: 0, what: 'what was collected' })
  } catch (error) {
    if (error instanceof Failure && error.message.startsWith('Another annals')) return undefined
    throw error
  }
}

async function runOnce(context: Context, setup: CollectSetup, input: Input): Promise<Result> {
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
    throw asCollectFailure(error)
  } finally {
    lock.release()
  }
}

async function withCollector<T>(
  { warn }: Context,
  setup: CollectSetup,
  input: Input,
  more: Partial<CollectorOptions>,
  use: (collector: Collector) => Promise<T>,
): Promise<T> {
  const { machine, maker, choices, destination, state, isIgnored, tombstones } = setup
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
  } finally {
    source.close()
    await sink.close()
  }
}

const SWEEP_MS = 5 * 60_000

/** Delivers what is written until the signal comes. Documents outside of projects wait for the next round. */
async function* followLogs(
  context: Context,
  setup: CollectSetup,
  input: Input,
  signal: AbortSignal,
): AsyncGenerator<Result> {
  let changed: Set<string> | undefined = new Set()
  let wake = () => {}
  const onChange = (paths: ReadonlySet<string>) => {
    for (const path of paths) changed?.add(path)
    wake()
  }
  const onNotice = (message: string) => context.warn({ file: setup.destination.name, message })
  const watching = watchLogs(setup.roots, onChange, { debounceMs: 20, onNotice })
  const found: Result[] = []
  signal.addEventListener('abort', () => wake())
  const working = withCollector(context, setup, input, {}, async (collector) => {
    await collector.start(signal)
    let before = collector.collected()
    for (let only: ReadonlySet<string> | undefined; !signal.aborted; ) {
      await collector.pass(signal, only)
      const now = collector.collected()
      if (now.batches > before.batches) found.push(since(nothingDone(setup, 'run'), before, now))
      before = now
      wakeReader()
      if (changed?.size === 0) await quiet()
      only = changed
      changed = new Set()
    }
  }).catch((error: unknown) => {
    if (!signal.aborted) throw error
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
  let wakeReader = () => {}
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
    await watching.close()
  }
}

function since(nothing: Result, before: Collected, now: Collected): Result {
  return {
    ...nothing,
    records: now.records - before.records,
    bytes: now.bytes - before.bytes,
    batches: now.batches - before.batches,
    deadLetters: now.deadLetters - before.deadLetters,
    lagBytes: now.lagBytes,
  }
}

/** The same way that records go, into a sink that only looks at them. */
async function dryRun(setup: CollectSetup, input: Input): Promise<Result> {
  const { state, machine, destination } = setup
  const limit = input.limit ?? 20
  const preview: string[] = []
  const remembered = state.read(destination.name)
  const sink: Sink = {
    open: async () => {},
    marks: async () =>
      remembered.tracked.map(({ file, generation, cursor }) => {
        return { machine: machine.id, file, generation, offset: cursor.offset, cursor: null }
      }),
    async deliver({ rows, documents }) {
      for (const row of rows) if (preview.length < limit) preview.push(jsonText(rowToJson(row)))
      for (const one of documents) if (preview.length < limit) preview.push(jsonText(documentToJson(one)))
      return { added: rows.length, deadLetters: [], refused: [] }
    },
    close: async () => {},
  }
  const untouched: StateStore = { read: (name) => state.read(name), write: () => {}, bury: () => {} }
  const context = { warn: () => {} } as unknown as Context
  const done = await withCollector(context, setup, input, { sink, state: untouched }, async (collector) => {
    await collector.start()
    return collector.pass()
  })
  return { ...nothingDone(setup, 'dry-run'), ...done, lagBytes: 0, preview, message: 'Nothing was sent.' }
}

/** What is behind, as far as this machine remembers. */
function status(setup: CollectSetup): Result {
  const { state, destination, choices, isIgnored } = setup
  const source = setup.openSource()
  try {
    const remembered = state.read(destination.name)
    const offsets = new Map(remembered.tracked.map(({ cursor }) => [cursor.path, cursor.offset]))
    const lag: Result['lag'] = []
    for (const entry of [...source.list()]) {
      const file = collectedFile(entry, choices)
      if (!file || file.role === 'document') continue
      const offset = offsets.get(entry.path) ?? 0
      const sentBytes = offset <= entry.sizeBytes ? offset : 0
      if (sentBytes === entry.sizeBytes) continue
      if (file.role === 'log' && isIgnored(readLogHead(source, entry).cwd)) continue
      lag.push({ file: entry.path, sizeBytes: entry.sizeBytes, sentBytes })
    }
    const lagBytes = lag.reduce((sum, one) => sum + one.sizeBytes - one.sentBytes, 0)
    const message = remembered.savedAt === null ? 'Nothing has been sent yet.' : `Last sent ${remembered.savedAt}.`
    return { ...nothingDone(setup, 'status'), deadLetters: state.buried(), lag, lagBytes, message }
  } finally {
    source.close()
  }
}

function sent(setup: CollectSetup, input: Input): Result {
  const source = setup.openSource()
  try {
    const { rows, examples, vanished } = whatWasSent(setup, source, input.limit ?? 20)
    return {
      ...nothingDone(setup, 'sent'),
      records: rows.reduce((sum, row) => sum + row.records, 0),
      bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
      sent: [...rows],
      preview: [...examples],
      vanished,
    }
  } finally {
    source.close()
  }
}

function install(context: Context, setup: CollectSetup, input: Input): Result {
  const { program, home, dataDir, cacheDir } = context
  if (program === undefined) throw new Failure('CANNOT_RUN', 'It is installed from the command line.')
  const { content, user, paths } = setup.choices
  const flags = [
    ...(input.to === undefined ? [] : ['--to', setup.destination.name]),
    ...['--content', content, '--user', user, '--paths', paths],
    ...(input.format === undefined ? [] : ['--format', input.format]),
  ]
  const env: Record<string, string> = dataDir !== undefined && dataDir === cacheDir ? { ANNALS_HOME: dataDir } : {}
  const unit = collectUnit({ home, program, roots: setup.roots, env, flags })
  const isTrial = input.print === true
  try {
    if (!isTrial && input.remove) removeTimer(unit)
    else if (!isTrial) installTimer(unit)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : ''
    throw new Failure('CANNOT_WRITE', `${unit.files[0]?.path} cannot be written (${reason}).`, {
      hint: 'Add --print to see what would be written, and start it in your own way.',
      cause: error,
    })
  }
  return {
    ...nothingDone(setup, 'install'),
    unit: {
      files: unit.files.map(({ path, text }) => ({ path, text })),
      run: input.remove ? unit.stop : unit.start,
      written: !isTrial,
    },
  }
}
