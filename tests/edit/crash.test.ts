import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pictureOf } from '../support/edited-root.ts'
import { type FaultyEdits, faultyEdits, refusal } from '../support/faulty-edits.ts'

/** Piped, what to type next stands on stderr: only trouble is none of it. */
const TROUBLE = /bug in annals|cannot|could not|has changed|\n\s+at /

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

let edits: FaultyEdits
let made: FaultyEdits['made']
beforeAll(() => {
  edits = faultyEdits()
  made = edits.made
})
afterAll(() => made.remove())

/** Kills a command at one call after the other: whatever it left, the next run finds or makes the old state or the new one. */
function sweep(what: string, args: readonly string[], before: readonly (readonly string[])[] = []): void {
  const { annals, newPlace, pictureIn } = edits
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
      heal(place, name)
      const now = pictureIn(place)
      expect([old, done], name).toContainEqual(now)
      if (JSON.stringify(now) === JSON.stringify(old)) {
        expect(annals(place, args), name).toMatchObject({ status: 0, stderr: expect.not.stringMatching(TROUBLE) })
        expect(pictureIn(place), name).toEqual(done)
      }
      const left = readdirSync(join(place.state, 'edits')).filter((one) => /lock|tmp/.test(one))
      expect(left, name).toEqual([])
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

/** Takes back what was interrupted, as the list of edits says; reading the list changes nothing. */
function heal(place: Parameters<FaultyEdits['annals']>[0], name: string): void {
  const { annals, pictureIn } = edits
  const killed = pictureIn(place)
  const list = annals(place, ['undo', '--list', '--json'])
  expect(list, name).toMatchObject({ status: 0, stderr: expect.not.stringMatching(TROUBLE) })
  expect(pictureIn(place), name).toEqual(killed)
  const isOpen = JSON.parse(list.stdout).items.some(({ unfinished }: { unfinished: boolean }) => unfinished)
  const quiet = { stderr: expect.not.stringMatching(TROUBLE) }
  if (isOpen) expect(annals(place, ['undo']), name).toMatchObject({ status: 0, ...quiet })
  // Any edit, even one that finds nothing to do, first takes over the lock and clears what lies about.
  expect(annals(place, ['rename', 'no-such-session', 'x']), name).toMatchObject({ status: 1, ...quiet })
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
    const { annals, newPlace } = edits
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
