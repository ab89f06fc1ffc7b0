import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foundFor, hit, session, view } from '../../../tests/support/picker-samples.ts'
import { width } from '../terminal/width.ts'
import { frameOf } from './frame.ts'
import { EMPTY_LINE, insert } from './line.ts'
import type { Listed } from './model.ts'
import { type Event, openingState, reduce, type State } from './state.ts'

function stateWith(sessions: readonly Listed[], ...events: readonly Event[]): State {
  const listed: Event = { kind: 'listed', sessions, isAll: true }
  return [listed, ...events].reduce(reduce, openingState({ columns: 80, rows: 24 }, 'this repository'))
}

function typed(text: string): Event {
  return { kind: 'pressed', key: { kind: 'text', text } }
}

function shown(state: State): readonly string[] {
  return frameOf(state, view).lines
}

const race = session(1, { title: 'Fix token refresh race' })

test('before anything is known there is a prompt and what the keys do', () => {
  const { lines, cursor } = frameOf(openingState({ columns: 80, rows: 24 }, 'this repository'), view)
  expect(lines[0]).toBe(' ›')
  expect(cursor).toEqual({ x: 3, y: 0 })
  expect(lines.at(-1)).toBe(' ⇥ all projects   ? keys')
})

test('a row says what, where, when and how much, in columns', () => {
  const wide = session(2, { title: '認証の修正', project: { key: 'k', path: '/home/ana/ウェブ' }, costUsd: 12.5 })
  const gone = session(3, { title: 'Spike: cookies', kind: 'gone', file: null })
  const live = session(4, { title: 'Migrate', status: 'live' })
  const kept = session(5, { title: 'Tidy changelog', isArchived: true })
  const lines = shown(stateWith([race, wide, gone, live, kept], { kind: 'priced', session: race, costUsd: 4.12 }))
  expect(lines.slice(2, 7)).toEqual([
    ' ▌ Fix token refresh race               api               yesterday       $4.12',
    '   認証の修正                           ウェブ            Wed            $12.50',
    '   Spike: cookies                       api               gone',
    '●  Migrate                              api               live',
    '   Tidy changelog                       api               archived',
  ])
})

