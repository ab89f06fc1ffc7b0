// How long appended lines take until a search finds them, while `annals index --follow` runs.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { on, once } from 'node:events'
import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const LINES = 5
const APPENDS = 20
const PAUSE_MS = 300
/** The watcher is not there at once: until so many appends in a row were found quickly, for so long at most. */
const SETTLED = { quick: 3, withinMs: 1_500, patienceMs: 30_000 }
const PATIENCE_MS = 180_000

/** The median and the longest, from the end of an append until the follower tells of it; a search must find it then. */
export async function followed({ cli, root, search }) {
  const path = someLog(join(root, 'projects'))
  const child = spawn(process.execPath, [cli, 'index', '--follow', '--json', '--root', root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const reports = on(child.stdout, 'data', { signal: AbortSignal.timeout(PATIENCE_MS) })
  const next = async () => {
    await sleep(PAUSE_MS)
    const word = `w${randomUUID().replaceAll('-', '')}`
    appendFileSync(path, linesWith(word, path))
    const start = performance.now()
    let ms = 0
    do {
      await reports.next()
      ms = performance.now() - start
    } while ((await search(word)).total < LINES)
    return ms
  }
  try {
    await reports.next()
    const settledBy = performance.now() + SETTLED.patienceMs
    for (let quick = 0; quick < SETTLED.quick && performance.now() < settledBy; ) {
      quick = (await next()) < SETTLED.withinMs ? quick + 1 : 0
    }
    const times = []
    for (let i = 0; i < APPENDS; i++) times.push(await next())
    times.sort((a, b) => a - b)
    return { ms: times[times.length >> 1], longestMs: times.at(-1), count: times.length, lines: LINES }
  } finally {
    child.kill('SIGINT')
    await ended
  }
}

/** Prompts that go on from the last row of the log. */
function linesWith(word, path) {
  const uuids = [JSON.parse(readFileSync(path, 'utf8').trimEnd().split('\n').at(-1)).uuid]
  return Array.from({ length: LINES }, (_, number) => {
    uuids.push(randomUUID())
    const row = {
      parentUuid: uuids[number],
      isSidechain: false,
      type: 'user',
      message: { role: 'user', content: `${word} ${number}: ${'a prompt of some length '.repeat(40)}` },
      uuid: uuids[number + 1],
      timestamp: new Date().toISOString(),
      userType: 'external',
      cwd: '/home/ana/work/project-00',
      sessionId: basename(path, '.jsonl'),
      version: '2.1.325',
    }
    return `${JSON.stringify(row)}\n`
  }).join('')
}

/** A session of middling size. */
function someLog(projects) {
  const paths = readdirSync(projects, { recursive: true }).map((name) => join(projects, name))
  const sessions = paths.filter((path) => /[\\/][\da-f-]{36}\.jsonl$/.test(path))
  return sessions.find((path) => statSync(path).size > 200_000)
}
