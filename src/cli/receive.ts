import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { Failure } from '../core/failure.ts'
import type { Static } from '../core/schema.ts'
import { openReceiver, type receive } from '../ops/receive.ts'
import { isLoopback } from '../server/server.ts'
import { ourFolders } from '../state/folders.ts'
import { accessOf } from './context.ts'
import type { Parsed } from './flags.ts'
import { writeJson, writeText } from './output.ts'
import { plain } from './terminal/sanitize.ts'
import { untilStopped } from './until-stopped.ts'
import { VERSION } from './version.ts'

const USUAL_PORT = 6175

/** Takes batches until it is stopped. */
export async function runReceive({ input, globals }: Parsed): Promise<number> {
  const { to, port = USUAL_PORT, host = '127.0.0.1', cert, key, format, log } = input as Static<typeof receive.input>
  if (to === undefined) {
    throw new Failure('USAGE', 'No destination is set.', {
      hint: 'Add --to folder:DIR, postgres://… or clickhouse://…',
    })
  }
  if ((cert === undefined) !== (key === undefined))
    throw new Failure('USAGE', '--cert and --key must be given together.')
  if (!isLoopback(host) && cert === undefined) {
    throw new Failure('USAGE', `Others can reach ${host}: what they send has to be encrypted.`, {
      hint: 'Add --cert and --key, or let a proxy that has a certificate pass requests on to this machine.',
    })
  }
  const stopped = untilStopped()
  const receiver = await openReceiver({
    to,
    port,
    host,
    tls: cert === undefined || key === undefined ? undefined : { cert: fileOf(cert), key: fileOf(key) },
    format,
    cwd: process.cwd(),
    home: homedir(),
    configDir: ourFolders(process.env, homedir()).configDir,
    dataDir: ourFolders(process.env, homedir()).dataDir,
    access: accessOf(process.env),
    isPublic: !isLoopback(host),
    onLog: log === true ? (line) => void process.stderr.write(line) : undefined,
    newToken: randomBytes(24).toString('base64url'),
    onBug: (error) =>
      process.stderr.write(`This is a bug in annals ${VERSION}; please report it.\n${plain(said(error))}\n`),
  })
  try {
    const name = host.includes(':') ? `[${host}]` : host
    const url = `${cert === undefined ? 'http' : 'https'}://${name}:${receiver.port}`
    if (globals.json === true) writeJson('receive', { url, token: receiver.token, pid: process.pid })
    else await writeText(linesOf(url, receiver.token), { noPager: true })
    return await stopped
  } finally {
    await receiver.close()
  }
}

function linesOf(url: string, token: string | null): string[] {
  const how =
    token === null
      ? '  Each token or key of collect.json lets one machine deliver. Ctrl-C stops.'
      : `  Made for this run and one machine: ANNALS_COLLECT_TOKEN=${token}. Ctrl-C stops.`
  return [`annals collect --to ${url}`, how]
}

function fileOf(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    throw new Failure('BAD_INPUT', `${path} cannot be read (${code}).`)
  }
}

function said(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