test('a star and a tag stand before the title', () => {
  const lines = shown(stateWith([session(1, { title: 'Race', starred: true, tags: ['auth'] })]))
  expect(lines[2]).toMatch(/^ ▌ ★ #auth Race /)
})

test('logs that are gone are counted apart', () => {
  const gone = session(2, { kind: 'gone', file: null })
  const archived = session(3, { kind: 'gone', isArchived: true })
  expect(shown(stateWith([race, gone, archived]))[0]).toMatch(/2 sessions, 1 gone · this repository$/)
})

test('what the search stopped counting is not told as the number', () => {
  const some = foundFor('token', [hit(race, 'a token')], { total: 10_000 })
  const head = (moreHits: boolean) =>
    shown(stateWith([race], typed('token'), { kind: 'found', found: { ...some, moreHits } }))[0]
  expect(head(true)).toMatch(/1 session · 10,000\+ hits$/)
  expect(head(false)).toMatch(/1 session · 10,000 hits$/)
})

test('a new title is typed in the first line, and the last says how to leave it', () => {
  const state = stateWith([race], { kind: 'pressed', key: { kind: 'rename' } }, typed('!'))
  const { lines, cursor } = frameOf(state, view)
  expect(lines[0]).toBe(' New title › Fix token refresh race!')
  expect(cursor.x).toBe(' New title › Fix token refresh race!'.length)
  expect(lines.at(-1)).toContain('esc cancel')
})

test('the first line counts the sessions and says which they are', () => {
  const sessions = [race, session(2, { isHere: false })]
  expect(shown(stateWith(sessions))[0]).toMatch(/^ › +1 session · this repository$/)
  const wide = stateWith(sessions, { kind: 'pressed', key: { kind: 'tab' } })
  expect(shown(wide)[0]).toMatch(/^ › +2 sessions · all projects$/)
  expect(shown(wide).at(-1)).toContain('⇥ this repository')
})

test('a search is counted and its words are shown in their place', () => {
  const snippet = 'Both tabs spend the same refresh token, so\nthe second one is rejected'
  const found = foundFor('refresh token', [
    hit(race, snippet, { matches: [[25, 38]], turn: 2 }),
    hit(race, 'other', { who: 'Bash · npm test' }),
  ])
  const state = stateWith([race], typed('refresh token'), { kind: 'found', found })
  const lines = shown(state)
  expect(lines[0]).toMatch(/^ › refresh token +1 session · 2 hits$/)
  expect(lines).toContain('   Claude · turn 2 · yesterday')
  expect(lines).toContain('   Bash · npm test · yesterday')
  expect(lines).toContain('   Both tabs spend the same «refresh token», so the second one is rejected')
})

test('without a query one sees how the session began and how it ended', () => {
  const details = { firstPrompt: 'why are users\nlogged out?', lastAnswer: 'Because of the lock.' }
  const lines = shown(stateWith([race], { kind: 'detailed', session: race, details }))
  expect(lines).toContain('   › why are users logged out?')
  expect(lines).toContain('   Because of the lock.')
})

describe('a sentence says so', () => {
  test('where there is no session at all', () => {
    expect(shown(stateWith([]))[2]).toContain('No sessions yet.')
  })

  test('where there is none in this place', () => {
    const state = stateWith([session(1, { isHere: false })], { kind: 'pressed', key: { kind: 'tab' } })
    expect(shown(state)[2]).toContain('No sessions in this repository yet. Tab shows all projects.')
  })

  test('where nothing was found, once the search has answered', () => {
    const asked = stateWith([race], typed('zebra'))
    expect(shown(asked)[2]).toBe('')
    const answered = reduce(asked, { kind: 'found', found: foundFor('zebra', []) })
    expect(shown(answered)[2]).toContain('Nothing was found for “zebra” in this repository. Tab looks in all projects.')
  })
})

test('a look at a session tells how long was worked on it, as lists do', () => {
  const idle = session(1, { createdAt: '2026-11-01T09:00:00Z', updatedAt: '2026-11-12T09:00:00Z', activeMs: 65_000 })
  expect(shown(stateWith([idle])).join('\n')).toContain(' · 1 min 5 s active')
})

test('the keys are explained where one asks', () => {
  const lines = shown(stateWith([race], typed('?')))
  expect(lines.some((line) => line.includes('resume it in Claude Code'))).toBe(true)
  expect(lines.some((line) => line.includes(race.title ?? ''))).toBe(false)
})

test('a frame never is wider or higher than the terminal, and holds no control character', () => {
  const part = fc.constantFrom(
    '\u001b[2J',
    '\u009b31m',
    '日本',
    'e\u0301',
    '👩‍💻',
    '\u202e',
    'word ',
    '\r\n',
    '\u0007',
    'العربية',
  )
  const hostile = fc.array(part, { minLength: 1, maxLength: 30 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(
      hostile,
      hostile,
      fc.integer({ min: 40, max: 160 }),
      fc.integer({ min: 1, max: 50 }),
      (a, b, columns, rows) => {
        const one = session(1, { title: a, project: { key: b, path: b }, gitBranch: a, status: 'live', kind: 'gone' })
        const found = foundFor('', [hit(one, `${a} ${b}`, { matches: [[0, 2]], agent: b, who: a, title: b })])
        const row = { session: one, hits: found.hits, depth: 0, at: null, count: 1 }
        const details = { firstPrompt: a, lastAnswer: b }
        const states = [
          stateWith([one], { kind: 'detailed', session: one, details }),
          stateWith([one], { kind: 'told', notice: a }, typed(b)),
          {
            ...stateWith([one]),
            rows: [row, { ...row, at: 0 }],
            selected: 1,
            line: insert(EMPTY_LINE, b),
            found: { ...found, query: b },
          },
          reduce(stateWith([one]), { kind: 'told', notice: b }),
        ]
        for (const state of states) {
          const { lines, cursor } = frameOf({ ...state, size: { columns, rows } }, view)
          expect(lines.length).toBeLessThanOrEqual(Math.max(1, rows - 1))
          for (const line of lines) expect(width(line)).toBeLessThanOrEqual(columns)
          // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for.
          expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/)
          expect(cursor.x).toBeLessThan(columns)
        }
      },
    ),
    { numRuns: 60 },
  )
})
