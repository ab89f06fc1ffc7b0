import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { log, root as newRoot } from '../src/testing/index.ts'
import { annals as run, temporaryFolder } from './cli/annals.ts'
import { copyFolder } from './support/made-folder.ts'

const folder = temporaryFolder()
afterAll(folder.remove)
const root = join(folder.path, 'root')
const base = join(folder.path, 'base')
let count = 0
/** What a session that only the archive has, and one that is still there, consist of. */
let gone = ''
let goneBytes = Buffer.alloc(0)

beforeAll(() => {
  const one = log({ seed: 'one', cwd: '/home/ana/api' }).user('first').assistant('answer')
  const two = log({ seed: 'two', cwd: '/home/ana/web' }).user('second').assistant('done')
  gone = one.sessionId
  newRoot().add(one).write(root)
  annals(base, ['keep'])
  newRoot().add(two).write(root)
  annals(base, ['keep'])
  const path = logOf(gone)
  goneBytes = readFileSync(path)
  rmSync(path)
})

const annals = (home: string, args: readonly string[]) => run([...args, '--root', root], { env: { ANNALS_HOME: home } })
const json = (home: string, args: readonly string[]) => JSON.parse(annals(home, [...args, '--json']).stdout)
const logOf = (id: string) =>
  join(
    root,
    readdirSync(root, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith(`${id}.jsonl`)) as string,
  )

function copyOf(home: string): string {
  const copy = join(folder.path, `home-${count++}`)
  copyFolder(home, copy)
  return copy
}

/** Names and bytes of everything in an archive, but the lock. */
const everything = (home: string) =>
  Object.fromEntries(
    readdirSync(join(home, 'archive'), { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'latin1')]),
  )

const readable = (home: string) =>
  ['data', 'lost+found']
    .map((name) => join(home, 'archive', name))
    .filter(existsSync)
    .flatMap((data) => readdirSync(data))
    .filter((name) => name.endsWith('.gz'))
    .sort()

function restored(home: string): Buffer {
  const to = join(folder.path, `to-${count++}`)
  annals(home, ['archive', 'restore', gone, '--to', to])
  const name = readdirSync(to, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith(`${gone}.jsonl`))
  return readFileSync(join(to, name ?? 'nothing'))
}

