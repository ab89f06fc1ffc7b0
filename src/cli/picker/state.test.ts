import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foundFor, hit, session } from '../../../tests/support/picker-samples.ts'
import type { Key } from './keys.ts'
import { layoutOf } from './layout.ts'
import { actOf, type Event, openingState, reduce, type State, selectedRow, visibleRows } from './state.ts'

const sessions = Array.from({ length: 9 }, (_, at) => session(at + 1, { isHere: at % 2 === 0 }))
const opened = following(openingState({ columns: 80, rows: 24 }, 'this repository'), {
  kind: 'listed',
  sessions,
  isAll: true,
})

function following(state: State, ...events: readonly Event[]): State {
  return events.reduce(reduce, state)
}

function pressing(state: State, ...keys: readonly (Key['kind'] | { readonly text: string })[]): State {
  return keys.reduce((now, key) => {
    const pressed: Key = typeof key === 'string' ? ({ kind: key } as Key) : { kind: 'text', text: key.text }
    return reduce(now, { kind: 'pressed', key: pressed })
  }, state)
}

const text = (value: string) => ({ text: value })

describe('a new title', () => {
  const renaming = pressing(opened, text('x'), { text: '' }, 'cut-left', 'rename')

  test('begins with the old one, and takes letters and the keys of a line, not those of the list', () => {
    const state = pressing(renaming, 'line-start', text('A '), 'down', 'tab', 'resume', 'star')
    expect(state.renaming?.line.text).toBe('A Session 1')
    expect([state.line.text, state.selected, state.scope]).toEqual(['', 0, 'here'])
  })

  test('is given by Enter where it is another one, and left by Escape', () => {
    const enter = { kind: 'enter' } as const
    expect(actOf(renaming, enter)).toBeUndefined()
    expect(actOf(pressing(renaming, text('!')), enter)).toBe('rename')
    expect(actOf(pressing(renaming, 'cut-left'), enter)).toBeUndefined()
    expect(pressing(renaming, 'escape').renaming).toBeUndefined()
    expect(actOf(renaming, { kind: 'escape' })).toBeUndefined()
    expect(actOf(renaming, { kind: 'resume' })).toBeUndefined()
  })

  test('is not for a session whose log is gone', () => {
    const gone = following(opened, { kind: 'listed', sessions: [session(1, { file: null })], isAll: true })
    expect(pressing(gone, 'rename')).toMatchObject({ renaming: undefined, notice: expect.stringMatching(/gone/) })
  })
})

describe('the scope', () => {
  test('is this place where it has sessions, and all projects where it has none', () => {
    expect(opened.scope).toBe('here')
    expect(opened.rows).toHaveLength(5)
    const others = sessions.map((one) => ({ ...one, isHere: false }))
    const elsewhere = following(opened, { kind: 'listed', sessions: others, isAll: true })
    expect(elsewhere.scope).toBe('all')
    expect(elsewhere.rows).toHaveLength(9)
  })

  test('changes with Tab, and stays as it was chosen', () => {
    const wide = pressing(opened, 'tab')
    expect(wide.rows).toHaveLength(9)
    expect(following(wide, { kind: 'listed', sessions, isAll: true }).scope).toBe('all')
    expect(pressing(wide, 'tab').rows).toHaveLength(5)
  })
})

describe('typing', () => {
  test('filters, and begins at the top again', () => {
    const typed = pressing(opened, 'down', 'down', text('session '), text('3'))
    expect(typed).toMatchObject({ line: { text: 'session 3' }, selected: 0, top: 0 })
    expect(selectedRow(typed)?.session).toBe(sessions[2])
  })

  test('is undone by letters, words, and all at once', () => {
    const typed = pressing(opened, text('naïve e\u0301'))
    expect(pressing(typed, 'backspace').line.text).toBe('naïve ')
    expect(pressing(typed, 'cut-word').line.text).toBe('naïve ')
    expect(pressing(typed, 'cut-word', 'cut-word').line.text).toBe('')
    expect(pressing(typed, 'cut-left').line.text).toBe('')
    expect(pressing(typed, 'escape').line.text).toBe('')
    // What is cleared by mistake comes back.
    expect(pressing(typed, 'escape', 'paste').line.text).toBe('naïve e\u0301')
  })

  test('a question mark shows the keys only where nothing is typed', () => {
    expect(pressing(opened, text('?'))).toMatchObject({ areKeysShown: true, line: { text: '' } })
    expect(pressing(opened, text('why'), text('?'))).toMatchObject({ areKeysShown: false, line: { text: 'why?' } })
  })

  test('takes the keys away again', () => {
    expect(pressing(opened, text('?'), 'escape')).toMatchObject({ areKeysShown: false, line: { text: '' } })
    expect(pressing(opened, text('?'), text('a'))).toMatchObject({ areKeysShown: false, line: { text: 'a' } })
  })

  test('keeps what was found until the search has answered anew', () => {
    const found = foundFor('x', [hit(session(2), 'x')])
    const answered = following(pressing(opened, text('x')), { kind: 'found', found })
    expect(answered.rows).toHaveLength(1)
    expect(pressing(answered, text('y')).rows).toHaveLength(1)
    expect(pressing(answered, 'escape').rows).toHaveLength(5)
    expect(following(pressing(answered, text('y')), { kind: 'found', found })).toEqual(pressing(answered, text('y')))
  })
})

test('what is found later leaves the selection on its session', () => {
  const typed = pressing(opened, text('session'), 'down')
  const found = foundFor('session', [hit(session(2), 'x')])
  expect(selectedRow(following(typed, { kind: 'found', found }))?.session).toBe(sessions[2])
})

