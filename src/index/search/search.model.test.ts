import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { diskSource } from '../../disk/disk-source.ts'
import type { Database } from '../driver.ts'
import { ingestFacts } from '../ingest.ts'
import { ingestTexts } from '../ingest-text.ts'
import { openIndex } from '../open.ts'
import type { Found } from './matching-docs.ts'
import { searchDocs } from './search.ts'
import type { SearchFilter } from './searched-logs.ts'

const WORDS = ['walnut', 'pecan', 'hazel']
const START = Date.UTC(2026, 10, 1)

/** A line of a log: a prompt, an answer, or a title, which has neither time nor id. What has the same number is a copy. */
interface Said {
  readonly log: number
  readonly kind: 'prompt' | 'text' | 'title'
  readonly number: number
  readonly words: readonly number[]
  /** Minutes after the start; an answer that was copied has the time of the original. */
  readonly minute: number
}

const said: fc.Arbitrary<Said> = fc.record({
  log: fc.nat(3),
  kind: fc.constantFrom('prompt' as const, 'prompt' as const, 'text' as const, 'title' as const),
  number: fc.nat(12),
  words: fc.subarray([0, 1, 2], { minLength: 1 }),
  minute: fc.nat(9),
})

const textOf = ({ number, words }: Said) => `${words.map((word) => WORDS[word]).join(' ')} n${number}`
const sessionOf = (log: number) => `${log}aaaaaaa-0000-4000-8000-000000000000`
const timeOf = ({ kind, minute }: Said) => (kind === 'title' ? null : START + minute * 60_000)

/** What copies share: the text of a title only within its log. */
function keyOf(one: Said): string {
  if (one.kind === 'title') return `title ${one.log} ${textOf(one)}`
  return one.kind === 'prompt' ? `prompt ${one.number}` : `text ${one.number} ${textOf(one)}`
}

function lineOf(one: Said): string {
  if (one.kind === 'title') return `${JSON.stringify({ type: 'custom-title', customTitle: textOf(one) })}\n`
  const timestamp = new Date(timeOf(one) as number).toISOString()
  const uuid = `00000000-0000-4000-8000-${one.kind === 'prompt' ? 'a' : 'b'}${String(one.number).padStart(11, '0')}`
  const content = textOf(one)
  if (one.kind === 'prompt') return `${JSON.stringify({ type: 'user', uuid, timestamp, message: { content } })}\n`
  const message = { id: `msg_${one.number}`, role: 'assistant', content: [{ type: 'text', text: content }] }
  return `${JSON.stringify({ type: 'assistant', uuid, timestamp, message })}\n`
}

/** Where answers are copied, so is their time: what is shown is the original, which else would be as old as it is. */
function verbatim(all: readonly Said[]): readonly Said[] {
  if (all.every(({ kind }) => kind !== 'text')) return all
  const first = new Map<string, Said>()
  return all.map((one) => {
    const key = `${one.kind} ${one.number}`
    const known = first.get(key) ?? one
    first.set(key, known)
    return { ...one, minute: known.minute, words: known.words }
  })
}

/** An index of what was said: some of it known before the rest was appended. */
function indexed(all: readonly Said[], before: number): { readonly database: Database; readonly close: () => void } {
  const root = mkdtempSync(join(tmpdir(), 'annals-search-model-'))
  mkdirSync(join(root, 'projects/-p'), { recursive: true })
  const { database } = openIndex(undefined, [root])
  for (const part of [all.slice(0, before), all.slice(before)]) {
    for (const one of part) appendFileSync(join(root, `projects/-p/${sessionOf(one.log)}.jsonl`), lineOf(one))
    ingestFacts(database, diskSource([root]))
    ingestTexts(database, diskSource([root]))
  }
  const close = () => {
    database.close()
    rmSync(root, { recursive: true })
  }
  return { database, close }
}

interface Asked {
  readonly word: number
  readonly filter: SearchFilter
  readonly limit: number
}

const asked: fc.Arbitrary<Asked> = fc.record({
  word: fc.nat(2),
  limit: fc.integer({ min: 1, max: 12 }),
  filter: fc.oneof(
    fc.constant({}),
    fc.nat(3).map((log) => ({ session: sessionOf(log) })),
    fc.constantFrom('prompt', 'text', 'title').map((kind) => ({ kind })),
    fc.nat(9).map((minute) => ({ sinceMs: START + minute * 60_000 })),
  ),
})

/** What the filter lets through of what has the word, by looking at every line. */
function matching(all: readonly Said[], { word, filter }: Asked): readonly Said[] {
  const { session, kind, sinceMs } = filter
  return all.filter(
    (one) =>
      one.words.includes(word) &&
      (session === undefined || sessionOf(one.log) === session) &&
      (kind === undefined || one.kind === kind) &&
      (sinceMs === undefined || (timeOf(one) ?? Number.NEGATIVE_INFINITY) >= sinceMs),
  )
}

