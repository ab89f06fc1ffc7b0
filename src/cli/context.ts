import { homedir } from 'node:os'
import { managedSettingsFile } from '../collector/managed-files.ts'
import type { OpenStore } from '../collector/team/open-store.ts'
import { Failure } from '../core/failure.ts'
import { Library } from '../disk/library.ts'
import type { Warning } from '../disk/warning.ts'
import { openLibrary } from '../history/compose.ts'
import type { Access, Context } from '../history/context.ts'
import { importedRoots } from '../history/imported-roots.ts'
import type { Command } from '../ops/op.ts'
import { removeDeadDrafts } from '../state/drafts.ts'
import { ourFolders } from '../state/folders.ts'
import { currentSessionOf, type Environment, localZone, rootsOf } from './environment.ts'
import type { Parsed } from './flags.ts'
import { writeBytes, writeNote } from './output.ts'
import { credentialOf, passwordsOf, storeOf } from './team.ts'
import { isTerminal } from './terminal/is-terminal.ts'
import { createProgress, type Progress } from './terminal/progress.ts'
import { plain } from './terminal/sanitize.ts'
import { VERSION } from './version.ts'
import { openWatchdog } from './watchdog.ts'

/** Names and secrets for ways to others. */
export function accessOf(env: Environment, home = homedir()): Access {
  const secret = (name: string) => env[name] || credentialOf(env, name)
  return {
    collectToken: secret('ANNALS_COLLECT_TOKEN'),
    collectKey: secret('ANNALS_COLLECT_KEY'),
    user: env.PGUSER || env.USER || env.USERNAME || undefined,
    password: secret('PGPASSWORD'),
    database: env.PGDATABASE || undefined,
    clickhousePassword: secret('CLICKHOUSE_PASSWORD'),
    passwords: passwordsOf(env, home),
    s3: {
      accessKeyId: env.AWS_ACCESS_KEY_ID || undefined,
      secretAccessKey: env.AWS_SECRET_ACCESS_KEY || undefined,
      sessionToken: env.AWS_SESSION_TOKEN || undefined,
      region: env.AWS_REGION || env.AWS_DEFAULT_REGION || undefined,
      endpoint: env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL || undefined,
    },
    carried: Object.fromEntries(CARRIED.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
  }
}

const CARRIED = ['PGUSER', 'PGDATABASE', 'PGPASSFILE', 'NODE_EXTRA_CA_CERTS', 'ANNALS_MANAGED_SETTINGS']

/** The managed settings of the machine, and one more file that the environment names: limits add up, so it can only set more. */
function managedSettingsOf(env: Environment): readonly string[] {
  const named = env.ANNALS_MANAGED_SETTINGS
  return [managedSettingsFile(process.platform, env.ProgramData), ...(named ? [named] : [])]
}

const NOBODY = { write: () => {} }

/** What an operation works with, as the command line says. */
export function contextOf(op: Command, parsed: Parsed, warnings: Warning[], team?: OpenStore): Context {
  const { globals } = parsed
  const home = homedir()
  const now = new Date()
  const open = (label: string, total: number) => {
    const isTty = globals.json !== true && isTerminal(2)
    return createProgress(isTty ? process.stderr : NOBODY, { isTty, label, total, now: () => performance.now() })
  }
  let progress: { readonly label: string; readonly line: Progress } | undefined
  const warn = (warning: Warning) => {
    const isKnown = warnings.some((one) => one.file === warning.file && one.message === warning.message)
    if (!isKnown) warnings.push(warning)
  }
  const named = (globals.root as string[] | undefined) ?? []
  const folders = ourFolders(process.env, home)
  const cacheDir = globals['no-index'] ? undefined : folders.cacheDir
  const { dataDir } = folders
  // A killed import or export leaves bytes of sessions: whoever starts next removes them. `doctor` tells of them.
  if (op.name !== 'doctor') removeDeadDrafts(dataDir)
  const access = accessOf(process.env)
  let library: Library | undefined
  return {
    // Opened when it is asked for: checking a file needs no root.
    get library() {
      if (team) return team.library
      library ??= usualLibrary(
        () => rootsOf(named, process.env, home, importedRoots(dataDir)),
        (roots) => openLibrary(roots, warn, dataDir, cacheDir),
      )
      return library
    },
    now,
    localZone: () => localZone(process.env),
    cwd: process.cwd(),
    home,
    configDir: folders.configDir,
    managedSettings: managedSettingsOf(process.env),
    cacheDir,
    dataDir,
    version: VERSION,
    program: [process.execPath, ...process.argv.slice(1, 2)],
    get confirm() {
      return asker() && confirmOnTerminal
    },
    output: globals.json === true ? undefined : writeBytes,
    store: storeOf(op, parsed, process.env, access),
    remote: team?.remote,
    access,
    currentSession: currentSessionOf(process.env, globals.hook === true),
    warn,
    openWatchdog,
    progress: (done, total, stage) => {
      const label = stage ? `${op.name}: ${stage}` : op.name
      if (progress?.label !== label) progress = { label, line: open(label, total) }
      if (done < total) progress.line.update(done)
      else progress.line.finish()
    },
  }
}

/** Without any root, files that are named can still be read. */
function usualLibrary(rootsOf: () => readonly string[], open: (roots: readonly string[]) => Library): Library {
  let roots: readonly string[]
  try {
    roots = rootsOf()
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'NO_ROOT') throw error
    return new Library({ roots: [], missing: error })
  }
  return open(roots)
}

async function confirmOnTerminal(question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await askOnTerminal(`${plain(question)} [y/N] `)).trim())
}

/** What asks the person at the terminal; `undefined` where nobody sits there. */
export function asker(): ((question: string) => Promise<string>) | undefined {
  return isTerminal(0) && isTerminal(2) ? askOnTerminal : undefined
}

/** Asks on the terminal. The end of input (Ctrl-D) is an empty answer; Ctrl-C ends the program, as it does everywhere else. */
async function askOnTerminal(question: string): Promise<string> {
  const { createInterface } = await import('node:readline')
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  return new Promise((resolve) => {
    const end = () => {
      writeNote('\n')
      resolve('')
    }
    asking.on('close', end)
    asking.on('SIGINT', () => {
      writeNote('\n')
      process.exit(130)
    })
    asking.question(question, (answer) => {
      asking.off('close', end).close()
      resolve(answer)
    })
  })
}
