import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EditedRoot, editedRoot, type Picture, pictureOf } from '../support/edited-root.ts'
import { copyFolder } from '../support/made-folder.ts'

/** Piped, what to type next stands on stderr: only trouble is none of it. */
const TROUBLE = /bug in annals|cannot|could not|has changed|\n\s+at /

const cli = join(import.meta.dirname, '../../dist/cli.cjs')
/** Why nothing can be killed at a system call here; empty where it can. */
const refusal = refusalOf(spawnSync('strace', ['-f', '-o', '/dev/null', 'true'], { encoding: 'utf8' }))
const hasStrace = refusal === ''
const without = hasStrace ? '' : ` (skipped: ${refusal})`

/** Calls that change something on the disk, and at which of them a process is killed: all by ANNALS_CRASH=all. */
const POINTS: Readonly<Record<string, readonly number[]>> = {
  pwrite64: [1, 3, 6],
  fsync: [2, 5],
  rename: [2, 4],
  unlink: [2, 4],
  link: [2],
  ftruncate: [1],
  mkdir: [4],
  rmdir: [1],
}
const points = (call: string) =>
  process.env.ANNALS_CRASH === 'all' ? Array.from({ length: 60 }, (_, i) => i + 1) : (POINTS[call] ?? [])

const SECRET = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
let made: EditedRoot
let rounds = 0
/** The ids of the sessions that are there from the beginning. */
let known: ReadonlySet<string>

function refusalOf({ error, status, stderr }: SpawnSyncReturns<string>): string {
  if (error) return 'strace is not installed'
  return status === 0 ? '' : `ptrace is refused: ${stderr.split('\n')[0]}`
}

beforeAll(() => {
  made = editedRoot((built, project) => {
    built.file('.claude.json', JSON.stringify({ projects: { [project]: { allowedTools: [] } } }, null, 2))
  })
  mkdirSync(join(made.folder, 'renamed'))
  const row = `${JSON.stringify({ type: 'queue-operation', operation: 'enqueue', content: `token ${SECRET}`, timestamp: '2026-03-02T09:00:00.000Z', sessionId: made.sessionId })}\n`
  const stat = statSync(made.log)
  writeFileSync(made.log, readFileSync(made.log, 'utf8') + row)
  utimesSync(made.log, stat.atime, stat.mtime)
  known = new Set(Object.keys(made.picture()).flatMap((path) => path.match(UUID) ?? []))
  // Placeholders are those of one key.
  expect(annals({ root: made.root, state: made.dataDir }, ['redact', 'scan']).status).toBe(1)
})
afterAll(() => made.remove())

interface Place {
  readonly root: string
  readonly state: string
}

function annals({ root, state }: Place, args: readonly string[], inject?: string) {
  const command = [process.execPath, cli, ...args, '--root', root, '--no-index']
  const call = inject?.split(':')[0]
  const strace = inject ? ['strace', '-f', '-o', '/dev/null', '-e', `trace=${call}`, '-e', `inject=${inject}`] : []
  const [program, ...rest] = [...strace, ...command] as [string, ...string[]]
  const env = { PATH: process.env.PATH ?? '', HOME: made.folder, ANNALS_HOME: state }
  return spawnSync(program, rest, { encoding: 'utf8', env, cwd: made.project })
}

/** A copy of the root, and state of its own, in which some commands were run before. */
function newPlace(before: readonly (readonly string[])[]): Place {
  const folder = join(made.folder, `round-${rounds++}`)
  copyFolder(made.root, join(folder, 'root'))
  const place = { root: join(folder, 'root'), state: join(folder, 'state') }
  copyFolder(made.dataDir, place.state)
  // The working folder is the same for all rounds, and begins each as a person left it.
  rmSync(made.project, { recursive: true })
  mkdirSync(made.project)
  writeFileSync(join(made.project, 'a.ts'), 'three\n')
  for (const args of before) expect(annals(place, args), args.join(' ')).toMatchObject({ status: 0 })
  return place
}

/** What an edit may change: the root, and files of the working folder. */
const pictureIn = ({ root }: Place) => plainly({ ...pictureOf(root), ...prefixed('work/', pictureOf(made.project)) })

function prefixed(prefix: string, picture: Picture): Picture {
  return Object.fromEntries(Object.entries(picture).map(([path, seen]) => [`${prefix}${path}`, seen]))
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** A picture in which the ids of new sessions do not matter: of their files only the sizes do. Only of logs that were there the time counts. */
function plainly(picture: Picture): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(picture).map(([path, seen]) => {
      const [hash, size, mode, time] = seen.split(' ')
      const isNew = (path.match(UUID) ?? []).some((id) => !known.has(id))
      // The client sweeps logs by it: no edit may begin it anew.
      const isTimed = path.endsWith('.jsonl') && path.startsWith('projects/')
      return isNew
        ? [path.replace(UUID, 'new'), `${size} ${mode}`]
        : [path, `${hash} ${size} ${mode}${isTimed ? ` ${time}` : ''}`]
    }),
  )
}

