import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../core/failure.ts'
import type { Access, TeamStore } from '../history/context.ts'
import type { Command } from '../ops/op.ts'
import type { Environment } from './environment.ts'
import type { Parsed } from './flags.ts'

/** The team store that a command is to work on: named, or of the environment where that is enough. */
export function storeOf(op: Command, { globals }: Parsed, env: Environment, access: Access): TeamStore | undefined {
  const named = globals.store as string | undefined
  if (named !== undefined && op.teamStore === undefined) {
    throw new Failure('USAGE', `annals ${op.name} works on this machine alone, not on a team store.`)
  }
  const isEnough = op.teamStore === 'read' || op.teamStore === 'itself'
  const url = named ?? (isEnough ? env.ANNALS_STORE || undefined : undefined)
  if (url === undefined) return undefined
  const isKnown = op.teamStore !== 'itself' ? /^(postgres(ql)?|clickhouse):\/\// : /^postgres(ql)?:\/\//
  if (!isKnown.test(url)) {
    const other = op.teamStore !== 'itself' ? ' or clickhouse://USER@HOST/DATABASE' : ''
    throw new Failure('USAGE', `A team store is named postgres://USER@HOST/DATABASE${other}.`)
  }
  if (named !== undefined && /:\/\/[^/@]*:[^/@]*@/.test(named)) {
    throw new Failure('USAGE', 'A password in --store can be read by everyone on this machine.', {
      hint: 'Leave it out and set PGPASSWORD or CLICKHOUSE_PASSWORD, write it into ~/.pgpass, or put the whole address into ANNALS_STORE.',
    })
  }
  return { url, access }
}

/** The lines of `~/.pgpass`, which PostgreSQL's own clients take only where nobody else can read it. */
export function passwordsOf(env: Environment, home: string): string | undefined {
  const path = env.PGPASSFILE || join(home, '.pgpass')
  try {
    return process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0 ? undefined : readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** A secret that the system hands to a service as a file, as systemd and containers do: it bears the name that a variable would. */
export function credentialOf(env: Environment, name: string): string | undefined {
  if (!env.CREDENTIALS_DIRECTORY) return undefined
  try {
    return readFileSync(join(env.CREDENTIALS_DIRECTORY, name), 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}
