import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { log } from '../testing/index.ts'
import { Library, projectPath } from './library.ts'

let folder: string
let open: Library[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'annals-'))
})
afterEach(() => {
  for (const library of open) library.close()
  open = []
  rmSync(folder, { recursive: true, force: true })
})

function libraryOf(...roots: readonly string[]): Library {
  const library = new Library({ roots: roots.length > 0 ? roots : [folder] })
  open.push(library)
  return library
}

function only(library: Library) {
  const [session, ...more] = library.sessions()
  expect(more).toEqual([])
  return session as NonNullable<typeof session>
}

test('lists sessions, not other logs, and lists again when asked', () => {
  const made = log().user('one').assistant('a')
  made.write(folder)
  const library = libraryOf()
  expect(library.sessions().map((s) => s.id)).toEqual([made.sessionId])
  log({ seed: 'second' }).user('two').write(folder)
  expect(library.sessions()).toHaveLength(1)
  library.refresh()
  expect(library.sessions()).toHaveLength(2)
})

test('looks again at files that are listed, and says so where that is not enough', () => {
  const path = join(folder, log().user('one').assistant('a').write(folder).path)
  const other = join(folder, log({ seed: 'second' }).user('two').write(folder).path)
  const library = libraryOf()
  const before = library.projects()
  expect(library.look([path])).toBe(true)
  expect(library.projects()).toBe(before)
  appendFileSync(path, '{"type":"mode"}\n')
  expect(library.look([path])).toBe(true)
  expect(library.entries().get(path)?.sizeBytes).toBe(statSync(path).size)
  expect(library.look([join(folder, 'projects', 'new.jsonl')])).toBe(false)
  // Another file, or a link, at the same place is for a listing to judge.
  renameSync(path, `${path}.old`)
  writeFileSync(path, '{}\n')
  expect(library.look([path])).toBe(false)
  rmSync(other)
  symlinkSync(path, other)
  expect(library.look([other])).toBe(false)
})

test('takes a listing that was made elsewhere, and reads its logs', () => {
  const path = join(folder, log().user('one').assistant('a').write(folder).path)
  const listing = libraryOf().entries()
  log({ seed: 'second' }).user('two').write(folder)
  const library = libraryOf()
  library.adopt(listing)
  expect(library.facts(only(library).log as never)?.facts.usage.map(({ place }) => place.file)).toEqual([path])
})

test('a root that is not there, or is a file, is a failure we foresaw', () => {
  writeFileSync(join(folder, 'file'), '')
  expect(() => libraryOf(join(folder, 'none'))).toThrow(expect.objectContaining({ code: 'NO_ROOT' }))
  expect(() => libraryOf(join(folder, 'file'))).toThrow(expect.objectContaining({ code: 'NO_ROOT' }))
})

test('a root without projects is empty', () => expect(libraryOf().projects()).toEqual([]))

test('two roots may hold the same session', () => {
  const made = log().user('one')
  for (const name of ['a', 'b']) {
    mkdirSync(join(folder, name))
    made.write(join(folder, name))
  }
  expect(
    libraryOf(join(folder, 'a'), join(folder, 'b'))
      .sessions()
      .map((s) => s.root),
  ).toEqual([join(folder, 'a'), join(folder, 'b')])
})

test('the facts of a log that was renamed name the new file', () => {
  const { path } = log().user('one').assistant('a').write(folder)
  const library = libraryOf()
  const usedIn = () => library.facts(only(library).log as never)?.facts.usage.map(({ place }) => place.file)
  expect(usedIn()).toEqual([join(folder, path)])
  const renamed = join(dirname(join(folder, path)), 'renamed.jsonl')
  renameSync(join(folder, path), renamed)
  library.refresh()
  expect(usedIn()).toEqual([renamed])
})

test.each([
  ['-home-ana-api', ['/home/ana/other', '/home/ana/api'], '/home/ana/api'],
  ['-home-ana-api', [null, '/home/ana/x', '/home/ana/y'], '/home/ana/x'],
  ['-home-ana-api', [null], null],
  ['-home-ana-api', [], null],
])('the path of project %s among %j', (key, cwds, path) => expect(projectPath(key, cwds)).toBe(path))
