import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FaultyEdits, faultyEdits, type Place, refusal, SECRET } from '../support/faulty-edits.ts'

const without = refusal === '' ? '' : ` (skipped: ${refusal})`
const LONG = 1_800_000
/** At how many calls of a kind faults are injected: more by ANNALS_CRASH=all. */
const most = process.env.ANNALS_CRASH === 'all' ? 40 : 5

let edits: FaultyEdits
beforeAll(() => {
  edits = faultyEdits()
})
afterAll(() => edits.made.remove())

const listed = (place: Place) => {
  const { status, stdout, stderr } = edits.annals(place, ['undo', '--list', '--json'])
  expect(status, stderr).toBe(0)
  return JSON.parse(stdout).items as { readonly id: string; readonly unfinished: boolean }[]
}

/** What a failed edit says, compared with the state of the root. Gives which of the two sentences it was. */
function compare(place: Place, said: string, states: { old: unknown; done: unknown }, way: string, name: string) {
  const { annals, pictureIn } = edits
  const left = pictureIn(place)
  const open = listed(place).filter(({ unfinished }) => unfinished)
  const doctor = annals(place, ['doctor', '--json'])
  expect(pictureIn(place), `${name}: a list and a check change nothing`).toEqual(left)
  expect(said, name).not.toMatch(/what was kept before is untouched|This is a bug|\n\s+at /)
  if (said.includes('Nothing was changed')) {
    expect(left, `${name}: ${said}`).toEqual(states.old)
    expect(open, name).toEqual([])
    return 'nothing'
  }
  expect(said, name).toMatch(/was interrupted\. .*(?:changes? (?:is|are) in place|cannot be read)/)
  const [{ id } = { id: '' }] = open
  expect(said, name).toContain(`annals undo ${id} --finish`)
  const checks = JSON.parse(doctor.stdout).checks as { name: string; ok: boolean; detail: string; fix: string }[]
  const check = checks.find((one) => one.name === 'edits')
  expect(check, name).toMatchObject({ ok: false, detail: expect.stringContaining(id) })
  expect(check?.fix, name).toContain(`annals undo ${id} --finish`)
  const dry = annals(place, ['undo', '--dry-run'])
  expect([dry.status, pictureIn(place)], name).toEqual([0, left])
  if (way === 'finish') {
    const { status, stderr } = annals(place, ['undo', '--finish'])
    // What can no longer be completed is said, and taking it back still works.
    if (status === 0) expect(pictureIn(place), `${name}, finished`).toEqual(states.done)
    else {
      expect(stderr, name).toContain(`annals undo ${id} takes back`)
      expect(pictureIn(place), name).toEqual(left)
      expect(annals(place, ['undo']).status, name).toBe(0)
      expect(pictureIn(place), `${name}, not finished`).toEqual(states.old)
    }
  } else {
    expect(annals(place, ['undo']).status, name).toBe(0)
    expect(pictureIn(place), `${name}, taken back`).toEqual(states.old)
  }
  expect(listed(place).filter(({ unfinished }) => unfinished)).toEqual([])
  return 'interrupted'
}

test.skipIf(refusal !== '')(
  `a failed edit says what state the root is in, and it can be finished or taken back${without}`,
  () => {
    const { made, annals, newPlace, pictureIn } = edits
    const counts: Record<string, number> = { nothing: 0, interrupted: 0 }
    const operations = [
      ['tag', made.sessionId, 'auth'],
      ['rename', made.sessionId, 'Another title'],
      ['edit', 'prune', made.sessionId, '--yes'],
      ['move', made.sessionId, '--to', join(made.folder, 'renamed')],
    ]
    for (const args of operations) {
      const whole = newPlace()
      const old = pictureIn(whole)
      expect(annals(whole, args)).toMatchObject({ status: 0 })
      const done = pictureIn(whole)
      for (const [call, error] of [
        ['rename', 'EIO'],
        ['rename', 'ENOSPC'],
        ['fsync', 'EIO'],
      ]) {
        for (let point = 2; point < 2 + most; point += 1) {
          const place = newPlace()
          const way = point % 2 === (error === 'EIO' ? 0 : 1) ? 'back' : 'finish'
          const name = `${args.slice(0, 2).join(' ')}, ${call} ${point} and later fail with ${error}, ${way}`
          const { status, stderr } = annals(place, args, `${call}:error=${error}:when=${point}+`)
          if (status === 0) break
          expect(status, name).toBe(2)
          const kind = compare(place, stderr, { old, done }, way, name)
          counts[kind] = (counts[kind] ?? 0) + 1
          rmSync(join(place.root, '..'), { recursive: true })
        }
      }
    }
    console.info(`failed edits: ${counts.nothing} changed nothing, ${counts.interrupted} were interrupted`)
    expect(counts.nothing).toBeGreaterThan(0)
    expect(counts.interrupted).toBeGreaterThan(0)
  },
  LONG,
)

test.skipIf(refusal !== '')(
  `prune --secret says where a secret is still held when the index cannot be written${without}`,
  () => {
    const { made, annals, newPlace } = edits
    const args = ['edit', 'prune', made.sessionId, '--secret', '--yes']
    const counts = { before: 0, after: 0 }
    for (const point of [1, 2, 3, 5, 8, 13, 21]) {
      const place = newPlace()
      expect(annals(place, ['index', '--json'], undefined, [])).toMatchObject({ status: 0 })
      const database = join(place.state, readdirSync(place.state).find((name) => name.endsWith('.db')) as string)
      const fault = { fault: `pwrite64:error=EIO:when=${point}+`, files: [database, `${database}-wal`] }
      const { status, stderr } = annals(place, args, fault, [])
      const isMasked = !readFileSync(made.log.replace(made.root, place.root), 'utf8').includes(SECRET)
      if (status === 0) break
      counts[isMasked ? 'after' : 'before'] += 1
      expect(status, stderr).toBe(2)
      expect(stderr).not.toContain('This is a bug')
      if (!isMasked) continue
      expect(stderr).toMatch(/The secrets in \d+ files? are masked, but annals itself may still hold them\. The index/)
      expect(stderr).toContain('Run the same command again')
      expect(stderr).not.toMatch(/Nothing is lost/)
      expect(annals(place, args, undefined, [])).toMatchObject({ stderr: expect.not.stringMatching(/may still hold/) })
    }
    console.info(
      `prune --secret: the index failed ${counts.before} times before, ${counts.after} times after the files`,
    )
    expect(counts.after).toBeGreaterThan(0)
  },
  LONG,
)
