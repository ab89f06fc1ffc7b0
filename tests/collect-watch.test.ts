import { spawn, spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { temporaryFolder } from './cli/annals.ts'
import { rowsIn } from './collector/folder-place.ts'
import { LOG, line } from './collector/made-root.ts'

const cli = join(import.meta.dirname, '../dist/cli.cjs')
const folder = temporaryFolder()
afterAll(folder.remove)
const hasStrace = spawnSync('strace', ['-V']).status === 0
const without = hasStrace ? '' : ' (skipped: strace is not installed)'
const logAt = (number: number) => `projects/-q/bbbb2222-0000-4000-8000-${String(number).padStart(12, '0')}.jsonl`

/** A collector that stays, with a root and a folder of its own, while something is done. Gives the sentences it said. */
async function following(
  name: string,
  { settings, strace = [] }: { readonly settings?: object; readonly strace?: readonly string[] },
  use: (write: (path: string, text: string) => void, out: string) => Promise<void>,
): Promise<readonly string[]> {
  const [root, home, out] = ['root', 'home', 'out'].map((one) => join(folder.path, name, one)) as [
    string,
    string,
    string,
  ]
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    appendFileSync(join(root, path), text)
  }
  write(LOG, line(0))
  mkdirSync(home, { recursive: true })
  if (settings) writeFileSync(join(home, 'collect.json'), JSON.stringify(settings))
  const args = ['collect', '--to', `folder:${out}`, '--root', root, '--follow', '--json']
  const [program, ...rest] = [...strace, process.execPath, cli, ...args] as [string, ...string[]]
  const child = spawn(program, rest, {
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ANNALS_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stdout.on('data', (data) => (said += data))
  child.stderr.on('data', (data) => (said += data))
  const ended = new Promise((resolve) => child.once('close', resolve))
  try {
    // The lock is let go after the first round, and taken again by who stays.
    await until(() => said.includes('\n') && pidOf(home) !== undefined)
    await use(write, out)
  } finally {
    // Not the tracer: it would leave the process it traces.
    const pid = pidOf(home)
    if (pid !== undefined) process.kill(pid, 'SIGTERM')
    await ended
  }
  return said.split('\n').flatMap((text) => {
    if (text === '') return []
    if (!text.startsWith('{')) return [text]
    const { message, warnings = [] } = JSON.parse(text)
    return [...(message === null ? [] : [message]), ...warnings]
  })
}

function pidOf(home: string): number | undefined {
  try {
    return JSON.parse(readFileSync(join(home, 'collect', 'lock'), 'utf8')).pid
  } catch {
    return undefined
  }
}

async function until(test: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await test())) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** Writes to known and new logs in turn, waits for each round to arrive, and expects every line once. */
async function writesArrive(write: (path: string, text: string) => void, out: string): Promise<void> {
  const written = ['word 0']
  const arrived = async () => (await rowsIn(out)).map(({ content }) => wordIn(content)).sort()
  for (let round = 0; round < 3; round++) {
    for (const [at, path] of [LOG, logAt(0), logAt(round)].entries()) {
      const text = `round ${round}, ${at}`
      write(path, line(round * 10 + at + 1, text).slice(0, 60))
      write(path, line(round * 10 + at + 1, text).slice(60))
      written.push(text)
    }
    await until(async () => (await rowsIn(out)).length >= written.length)
  }
  expect(await arrived()).toEqual(written.sort())
}

function wordIn(content: Uint8Array): string {
  return JSON.parse(Buffer.from(content).toString('utf8')).message.content
}

test('with the watcher off every line arrives, and nothing is said of it (T27)', async () => {
  expect(await following('off', { settings: { watch: false } }, writesArrive)).toEqual([])
}, 300_000)

const injected = (inject: string) => [
  ...['strace', '-f', '-o', '/dev/null'],
  ...['-e', `trace=${inject.split(':')[0]}`, '-e', `inject=${inject}`],
]

test.skipIf(!hasStrace).each([
  ['from the first watch on', 'inotify_add_watch:error=ENOSPC'],
  ['after some watches', 'inotify_add_watch:error=ENOSPC:when=3+'],
])(
  `when the system has no watches left, %s, every line arrives, and one sentence says so once (T27)${without}`,
  async (name, inject) => {
    const said = await following(name, { strace: injected(inject) }, writesArrive)
    expect(said).toEqual([expect.stringMatching(/^The file watcher stopped \(ENOSPC.*\); .*\.$/)])
  },
  300_000,
)

test.skipIf(!hasStrace)(
  `one file that is closed to us does not cost the watcher (T26)${without}`,
  async () => {
    const strace = injected('inotify_add_watch:error=EACCES:when=3')
    expect(await following('closed', { strace }, writesArrive)).toEqual([])
  },
  300_000,
)
