import { spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** A PostgreSQL of our own in a temporary folder, which listens on a unix socket there and nowhere else. */
export interface Cluster {
  readonly folder: string
  /** The address of a database, as the owner of everything or as somebody else. */
  url(database?: string, user?: string): string
  /** Runs SQL as the owner; gives what psql prints. */
  psql(text: string, database?: string): string
  start(): void
  stop(mode?: 'fast' | 'immediate'): void
  /** Stops it and leaves nothing behind. */
  remove(): void
}

/** Where the programs of PostgreSQL lie; `undefined` where they are not installed. */
export function findPostgres(path: string): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...path.split(delimiter)]
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl')))
}

/** Makes and starts a cluster. It refuses to run as root, so root lends it another user. */
export function startCluster(bin: string, settings: Readonly<Record<string, string>> = {}): Cluster {
  const folder = mkdtempSync(join(tmpdir(), 'annals-pg-'))
  const owner = process.getuid?.() === 0 ? otherUser() : undefined
  if (owner) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  const run = (program: string, args: readonly string[], input?: string): string => {
    // The server inherits what it is started with: a pipe would never end.
    const stdio = program === 'pg_ctl' ? 'ignore' : 'pipe'
    const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
    const { status, stdout, stderr, error } = spawnSync(join(bin, program), [...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio,
      env,
      ...(input !== undefined && { input }),
      ...owner,
    })
    if (status === 0) return stdout ?? ''
    const log = program === 'pg_ctl' && existsSync(join(folder, 'log')) ? readFileSync(join(folder, 'log'), 'utf8') : ''
    throw new Error(`${program} failed: ${error?.message ?? ''}${stderr ?? ''}${log.slice(-2000)}`)
  }
  const start = () => {
    run('pg_ctl', ['-D', data, '-l', join(folder, 'log'), '-w', '-t', '120', 'start'])
  }
  const stop = (mode = 'fast') => {
    run('pg_ctl', ['-D', data, '-w', '-t', '120', '-m', mode, 'stop'])
  }
  const remove = () => {
    try {
      if (existsSync(join(data, 'postmaster.pid'))) stop('immediate')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  try {
    run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--locale=C'])
    const all = {
      listen_addresses: '',
      unix_socket_directories: folder,
      fsync: 'off',
      max_connections: '60',
      ...settings,
    }
    const lines = Object.entries(all).map(([key, value]) => `${key} = '${value}'`)
    writeAs(join(data, 'postgresql.auto.conf'), `${lines.join('\n')}\n`)
    start()
  } catch (error) {
    remove()
    throw error
  }
  return {
    folder,
    url: (database = 'postgres', user = 'postgres') =>
      `postgres://${user}@localhost/${database}?host=${encodeURIComponent(folder)}`,
    psql: (text, database = 'postgres') =>
      run(
        'psql',
        ['-h', folder, '-U', 'postgres', '-d', database, '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1'],
        text,
      ),
    start,
    stop,
    remove,
  }

  function writeAs(path: string, text: string): void {
    spawnSync('sh', ['-c', 'cat > "$1"', 'sh', path], { input: text, ...owner })
  }
}

/** The user of the package, or nobody. */
function otherUser(): { readonly uid: number; readonly gid: number } {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  const line = ['postgres', 'nobody'].flatMap((name) => lines.find((one) => one.startsWith(`${name}:`)) ?? [])[0]
  const [, , uid, gid] = (line ?? '::65534:65534').split(':')
  return { uid: Number(uid), gid: Number(gid) }
}
