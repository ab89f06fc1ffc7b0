import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, inflateRawSync } from 'node:zlib'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../src/index/sqlite.ts'
import { log, root as newRoot } from '../src/testing/index.ts'
import { annals as run, temporaryFolder } from './cli/annals.ts'

const folder = temporaryFolder()
afterAll(folder.remove)
const DAY_MS = 86_400_000

let home = ''
let root = ''
let count = 0
let mine = ''
let other = ''

/** Two sessions of a made-up root; all words of one are nowhere else. */
beforeEach(() => {
  home = join(folder.path, `home-${count}`)
  root = join(folder.path, `root-${count++}`)
  const one = log({ seed: 'one', cwd: '/home/ana/xyzzyfolder', gitBranch: 'xyzzybranch' })
  one.user('please xyzzyprompt it').assistant('xyzzyanswer')
  one.tool('Bash', { command: 'cat xyzzytarget.ts' }, { output: 'xyzzyoutput' })
  one.tool('Edit', { file_path: '/home/ana/xyzzyfolder/xyzzyfile.ts', old_string: 'a', new_string: 'b' }, {})
  const two = log({ seed: 'two', cwd: '/home/ana/web' })
  two.user('say something else').assistant('done')
  mine = one.sessionId
  other = two.sessionId
  const made = newRoot().add(one, two)
  made.history([
    {
      display: 'please xyzzyprompt it',
      project: '/home/ana/xyzzyfolder',
      sessionId: mine,
      pasted: [`xyzzypasted ${'p'.repeat(2000)}`],
    },
    { display: 'say something else', project: '/home/ana/web', sessionId: other },
  ])
  made.tasks(mine, [{ id: '1', subject: 'xyzzytask' }])
  made.write(root)
})

const annals = (args: readonly string[], options: Parameters<typeof run>[1] = {}) =>
  run([...args, '--root', root], { ...options, env: { ANNALS_HOME: home, ...options.env } })
const json = (args: readonly string[]) => JSON.parse(annals([...args, '--json']).stdout)
const logOf = (id: string) =>
  readdirSync(root, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith(`${id}.jsonl`)) as string
const sweep = (id: string) => rmSync(join(root, logOf(id)))

describe('a session that only the archive has', () => {
  test('is listed, shown, searched and counted like any other', () => {
    annals(['keep'])
    const [shown, usage, found] = [
      annals(['show', mine]).stdout,
      json(['usage', '--all']),
      json(['search', 'xyzzyanswer']),
    ]
    const path = join(root, logOf(mine))
    sweep(mine)
    const items = json(['sessions']).items as {
      id: string
      kind: string
      kept: boolean
      expiresAt: string | null
      file: string
    }[]
    expect(items.find(({ id }) => id === mine)).toMatchObject({ kind: 'gone', kept: true, expiresAt: null, file: path })
    expect(items.find(({ id }) => id === other)).toMatchObject({ kind: 'conversation', kept: true })
    expect(annals(['show', mine]).stdout.replace(/expires[^·\n]*/, '')).toBe(shown.replace(/expires[^·\n]*/, ''))
    expect(json(['usage', '--all']).total).toEqual(usage.total)
    expect(json(['search', 'xyzzyanswer']).hits).toEqual(found.hits)
    expect(json(['search', '--exact', 'xyzzyanswer']).total).toBe(1)
    expect(json(['search', '--regex', 'xyzzyans.er']).total).toBe(1)
    expect(json(['search', 'xyzzyanswer', '--no-index']).total).toBe(1)
    // Also in an index that is built when the log is gone already.
    expect(annals(['index', '--rebuild']).code).toBe(0)
    expect(json(['search', 'xyzzyanswer']).hits[0].snippet).toContain('xyzzyanswer')
  })

  test('is put back by restore and by resume', () => {
    annals(['keep'])
    const path = join(root, logOf(mine))
    const bytes = readFileSync(path)
    sweep(mine)
    const restored = json(['archive', 'restore', mine.slice(0, 8)])
    expect(restored).toMatchObject({ sessions: 1, files: 1, bytesRaw: bytes.length, problems: [] })
    expect(readFileSync(path).equals(bytes)).toBe(true)
    sweep(mine)
    annals(['resume', mine, '--print'])
    expect(existsSync(path)).toBe(false)
    mkdirSync(join(folder.path, 'bin'), { recursive: true })
    const refused = annals(['resume', mine])
    // Its folder is gone, so that it cannot be resumed, and is not restored for nothing.
    expect(refused.code).toBe(2)
    expect(existsSync(path)).toBe(false)
  })
})

