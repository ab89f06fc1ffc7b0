import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** Whether somebody asks for runs of the real client: it downloads some 100 MB and is a program that is not ours. */
export const isAsked = process.env.ANNALS_REAL_CLIENT === '1'

/** Installs a version of the client below a folder, unless it is there, and gives what starts it. No script of the package is run. */
export function installClient(version: string, folder: string, home: string): readonly string[] {
  const at = join(folder, version)
  const client = join(at, 'node_modules/@anthropic-ai/claude-code')
  if (!existsSync(client)) {
    const options = ['--prefix', at, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save']
    const env = { PATH: process.env.PATH, HOME: home, ...proxies() }
    execFileSync('npm', ['install', ...options, `@anthropic-ai/claude-code@${version}`], { stdio: 'pipe', env })
  }
  // Its launcher needs no script; older ones are one file.
  const launcher = ['cli-wrapper.cjs', 'cli.js'].map((name) => join(client, name)).find(existsSync) as string
  return [process.execPath, launcher]
}

/** What the client is started with: a root of its own, the stand-in, and nothing of this machine. */
export function clientEnv(root: string, home: string, url: string): Readonly<Record<string, string>> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    CLAUDE_CONFIG_DIR: root,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-ant-stand-in-0123456789abcdefghij',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
  }
}

/** npm needs what this machine reaches the registry by. */
function proxies(): Record<string, string> {
  const wanted = /^(?:https?_proxy|no_proxy|npm_config_.*|node_extra_ca_certs|ssl_cert_file)$/i
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => wanted.test(name))) as Record<string, string>
}

/** A stand-in for the API, on loopback. */
export interface StandIn {
  readonly url: string
  /** The bodies that messages were asked for with. */
  readonly requests: string[]
  close(): Promise<void>
}

/** Answers on loopback as the API does, with the same few words whatever it is asked. */
export async function startStandIn(): Promise<StandIn> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString()
      if (!request.url?.startsWith('/v1/messages') || request.url.includes('count_tokens')) {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":1}')
        return
      }
      requests.push(body)
      const isStream = /"stream":\s*true/.test(body)
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
      response.end(isStream ? events() : JSON.stringify({ ...MESSAGE, content: [{ type: 'text', text: REPLY }] }))
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, requests, close: () => closed(server) }
}

/** What it answers. */
export const REPLY = 'xyzzyreply'
const MESSAGE = {
  id: 'msg_01standin',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
}

function events(): string {
  const parts: readonly (readonly [string, object])[] = [
    ['message_start', { message: { ...MESSAGE, stop_reason: null } }],
    ['content_block_start', { index: 0, content_block: { type: 'text', text: '' } }],
    ['content_block_delta', { index: 0, delta: { type: 'text_delta', text: REPLY } }],
    ['content_block_stop', { index: 0 }],
    ['message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 1 } }],
    ['message_stop', {}],
  ]
  return parts.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`).join('')
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((done) => server.close(() => done()))
}

/** How a program is run. */
export interface Run {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** Runs a program beside this one: the stand-in has to answer meanwhile. */
export function run(program: string, { args, cwd, env }: Run) {
  return new Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>(
    (done, failed) => {
      const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 240_000 })
      let stdout = ''
      let stderr = ''
      child.stdout.on('data', (piece: Buffer) => {
        stdout += piece
      })
      child.stderr.on('data', (piece: Buffer) => {
        stderr += piece
      })
      child.on('error', failed)
      child.on('close', (code) => done({ code, stdout, stderr }))
    },
  )
}
