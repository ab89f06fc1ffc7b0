import { resolve } from 'node:path'
import { Failure } from '../../core/failure.ts'
import type { Credentials } from '../auth.ts'
import type { Sink } from '../sink.ts'
import type { PartFormat } from './folder-parts.ts'
import type { S3Options } from './s3.ts'

/** A destination as somebody named it. */
export interface Destination {
  readonly kind: 'folder' | 'http' | 'postgres' | 'clickhouse' | 'otlp' | 's3'
  /** As it is remembered and shown: without passwords, and a folder by its whole path. */
  readonly name: string
  /** What opens it. */
  readonly address: string
}

/** Reads `folder:DIR`, or an address. */
export function destinationOf(text: string, cwd: string, home: string): Destination {
  if (text.startsWith('folder:')) {
    // No shell does it in the middle of a word.
    const path = text.slice('folder:'.length).replace(/^~(?=$|[/\\])/, home)
    if (path === '') throw new Failure('USAGE', 'folder: needs a folder.', { hint: 'For example folder:~/annals.' })
    const address = resolve(cwd, path)
    return { kind: 'folder', name: `folder:${address}`, address }
  }
  const kind = KINDS.find(([pattern]) => pattern.test(text))?.[1]
  if (kind === undefined || !URL.canParse(text)) {
    throw new Failure('USAGE', `"${withoutPassword(text)}" is not a destination.`, {
      hint: 'It is folder:DIR, s3://BUCKET/PREFIX, postgres://HOST/DATABASE, clickhouse://HOST/DATABASE, https://HOST or otlp://HOST.',
    })
  }
  return { kind, name: withoutPassword(text), address: text }
}

const KINDS = [
  [/^https?:\/\//, 'http'],
  [/^postgres(ql)?:\/\//, 'postgres'],
  [/^clickhouse:\/\//, 'clickhouse'],
  [/^otlp:\/\//, 'otlp'],
  [/^s3:\/\//, 's3'],
] as const

/** What opening may need: how to write, and who asks. */
export interface OpenOptions extends Credentials {
  readonly user?: string | undefined
  readonly password?: string | undefined
  readonly database?: string | undefined
  /** Lines of a `.pgpass`. */
  readonly passwords?: string | undefined
  readonly clickhousePassword?: string | undefined
  readonly format?: PartFormat | undefined
  /** A folder: under which name parts of many machines are merged. */
  readonly mergesAs?: string | undefined
  /** For what cannot be asked how far it is: where that is remembered. */
  readonly stateFolder?: string | undefined
  readonly s3?: S3Options['access'] | undefined
}

/** The sink of a destination. Each kind is loaded when it is needed. */
export async function openSink({ kind, address }: Destination, options: OpenOptions = {}): Promise<Sink> {
  if (kind === 'folder') {
    const { folderSink } = await import('./folder.ts')
    const { format, mergesAs } = options
    return folderSink(address, { ...(format && { format }), mergesAs })
  }
  if (kind === 'http') {
    const { httpSink } = await import('./http.ts')
    return httpSink(address, { token: options.token, hmacKey: options.hmacKey })
  }
  if (kind === 'otlp') {
    const { otlpSink } = await import('./otlp.ts')
    return otlpSink(address, { token: options.token, stateFolder: options.stateFolder ?? '' })
  }
  if (kind === 's3') {
    const { s3Sink } = await import('./s3.ts')
    return s3Sink(address, { access: options.s3 ?? {}, format: options.format })
  }
  if (kind === 'clickhouse') {
    const { clickhouseSink } = await import('./clickhouse.ts')
    return clickhouseSink(address, { password: options.clickhousePassword })
  }
  const { postgresSink } = await import('./postgres.ts')
  const { user, password, database, passwords } = options
  return postgresSink(address, { user, password, database, passwords })
}

function withoutPassword(text: string): string {
  return text.replace(/(:\/\/[^/@:]*):[^/@]*@/, '$1@')
}