test('a log that has grown since is not kept', () => {
  annals(['keep', mine])
  const kept = (id: string) => json(['sessions']).items.find((item: { id: string }) => item.id === id).kept
  expect(kept(mine)).toBe(true)
  expect(kept(other)).toBe(false)
  writeFileSync(join(root, logOf(mine)), '{"type":"user"}\n', { flag: 'a' })
  expect(kept(mine)).toBe(false)
  expect(json(['archive', 'list']).items).toMatchObject([{ session: mine, state: 'behind' }])
})

test('what expires is told, and what to do', () => {
  const old = new Date(Date.now() - 25 * DAY_MS)
  utimesSync(join(root, logOf(mine)), old, old)
  utimesSync(join(root, logOf(other)), new Date(), new Date())
  expect(annals(['status']).stdout).toContain('1 session expires within 7 days. Run `annals keep`')
  expect(annals(['sessions']).stderr).toContain('1 session expires within 7 days. Run `annals keep`')
  annals(['keep'])
  expect(annals(['status']).stdout).not.toContain('expires within')
  expect(annals(['doctor']).stdout).toMatch(/archive .*2 sessions/)
})

test('verify names what is wrong and exits 1; repair puts it right', () => {
  annals(['keep'])
  expect(annals(['archive', 'verify']).code).toBe(0)
  const data = join(home, 'archive', 'data')
  for (const name of readdirSync(data)) {
    const bytes = readFileSync(join(data, name))
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 4
    writeFileSync(join(data, name), bytes)
  }
  const { problems, bytesRaw } = json(['archive', 'verify'])
  expect(problems.length).toBe(readdirSync(data).length)
  expect(bytesRaw).toBeGreaterThan(0)
  const touched = problems.flatMap((problem: { touches: { session: string }[] }) =>
    problem.touches.map(({ session }) => session),
  )
  expect(touched).toContain(mine)
  expect(annals(['archive', 'verify']).code).toBe(1)
  expect(annals(['archive', 'verify', '--repair']).code).toBe(0)
  expect(json(['archive', 'verify']).problems).toEqual([])
})

describe('keep --auto', () => {
  test('shows what it would write', () => {
    const { stdout } = annals(['keep', '--auto', '--print'], { env: { HOME: folder.path } })
    expect(stdout).toMatch(process.platform === 'darwin' ? /LaunchAgents/ : /OnCalendar=daily/)
    expect(stdout).toContain(root)
    expect(existsSync(join(home, 'archive', 'auto'))).toBe(false)
  })

  test.skipIf(process.platform !== 'linux')('writes a timer; from then on any command keeps what expires', () => {
    const user = join(folder.path, `user-${count}`)
    mkdirSync(user)
    const env = { HOME: user }
    const { stdout } = annals(['keep', other, '--auto'], { env })
    expect(stdout).toContain('systemctl --user')
    const units = join(user, '.config/systemd/user')
    expect(readFileSync(join(units, 'annals-keep.service'), 'utf8')).toMatch(
      new RegExp(`^ExecStart=.*cli\\.cjs keep --root ${root}$`, 'm'),
    )
    expect(statSync(join(units, 'timers.target.wants/annals-keep.timer')).isFile()).toBe(true)
    const sessions = () => json(['archive', 'list']).items.map((item: { session: string }) => item.session)
    expect(sessions()).toEqual([other])
    const old = new Date(Date.now() - 25 * DAY_MS)
    utimesSync(join(root, logOf(mine)), old, old)
    annals(['status'], { env })
    expect(sessions().sort()).toEqual([mine, other].sort())
    annals(['keep', '--no-auto'], { env })
    expect(readdirSync(units)).toEqual(['timers.target.wants'])
    expect(existsSync(join(home, 'archive', 'auto'))).toBe(false)
  })
})