describe('a manifest that is', () => {
  const damages: readonly [string, (path: string, bytes: Buffer) => void][] = [
    ['missing', (path) => rmSync(path)],
    ['empty', (path) => writeFileSync(path, '')],
    ['cut in half', (path, bytes) => writeFileSync(path, bytes.subarray(0, bytes.length >> 1))],
    [
      'cut between two transactions',
      (path, bytes) => writeFileSync(path, bytes.subarray(0, bytes.indexOf(10, bytes.indexOf('\ncommit\t') + 1) + 1)),
    ],
  ]
  test.each(damages)('%s is found by verify, doctor and keep, and repaired without losing anything', (_, damage) => {
    const home = copyOf(base)
    const path = join(home, 'archive', 'manifest')
    damage(path, readFileSync(path))
    const objects = readable(home)
    const damaged = everything(home)
    const verified = annals(home, ['archive', 'verify', '--json'])
    expect(verified.code).toBe(1)
    expect(JSON.parse(verified.stdout).problems.map(({ file }: { file: string }) => file)).toContain(path)
    const doctor = annals(home, ['doctor'])
    expect(doctor.code).toBe(1)
    expect(doctor.stdout.replaceAll(/\s+/g, '')).toContain(path)
    const kept = annals(home, ['keep'])
    expect(kept.code).toBe(1)
    expect(`${kept.stdout}${kept.stderr}`).toMatch(
      /Nothing was kept: the archive is damaged\.[\s\S]*manifest[\s\S]*verify --repair/,
    )
    expect(everything(home)).toEqual(damaged)
    expect(annals(home, ['archive', 'verify', '--repair']).code).toBe(0)
    expect(readable(home)).toEqual(objects)
    expect(annals(home, ['archive', 'verify']).code).toBe(0)
    expect(restored(home).equals(goneBytes)).toBe(true)
    expect(annals(home, ['keep']).code).toBe(0)
  })

  test('one byte short is found, and counts', () => {
    const home = copyOf(base)
    const path = join(home, 'archive', 'manifest')
    writeFileSync(path, readFileSync(path).subarray(0, -1))
    const { code, stdout } = annals(home, ['archive', 'verify'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/the last line has no newline/)
    expect(annals(home, ['archive', 'verify', '--repair']).code).toBe(0)
    expect(json(home, ['archive', 'list']).items.length).toBe(2)
    expect(annals(home, ['archive', 'verify']).code).toBe(0)
  })
})

/** An archive as version 0.1 wrote it: another first line, no manifest before, no word beside objects. */
function oldForm(home: string): string {
  const copy = copyOf(home)
  const archive = join(copy, 'archive')
  const path = join(archive, 'manifest')
  const bytes = readFileSync(path)
  writeFileSync(path, Buffer.concat([Buffer.from('annals archive 1'), bytes.subarray(bytes.indexOf(10))]))
  rmSync(join(archive, 'manifest.before'), { force: true })
  for (const name of readdirSync(join(archive, 'data'))) {
    if (name.endsWith('.of')) rmSync(join(archive, 'data', name))
  }
  return copy
}

describe('an archive of the first format', () => {
  test('is sound, and is brought into today’s by the next keep', () => {
    const home = oldForm(base)
    expect(annals(home, ['archive', 'verify']).code).toBe(0)
    expect(restored(home).equals(goneBytes)).toBe(true)
    expect(annals(home, ['keep']).code).toBe(0)
    const archive = join(home, 'archive')
    expect(readFileSync(join(archive, 'manifest'), 'latin1')).toMatch(/^annals archive 2\t/)
    const names = readdirSync(join(archive, 'data'))
    const objects = names.filter((name) => name.endsWith('.gz')).map((name) => name.slice(0, -3))
    expect(names.filter((name) => name.endsWith('.of')).map((name) => name.slice(0, -3))).toEqual(objects)
    expect(annals(home, ['archive', 'verify']).code).toBe(0)
    expect(restored(home).equals(goneBytes)).toBe(true)
  })

  test('whose manifest was cut between two transactions is found, and nothing of it is deleted', () => {
    const home = oldForm(base)
    const path = join(home, 'archive', 'manifest')
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.subarray(0, bytes.indexOf(10, bytes.indexOf('\ncommit\t') + 1) + 1))
    const objects = readable(home)
    const { problems } = json(home, ['archive', 'verify'])
    expect(problems.length).toBeGreaterThan(0)
    expect(annals(home, ['archive', 'verify']).code).toBe(1)
    expect(annals(home, ['keep']).code).toBe(1)
    expect(annals(home, ['doctor']).code).toBe(1)
    annals(home, ['archive', 'verify', '--repair'])
    expect(readable(home)).toEqual(objects)
    expect(annals(home, ['keep']).code).toBe(0)
  })
})

test('what has no place goes to lost+found, is listed, and can be unpacked', () => {
  const home = oldForm(base)
  rmSync(join(home, 'archive', 'manifest'))
  const objects = readable(home)
  const contents = objects.map((name) => gunzipSync(readFileSync(join(home, 'archive', 'data', name))).toString())
  expect(annals(home, ['archive', 'verify']).code).toBe(1)
  annals(home, ['archive', 'verify', '--repair'])
  expect(readdirSync(join(home, 'archive', 'lost+found')).sort()).toEqual(objects)
  const listed = json(home, ['archive', 'list']).lost as { file: string; bytes: number }[]
  expect(listed.map(({ file }) => file)).toEqual(objects.map((name) => join(home, 'archive', 'lost+found', name)))
  expect(listed.map(({ bytes }) => bytes)).toEqual(contents.map((text) => Buffer.byteLength(text)))
  expect(annals(home, ['archive']).stdout).toContain('annals keep restore lost+found --to')
  expect(annals(home, ['archive', 'restore', 'lost+found']).code).toBe(2)
  const to = join(folder.path, 'unpacked')
  mkdirSync(to)
  expect(annals(home, ['archive', 'restore', 'lost+found', '--to', to]).code).toBe(0)
  const names = objects.map((name) => name.slice(0, -3))
  expect(readdirSync(to).sort()).toEqual(names)
  expect(names.map((name) => readFileSync(join(to, name), 'utf8'))).toEqual(contents)
})
