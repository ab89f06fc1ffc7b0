import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { join, resolve, sep } from 'node:path'
import { archiveFolder, readArchive } from '../../archive/archive.ts'
import { withArchive } from '../../archive/archive-source.ts'
import { Failure } from '../../core/failure.ts'
import type { DiskSource } from '../../disk/disk-source.ts'
import type { Context } from '../../history/context.ts'
import { openRedactor } from '../../redact/open.ts'
import { asFailure } from '../../state/private-file.ts'
import type { Choices } from '../choices.ts'
import { clientNames } from '../client-names.ts'
import { isCollectedPath } from '../collected-files.ts'
import { type EffectiveChoice, effectiveChoices, type SettingsLayer } from '../effective-choices.ts'
import { type IgnoreTest, ignoreTest } from '../ignore.ts'
import { collectFolder, loadMachine, type OwnMachine } from '../machine.ts'
import { type Names, namesOf } from '../names.ts'
import type { RowMaker } from '../record-row.ts'
import { Seal } from '../seal.ts'
import { type CollectSettings, readCollectSettings, readManagedSettings, settingsFile } from '../settings.ts'
import { type Machine, type Sink, SinkTrouble } from '../sink.ts'
import { type Destination, destinationOf, openSink } from '../sinks/open.ts'
import { StateFile } from '../state.ts'
import type { CollectAsked } from './shape.ts'

/** All that collecting needs, as flags, settings and the machine say. */
export interface CollectSetup {
  readonly destination: Destination
  readonly settings: CollectSettings
  /** Whether a settings file was changed, made or removed since. */
  readonly isOutdated: () => boolean
  readonly choices: Choices
  /** Where each part of the choice comes from. */
  readonly sources: readonly EffectiveChoice[]
  readonly machine: Machine
  readonly names: Names
  readonly maker: RowMaker
  readonly state: StateFile
  readonly folder: string
  readonly roots: readonly string[]
  readonly isIgnored: IgnoreTest
  readonly tombstones: () => readonly string[]
  readonly openSource: () => DiskSource
  readonly openSink: () => Promise<Sink>
}

/**
 * Reads flags and settings, and finds out who this machine is. Opens nothing yet. Where nothing will be sent, a folder that
 * cannot be written is no reason to fail.
 */
export function collectSetup(context: Context, input: CollectAsked, isLooking = false): CollectSetup {
  const { configDir, dataDir, home, library, warn, access } = context
  if (dataDir === undefined || context.rootsOnly) {
    throw new Failure('CANNOT_RUN', 'Records are collected from the command line.', { hint: 'Run `annals collect`.' })
  }
  const files = [settingsFile(configDir ?? ''), ...(context.managedSettings ?? [])]
  const sign = signOfFiles(files)
  const own = { file: settingsFile(configDir ?? ''), settings: readCollectSettings(configDir) }
  const managed = (context.managedSettings ?? []).flatMap((file): SettingsLayer[] => {
    const read = readManagedSettings(file)
    return read ? [{ file, settings: read }] : []
  })
  const settings = withManaged(own.settings, managed)
  const destination = destinationFrom(input.to, settings.to, context)
  const { choices, sources } = effectiveChoices(input, own, managed, destination.kind === 'folder')
  for (const { name, value, from, limited } of sources) {
    if (!limited?.includes('(--')) continue
    warn({ file: from, message: `It allows ${name} ${value} at most: ${limited} is not followed.` })
  }
  const folder = collectFolder(dataDir)
  const { id, key } = machineOf(folder, isLooking ? warn : undefined)
  const teamKey = settings.hashKey === undefined ? undefined : Buffer.from(settings.hashKey)
  const redactor = openRedactor({ configDir, dataDir, ...(isLooking && { warn }) })
  const mask = (name: string) => redactor.text(name).text
  const names = namesOf({ paths: choices.paths, user: choices.user, key, teamKey, home, mask })
  const user = names.user(userInfo().username)
  const archive = archiveFolder(dataDir)
  const roots = ownRoots(library.roots, dataDir)
  return {
    destination,
    settings,
    isOutdated: () => signOfFiles(files) !== sign,
    choices,
    sources,
    machine: { id, user, name: choices.user === 'real' ? hostname() : null },
    names,
    maker: {
      machine: id,
      user,
      content: choices.content,
      realPaths: choices.paths === 'real',
      names,
      clientNames: clientNames(choices),
      lengths: choices.lengths,
      redactor,
      seal: new Seal(key),
    },
    state: new StateFile(folder, destination.name),
    folder,
    roots,
    isIgnored: ignoreTest(settings.ignore, home),
    tombstones: () => [...readArchive(archive).manifest.state.purged.keys()],
    openSource: () =>
      withArchive(archive)(roots, { include: (path) => isCollectedPath(path, choices), onProblem: warn }),
    openSink: () =>
      openSink(destination, {
        format: input.format,
        stateFolder: join(folder, `otlp-${createHash('sha256').update(destination.name).digest('hex').slice(0, 16)}`),
        s3: access?.s3,
        token: access?.collectToken ?? settings.token,
        hmacKey: access?.collectKey ?? settings.hmacKey,
        user: access?.user,
        password: access?.password,
        database: access?.database,
        clickhousePassword: access?.clickhousePassword,
        passwords: access?.passwords,
      }),
  }
}

