import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from '../../src/collector/sinks/postgres/cluster.ts'

const PORT = 6543
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
const program = folders.map((folder) => join(folder, 'pgbouncer')).find((path) => existsSync(path))

/** Whether PgBouncer is here, and what the names of tests say where it is not. */
export const hasPooler = program !== undefined
export const withoutPooler = hasPooler ? '' : ' (skipped: pgbouncer is not installed)'

/** A PgBouncer before a cluster, in transaction mode: each login has two connections to the server, however many clients there are. */
export interface Pooler {
  url(user: string, role?: string): string
  stop(): void
}

/** Starts one. It refuses to run as root, so it runs as the cluster does. */
export async function startPooler(cluster: Cluster, users: readonly string[]): Promise<Pooler> {
  const folder = join(cluster.folder, 'pooler')
  const { uid, gid } = statSync(cluster.folder)
  mkdirSync(folder)
  writeFileSync(join(folder, 'users'), users.map((user) => `"${user}" ""\n`).join(''))
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
postgres = host=${cluster.folder} dbname=postgres
[pgbouncer]
listen_addr =
unix_socket_dir = ${folder}
listen_port = ${PORT}
auth_type = trust
auth_file = ${join(folder, 'users')}
pool_mode = transaction
default_pool_size = 2
logfile = ${join(folder, 'log')}
`,
  )
  chownSync(folder, uid, gid)
  const child: ChildProcess = spawn(program as string, [join(folder, 'pgbouncer.ini')], { stdio: 'ignore', uid, gid })
  for (let tries = 0; !existsSync(join(folder, `.s.PGSQL.${PORT}`)); tries++) {
    if (tries > 600 || child.exitCode !== null) throw new Error(readFileSync(join(folder, 'log'), 'utf8'))
    await sleep(50)
  }
  const place = `host=${encodeURIComponent(folder)}&port=${PORT}`
  return {
    url: (user, role) => `postgres://${user}@localhost/postgres?${place}${role === undefined ? '' : `&role=${role}`}`,
    stop: () => void child.kill('SIGKILL'),
  }
}
