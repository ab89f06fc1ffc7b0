import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type ListenOptions, type Receiver, startReceiver } from '../collector/receive.ts'
import { asCollectFailure } from '../collector/run/setup.ts'
import { readCollectSettings } from '../collector/settings.ts'
import { SinkTrouble } from '../collector/sink.ts'
import { destinationOf, openSink } from '../collector/sinks/open.ts'
import { Failure } from '../core/failure.ts'
import { Type } from '../core/schema.ts'
import type { Access } from '../history/context.ts'
import { type Lock, takeLock } from '../state/lock.ts'
import { asFailure } from '../state/private-file.ts'
import type { Command } from './op.ts'

/** The other end of `collect --to https://…`. It stays, so it is a command and no operation. */
export const receive = {
  name: 'receive',
  summary: 'Take what other machines collect, and write it to a folder or a team store.',
  examples: [
    'annals receive --to folder:/srv/annals',
    'annals receive --to folder:/srv/annals --port 6175',
    'annals receive --to postgres:///team --host 0.0.0.0 --cert cert.pem --key key.pem',
  ],
  input: Type.Object({
    to: Type.Optional(Type.String('folder:DIR or postgres://HOST/DATABASE')),
    port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535, description: 'The port; else 6175' })),
    host: Type.Optional(Type.String('An address that others can reach; needs --cert and --key')),
    cert: Type.Optional(Type.String('The certificate, a PEM file')),
    key: Type.Optional(Type.String('Its key, a PEM file')),
    format: Type.Optional(Type.Choice(['jsonl', 'parquet'], 'folder: packed lines or columns')),
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
  readonly onBug: (error: unknown) => void
}

/** Only one receiver at a time remembers what came for a destination. */
function lockOf(folder: string, destination: string): Lock {
  try {
    return takeLock(folder, { waitMs: 0, what: `what is received for ${destination}` })
  } catch (error) {
    throw asFailure(error, folder, 'The memory of the receiver')
  }
}

/** Starts a receiver. Tells the token only where it was made for this run. */
export async function openReceiver(
  options: ReceiveOptions,
): Promise<Receiver & { readonly token: string | null; readonly usesKey: boolean }> {
  const { access, cwd, configDir, host, port, tls, format, newToken, onBug } = options
  const settings = readCollectSettings(configDir)
  const destination = destinationOf(options.to, cwd, options.home)
  if (destination.kind === 'http') throw new Failure('USAGE', 'A receiver writes to a folder or to PostgreSQL.')
  const token = access.collectToken ?? settings.token
  const hmacKey = access.collectKey ?? settings.hmacKey
  const { tokens } = settings
  const isOpen = token === undefined && hmacKey === undefined && tokens.length === 0
  const credentials = isOpen ? { token: newToken } : { token, hmacKey }
  const name = createHash('sha256').update(destination.name).digest('hex').slice(0, 16)
  const stateFolder = join(options.dataDir, 'receive', name)
  const lock = lockOf(stateFolder, destination.name)
  try {
    const sink = await openSink(destination, { format, ...access })
    try {
      const receiver = await startReceiver({ sink, credentials, tokens, stateFolder, onBug }, { host, port, tls })
      const close = () => receiver.close().finally(() => lock.release())
      return { ...receiver, close, token: isOpen ? newToken : null, usesKey: hmacKey !== undefined }
    } catch (error) {
      await sink.close()
      throw error instanceof SinkTrouble ? asCollectFailure(error) : error
    }
  } catch (error) {
    lock.release()
    throw error
  }
}