function machineOf(folder: string, warn: Context['warn'] | undefined): OwnMachine {
  try {
    return loadMachine(folder)
  } catch (error) {
    const failure = asStateFailure(error, folder)
    if (!warn || !(failure instanceof Failure)) throw failure
    warn({ file: folder, message: `${failure.message} This machine has a name for this run only.` })
    return { id: randomUUID(), key: randomBytes(32) }
  }
}

/** An error of the disk while something was remembered, as a sentence. */
export function asStateFailure(error: unknown, folder: string): unknown {
  return asFailure(error, folder, 'The memory of the collector')
}

/** The roots that are collected: what was imported was made by others, and is not ours to send. */
export function ownRoots(roots: readonly string[], dataDir: string): readonly string[] {
  return roots.filter((root) => !`${resolve(root)}${sep}`.startsWith(`${resolve(dataDir)}${sep}`))
}

function destinationFrom(named: string | undefined, set: string | undefined, { cwd, home }: Context): Destination {
  const text = named ?? set
  if (text === undefined) {
    throw new Failure('USAGE', 'No destination is set.', {
      hint: 'Add --to folder:DIR, --to https://… or another address, or set "to" in collect.json.',
    })
  }
  if (named !== undefined && /:\/\/[^/@]*:[^/@]*@/.test(named)) {
    throw new Failure('USAGE', 'A password in --to can be read by everyone on this machine.', {
      hint: 'Leave it out and set PGPASSWORD, or put the whole address as "to" into collect.json.',
    })
  }
  return destinationOf(text, cwd, home)
}

/** Says how files look from outside: another sign means that one was changed, made or removed. */
function signOfFiles(files: readonly string[]): string {
  const signs = files.map((file) => {
    try {
      const stats = statSync(file, { throwIfNoEntry: false, bigint: true })
      return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}` : ''
    } catch {
      // Reading the settings says what is wrong.
      return 'unreadable'
    }
  })
  return signs.join('\n')
}

/** The settings of a person; what they do not say of the way, managed files may. Folders that either leaves out are left out. */
function withManaged(own: CollectSettings, managed: readonly SettingsLayer[]): CollectSettings {
  const all = [own, ...managed.map(({ settings }) => settings)]
  const speaker = all.find(({ token, hmacKey }) => token !== undefined || hmacKey !== undefined)
  return {
    ...own,
    to: all.find(({ to }) => to !== undefined)?.to,
    hashKey: all.find(({ hashKey }) => hashKey !== undefined)?.hashKey,
    token: speaker?.token,
    hmacKey: speaker?.hmacKey,
    watch: all.every(({ watch }) => watch),
    ignore: all.flatMap(({ ignore }) => ignore),
  }
}

/** A trouble that stops a run, as a sentence. */
export function asCollectFailure(error: unknown): unknown {
  if (!(error instanceof SinkTrouble)) return error
  const hint = error.hint ?? 'Nothing is lost: the logs are the queue. Run the same command again later.'
  return new Failure('CANNOT_RUN', error.message, { hint, cause: error })
}
