import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { removeLetters } from '../src/collector/dead-letters.ts'
import { StateFile } from '../src/collector/state.ts'
import { Library } from '../src/disk/library.ts'
import type { Context } from '../src/history/context.ts'
import { collect } from '../src/ops/collect.ts'
import { purge } from '../src/ops/purge.ts'
import { temporaryFolder } from './cli/annals.ts'
import { rowsIn } from './collector/folder-place.ts'
import { ID, LOG, line } from './collector/made-root.ts'

const folder = temporaryFolder()
afterAll(folder.remove)
const OTHER_ID = 'bbbb2222-0000-4000-8000-000000000002'
let places = 0
let root = ''
let home = ''
let place = ''

beforeEach(() => {
  place = join(folder.path, `place-${places++}`)
  root = join(place, 'root')
  home = join(place, 'home')
  write(LOG, line(1) + line(2))
  write(`projects/-p/${OTHER_ID}.jsonl`, line(3, 'of the other', { sessionId: OTHER_ID }))
})

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

function context(): Context {
  const own = { configDir: home, dataDir: home, cacheDir: home, cwd: place, home: place, currentSession: undefined }
  return { library: new Library({ roots: [root] }), now: new Date(), ...own, warn: () => {}, progress: () => {} }
}

const out = (name: string) => `folder:${join(place, name)}`

test('a purge names the destinations that the session has gone to, and what removes it there', async () => {
  await collect.run(context(), { to: out('one') })
  await collect.run(context(), { to: out('two of us'), ...({ content: 'none', paths: 'hashed' } as object) })
  const state = new StateFile(join(home, 'collect'), 'postgres://annals.example.com/team')
  state.write({
    ...new StateFile(join(home, 'collect'), out('one')).read(out('one')),
    destination: 'postgres://annals.example.com/team',
  })
  write('projects/-p/cccc3333-0000-4000-8000-000000000003.jsonl', line(4))
  await collect.run(context(), { to: out('one') })
  const told = await purge.run(context(), { session: ID, yes: true })
  const byName = [...told.collected].sort((a, b) => (a.destination < b.destination ? -1 : 1))
  expect(byName).toEqual([
    {
      destination: out('one'),
      run: `annals collect --to ${out('one')} --content all --user real --paths real`,
      isTold: false,
    },
    {
      destination: out('two of us'),
      run: `annals collect --to '${out('two of us')}' --content none --user real --paths hashed`,
      isTold: false,
    },
    {
      destination: 'postgres://annals.example.com/team',
      run: `annals purge ${ID} --store postgres://annals.example.com/team`,
      isTold: false,
    },
  ])
  // What it says to run does it.
  await collect.run(context(), { to: out('one') })
  expect((await rowsIn(join(place, 'one'))).filter(({ session }) => session === ID)).toEqual([])
  const again = await purge.run(context(), { session: ID, yes: true })
  expect(again.collected.find(({ destination }) => destination === out('one'))).toMatchObject({ isTold: true })
  const never = await purge.run(context(), { session: 'cccc3333', yes: true })
  expect(never.collected.map(({ destination }) => destination)).toEqual([out('one')])
})

test('records that a destination had not taken go with their session, and no byte of them stays (X10)', async () => {
  const { destination } = await collect.run(context(), { to: out('one') })
  const state = new StateFile(join(home, 'collect'), destination)
  const { tracked } = state.read(destination)
  const fileOf = (id: string) => tracked.find(({ cursor }) => cursor.path.includes(id))?.file ?? ''
  const letter = { machine: 'machine-0001', generation: 1, offset: 0, reason: 'It is poison.' }
  const own = { ...letter, file: fileOf(ID) }
  state.bury([{ ...own, session: ID, content: 'secret one' }])
  state.bury([{ ...letter, file: 'h:of another machine', session: ID, content: 'secret two' }])
  state.bury([{ ...letter, file: 'history.jsonl', session: ID, content: '{"display":"secret three"}' }])
  state.bury([{ ...letter, file: fileOf(OTHER_ID), session: OTHER_ID, content: 'what stays' }])
  // Bytes of its log that no record owns, for a destination whose memory is lost.
  const lost = new StateFile(join(home, 'collect'), 'https://gone.example.com')
  writeFileSync(lost.deadLetters, `${JSON.stringify({ ...own, session: null, content: 'secret four' })}\n`)
  const done = await purge.run(context(), { session: ID, yes: true, source: true })
  expect(done.removed).toContainEqual({ where: 'collector', what: '4 records, that a destination had not taken' })
  const all = readdirSync(home, { recursive: true, encoding: 'utf8' })
    .map((name) => join(home, name))
    .filter((path) => statSync(path).isFile())
  expect(all.filter((path) => readFileSync(path).includes('secret'))).toEqual([])
  expect(readFileSync(state.deadLetters, 'utf8')).toContain('what stays')
  expect(statSync(state.deadLetters).mode & 0o777).toBe(0o600)
  expect(state.buried()).toBe(1)
})

test('a purge that was killed half-way is finished by the next, and loses nothing else', () => {
  const own = join(place, 'letters')
  mkdirSync(own, { recursive: true })
  const state = new StateFile(own, 'x')
  const lines = (...sessions: string[]) => sessions.map((session) => `${JSON.stringify({ session })}\n`).join('')
  writeFileSync(`${state.deadLetters}.purging`, lines('a', 'b'))
  writeFileSync(state.deadLetters, lines('a', 'c'))
  expect(removeLetters(own, ({ session }) => session === 'a')).toBe(2)
  expect(readdirSync(own)).toEqual([state.deadLetters.slice(own.length + 1)])
  expect(readFileSync(state.deadLetters, 'utf8').split('\n').sort()).toEqual(lines('b', 'c').split('\n').sort())
  expect(removeLetters(own, () => true)).toBe(2)
  expect(readdirSync(own)).toEqual([])
  expect(removeLetters(join(place, 'nowhere'), () => true)).toBe(0)
})
