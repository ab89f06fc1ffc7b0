import { Failure } from '../../core/failure.ts'
import type { JsonObject } from '../../core/json.ts'
import { jsonText } from '../../core/json-text.ts'
import type { Context } from '../../history/context.ts'
import { installService, removeService, serviceFiles } from '../../state/service.ts'
import { CHOICE_FLAGS } from '../effective-choices.ts'
import { changeCollectSettings, settingsFile } from '../settings.ts'
import type { Sink } from '../sink.ts'
import { readAddress } from '../sinks/postgres/address.ts'
import type { StateStore } from '../state.ts'
import { documentToJson, markToJson, rowToJson } from '../wire.ts'
import { documentsBehind, lagOfClasses, logsBehind } from './behind.ts'
import { withCollector } from './run.ts'
import { whatWasSent } from './sent.ts'
import type { CollectSetup } from './setup.ts'
import { type CollectAsked, type Collection, nothingDone } from './shape.ts'

/**
 * The same way that records go, into a sink that only looks at them. Shown is all that would leave: who the machine says it
 * is, records and documents, how far they bring each log, and what the deliveries are called.
 */
export async function dryRun(setup: CollectSetup, input: CollectAsked): Promise<Collection> {
  const { state, machine, destination } = setup
  const limit = input.limit ?? 20
  const records: string[] = []
  const marks: string[] = []
  const rest: string[] = [jsonText({ ...machine })]
  const remembered = state.read(destination.name)
  const show = (into: string[], values: readonly JsonObject[]) => {
    for (const value of values) if (into.length < limit) into.push(jsonText(value))
  }
  const sink: Sink = {
    open: async () => {},
    marks: async () =>
      remembered.tracked.map(({ file, generation, cursor }) => {
        return { machine: machine.id, file, generation, offset: cursor.offset, cursor: null }
      }),
    async deliver(batch) {
      const { id, tombstones } = batch
      show(records, batch.rows.map(rowToJson))
      show(records, batch.documents.map(documentToJson))
      show(marks, batch.marks.map(markToJson))
      rest.push(jsonText({ id, tombstones }))
      return { added: batch.rows.length, deadLetters: [], refused: [] }
    },
    close: async () => {},
  }
  const untouched: StateStore = { read: (name) => state.read(name), write: () => {}, bury: () => {} }
  const context = { warn: () => {} } as unknown as Context
  const done = await withCollector(context, setup, input, { sink, state: untouched }, async (collector) => {
    await collector.start()
    return collector.pass()
  })
  const preview = [...records, ...marks, ...rest]
  const message = `Nothing was sent.${hashNotice(setup)}`
  return { ...nothingDone(setup, 'dry-run'), ...done, lagBytes: 0, preview, message }
}

/** What is behind, as far as this machine remembers. */
export function status(setup: CollectSetup): Collection {
  const { state, destination, isIgnored } = setup
  const source = setup.openSource()
  try {
    const remembered = state.read(destination.name)
    const behind = logsBehind(source, remembered, isIgnored)
    const lag = behind.map(({ entry, sentBytes }) => ({ file: entry.path, sizeBytes: entry.sizeBytes, sentBytes }))
    const documents = documentsBehind(source, remembered, setup)
    const lagByClass = lagOfClasses([...behind, ...documents])
    const lagBytes = lag.reduce((sum, one) => sum + one.sizeBytes - one.sentBytes, 0)
    const message = remembered.savedAt === null ? 'Nothing has been sent yet.' : `Last sent ${remembered.savedAt}.`
    const effective = [...setup.sources]
    return {
      ...nothingDone(setup, 'status'),
      effective,
      deadLetters: state.buried(),
      lag,
      lagByClass,
      lagBytes,
      message,
    }
  } finally {
    source.close()
  }
}

