import { spawnSync } from 'node:child_process'
import { createHash, createHmac } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { temporaryFolder } from './cli/annals.ts'
import { rowsIn } from './collector/folder-place.ts'
import { LOG, line } from './collector/made-root.ts'

const cli = join(import.meta.dirname, '../dist/cli.cjs')
const folder = temporaryFolder()
afterAll(folder.remove)
const MIB = 1024 * 1024
const MOST = 64 * MIB
/** Lengths of lines without their newlines; the longest by ANNALS_CRASH=all. */
const LENGTHS = [MIB, MOST, MOST + 1, 300 * MIB, ...(process.env.ANNALS_CRASH === 'all' ? [600 * MIB] : [])]

interface Written {
  readonly offset: number
  readonly length: number
  readonly sha256: string
}

/** Writes a log in which a short line stands before, between and after the long ones. Says where each line is. */
function writeLog(path: string): readonly Written[] {
  mkdirSync(dirname(path), { recursive: true })
  const fd = openSync(path, 'w')
  const written: Written[] = []
  let offset = 0
  const put = (length: number, parts: Iterable<Buffer>) => {
    const hash = createHash('sha256')
    for (const part of parts) {
      writeSync(fd, part)
      hash.update(part)
    }
    writeSync(fd, '\n')
    written.push({ offset, length, sha256: hash.digest('hex') })
    offset += length + 1
  }
  const short = (number: number) => Buffer.from(line(number).trimEnd())
  put(short(0).length, [short(0)])
  for (const [at, length] of LENGTHS.entries()) {
    put(length, longLine(length))
    put(short(at + 1).length, [short(at + 1)])
  }
  closeSync(fd)
  return written
}

function* longLine(length: number): Generator<Buffer> {
  const head = Buffer.from('{"type":"user","cwd":"/home/ana/p","message":{"role":"user","content":"')
  const tail = Buffer.from('"}}')
  yield head
  const chunk = Buffer.alloc(MIB, 'a word and another word. ')
  for (let left = length - head.length - tail.length; left > 0; left -= chunk.length) yield chunk.subarray(0, left)
  yield tail
}

test('lines up to 64 MiB arrive whole, longer ones as place, size and keyed hash, and what follows as usual (T17); 600 MiB by ANNALS_CRASH=all', async () => {
  const root = join(folder.path, 'root')
  const out = join(folder.path, 'out')
  const path = join(root, LOG)
  const written = writeLog(path)
  const peak = join(folder.path, 'peak.cjs')
  const tell = "require('node:fs').writeSync(2, String(process.resourceUsage().maxRSS))"
  writeFileSync(peak, `process.on('exit', () => ${tell})`)
  const run = () => {
    const args = ['-r', peak, cli, 'collect', '--once', '--to', `folder:${out}`, '--root', root, '--json']
    const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ANNALS_HOME: join(folder.path, 'home') }
    return spawnSync(process.execPath, args, { encoding: 'utf8', env })
  }
  const { status, stdout, stderr } = run()
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ records: written.length, lagBytes: 0, deadLetters: 0 })
  // One line of the longest kind is held, decoded and masked; none that is longer, and never the file.
  expect(Number(stderr) * 1024, 'peak memory').toBeLessThan(768 * MIB)
  const rows = [...(await rowsIn(out))].sort((a, b) => a.offset - b.offset)
  expect(rows.map(({ offset, length, line }) => ({ offset, length, line }))).toEqual(
    written.map(({ length }, at) => ({ offset: at * 2 ** 27, length, line: at + 1 })),
  )
  const { key } = JSON.parse(readFileSync(join(folder.path, 'home', 'collect', 'machine.json'), 'utf8'))
  const keyed = (text: string) => createHmac('sha256', Buffer.from(key, 'hex')).update(`cursor\0line\0${text}`)
  for (const [at, { content, type }] of rows.entries()) {
    const { length, sha256 } = written[at] as Written
    if (length > MOST) {
      const hmac = `k:${keyed(sha256).digest('hex').slice(0, 32)}`
      expect(JSON.parse(Buffer.from(content).toString('utf8'))).toEqual({ type: 'oversize', length, hmac })
    } else
      expect([type, createHash('sha256').update(content).digest('hex')], `line ${at + 1}`).toEqual(['user', sha256])
  }
  expect((written.at(-1)?.offset ?? 0) + (written.at(-1)?.length ?? 0) + 1).toBe(statSync(path).size)
  expect(JSON.parse(run().stdout)).toMatchObject({ records: 0, batches: 0 })
}, 600_000)
