import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { SinkTrouble } from '../../sink.ts'

/** Where a PostgreSQL is, who asks, and how the way there is protected. */
export interface Address {
  /** A host, or the folder of a unix socket. */
  readonly host: string
  readonly port: number
  readonly isSocket: boolean
  readonly database: string
  readonly user: string
  readonly password: string | undefined
  /** Whom the user acts as, if not as themselves. */
  readonly role: string | undefined
  /** `false` only where the connection does not leave the machine. */
  readonly ssl:
    | false
    | { readonly ca?: Buffer; readonly servername?: string; readonly host?: string; readonly rejectUnauthorized: true }
  /** The address without its password, for people. */
  readonly shown: string
}

/** What stands in for what the address leaves out; only `cli/` knows the environment it may come from. */
export interface AddressDefaults {
  readonly user?: string | undefined
  readonly password?: string | undefined
  readonly database?: string | undefined
  /** Lines of a `.pgpass`: host:port:database:user:password, with `*` for any. */
  readonly passwords?: string | undefined
}

const HINT =
  'Write postgres://USER@HOST/DATABASE, or postgres:///DATABASE?host=/FOLDER for a unix socket. The password is best left to PGPASSWORD.'

/** Reads `postgres://…`. Off this machine the server must prove who it is: `sslmode=disable` and its kin are refused. */
export function readAddress(text: string, defaults: AddressDefaults = {}): Address {
  const url = toUrl(text)
  const asked = url.searchParams.get('host')
  const host = asked ?? (decoded(url.hostname) || 'localhost')
  const isSocket = host.startsWith('/')
  const port = Number(url.searchParams.get('port') ?? (url.port || 5432))
  const user = decoded(url.username) || (url.searchParams.get('user') ?? defaults.user)
  if (!user) throw new SinkTrouble('The address of the team store names no user.', { passes: false, hint: HINT })
  const database = decoded(url.pathname.slice(1)) || (defaults.database ?? user)
  const bare = host.replace(/^\[|\]$/g, '')
  const asker = [isSocket ? 'localhost' : bare, String(port), database, user]
  const password = decoded(url.password) || defaults.password || passwordFrom(defaults.passwords ?? '', asker)
  const role = url.searchParams.get('role') ?? undefined
  const isNear = isSocket || bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'))
  return {
    host: bare,
    port,
    isSocket,
    database,
    user,
    password: password || undefined,
    role,
    ssl: sslOf(url, bare, isNear),
    shown: shownAddress({ host, port, isSocket, database, user, role }),
  }
}

type ShownAddress = Pick<Address, 'host' | 'port' | 'isSocket' | 'database' | 'user' | 'role'>

function shownAddress({ host, port, isSocket, database, user, role }: ShownAddress): string {
  const server = isSocket ? 'localhost' : `${host}${port === 5432 ? '' : `:${port}`}`
  const asked = [...(isSocket ? [`host=${host}`] : []), ...(role === undefined ? [] : [`role=${role}`])]
  return `postgres://${user}@${server}/${database}${asked.length > 0 ? `?${asked.join('&')}` : ''}`
}

/** Whether a text is the address of a PostgreSQL. */
export function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text)
}

/** The password of the first line that fits; a colon or backslash in a field has a backslash before it. */
function passwordFrom(lines: string, asker: readonly string[]): string | undefined {
  for (const line of lines.split('\n')) {
    if (line.startsWith('#')) continue
    const fields = (line.match(/(?:\\.|[^:\\])+|(?<=:)(?=:|$)/g) ?? []).map((field) => field.replace(/\\(.)/g, '$1'))
    if (fields.length === 5 && asker.every((value, at) => fields[at] === '*' || fields[at] === value)) return fields[4]
  }
  return undefined
}

function toUrl(text: string): URL {
  try {
    if (isPostgresUrl(text)) {
      // A URL whose scheme is not special may have no host at all: that is a unix socket, or this machine.
      const url = new URL(text.replace(/^postgres(ql)?:\/\/([^/?#]*@)?(?=[/?#]|$)/, 'postgres://$2localhost'))
      decoded(url.username + url.password + url.hostname + url.pathname)
      return url
    }
  } catch {
    // Said below; the text itself may hold a password.
  }
  throw new SinkTrouble('The address of the team store cannot be read.', { passes: false, hint: HINT })
}

function sslOf(url: URL, host: string, isNear: boolean): Address['ssl'] {
  const mode = url.searchParams.get('sslmode')
  const root = url.searchParams.get('sslrootcert')
  const isWeak = mode !== null && !['require', 'verify-ca', 'verify-full'].includes(mode)
  if (!isNear && isWeak) {
    const hint = 'Leave sslmode out. A certificate authority of your own is named with sslrootcert=FILE.'
    throw new SinkTrouble(`sslmode=${mode} would let others on the way to ${host} read along.`, { passes: false, hint })
  }
  if (isNear && (mode === null || isWeak)) return false
  const ca = root === null || root === 'system' ? {} : { ca: readCa(root) }
  // Without a name to compare with, a certificate for `localhost` would do for any number.
  return { ...ca, ...(isIP(host) === 0 ? { servername: host } : { host }), rejectUnauthorized: true }
}

function readCa(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    throw new SinkTrouble(`The certificate authority at ${path} cannot be read.`, { passes: false, cause })
  }
}

function decoded(text: string): string {
  return decodeURIComponent(text)
}