/** What has left about this person. */
export function sent(setup: CollectSetup, input: CollectAsked): Collection {
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

/** A service does not have what this shell exports: a password or token that only the environment holds would be missing. */
function mustKnowSecrets({ access = {} }: Context, { destination, settings }: CollectSetup): void {
  const missing = (what: string, hint: string) =>
    new Failure('CANNOT_RUN', `The service would not have ${what}: only the environment of this shell holds it.`, {
      hint,
    })
  if (destination.kind === 'postgres' && access.password !== undefined) {
    const { host, port, database, user, password } = readAddress(destination.address, {
      ...access,
      password: undefined,
    })
    const line = `${host.startsWith('/') ? 'localhost' : host}:${port}:${database}:${user}:PASSWORD`
    if (password === undefined) throw missing('password', `Write ${line} into ~/.pgpass, and chmod 600 ~/.pgpass.`)
  }
  const isInSettings = settings.token !== undefined || settings.hmacKey !== undefined
  if (destination.kind === 'http' && !isInSettings && (access.collectToken ?? access.collectKey) !== undefined) {
    throw missing('token', 'Put "token" or "hmacKey" into collect.json.')
  }
}

/** Said before anything leaves: without a key of the team, one project of six people is six. */
function hashNotice({ destination, settings, choices }: CollectSetup): string {
  const isHashed = choices.paths === 'hashed' || choices.user === 'hashed'
  if (destination.kind === 'folder' || !isHashed || settings.hashKey !== undefined) return ''
  return ' Names are hashed with a key of this machine alone, so that nobody can tell the same project on another: set "hashKey" in collect.json, the same for all.'
}

/** Has the system run it always, or no longer. */
export function install(context: Context, setup: CollectSetup, input: CollectAsked): Collection {
  const { program, home, configDir, dataDir, cacheDir } = context
  if (program === undefined) throw new Failure('CANNOT_RUN', 'It is installed from the command line.')
  // What may leave is read from the settings at each run, so that whoever changes them changes it.
  const flags = [
    ...(input.to === undefined ? [] : ['--to', setup.destination.name]),
    ...(input.format === undefined ? [] : ['--format', input.format]),
  ]
  const ownHome = dataDir !== undefined && dataDir === cacheDir ? { ANNALS_HOME: dataDir } : {}
  const env: Record<string, string> = { ...context.access?.carried, ...ownHome }
  if (!input.remove) {
    mustKnowSecrets(context, setup)
    const message = hashNotice(setup).trim()
    if (message !== '') context.warn({ file: setup.destination.name, message })
  }
  const unit = serviceFiles({
    name: 'collect',
    every: 'start',
    home,
    program,
    args: ['--follow', ...flags],
    roots: setup.roots,
    env,
  })
  const isTrial = input.print === true
  const chosen = input.remove ? {} : chosenByFlags(input)
  const names = Object.keys(chosen)
  if (!isTrial && names.length > 0 && configDir !== undefined) changeCollectSettings(configDir, chosen)
  const kept = `${names.join(', ')} ${isTrial ? 'would be' : names.length === 1 ? 'is' : 'are'} set in ${settingsFile(configDir ?? '')}, which the service reads.`
  try {
    if (!isTrial && input.remove) removeService(unit)
    else if (!isTrial) installService(unit)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : ''
    throw new Failure('CANNOT_WRITE', `${unit.files[0]?.path} cannot be written (${reason}).`, {
      hint: 'Add --print to see what would be written, and start it in your own way.',
      cause: error,
    })
  }
  return {
    ...nothingDone(setup, 'install'),
    message: names.length === 0 ? null : kept,
    unit: {
      files: unit.files.map(({ path, text }) => ({ path, text })),
      run: input.remove ? unit.stop : unit.start,
      written: !isTrial,
    },
  }
}

/** What flags choose, by the names of the settings. */
function chosenByFlags(input: CollectAsked): JsonObject {
  const named = Object.entries(CHOICE_FLAGS).map(([name, flag]) => [name, input[flag]] as const)
  return Object.fromEntries(named.filter(([, value]) => value !== undefined)) as JsonObject
}
