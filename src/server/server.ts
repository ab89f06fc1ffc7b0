import { existsSync } from 'node:fs'
import type { Server } from 'node:http'
import { availableParallelism, hostname, networkInterfaces } from 'node:os'
import { fileURLToPath } from 'node:url'
import { readAssets } from './assets.ts'
import { openEvents } from './events.ts'
import { openFirstScreen } from './first-screen.ts'
import { freshPool } from './fresh-pool.ts'
import { openGate } from './gate.ts'
import { Keys } from './keys.ts'
import { type Limits, listen, USUAL_PORT } from './listen.ts'
import { type Setup, servedOps } from './op-runner.ts'
import { appOf, type Route, routesOf } from './routes.ts'
import { signedInFile } from './signed-in.ts'
import { openWorkerPool } from './worker-pool.ts'
import type { WriterEvent } from './writer.ts'
import { startWriter } from './writer-thread.ts'

export interface ServerOptions {
  readonly setup: Setup
  readonly version: string
  /** Whether what is served was made up. */
  readonly demo: boolean
  readonly port?: number | undefined
  /** An address other than loopback; then whoever reaches it may knock. */
  readonly host?: string | undefined
  /** Where the built web app lies; by default beside this file. */
  readonly webDir?: string | undefined
  readonly limits?: Partial<ServerLimits> | undefined
  /** Where it is written down which browsers are signed in; without it, they are until the server ends. */
  readonly stateDir?: string | undefined
  /** Browsers that were signed in before are no longer. */
  readonly signOut?: boolean | undefined
  /** Hears, in a sentence, of what does not work and is done without. */
  readonly onTrouble?: (text: string) => void
  /** Hears of what nobody foresaw. */
  readonly onBug?: (text: string) => void
}

export interface ServerLimits extends Limits {
  readonly answerMs: number
  readonly streams: number
  readonly keepAliveMs: number
}

/** A server that listens. */
export interface RunningServer {
  readonly port: number
  /** For programs: `Authorization: Bearer <token>`. */
  readonly token: string
  readonly routes: readonly Pick<Route, 'method' | 'path'>[]
  /** An address for one browser, with a code that works once. */
  launchUrl(path?: string): string
  close(): Promise<void>
}

const LIMITS: ServerLimits = {
  headMs: 10_000,
  requestMs: 15_000,
  idleMs: 150_000,
  headBytes: 16 * 1024,
  connections: 1000,
  halfSent: 100,
  answerMs: 120_000,
  streams: 32,
  keepAliveMs: 15_000,
}

const LOOPBACK = { addresses: ['127.0.0.1', '::1'], names: ['127.0.0.1', 'localhost', '[::1]'] }

/** Whether a host is this machine's own, which nobody else can reach. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.addresses.includes(host) || LOOPBACK.names.includes(host)
}

/** Starts the server: the operations and the web app, for who has a token, on loopback unless told otherwise. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { setup, version, demo, host, onTrouble = () => {}, onBug = () => {} } = options
  const limits = { ...LIMITS, ...options.limits }
  const isLocal = host === undefined || isLoopback(host)
  const names = isLocal ? LOOPBACK.names : [...LOOPBACK.names, ...namesOf(host)]
  const keys = new Keys()
  const script = workerScript()
  const ops = await servedOps()
  function hear(event: WriterEvent): void {
    // Before anybody is told of something, it can be asked for.
    fresh.hear(event)
    events.hear(event)
  }
  const onLost = (bug: string) => {
    onBug(bug)
    events.closeStreams()
  }
  const writer = startWriter(setup, { script, tell: hear, onLost })
  const events = openEvents({ writer, mostStreams: limits.streams, keepAliveMs: limits.keepAliveMs })
  const pool = openWorkerPool(setup, {
    script,
    threads: Math.min(4, Math.max(2, availableParallelism())),
    timeLimitMs: limits.answerMs,
    longOps: new Set(ops.filter(({ effort }) => effort === 'long').map(({ name }) => name)),
    onProgress: events.progress,
  })
  const assets = readAssets(options.webDir ?? fileURLToPath(new URL('./web/', import.meta.url)))
  const about = { version, demo, roots: setup.roots }
  const fresh = freshPool(pool)
  const first = openFirstScreen(fresh)
  const routes = routesOf({
    ops,
    pool: fresh,
    first,
    events,
    keys,
    assets,
    about,
    onBug,
    writer,
    dataDir: setup.dataDir,
  })
  const app = appOf(routes, onBug)
  const handle = openGate({ names, keys }, (request, bindings) => app.fetch(request, bindings))

  try {
    const { port, servers } = await listen(isLocal ? LOOPBACK.addresses : [host], options.port, limits, handle)
    // What is sent over a network can be read on the way, and a port that was free by chance is another one tomorrow.
    const isLasting = isLocal && port === (options.port ?? USUAL_PORT)
    if (options.stateDir !== undefined && isLasting) {
      const file = signedInFile(options.stateDir, port, onTrouble)
      if (options.signOut) file.forget()
      keys.remember(file)
    }
    const shown = isLocal || isEverywhere(host) ? '127.0.0.1' : bracketed(host)
    return {
      port,
      token: keys.token,
      routes: routes.map(({ method, path }) => ({ method, path })),
      launchUrl: (path = '/') => `http://${shown}:${port}${path}?code=${keys.newCode()}`,
      async close() {
        events.close()
        await Promise.all([writer.close(), pool.close(), ...servers.map(stop)])
      },
    }
  } catch (error) {
    events.close()
    await Promise.all([writer.close(), pool.close()])
    throw error
  }
}

/** Threads run a built file; where there is none (in tests), this thread does the work. */
function workerScript(): string | undefined {
  const script = fileURLToPath(new URL('./server-worker.cjs', import.meta.url))
  return existsSync(script) ? script : undefined
}

/** What somebody outside may call this machine by. */
function namesOf(host: string): readonly string[] {
  if (!isEverywhere(host)) return [bracketed(host)]
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  return [hostname().toLowerCase(), ...own.map(({ address }) => bracketed(address))]
}

function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** Lets what is being sent come to its end, but not for long. */
async function stop(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), 300)
  await closed
  clearTimeout(timer)
}
