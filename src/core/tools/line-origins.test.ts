import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FileTouch } from './file-touch.ts'
import { textContent } from './file-touch.ts'
import { type CopyTouch, type LineOrigin, lineOrigins } from './line-origins.ts'

const text = textContent
const of = (touch: FileTouch, copy = 0): CopyTouch => ({ copy, touch })
const wrote = (after: string, before: string | null = null) =>
  of({ kind: 'write', before: before === null ? null : text(before), after: text(after) })
const found = (content: string, copy = 0) => of({ kind: 'checkpoint', content: text(content) }, copy)

function edited(oldText: string, newText: string, before?: string, copy = 0): CopyTouch {
  const replacements = [{ oldText, newText, isAll: false }]
  return of({ kind: 'edit', before: before === undefined ? undefined : text(before), replacements, patch: null }, copy)
}

/** The origins of all lines of the first copy, in short. */
function told(touches: readonly CopyTouch[], say = short): readonly string[] {
  const { lines = [], origins = [] } = lineOrigins(touches).get(0) ?? {}
  return lines.map((line, i) => `${line} ${say(origins[i] as LineOrigin)}`)
}

/** The same with the line that it was when it was written, counted from 0. */
function withLine(origin: LineOrigin): string {
  return origin.rule === 'proven' ? `${short(origin)}:${origin.line}` : short(origin)
}

function short(origin: LineOrigin): string {
  if (origin.rule === 'proven') return `#${origin.touch}`
  return origin.rule === 'outside' ? `outside ${origin.after}-${origin.before}` : origin.rule
}

test('a line is told with the number that it had when it was written, wherever it stands now', () => {
  const touches = [wrote('a\nb\n'), edited('b', 'b\nc\nd', 'a\nb\n'), edited('a\n', '', 'a\nb\nc\nd\n')]
  expect(told(touches, withLine)).toEqual(['b #0:1', 'c #1:2', 'd #1:3'])
})

describe('a line is', () => {
  test('proven where a call wrote it, and stays so while others change around it', () => {
    expect(told([wrote('a\nb\n'), edited('b', 'c\nd', 'a\nb\n'), edited('a', 'x', 'a\nc\nd\n')])).toEqual([
      'x #2',
      'c #1',
      'd #1',
    ])
  })

  test('before all logs where the first record of the file shows it', () => {
    expect(told([edited('b', 'c', 'a\nb\n')])).toEqual(['a before', 'c #0'])
  })

  test('changed outside where the next record finds it, and nothing wrote it', () => {
    expect(told([wrote('a\nb\n'), edited('z', 'c', 'a\nnew\nz\n')])).toEqual(['a #0', 'new outside 0-1', 'c #1'])
  })

  test('unknown where a call left what nobody can tell', () => {
    const lost: CopyTouch = of({ kind: 'write', before: undefined, after: undefined })
    expect(told([wrote('a\n'), lost, found('a\nb\n')])).toEqual(['a #0', 'b unknown'])
  })
})

test('the time of a change from outside begins when the file was last seen as it was', () => {
  expect(told([wrote('a\n'), found('a\n'), found('a\nb\n')])).toEqual(['a #0', 'b outside 1-2'])
})

test('a formatter in between changes lines from outside; lines of equal content keep their origin', () => {
  const before = 'if (a) {\nb\n}\n'
  expect(told([wrote(before), found('if (a) {\n  b\n}\n')])).toEqual(['if (a) { #0', '  b outside 0-1', '} #0'])
})

test('how lines end changes nothing', () => {
  expect(told([found('a\r\nb\r\n'), edited('b', 'c', 'a\nb\n'), found('a\r\nc\r\n')])).toEqual(['a before', 'c #1'])
})

test('a file that is found as it once was is that version again', () => {
  const touches = [wrote('a\nb\n'), edited('b', 'c', 'a\nb\n'), found('a\nb\n')]
  expect(told(touches)).toEqual(['a #0', 'b #0'])
})

test('what was removed and made anew is new, whatever it holds', () => {
  expect(told([wrote('a\n'), of({ kind: 'remove' }), wrote('a\nb\n')])).toEqual(['a #2', 'b #2'])
  expect(lineOrigins([wrote('a\n'), of({ kind: 'remove' })]).get(0)).toMatchObject({ content: null, lines: [] })
})

test('a move changes no line', () => {
  expect(told([wrote('a\n'), of({ kind: 'move' }), edited('a', 'b\na', 'a\n')])).toEqual(['b #2', 'a #0'])
  expect(told([wrote('a\nb\n'), of({ kind: 'move' }), found('a\nb\n')])).toEqual(['a #0', 'b #0'])
})

test('an edit that fits nothing known leaves nothing to guess', () => {
  expect(told([wrote('a\n'), edited('nowhere', 'x')])).toEqual([])
  expect(told([wrote('a\n'), edited('nowhere', 'x'), found('a\nx\n')])).toEqual(['a #0', 'x unknown'])
})

test('an edit without a record of the file is done again on what is known', () => {
  expect(told([wrote('a\nb\n'), edited('b', 'c')])).toEqual(['a #0', 'c #1'])
})

