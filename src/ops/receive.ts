import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { MachineCredentials } from '../collector/auth.ts'
import type { ListenOptions, Receiver } from '../collector/receiver/start.ts'
import { type CollectSettings, readCollectSettings, settingsFile } from '../collector/settings.ts'
import { type Sink, SinkTrouble } from '../collector/sink.ts'
import { type Destination, destinationOf, openSink } from '../collector/sinks/open.ts'
import { Failure } from '../core/failure.ts'
import { jsonText } from '../core/json-text.ts'
import { Type } from '../core/schema.ts'
import type { Access } from '../history/context.ts'
import { type Lock, takeLock } from '../state/lock.ts'
import { asFailure } from '../state/private-file.ts'
import type { Command } from './op.ts'

/** The other end of `collect --to https://…`. It stays, so it is a command and no operation. */
export const receive = {
  name: 'receive',
  alsoIn: 'Share',
  summary: 'Receive what other machines send with collect.',
  examples: [
    'annals receive --to folder:/srv/annals',
    'annals receive --to folder:/srv/annals --port 6175',
    'annals receive --to postgres:///team --host 0.0.0.0 --cert a.pem --key b.pem',
  ],
  input: Type.Object({
    to: Type.Optional(Type.String('folder:DIR, s3://BUCKET, postgres://HOST/DATABASE or clickhouse://HOST/DATABASE')),
    port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535, description: 'The port (default: 6175)' })),
    host: Type.Optional(Type.String('An address that others can reach; needs --cert and --key')),
    cert: Type.Optional(Type.String('The certificate, a PEM file')),
    key: Type.Optional(Type.String('Its key, a PEM file')),
    format: Type.Optional(Type.Choice(['jsonl', 'parquet'], 'folder: packed lines or columns')),
    log: Type.Optional(Type.Boolean('Write a JSON line for each request on stderr')),
  }),
  positional: [],
  result: Type.Object({
    url: Type.String('What `collect --to` takes'),
    token: Type.Union([Type.String(), Type.Null()], 'Made for this run, where none was set'),
    pid: Type.Integer(),
  }),
} as const satisfies Command

/** How a receiver is asked for. */
export interface ReceiveOptions extends ListenOptions {
  readonly to: string
  readonly cwd: string
  readonly home: string
  readonly configDir: string
  /** Where it remembers who speaks for whom, and which requests came. */
  readonly dataDir: string
  readonly format?: 'jsonl' | 'parquet' | undefined
  readonly access: Access
  /** Used where neither settings nor environment have one. */
  readonly newToken: string
  /** Whether others than this machine can reach it. */
  readonly isPublic: boolean
  readonly onLog?: ((line: string) => void) | undefined
  readonly onBug: (error: unknown) => void
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

function shortNameOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/**
 * Only one receiver at a time writes into a folder, whoever started it: what a machine has delivered there is known by a journal
 * that one process appends to. Stores know rows by their keys, and take several.
 */
function folderLockOf({ kind, address, name }: Destination): Lock | undefined {
  if (kind !== 'folder') return undefined
  try {
    return takeLock(join(address, '_annals', 'receiver'), { waitMs: 0, what: `what is received for ${name}` })
  } catch (error) {
    const failure = asFailure(error, address, 'The folder')
    if (!(failure instanceof Failure) || !failure.message.startsWith('Another annals')) throw failure
    throw new Failure('CANNOT_RUN', `Another receiver writes into ${address}, and a folder has one.`, {
      hint: 'Let machines deliver to that one, or receive into another folder, PostgreSQL or ClickHouse.',
      cause: error,
    })
  }
}

/** A sink that refuses once another receiver took the folder over: two of them would store rows twice. */
function whileLocked(sink: Sink, lock: Lock | undefined): Sink {
  if (!lock) return sink
  const check = () => {
    try {
      lock.check()
    } catch (error) {
      throw new SinkTrouble('Another receiver has taken over this folder.', { passes: true, cause: error })
    }
  }
  return {
    ...sink,
    deliver: async (batch) => {
      check()
      return sink.deliver(batch)
    },
  }
}

/** Only one receiver at a time remembers what came for a destination. */
function lockOf(folder: string, destination: string): Lock {
  try {
    return takeLock(folder, { waitMs: 0, what: `what is received for ${destination}` })
  } catch (error) {
    throw asFailure(error, folder, 'The memory of the receiver')
  }
}

/**
 * Looks whether the settings have changed, and gives the keys that they name then. Settings that cannot be used change nothing:
 * whoever was known stays so, and the log says what is wrong.
 */
function reloading(
  configDir: string,
  keysIn: (settings: CollectSettings) => readonly MachineCredentials[] | undefined,
  onLog: ((line: string) => void) | undefined,
): () => readonly MachineCredentials[] | undefined {
  const signOf = () => {
    const stats = statSync(settingsFile(configDir), { bigint: true, throwIfNoEntry: false })
    return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs}` : ''
  }
  let known = signOf()
  return () => {
    const sign = signOf()
    if (sign === known) return undefined
    known = sign
    try {
      return keysIn(readCollectSettings(configDir))
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      onLog?.(`${jsonText({ time: new Date().toISOString(), level: 'error', event: 'keys', message })}\n`)
      return undefined
    }
  }
}

/** Starts a receiver. Tells the token only where it was made for this run. */
export async function openReceiver(options: ReceiveOptions): Promise<Receiver & { readonly token: string | null }> {
  const { startReceiver } = await import('../collector/receiver/start.ts')
  const { asCollectFailure } = await import('../collector/run/setup.ts')
  const { access, cwd, configDir, host, port, tls, format, newToken, onBug } = options
  const settings = readCollectSettings(configDir)
  const destination = destinationOf(options.to, cwd, options.home)
  if (destination.kind === 'http' || destination.kind === 'otlp')
    throw new Failure('USAGE', 'A receiver writes to a folder or to a store.')
  const keysIn = (read: CollectSettings): readonly MachineCredentials[] => [
    { token: access.collectToken ?? read.token },
    { hmacKey: access.collectKey ?? read.hmacKey },
    ...read.tokens,
  ]
  const hasSome = (keys: readonly MachineCredentials[]) => keys.some(({ token, hmacKey }) => token ?? hmacKey)
  const isOpen = !hasSome(keysIn(settings))
  const tokens = isOpen ? [{ token: newToken }] : keysIn(settings)
  const { onLog, isPublic } = options
  const reload = reloading(configDir, (read) => (hasSome(keysIn(read)) ? keysIn(read) : undefined), onLog)
  const name = shortNameOf(destination.name)
  const stateFolder = join(options.dataDir, 'receive', name)
  const own = lockOf(stateFolder, destination.name)
  let folderLock: Lock | undefined
  const release = () => {
    folderLock?.release()
    own.release()
  }
  try {
    folderLock = folderLockOf(destination)
    const opened = await openSink(destination, { format, mergesAs: shortNameOf(hostname()), ...access })
    const sink = whileLocked(opened, folderLock)
    try {
      const { metricsToken } = settings
      const asked = {
        sink,
        credentials: {},
        tokens,
        reload,
        metricsToken,
        isPublic,
        stateFolder,
        onLog,
        onBug,
        ...(options.now && { now: options.now }),
      }
      const receiver = await startReceiver(asked, { host, port, tls })
      const close = () => receiver.close().finally(release)
      return { ...receiver, close, token: isOpen ? newToken : null }
    } catch (error) {
      await sink.close()
      throw asCollectFailure(error)
    }
  } catch (error) {
    release()
    throw error
  }
}
