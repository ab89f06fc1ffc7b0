import { describe, expect, test } from 'vitest'
import { foundFor, hit, session } from '../../../tests/support/picker-samples.ts'
import { rowsOf } from './rows.ts'

const elsewhere = { isHere: false, project: { key: '-home-ana-web', path: '/home/ana/web' } }
const race = session(1, { title: 'Fix token refresh race' })
const tests = session(2, { title: 'Add login tests', ...elsewhere })
const spike = session(3, { title: 'Spike: séance cookies' })
const sessions = [race, tests, spike]

function titles(query: string, scope: 'here' | 'all' = 'all', found = foundFor(query, [])): readonly (string | null)[] {
  return rowsOf({ sessions, scope, query, found, unfolded: undefined }).map((row) => row.session.title)
}

describe('without a query', () => {
  test('all sessions are listed, or those of this place', () => {
    expect(titles('')).toEqual(sessions.map(({ title }) => title))
    expect(titles('  ', 'here')).toEqual([race.title, spike.title])
  })
})

test('forks stand under their original, in one place of the list', () => {
  const fork = session(0, { title: 'Another way', forkedFrom: spike.id })
  const rows = rowsOf({ sessions: [fork, ...sessions], scope: 'all', query: '', found: undefined, unfolded: undefined })
  expect(rows.map((row) => [row.session.title, row.depth])).toEqual([
    [spike.title, 0],
    [fork.title, 1],
    [race.title, 0],
    [tests.title, 0],
  ])
})

describe('a query', () => {
  test('finds all its words, in any order, case and accent, as parts of words', () => {
    expect(titles('RACE tok')).toEqual([race.title])
    expect(titles('seance')).toEqual([spike.title])
    expect(titles('SÉANCE coo')).toEqual([spike.title])
    expect(titles('token cookies')).toEqual([])
  })

  test('finds projects and ids', () => {
    expect(titles('web')).toEqual([tests.title])
    expect(titles('00000003-')).toEqual([spike.title])
  })

  test('speaks the language of the search', () => {
    expect(titles('token OR login')).toEqual([race.title, tests.title])
    expect(titles('api -token')).toEqual([spike.title])
    expect(titles('"refresh race"')).toEqual([race.title])
    expect(titles('"race refresh"')).toEqual([])
  })

  test('lists what the search found after what is called so, newest first, each session once', () => {
    const found = foundFor('cookies', [hit(tests, 'a'), hit(race, 'b'), hit(spike, 'c'), hit(race, 'd')])
    const rows = rowsOf({ sessions, scope: 'all', query: 'cookies', found, unfolded: undefined })
    expect(rows.map((row) => row.session)).toEqual([spike, race, tests])
    expect(rows.map((row) => row.hits.map(({ snippet }) => snippet))).toEqual([['c'], ['b', 'd'], ['a']])
  })

  test('begins with what was said in the conversation itself', () => {
    const hits = [
      hit(race, 'title', { kind: 'title' }),
      hit(race, 'agent', { agent: 'a1' }),
      hit(race, 'result', { kind: 'tool-result', role: 'tool' }),
      hit(race, 'prompt', { kind: 'prompt', role: 'user' }),
      hit(race, 'text'),
    ]
    const [row] = rowsOf({ sessions, scope: 'all', query: 'x', found: foundFor('x', hits), unfolded: undefined })
    expect(row?.hits.map(({ snippet }) => snippet)).toEqual(['prompt', 'text', 'result', 'agent', 'title'])
  })

  test('puts a fork that was found under its original that was', () => {
    const fork = session(0, { title: 'Another way', forkedFrom: spike.id })
    const found = foundFor('zz', [hit(race, 'zz'), hit(fork, 'zz'), hit(spike, 'zz')])
    const rows = rowsOf({ sessions: [fork, ...sessions], scope: 'all', query: 'zz', found, unfolded: undefined })
    expect(rows.map((row) => [row.session.title, row.depth])).toEqual([
      [spike.title, 0],
      [fork.title, 1],
      [race.title, 0],
    ])
  })

  test('is narrowed by what the filters leave', () => {
    const fitting = new Set([race.id, tests.id])
    const hits = [hit(race, 'x'), hit(spike, 'x')]
    const titlesFor = (query: string) => titles(query, 'all', foundFor(query, hits, { fitting }))
    expect(titlesFor('since:7d')).toEqual([race.title, tests.title])
    expect(titlesFor('since:7d x')).toEqual([race.title])
    expect(titlesFor('login since:7d')).toEqual([tests.title, race.title])
    // What chooses among rows leaves no title.
    expect(titlesFor('login tool:Bash')).toEqual([race.title])
  })

  test('also lists sessions that only the index still knows', () => {
    const lost = session(9, { title: null })
    const found = foundFor('word', [hit(lost, 'a word')])
    const [row] = rowsOf({ sessions, scope: 'here', query: 'word', found, unfolded: undefined })
    expect(row?.session).toMatchObject({ id: lost.id, kind: 'gone', file: null, title: null })
  })
})
