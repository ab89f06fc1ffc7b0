import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { log } from '../src/testing/index.ts'
import { annals } from './cli/annals.ts'

/** The client that this was last run with; the made log is written as this version writes it. */
const VERSION = '2.1.325'

// Downloads some 100 MB and runs a program that is not ours, so only where somebody asks for it.
const isAsked = process.env.ANNALS_REAL_CLIENT === '1'

describe.skipIf(!isAsked)('the real client (ANNALS_REAL_CLIENT=1 installs it and runs this)', () => {
  let folder = ''
  let standIn: StandIn

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'annals-real-client-')))
    // No script of the package is run; its launcher needs none.
    const at = ['--prefix', join(folder, 'client'), '--ignore-scripts', '--no-audit', '--no-fund', '--no-save']
    const env = { PATH: process.env.PATH, HOME: join(folder, 'home'), ...proxies() }
    execFileSync('npm', ['install', ...at, `@anthropic-ai/claude-code@${VERSION}`], { stdio: 'pipe', env })
    standIn = await startStandIn()
  }, 600_000)

  afterAll(async () => {
    await standIn?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('goes on with a session that was kept, lost and put back', async () => {
    const [first, second, project] = ['first', 'second', 'project'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    for (const name of ['home', 'second', 'project']) mkdirSync(join(folder, name), { recursive: true })
    const made = log({ version: VERSION, cwd: project })
    made.user('The word is xyzzyprompt.').assistant('I noted xyzzyanswer.')
    made.tool('Bash', { command: 'cat notes' }, { output: 'xyzzyoutput' }).assistant('Read it.')
    made.write(first)
    const env = { ANNALS_HOME: join(folder, 'annals') }
    expect(annals(['keep', '--root', first], { env })).toMatchObject({ code: 0 })
    rmSync(first, { recursive: true })
    mkdirSync(first)
    const restored = annals(['archive', 'restore', made.sessionId, '--to', second, '--root', first], { env })
    expect(restored, restored.stderr).toMatchObject({ code: 0 })

    const launcher = join(folder, 'client/node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs')
    const ran = await run(process.execPath, {
      args: [launcher, '--resume', made.sessionId, '-p', 'Which xyzzyquestion was it?'],
      cwd: project,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: join(folder, 'home'),
        CLAUDE_CONFIG_DIR: second,
        ANTHROPIC_BASE_URL: standIn.url,
        ANTHROPIC_API_KEY: 'not-a-key',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
      },
    })
    expect(ran, ran.stderr).toMatchObject({ code: 0 })
    expect(ran.stdout).toContain('xyzzyreply')
    const asked = standIn.requests.find((body) => body.includes('xyzzyquestion')) ?? ''
    for (const word of ['xyzzyprompt', 'xyzzyanswer', 'xyzzyoutput']) expect(asked).toContain(word)
  }, 300_000)
})

/** npm needs what this machine reaches the registry by. */
function proxies(): Record<string, string> {
  const wanted = /^(?:https?_proxy|no_proxy|npm_config_.*|node_extra_ca_certs|ssl_cert_file)$/i
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => wanted.test(name))) as Record<string, string>
}

interface StandIn {
  readonly url: string
  /** The bodies that messages were asked for with. */
  readonly requests: string[]
  close(): Promise<void>
}

/** Answers on loopback as the API does, with the same few words whatever it is asked. */
async function startStandIn(): Promise<StandIn> {
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

const REPLY = 'xyzzyreply'
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

interface Run {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** Runs a program beside this one: the stand-in has to answer meanwhile. */
function run(program: string, { args, cwd, env }: Run) {
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
