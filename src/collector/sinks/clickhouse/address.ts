import { readFileSync } from 'node:fs'
import { SinkTrouble } from '../../sink.ts'

/** Where a ClickHouse is, who asks, and in which database. */
export interface ClickHouseAddress {
  /** Its HTTP interface. */
  readonly url: string
  readonly database: string
  readonly user: string
  readonly password: string
  /** The cluster whose servers share the tables; one server alone where none is named. */
  readonly cluster: string | undefined
  /** Who signs the server's certificate, where nobody in the world does. */
  readonly ca: Buffer | undefined
  /** The address without its password, for people. */
  readonly shown: string
}

const HINT = 'Write clickhouse://USER@HOST/DATABASE. The password is best left to CLICKHOUSE_PASSWORD.'
/** Names that stand in SQL as they are. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/

/** Reads `clickhouse://…`. Off this machine only HTTPS is spoken. */
export function readClickHouseAddress(text: string, given: { readonly password?: string | undefined } = {}) {
  const url = toUrl(text)
  const { hostname, searchParams } = url
  const isNear = NEAR.test(hostname)
  const port = url.port || (isNear ? '8123' : '8443')
  const database = decodeURIComponent(url.pathname.slice(1)) || 'annals'
  const cluster = searchParams.get('cluster') ?? undefined
  for (const [what, name] of [['database', database] as const, ['cluster', cluster] as const]) {
    if (name !== undefined && !NAME.test(name)) {
      throw bad(`The ${what} of the team store cannot have that name.`, 'Use letters, digits and underscores.')
    }
  }
  const user = decodeURIComponent(url.username) || 'default'
  const address: ClickHouseAddress = {
    url: `${isNear ? 'http' : 'https'}://${hostname}:${port}`,
    database,
    user,
    password: decodeURIComponent(url.password) || (given.password ?? ''),
    cluster,
    ca: caAt(searchParams.get('sslrootcert')),
    shown: `clickhouse://${user}@${hostname}${url.port ? `:${url.port}` : ''}/${database}`,
  }
  return address
}

/** Whether a text is the address of a ClickHouse. */
export function isClickHouseUrl(text: string): boolean {
  return text.startsWith('clickhouse://')
}

const NEAR = /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/

function toUrl(text: string): URL {
  try {
    // A scheme that is not special would leave hosts and numbers as they were written.
    const url = new URL(text.replace(/^clickhouse:/, 'http:'))
    // The usual port of http would be taken for none.
    if (isClickHouseUrl(text) && url.hostname !== '') return url
  } catch {
    // Said below; the text itself may hold a password.
  }
  throw bad('The address of the team store cannot be read.', HINT)
}

function caAt(path: string | null): Buffer | undefined {
  if (path === null) return undefined
  try {
    return readFileSync(path)
  } catch (cause) {
    throw new SinkTrouble(`The certificate authority at ${path} cannot be read.`, { passes: false, cause })
  }
}

function bad(message: string, hint: string): SinkTrouble {
  return new SinkTrouble(message, { passes: false, hint })
}