/** A message is as new as its newest copy; what has no time is the oldest. */
function timesOf(hits: readonly Said[]): readonly number[] {
  const newest = new Map<string, number>()
  for (const one of hits) newest.set(keyOf(one), Math.max(newest.get(keyOf(one)) ?? -1, timeOf(one) ?? -1))
  return [...newest.values()].sort((a, b) => b - a)
}

function sessionsOf(hits: readonly Said[]) {
  const logs = [...new Set(hits.map(({ log }) => log))]
  return logs.map((log) => {
    const own = hits.filter((one) => one.log === log)
    const newest = Math.max(...own.map((one) => timeOf(one) ?? -1))
    return { session: sessionOf(log), count: new Set(own.map(keyOf)).size, newestMs: newest === -1 ? null : newest }
  })
}

const bySession = (a: { readonly session: string }, b: { readonly session: string }) => (a.session < b.session ? -1 : 1)
const places = (found: readonly Found[]) => found.map(({ log, offset }) => `${log.path}:${offset}`)

test('order, counts and sessions are those of looking at every line, copies and disorder among them', () => {
  fc.assert(
    fc.property(
      fc.array(said, { maxLength: 30, size: 'max' }),
      fc.nat(30),
      fc.array(asked, { minLength: 6, maxLength: 6 }),
      (drawn, before, questions) => {
        const all = verbatim(drawn)
        const { database, close } = indexed(all, before)
        try {
          for (const one of questions) {
            const sought = { match: `"${WORDS[one.word]}"` }
            const options = { sort: 'time', limit: one.limit } as const
            const hits = matching(all, one)
            const { found, total, isMore, sessions } = searchDocs(database, sought, one.filter, options)
            expect(found.map(({ timeMs }) => timeMs ?? -1)).toEqual(timesOf(hits).slice(0, one.limit))
            expect(new Set(found.map(({ copy }) => copy)).size).toBe(found.length)
            expect({ total, isMore }).toEqual({ total: timesOf(hits).length, isMore: false })
            const told = sessions.map(({ session, count, newestMs }) => ({ session, count, newestMs }))
            expect(told.toSorted(bySession)).toEqual(sessionsOf(hits).toSorted(bySession))
            const times = sessions.map(({ newestMs }) => newestMs ?? -1)
            expect(times).toEqual(times.toSorted((a, b) => b - a))
            const page = searchDocs(database, sought, one.filter, { ...options, isUncounted: true })
            expect(places(page.found)).toEqual(places(found))
            expect(page).toMatchObject({ total: found.length, isMore: total > one.limit, sessions: [] })
          }
        } finally {
          close()
        }
      },
    ),
    { numRuns: 120 },
  )
})

describe('of a word that is everywhere, a page is the same as with counts', () => {
  const LOGS = 80
  const EACH = 30
  const root = mkdtempSync(join(tmpdir(), 'annals-search-many-'))
  const { database } = openIndex(undefined, [root])
  const sessionAt = (log: number) => `${String(log).padStart(8, '0')}-0000-4000-8000-000000000000`
  // All logs were written to side by side; those with an odd number stand on their head.
  const minuteOf = (log: number, row: number) => (log % 2 === 0 ? row : EACH - row) * LOGS + ((log * 7) % LOGS)

  beforeAll(() => {
    mkdirSync(join(root, 'projects/-p'), { recursive: true })
    for (let log = 0; log < LOGS; log++) {
      const lines = Array.from({ length: EACH }, (_, row) => {
        const uuid = `${String(log).padStart(8, '0')}-0000-4000-8000-${String(row).padStart(12, '0')}`
        const timestamp = new Date(START + minuteOf(log, row) * 60_000).toISOString()
        return `${JSON.stringify({ type: 'user', uuid, timestamp, message: { content: 'walnut' } })}\n`
      })
      writeFileSync(join(root, `projects/-p/${sessionAt(log)}.jsonl`), lines.join(''))
    }
    ingestFacts(database, diskSource([root]))
    ingestTexts(database, diskSource([root]))
  })
  afterAll(() => {
    database.close()
    rmSync(root, { recursive: true })
  })

  const minutes = Array.from({ length: LOGS * EACH }, (_, i) => minuteOf(Math.floor(i / EACH), i % EACH))

  test.each([1, 20, 79, 500, LOGS * EACH])('the newest %i', (limit) => {
    const ask = (isUncounted: boolean, filter: SearchFilter = {}) =>
      searchDocs(database, { match: '"walnut"' }, filter, { sort: 'time', limit, isUncounted })
    const page = ask(true)
    const expected = minutes.toSorted((a, b) => b - a).slice(0, limit)
    expect(page.found.map(({ timeMs }) => ((timeMs ?? 0) - START) / 60_000)).toEqual(expected)
    expect(places(page.found)).toEqual(places(ask(false).found))
    expect(page.isMore).toBe(limit < LOGS * EACH)
    // A log that is none of those which ended last.
    const first = { session: sessionAt(0) }
    expect(places(ask(true, first).found)).toEqual(places(ask(false, first).found))
    expect(ask(true, first).found).toHaveLength(Math.min(limit, EACH))
  })
})
