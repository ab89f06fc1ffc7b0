import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SourceEntry } from '../disk/source.ts'
import { addWarning, NOTHING_SERVED, type ServedLogs, updated, updateFrom } from './served-logs.ts'

const entry = fc.record({
  root: fc.constant('/r'),
  path: fc.constantFrom('/r/a', '/r/b', '/r/c'),
  sizeBytes: fc.nat(2),
  modifiedAt: fc.nat(1),
  inode: fc.constantFrom('1:1', '1:2'),
  kept: fc.boolean(),
})

const logs = fc.record({
  listing: fc.array(entry).map((all) => new Map(all.map((one): [string, SourceEntry] => [one.path, one]))),
  warnings: fc.constant([{ file: '/r/a', message: 'no' }]),
  index: fc.constantFrom('1:9', null),
})

test('who is told every update knows what the writer knows, from whatever it began', () => {
  fc.assert(
    fc.property(fc.array(logs, { minLength: 1 }), fc.nat(), (states: readonly ServedLogs[], late) => {
      let known = NOTHING_SERVED
      let before = NOTHING_SERVED
      states.forEach((state, i) => {
        known = updated(known, updateFrom(before, state))
        // A thread that starts later is told all of it at once.
        if (i === late % states.length) known = updated(NOTHING_SERVED, updateFrom(NOTHING_SERVED, state))
        before = state
        expect(known).toEqual(state)
      })
    }),
  )
})

test('a writer that begins anew tells what there is, not what is missing', () => {
  const one = (path: string): SourceEntry => ({ root: '/r', path, sizeBytes: 1, modifiedAt: 1 })
  const state = (path: string) => ({ ...NOTHING_SERVED, listing: new Map([[path, one(path)]]) })
  const known = updated(state('/r/gone'), updateFrom(NOTHING_SERVED, state('/r/here')))
  expect([...known.listing.keys()]).toEqual(['/r/here'])
})

test('a warning is noted once', () => {
  const warnings = [{ file: 'a', message: 'b' }]
  addWarning(warnings, { file: 'a', message: 'b' })
  addWarning(warnings, { file: 'a', message: 'c' })
  expect(warnings.map(({ message }) => message)).toEqual(['b', 'c'])
})
