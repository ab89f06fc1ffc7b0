import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../core/failure.ts'
import type { Warning } from '../disk/warning.ts'
import type { Access, TeamStore } from '../history/context.ts'
import type { Environment } from './environment.ts'
import type { Parsed } from './flags.ts'

/** Commands that answer from a team store. */
const READING = new Set(
  'sessions search show outline read find tree context agents projects prompts plans todos files stats memory usage receipt record serve export'.split(
    ' ',
  ),
)
/** Commands that change one; they must be told so each time. */
const CHANGING = new Set(['purge', 'team'])

/** The team store that a command is to work on: named, or for commands that read, of the environment. */
export function storeOf(name: string, { globals }: Parsed, env: Environment, access: Access): TeamStore | undefined {
  const named = globals.store as string | undefined
  const isAllowed = READING.has(name) || CHANGING.has(name)
  if (named !== undefined && !isAllowed) {
    throw new Failure('USAGE', `annals ${name} works on this machine alone, not on a team store.`)
  }
  const url = named ?? (READING.has(name) || name === 'team' ? env.ANNALS_STORE || undefined : undefined)
  if (url === undefined) return undefined
  if (!/^postgres(ql)?:\/\//.test(url)) {
    throw new Failure('USAGE', 'A team store is named postgres://USER@HOST/DATABASE.')
  }
  if (named !== undefined && /:\/\/[^/@]*:[^/@]*@/.test(named)) {
    throw new Failure('USAGE', 'A password in --store can be read by everyone on this machine.', {
      hint: 'Leave it out and set PGPASSWORD, write it into ~/.pgpass, or put the whole address into ANNALS_STORE.',
    })
  }
  return { url, access }
}

/** Roots that hold what one may see of a team store, and where their index lies. */
export interface TeamRoots {
  readonly roots: readonly string[]
  readonly cacheDir: string
}

/** Copies what is new in the store. */
export async function teamRoots(
  store: TeamStore,
  {
    input,
    cacheDir,
    warnings,
  }: { readonly input: Parsed['input']; readonly cacheDir: string; readonly warnings: Warning[] },
): Promise<TeamRoots> {
  const { openTeam } = await import('../collector/team/roots.ts')
  const { momentOf } = await import('../core/usage/moment.ts')
  const now = new Date()
  const since = typeof input.since === 'string' ? momentOf(input.since, now) : undefined
  const { roots, indexDir } = await openTeam(store, { cacheDir, now, since, warn: (one) => warnings.push(one) })
  return { roots, cacheDir: indexDir }
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
