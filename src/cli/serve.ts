import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../core/failure.ts'
import type { Static } from '../core/schema.ts'
import { openLibrary } from '../history/compose.ts'
import type { TeamStore } from '../history/context.ts'
import { findSession } from '../history/find.ts'
import { importedRoots } from '../history/imported-roots.ts'
import { serve } from '../ops/serve.ts'
import type { Setup } from '../server/op-runner.ts'
import { isLoopback, type RunningServer, startServer } from '../server/server.ts'
import { ourFolders } from '../state/folders.ts'
import { makePrivateFolder } from '../state/private-file.ts'
import { openBrowser } from './browser.ts'
import { accessOf } from './context.ts'
import { type Demo, makeDemo } from './demo.ts'
import { currentSessionOf, rootsOf, usualRoots } from './environment.ts'
import type { Parsed } from './flags.ts'
import { writeJson, writeText } from './output.ts'
import { storeOf } from './team.ts'
import { plain } from './terminal/sanitize.ts'
import { untilStopped } from './until-stopped.ts'
import { VERSION } from './version.ts'

/** Serves the web app until it is stopped. */
export async function runServe(parsed: Parsed): Promise<number> {
  const { globals } = parsed
  const input = parsed.input as ServeInput
  const stopped = untilStopped()
  const store = input.demo ? undefined : storeOf(serve, parsed, process.env, accessOf(process.env))
  const roots = input.demo ? [] : store ? [nowhere()] : historyRoots((globals.root as string[] | undefined) ?? [])
  const demo = roots.length === 0 ? await makeDemo(new Date()) : undefined
  let server: RunningServer | undefined
  try {
    const setup = withStore(setupOf(roots, demo, globals['no-index'] === true), store)
    const path = input.session === undefined ? '/' : `/s/${encodeURIComponent(await idOf(setup, input.session))}`
    server = await startServer({
      setup,
      version: VERSION,
      demo: demo !== undefined,
      port: input.port,
      host: input.host,
      stateDir: demo ? undefined : ourFolders(process.env, homedir()).dataDir,
      signOut: input['new-token'],
      onTrouble: (text) => process.stderr.write(`${plain(text)}\n`),
      onBug: (text) => process.stderr.write(`This is a bug in annals ${VERSION}; please report it.\n${plain(text)}\n`),
    })
    await announce(server, path, input, globals.json === true, demo !== undefined)
    return await stopped
  } finally {
    await server?.close()
    demo?.remove()
  }
}

/** An empty root of our own, for a server that reads no logs of this machine. */
function nowhere(): string {
  const folder = join(ourFolders(process.env, homedir()).cacheDir, 'team', 'none')
  makePrivateFolder(folder)
  return folder
}

/** A team store is read where it lies: nothing is watched, kept or indexed here. */
function withStore(setup: Setup, store: TeamStore | undefined): Setup {
  const { cacheDir } = ourFolders(process.env, homedir())
  return store ? { ...setup, cacheDir: undefined, dataDir: undefined, store: { ...store, cacheDir } } : setup
}

type ServeInput = Static<typeof serve.input>

/** The person's roots; none where there is no history to show. A root that was named is taken as it is. */
function historyRoots(named: readonly string[]): readonly string[] {
  const home = homedir()
  if (named.length > 0) return named
  const roots = process.env.CLAUDE_CONFIG_DIR ? rootsOf([], process.env, home) : usualRoots(home)
  const imported = importedRoots(ourFolders(process.env, home).dataDir)
  const found = [...roots.filter((root) => existsSync(join(root, 'projects'))), ...imported]
  if (found.length > 0) return found
  process.stderr.write(
    `There is no Claude Code history in ${roots.join(' or ')}.\nThis is a made-up history, to show what annals does.\n`,
  )
  return []
}

function setupOf(roots: readonly string[], demo: Demo | undefined, noIndex: boolean): Setup {
  const home = homedir()
  const cacheDir = demo ? demo.cacheDir : noIndex ? undefined : ourFolders(process.env, home).cacheDir
  return {
    roots: demo ? [demo.root] : roots,
    cwd: process.cwd(),
    home,
    configDir: ourFolders(process.env, home).configDir,
    cacheDir,
    dataDir: demo ? undefined : ourFolders(process.env, home).dataDir,
    currentSession: currentSessionOf(process.env, false),
  }
}

/** The id of the session that is meant, so that a wrong name is told here and not in the browser. */
async function idOf(setup: Setup, name: string): Promise<string> {
  const nothing = () => {}
  const { store } = setup
  const opened =
    store && (await (await import('../collector/team/open-store.ts')).openStore(store, store.cacheDir, nothing))
  const library = opened?.library ?? openLibrary(setup.roots, nothing, setup.dataDir, setup.cacheDir)
  try {
    const remote = opened?.remote
    const context = { ...setup, library, remote, now: new Date(), warn: nothing, progress: nothing }
    const found = await findSession(context, name)
    if (found.library === library) return found.agent ? `agent-${found.agent.id}` : found.files.id
    const hint = 'Name its root with --root, or read it with `annals show`.'
    throw new Failure('CANNOT_RUN', `${name} is not in a folder that is served.`, { hint })
  } finally {
    opened?.remote.close()
    library.close()
  }
}

async function announce(
  server: RunningServer,
  path: string,
  input: ServeInput,
  isJson: boolean,
  isDemo: boolean,
): Promise<void> {
  const url = server.launchUrl(path)
  if (input.host !== undefined && !isLoopback(input.host)) {
    process.stderr.write(
      `Others can reach this at ${plain(input.host)}, port ${server.port}. What is sent is not encrypted: anyone on the network can read it.\n`,
    )
  }
  if (isJson) {
    writeJson('serve', { url, token: server.token, pid: process.pid, demo: isDemo })
    return
  }
  await writeText([url, '  The link works once, in one browser. Ctrl-C stops.'], { noPager: true })
  if (!input['no-open'] && process.stdout.isTTY) openBrowser(server.launchUrl(path))
}