/** Kills a command at one call after the other: whatever it left, the next run finds or makes the old state or the new one. */
function sweep(what: string, args: readonly string[], before: readonly (readonly string[])[] = []): void {
  const whole = newPlace(before)
  const old = pictureIn(whole)
  expect(annals(whole, args)).toMatchObject({ status: 0, stderr: expect.not.stringMatching(TROUBLE) })
  const done = pictureIn(whole)
  expect(done).not.toEqual(old)
  const fired: Record<string, number> = {}
  for (const call of Object.keys(POINTS)) {
    fired[call] = 0
    for (const point of points(call)) {
      const place = newPlace(before)
      const name = `${what} killed at ${call} ${point}`
      const { status } = annals(place, args, `${call}:signal=KILL:when=${point}`)
      const healed = annals(place, ['undo', '--list'])
      expect(healed, name).toMatchObject({ status: 0, stderr: expect.not.stringMatching(TROUBLE) })
      const now = pictureIn(place)
      expect([old, done], name).toContainEqual(now)
      if (JSON.stringify(now) === JSON.stringify(old)) {
        expect(annals(place, args), name).toMatchObject({ status: 0, stderr: expect.not.stringMatching(TROUBLE) })
        expect(pictureIn(place), name).toEqual(done)
      }
      const edits = readdirSync(join(place.state, 'edits'))
      expect(
        edits.filter((one) => /lock|tmp/.test(one)),
        name,
      ).toEqual([])
      rmSync(join(place.root, '..'), { recursive: true })
      if (status === 0) break
      fired[call] += 1
    }
  }
  const total = Object.values(fired).reduce((sum, one) => sum + one, 0)
  const parts = Object.entries(fired).map(([call, count]) => `${call} ${count}`)
  console.info(`${what}: ${total} kills fired (${parts.join(', ')})`)
  expect(total, `${what}: no kill fired`).toBeGreaterThan(0)
}

const LONG = 1_800_000
const all = (name: string, work: () => void) => test.skipIf(!hasStrace)(`${name}${without}`, work, LONG)

all('rename', () => sweep('rename', ['rename', made.sessionId, 'Another title']))
all('tag', () => sweep('tag', ['edit', 'tag', made.sessionId, 'auth']))
all('tag --clear', () => {
  sweep('tag --clear', ['edit', 'tag', made.sessionId, '--clear'], [['edit', 'tag', made.sessionId, 'auth']])
})
all('rewind', () => sweep('rewind', ['edit', 'rewind', `${made.sessionId}:1`]))
all('move', () => sweep('move', ['move', made.sessionId, '--to', join(made.folder, 'renamed')]))
all('move --project', () => {
  const args = ['move', '--project', made.project, '--to', join(made.folder, 'renamed'), '--settings']
  sweep('move --project', args)
})
all('fork', () => sweep('fork', ['edit', 'fork', `${made.sessionId}:2`, '--title', 'F']))
all('prune', () => sweep('prune', ['edit', 'prune', made.sessionId, '--yes']))
all('prune --secret', () => sweep('prune --secret', ['edit', 'prune', made.sessionId, '--secret', '--yes']))
all('delete', () => sweep('delete', ['edit', 'delete', made.sessionId, '--yes']))
const restoreFile = () => ['edit', 'restore-file', 'a.ts', '--at', `${made.sessionId}:2`, '--yes']
all('restore-file', () => sweep('restore-file', restoreFile()))
all('undo of a rename', () => sweep('undo of a rename', ['undo'], [['rename', made.sessionId, 'Another title']]))
all('undo of a delete', () => sweep('undo of a delete', ['undo'], [['edit', 'delete', made.sessionId, '--yes']]))

all('undo of a move', () => {
  sweep('undo of a move', ['undo'], [['move', made.sessionId, '--to', join(made.folder, 'renamed')]])
})
all('undo of a restored file', () => {
  sweep('undo of a restored file', ['undo'], [restoreFile()])
})

test.skipIf(!hasStrace)(
  `a disk that is full, closed or broken gives a sentence, and nothing is half done${without}`,
  () => {
    const faults = [
      'pwrite64:error=ENOSPC:when=2+',
      'pwrite64:error=ENOSPC:when=5+',
      'fsync:error=EIO:when=3+',
      'rename:error=EACCES:when=2+',
    ]
    let fired = 0
    for (const fault of faults) {
      for (const args of [
        ['rename', made.sessionId, 'Another title'],
        ['edit', 'delete', made.sessionId, '--yes'],
      ]) {
        const place = newPlace([])
        const old = pictureOf(place.root)
        const { status, stderr } = annals(place, args, fault)
        if (status === 0) continue
        fired += 1
        const name = `${args.slice(0, 2).join(' ')} with ${fault}`
        expect(status, name).toBe(2)
        expect(stderr, name).not.toMatch(/\n\s+at |This is a bug/)
        expect(stderr, name).toMatch(/\.\n/)
        expect(annals(place, ['undo', '--list']), name).toMatchObject({ status: 0 })
        expect(pictureOf(place.root), name).toEqual(old)
      }
    }
    console.info(`edits: ${fired} faults fired`)
    expect(fired).toBeGreaterThan(0)
  },
  LONG,
)

test('two edits at once: one waits for the other', () => {
  const place = newPlace([])
  const script = (title: string) =>
    [process.execPath, cli, 'rename', made.sessionId, title, '--root', place.root, '--no-index']
      .map((word) => `'${word}'`)
      .join(' ')
  const { status } = spawnSync('sh', ['-c', `${script('One')} & ${script('Two')} & wait`], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', HOME: made.folder, ANNALS_HOME: place.state },
  })
  expect(status).toBe(0)
  const rows = readFileSync(join(place.root, made.log.slice(made.root.length + 1)), 'utf8')
    .trimEnd()
    .split('\n')
  for (const row of rows) expect(() => JSON.parse(row)).not.toThrow()
  const titles = rows.filter((row) => row.includes('"custom-title"'))
  // The second may find that the log is no longer what its plan saw, and says so.
  expect(titles.length).toBeGreaterThanOrEqual(1)
})