describe('keys that act', () => {
  const act = (state: State, kind: Key['kind']) => actOf(state, { kind } as Key)

  test('do something with the selected session', () => {
    const keys: readonly Key['kind'][] = ['enter', 'resume', 'copy', 'export', 'keep', 'files', 'web', 'quit']
    const acts = ['read', 'resume', 'copy', 'export', 'keep', 'files', 'web', 'quit']
    expect(keys.map((kind) => act(opened, kind))).toEqual(acts)
  })

  test('do nothing where there is no session, except to quit', () => {
    const empty = pressing(opened, text('nothing like it'))
    expect(act(empty, 'enter')).toBeUndefined()
    expect(act(empty, 'quit')).toBe('quit')
  })

  test('escape quits only where nothing is left to take back', () => {
    expect(act(opened, 'escape')).toBe('quit')
    expect(act(pressing(opened, text('x')), 'escape')).toBeUndefined()
    expect(act(pressing(opened, text('?')), 'escape')).toBeUndefined()
    expect(act(opened, 'end-of-input')).toBe('quit')
    expect(act(pressing(opened, text('x')), 'end-of-input')).toBeUndefined()
    expect(act(opened, 'delete')).toBeUndefined()
  })
})

describe('the matches of a session', () => {
  const hits = [hit(session(1), 'a'), hit(session(1), 'b'), hit(session(1), 'c'), hit(session(3), 'd')]
  const answered = following(pressing(opened, text('x')), { kind: 'found', found: foundFor('x', hits) })

  test('unfold below it, can be gone through, and fold again', () => {
    expect(answered.rows.map(({ at }) => at)).toEqual([null, null])
    const unfolded = pressing(answered, 'right')
    expect(unfolded.rows.map(({ at }) => at)).toEqual([null, 0, 1, 2, null])
    const third = pressing(unfolded, 'down', 'down', 'down')
    expect(selectedRow(third)).toMatchObject({ session: sessions[0], at: 2 })
    const folded = pressing(third, 'left')
    expect(folded.rows).toHaveLength(2)
    expect(selectedRow(folded)).toMatchObject({ session: sessions[0], at: null })
  })

  test('stay selected when more of them come', () => {
    const second = pressing(answered, 'right', 'down', 'down')
    const more = foundFor('x', [...hits.slice(0, 3), hit(session(1), 'older')])
    const after = following(second, { kind: 'found-in', session: session(1).id, asked: 100, found: more })
    expect(selectedRow(after)).toMatchObject({ at: 1, count: 4 })
    expect(after.rows).toHaveLength(6)
  })

  test('are folded by another word', () => {
    expect(pressing(answered, 'right', text('y')).unfolded).toBeUndefined()
  })

  test('leave the arrows to the line where the cursor is not at its end, or where there is one match', () => {
    expect(pressing(answered, 'left').line.cursor).toBe(0)
    expect(pressing(answered, 'left', 'right')).toMatchObject({ unfolded: undefined, line: { cursor: 1 } })
    expect(pressing(answered, 'down', 'right').unfolded).toBeUndefined()
  })
})

test('Home and End go to the ends of the line, and of the list where nothing is typed', () => {
  expect(pressing(opened, 'end').selected).toBe(4)
  expect(pressing(opened, 'end', 'home').selected).toBe(0)
  expect(pressing(opened, text('s'), 'end', 'home')).toMatchObject({ selected: 0, line: { cursor: 0 } })
  expect(pressing(opened, text('s'), 'last').selected).toBe(4)
})

test('a notice stays until the next key', () => {
  const told = following(opened, { kind: 'told', notice: 'Copied.' })
  expect(told.notice).toBe('Copied.')
  expect(pressing(told, 'down').notice).toBeUndefined()
})

const anyKey: fc.Arbitrary<Key> = fc.oneof(
  fc.constantFrom(
    ...(
      [
        'up',
        'down',
        'page-up',
        'page-down',
        'home',
        'end',
        'tab',
        'escape',
        'backspace',
        'left',
        'right',
        'cut-left',
      ] as const
    ).map((kind): Key => ({ kind })),
  ),
  fc.constantFrom('s', 'session', '3', '?', 'zz').map((value): Key => ({ kind: 'text', text: value })),
)
const anyEvent: fc.Arbitrary<Event> = fc.oneof(
  { weight: 5, arbitrary: anyKey.map((key): Event => ({ kind: 'pressed', key })) },
  fc.record({ columns: fc.nat(200), rows: fc.nat(60) }).map((size): Event => ({ kind: 'resized', size })),
  fc.subarray(sessions).map((some): Event => ({ kind: 'listed', sessions: some, isAll: true })),
  fc
    .tuple(fc.constantFrom('s', 'session', '3'), fc.constantFrom('here', 'all'), fc.subarray(sessions))
    .map(([query, scope, some]): Event => {
      return {
        kind: 'found',
        found: foundFor(
          query,
          some.map((one) => hit(one, query)),
          { scope: scope as 'here' },
        ),
      }
    }),
)

test('whatever happens, the selection is in the list and on the screen', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
      const state = following(opened, ...events)
      const { rows, selected, top } = state
      if (rows.length === 0) expect(selected).toBe(0)
      else expect(rows[selected]).toBeDefined()
      const height = Math.max(1, layoutOf(state.size).list)
      expect(selected).toBeGreaterThanOrEqual(top)
      expect(selected).toBeLessThan(top + height)
      // No room is wasted below the last row while there are rows above the first.
      if (top > 0) expect(rows.length - top).toBeGreaterThanOrEqual(height)
      expect(visibleRows(state).length).toBeLessThanOrEqual(height)
    }),
  )
})
