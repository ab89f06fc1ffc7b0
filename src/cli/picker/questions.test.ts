import { expect, test } from 'vitest'
import { foundFor, hit, rowOf, session } from '../../../tests/support/picker-samples.ts'
import { ask, nextQuestion } from './questions.ts'
import { type Event, openingState, reduce, type State } from './state.ts'
import type { Thread } from './thread.ts'

const one = session(1)
const two = session(2, { file: null, kind: 'gone' })
const opening = openingState({ columns: 80, rows: 24 }, 'this repository')
const listed: Event = { kind: 'listed', sessions: [one, two], isAll: true }
const typed: Event = { kind: 'pressed', key: { kind: 'text', text: 'x' } }

function following(...events: readonly Event[]): State {
  return events.reduce(reduce, opening)
}

function thread(answer: () => unknown): Thread {
  return { ask: async () => answer() as never, close: async () => {} }
}

test('the list comes first, then what is typed, the selected session, what is seen of the others, and the index', async () => {
  const order: string[] = []
  let state = reduce(opening, typed)
  for (let wanted = nextQuestion(state); wanted && order.length < 20; wanted = nextQuestion(state)) {
    order.push(wanted.kind)
    const answers: Readonly<Record<string, unknown>> = {
      list: [one, two],
      search: foundFor('x', [hit(one, 'x'), hit(two, 'x')]),
      details: { firstPrompt: null, lastAnswer: null, places: [] },
      price: 1.5,
      index: 0,
    }
    const { kind } = wanted
    state = (
      await ask(
        thread(() => answers[kind]),
        wanted,
        state,
      )
    ).reduce(reduce, state)
  }
  // The search has brought the index up to date already.
  expect(order).toEqual(['list', 'search', 'details', 'price'])
  expect(nextQuestion(following(listed))?.kind).toBe('details')
})

test('hits of a selected session that are not among the newest of all are asked for, once', async () => {
  const group = { session: one.id, project: { key: '-a', path: null }, count: 3, newest: null }
  const found = foundFor('x', [], { groups: [group], total: 200 })
  const state = following(listed, typed, { kind: 'found', found })
  const wanted = nextQuestion(state)
  expect(wanted).toMatchObject({ kind: 'hits', session: one.id })
  const answer = foundFor('x', [hit(one, 'an old x')])
  const events = await ask(
    thread(() => answer),
    wanted as NonNullable<typeof wanted>,
    state,
  )
  const after = events.reduce(reduce, state)
  expect(after.rows[0]).toMatchObject({ session: { id: one.id }, hits: [{ snippet: 'an old x' }] })
  const none = reduce(state, { kind: 'found-in', session: one.id, asked: 100, found: foundFor('x', []) })
  for (const next of [after, none]) expect(nextQuestion(next)?.kind).toBe('details')
})

test('an index that is behind is brought further, and then is searched again', () => {
  const row = rowOf(one)
  const details = { firstPrompt: null, lastAnswer: null, places: [] }
  const found = foundFor('x', [], { behindBytes: 100 })
  const state = following(
    listed,
    typed,
    { kind: 'found', found },
    { kind: 'detailed', row, details },
    { kind: 'priced', session: one, costUsd: null },
  )
  expect(nextQuestion(state)?.kind).toBe('index')
  expect(nextQuestion(reduce(state, { kind: 'indexed', behindBytes: 40 }))?.kind).toBe('search')
  const stuck = [{ kind: 'indexed', behindBytes: 100 } as const].reduce(reduce, state)
  expect(nextQuestion(stuck)).toBeUndefined()
})

test('what cannot be answered is said, and not asked again', async () => {
  let state = reduce(opening, typed)
  for (let asked = 0; asked < 10; asked++) {
    const wanted = nextQuestion(state)
    if (!wanted) break
    const events = await ask(
      thread(() => {
        throw new Error('No SQLite.')
      }),
      wanted,
      state,
    )
    state = events.reduce(reduce, state)
    expect(state.notice).toBe('No SQLite.')
  }
  expect(nextQuestion(state)).toBeUndefined()
})
