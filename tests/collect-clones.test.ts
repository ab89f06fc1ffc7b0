import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { annals } from './cli/annals.ts'
import { rowsIn } from './collector/folder-place.ts'
import { LOG, line } from './collector/made-root.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'annals-clones-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (home: string, text: string) => {
  const path = join(folder, home, 'claude', LOG)
  mkdirSync(dirname(path), { recursive: true })
  appendFileSync(path, text)
}

/** Collects what a home has into the folder that all share. */
function collect(home: string) {
  const args = ['collect', '--to', `folder:${join(folder, 'team')}`, '--root', join(folder, home, 'claude'), '--json']
  const { code, stdout, stderr } = annals(args, { env: { ANNALS_HOME: join(folder, home, 'annals') } })
  expect(code, stderr).toBe(0)
  return { ...JSON.parse(stdout), stderr }
}

const copy = (from: string, to: string) =>
  cpSync(join(folder, from), join(folder, to), { recursive: true, preserveTimestamps: true })
const fileOf = (home: string) => join(folder, home, 'annals', 'collect', 'machine.json')
const idOf = (home: string) => JSON.parse(readFileSync(fileOf(home), 'utf8')).id
const numbersOf = async (id: string) =>
  (await rowsIn(join(folder, 'team')))
    .filter(({ machine }) => machine === id)
    .map(({ uuid }) => Number(uuid?.slice(-12)))
    .sort((a, b) => a - b)

test('homes that were cloned each send what they have once, and then nothing', async () => {
  write('a', line(1))
  collect('a')
  copy('a', 'b')
  copy('a', 'c')
  for (const [at, home] of ['a', 'b', 'c'].entries()) write(home, line(10 + at))
  for (const home of ['a', 'b', 'c']) collect(home)
  for (const home of ['a', 'b', 'c', 'b', 'a']) expect(collect(home), home).toMatchObject({ batches: 0 })
  for (const [at, home] of ['a', 'b', 'c'].entries()) expect(await numbersOf(idOf(home))).toEqual([1, 10 + at])
}, 120_000)

test('two machines that nothing but their logs tells apart find out at the destination, and go on as two', async () => {
  write('a', line(1))
  collect('a')
  const first = idOf('a')
  copy('a', 'b')
  // An image of a disk: the same path, the same inode, the same id of the system.
  const bind = (home: string) => {
    const kept = JSON.parse(readFileSync(fileOf(home), 'utf8'))
    const at = dirname(fileOf(home))
    const here = { path: realpathSync(at), inode: String(statSync(at, { bigint: true }).ino) }
    writeFileSync(fileOf(home), JSON.stringify({ ...kept, home: here }))
  }
  bind('b')
  write('a', line(10))
  write('b', line(20))
  expect(collect('a')).toMatchObject({ records: 1 })
  const second = collect('b')
  expect(second.stderr).toMatch(/was copied/)
  expect(second).toMatchObject({ records: 2 })
  expect(idOf('a')).toBe(first)
  expect(idOf('b')).not.toBe(first)
  for (const home of ['a', 'b', 'a']) expect(collect(home), home).toMatchObject({ batches: 0 })
  expect(await numbersOf(first)).toEqual([1, 10])
  expect(await numbersOf(idOf('b'))).toEqual([1, 20])
}, 120_000)

test.each(['its memory', 'its key', 'its memory and a move'])(
  'a machine that lost %s sends nothing twice',
  async (what) => {
    write('a', line(1) + line(2))
    collect('a')
    const id = idOf('a')
    if (what === 'its key') rmSync(fileOf('a'))
    else {
      const kept = readFileSync(fileOf('a'))
      rmSync(join(folder, 'a', 'annals', 'collect'), { recursive: true })
      mkdirSync(join(folder, 'a', 'annals', 'collect'))
      writeFileSync(fileOf('a'), kept)
    }
    if (what.endsWith('move')) {
      const to = join(folder, 'a', 'claude', 'projects', '-q', 'cccc3333-0000-4000-8000-000000000003.jsonl')
      mkdirSync(dirname(to))
      renameSync(join(folder, 'a', 'claude', LOG), to)
    } else write('a', line(3))
    collect('a')
    expect(collect('a')).toMatchObject({ batches: 0 })
    expect(idOf('a')).toBe(id)
    expect(await numbersOf(id)).toEqual(what.endsWith('move') ? [1, 2] : [1, 2, 3])
  },
  120_000,
)