describe('copies in worktrees', () => {
  test('a worktree begins with the lines of the file that it was made of', () => {
    const touches = [wrote('a\nb\n'), edited('b', 'c', 'a\nb\n', 1)].map((one, i) =>
      i === 0 ? { ...one, copy: 1 } : { ...one, copy: 0 },
    )
    expect(told(touches)).toEqual(['a #0', 'c #1'])
  })

  test('what a merge brings is told by the copy that it comes from', () => {
    const touches = [
      { ...wrote('a\nb\nz\n'), copy: 0 },
      edited('b', 'b\nnew', 'a\nb\nz\n', 1),
      edited('z', 'y', 'a\nb\nz\n'),
      found('a\nb\nnew\ny\n'),
    ]
    expect(told(touches)).toEqual(['a #0', 'b #0', 'new #1', 'y #2'])
  })
})

test('by its patch, an edit owns the lines that it added, not equal ones beside them', () => {
  const before = 'x\n}\n}\n'
  const patch = [{ oldStart: 1, oldLines: 3, newStart: 1, newLines: 4, lines: [' x', '+}', ' }', ' }'] }]
  const edit: FileTouch = { kind: 'edit', before: text(before), replacements: [], patch }
  expect(told([of(edit)])).toEqual(['x before', '} #0', '} before', '} before'])
})

/** A line of the independent replay: its text and what wrote it. */
interface Owned {
  readonly line: string
  readonly by: string
}

const joined = (lines: readonly Owned[]) => lines.map(({ line }) => `${line}\n`).join('')

const action = fc.record({
  kind: fc.constantFrom('edit', 'edit', 'edit', 'write', 'outside', 'look', 'blind'),
  at: fc.nat(1000),
  taken: fc.nat(3),
  put: fc.nat(3),
})

test('random histories: every line has the origin that a replay on plain arrays gives it', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 25 }), fc.nat(6), (actions, size) => {
      let made = 0
      let lines: Owned[] = Array.from({ length: size }, (_, i) => ({ line: `start ${i}`, by: 'before' }))
      const touches: CopyTouch[] = [found(joined(lines))]
      // When the file was last seen as it is; changes from outside since then are found by the next record.
      let seen = 0
      let hidden: Owned[] = []
      const settle = (now: number) => {
        lines = lines.map((one) => (hidden.includes(one) ? { ...one, by: `outside ${seen}-${now}` } : one))
        hidden = []
        seen = now
      }
      for (const { kind, at, taken, put } of actions) {
        const now = touches.length
        const from = lines.length === 0 ? 0 : at % lines.length
        const old = lines.slice(from, from + taken)
        // Each new line is one of the file as it then is.
        const fresh = (by?: string) =>
          Array.from({ length: put }, (_, i) => ({ line: `line ${made++}`, by: by ?? `#${now}:${from + i}` }))
        if (kind === 'outside') {
          const added = fresh('hidden')
          lines = lines.toSpliced(from, old.length, ...added)
          hidden = [...hidden.filter((one) => lines.includes(one)), ...added]
        } else if (kind === 'look') {
          touches.push(found(joined(lines)))
          settle(now)
        } else if (kind === 'blind') {
          // An edit whose answer tells nothing: it fits only where nothing was changed unseen.
          if (hidden.length > 0 || seen !== now - 1 || old.length === 0 || put === 0) continue
          const added = fresh()
          const touch = edited(joined(old), joined(added))
          lines = lines.toSpliced(from, old.length, ...added)
          touches.push(touch)
          seen = now
        } else {
          const before = joined(lines)
          settle(now)
          const kept = lines
          const added = fresh()
          lines = kept.toSpliced(from, old.length, ...added)
          const patch = [patchAt(kept, from, old.length, added)]
          const replacements = [{ oldText: joined(old), newText: joined(added), isAll: false }]
          const after = text(joined(lines))
          touches.push(
            of(
              kind === 'write'
                ? { kind, before: text(before), after, patch }
                : { kind: 'edit', before: text(before), replacements, patch },
            ),
          )
        }
      }
      const last = touches.length
      touches.push(found(joined(lines)))
      settle(last)
      expect(told(touches, withLine)).toEqual(lines.map(({ line, by }) => `${line} ${by}`))
    }),
    { numRuns: 300 },
  )
})

/** A patch with up to three lines around, written out by hand. */
function patchAt(before: readonly Owned[], from: number, taken: number, added: readonly Owned[]) {
  const lead = before.slice(Math.max(0, from - 3), from)
  const trail = before.slice(from + taken, from + taken + 3)
  const lines = [
    ...lead.map(({ line }) => ` ${line}`),
    ...before.slice(from, from + taken).map(({ line }) => `-${line}`),
    ...added.map(({ line }) => `+${line}`),
    ...trail.map(({ line }) => ` ${line}`),
  ]
  const around = lead.length + trail.length
  const start = from - lead.length + 1
  return { oldStart: start, oldLines: around + taken, newStart: start, newLines: around + added.length, lines }
}
