import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningServer, type ServerLimits, startServer } from '../../src/server/server.ts'
import { writeDemoRoot } from '../../src/testing/index.ts'

/** A server on a demo root, in this process, with a web app of three small files. */
export interface Served {
  readonly server: RunningServer
  readonly folder: string
  readonly root: string
  readonly origin: string
  /** Asks as a program does, with the token. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>
  /** Paths of all routes, names filled in. */
  readonly routes: readonly { readonly method: string; readonly path: string }[]
  /** Fails where the server met what nobody foresaw. */
  remove(): Promise<void>
}

export async function serveDemo(limits: Partial<ServerLimits> = {}): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-server-'))
  const root = join(folder, 'root')
  const webDir = join(folder, 'web')
  writeDemoRoot(root, new Date())
  mkdirSync(join(webDir, 'assets'), { recursive: true })
  writeFileSync(join(webDir, 'index.html'), '<!doctype html><title>the app</title>')
  writeFileSync(join(webDir, 'icon.svg'), '<svg/>')
  writeFileSync(join(webDir, 'assets', 'index-Ab12.js'), 'export {}')
  const cacheDir = join(folder, 'cache')
  const bugs: string[] = []
  const setup = { roots: [root], cwd: folder, home: folder, configDir: folder, cacheDir, currentSession: undefined }
  const server = await startServer({
    setup,
    version: '1.2.3',
    demo: true,
    port: 0,
    webDir,
    limits,
    onBug: (text) => bugs.push(text),
  })
  const origin = `http://127.0.0.1:${server.port}`
  return {
    server,
    folder,
    root,
    origin,
    routes: server.routes.map(({ method, path }) => ({ method, path: path.replace(/:\w+/g, 'last') })),
    get: (path, headers = {}) =>
      fetch(origin + path, { headers: { Authorization: `Bearer ${server.token}`, ...headers }, redirect: 'manual' }),
    async remove() {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
      if (bugs.length > 0) throw new Error(bugs.slice(0, 3).join('\n'))
    },
  }
}

/** What came back over a bare socket. */
export interface RawAnswer {
  readonly status: number
  readonly head: string
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
}

/** Sends lines as they are, for requests that no client would send. Reads until the other end closes; of a stream, its head. */
export function sendRaw(port: number, lines: readonly string[], options: { isStream?: boolean } = {}) {
  return new Promise<RawAnswer>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    let text = ''
    const done = () => {
      socket.destroy()
      resolve(parsed(text))
    }
    const timer = setTimeout(done, 30_000)
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      if (options.isStream && text.includes('\r\n\r\n')) done()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      done()
    })
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  })
}

function parsed(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  return { status: Number(first.split(' ')[1] ?? 0), head, headers, text: rest.join('\r\n\r\n') }
}

/** Runs jobs, some at a time. */
export async function inParallel<T>(jobs: readonly T[], run: (job: T) => Promise<void>, width = 20): Promise<void> {
  const left = [...jobs]
  const worker = async () => {
    for (let job = left.shift(); job !== undefined; job = left.shift()) await run(job)
  }
  await Promise.all(Array.from({ length: width }, worker))
}

/** The cookie that a launch address is worth. */
export async function cookieFor(served: Served, path = '/'): Promise<string> {
  const answer = await fetch(served.server.launchUrl(path), { redirect: 'manual' })
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] as string
}

/** What an answer says. */
export async function jsonOf(answer: Response | Promise<Response>) {
  return JSON.parse(await (await answer).text())
}