/** All bytes of our own files, packed and unpacked. */
function everything(): string {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  const raw = files.map(({ parentPath, name }) => {
    const bytes = readFileSync(join(parentPath, name))
    return `${name}\n${bytes.toString('latin1')}\n${name.endsWith('.gz') ? gunzipSync(bytes).toString('latin1') : ''}`
  })
  return [...raw, factsText()].join('\n')
}

/** What the index keeps packed. */
function factsText(): string {
  const name = readdirSync(home).find((one) => /^index-\d+\.db$/.test(one))
  if (!name) return ''
  const database = openDatabase(join(home, name))
  const rows = database.prepare('select * from facts').all()
  database.close()
  return rows
    .flatMap((row) => Object.values(row))
    .map((value) => {
      if (!(value instanceof Uint8Array)) return String(value)
      try {
        return inflateRawSync(value).toString('latin1')
      } catch {
        return Buffer.from(value).toString('latin1')
      }
    })
    .join('\n')
}

describe('purge', () => {
  test('asks first, and does nothing where nobody can be asked', () => {
    const { code, stderr } = annals(['purge', mine])
    expect(code).toBe(2)
    expect(stderr).toContain('--yes')
    expect(json(['search', 'xyzzyanswer']).total).toBe(1)
  })

  test('leaves no byte in our files, and the session never comes back', () => {
    annals(['keep'])
    annals(['index'])
    annals(['sessions', '--full'])
    annals(['search', 'xyzzyoutput'])
    expect(everything()).toContain('xyzzy')
    const result = json(['purge', mine, '--yes'])
    expect(result).toMatchObject({ session: mine, sessions: 1, problems: [] })
    expect(result.left.join(' ')).toMatch(/history\.jsonl/)
    expect(everything()).not.toMatch(/xyzzy/i)
    expect(everything()).not.toContain(mine)
    for (let round = 0; round < 3; round++) {
      annals(['keep'])
      annals(['index'])
      annals(['sessions', '--full'])
      annals(['search', 'xyzzyanswer'])
      annals(['stats'])
      annals(['usage'])
      expect(everything(), `round ${round}`).not.toMatch(/xyzzy/i)
    }
    expect(json(['sessions']).items.map((item: { id: string }) => item.id)).toEqual([other])
    expect(json(['search', 'something']).total).toBeGreaterThan(0)
    // The client's own files were not asked for.
    expect(existsSync(join(root, logOf(mine)))).toBe(true)
  })

  test('deletes the files of the client where that is asked for', () => {
    annals(['keep'])
    const result = json(['purge', mine.slice(0, 10), '--source', '--yes'])
    expect(result.removed.map(({ where }: { where: string }) => where)).toContain('source')
    const left = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.includes(mine))
    expect(left).toEqual([])
    expect(existsSync(join(root, logOf(other)))).toBe(true)
    // Once more is not an error that matters, nor does it find anything.
    expect(annals(['purge', mine, '--source', '--yes']).code).toBe(1)
  })

  test('one that was purged before can have its files deleted later', () => {
    annals(['purge', mine, '--yes'])
    expect(json(['purge', mine, '--source', '--yes']).files).toBeGreaterThan(0)
    expect(readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.includes(mine))).toEqual([])
  })

  test('one that only the index knows goes by its whole id', () => {
    annals(['index'])
    sweep(mine)
    rmSync(join(root, 'tasks'), { recursive: true })
    annals(['index'])
    expect(annals(['purge', mine, '--yes']).code).toBe(0)
    expect(everything()).not.toMatch(/xyzzy/i)
  })
})

test('everything of ours is closed to others', () => {
  annals(['keep'])
  const open = readdirSync(home, { recursive: true, withFileTypes: true })
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => (statSync(path).mode & 0o077) !== 0)
  expect(open).toEqual([])
})
