import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { currentFacts } from '../disk/facts-cache.ts'
import { Library } from '../disk/library.ts'
import { type KnownFacts, readFacts } from '../disk/log-facts.ts'
import { log } from '../testing/index.ts'
import { StoredFacts } from './facts-cache.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'annals-facts-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const root = () => join(folder, 'root')
const open = () => new Library({ roots: [root()], cache: new StoredFacts(join(folder, 'state')) })
const made = (seed: string) =>
  log({ seed, version: '2.1.325' })
    .user('one')
    .assistant('two', { thinking: 'hm' })
    .tool('Bash', { command: 'ls' }, { output: 'x' })
    .subagent({ description: 'Look', prompt: 'p', result: 'r' })
    .title('Mine')
    .compact({ summary: 's' })

/** Asks twice, so that the second answer comes from the cache, and compares both with the log itself. */
function expectFresh() {
  for (let round = 0; round < 2; round++) {
    const library = open()
    for (const { log: entry } of library.sessions()) {
      if (!entry) continue
      const fresh = readFacts(library.source, entry) as KnownFacts
      expect(library.facts(entry)).toEqual(fresh)
    }
    library.close()
  }
}

test('gives back what was put, Maps and all', () => {
  made('one').write(root())
  made('two').write(root())
  expectFresh()
})

test('a log that has not changed is not read again', () => {
  // Facts of small logs are not kept: they are read as fast.
  const path = join(root(), made('one').user('x'.repeat(200_000)).write(root()).path)
  made('two').write(root())
  const old = new Date('2026-01-01T00:00:00Z')
  utimesSync(path, old, old)
  const before = open()
  const entry = before.sessions().find(({ log: one }) => one?.path === path)?.log
  if (!entry) throw new Error('the log is missing')
  before.facts(entry)
  before.close()
  const cache = new StoredFacts(join(folder, 'state'))
  const unread = { list: () => [], read: () => expect.fail('the log was read') }
  expect(currentFacts(unread, entry, cache).known?.facts.customTitle?.text).toBe('Mine')
  cache.close()
})

test('is never stale, whatever happens to a log', () => {
  const action = fc.constantFrom('append', 'half', 'flip', 'truncate', 'append, same time', 'nothing')
  fc.assert(
    fc.property(fc.array(action, { maxLength: 8 }), (actions) => {
      rmSync(root(), { recursive: true, force: true })
      const path = join(root(), made('one').write(root()).path)
      made('two').write(root())
      expectFresh()
      for (const one of actions) {
        const { atime, mtime } = statSync(path)
        if (one === 'append' || one === 'append, same time')
          appendFileSync(path, '{"type":"user","uuid":"n","message":{"content":"new"}}\n')
        if (one === 'half') appendFileSync(path, '{"type":"user"')
        if (one === 'truncate') truncateSync(path, Math.floor(statSync(path).size / 2))
        if (one === 'flip') {
          const bytes = readFileSync(path)
          const at = bytes.indexOf('one')
          if (at !== -1) bytes[at] = (bytes[at] as number) ^ 1
          writeFileSync(path, bytes)
        }
        if (one === 'append, same time') utimesSync(path, atime, mtime)
        expectFresh()
      }
    }),
    { numRuns: 40 },
  )
})

test('a cache that cannot be used is done without', () => {
  made('one').write(root())
  writeFileSync(join(folder, 'state'), 'a file')
  expectFresh()
  expect(readdirSync(folder)).toContain('state')
})
