import { expect, test } from 'vitest'
import * as at from '../src/core/skim/layout.ts'
import { skimLog } from '../src/core/skim/skim-log.ts'
import { Skimmer } from '../src/core/skim/skimmer.ts'
import { answer, results, row } from './skim-rows.ts'

const uuid = (n: number) => `0f3c5a7e-1b2d-4c6f-8a9b-${String(n).padStart(12, '0')}`
/** The places of row `n` in a chain of rows. */
const chained = (n: number) => ({ uuid: uuid(n), parentUuid: uuid(n - 1) })
const call = (n: number, more: object = {}, message: object = {}) =>
  answer([{ type: 'tool_use', id: `toolu_${n}`, name: 'Read', input: {} }], { ...chained(n), ...more }, message)
const result = (n: number, more: object = {}) =>
  results([{ type: 'tool_result', tool_use_id: `toolu_${n - 1}`, content: 'ok' }], undefined, {
    ...chained(n),
    ...more,
  })
const prompt = (n: number) => results('And now?', undefined, chained(n))
const request = (session: string) => JSON.stringify({ type: 'api-request', id: 'ref-2', sessionId: session })
const SESSION = '6f6f6f6f-0000-4000-8000-000000000000'

/** What the rows of a log are marked as: `a` is like the one before, `g` goes on. A small buffer, so that several skims are needed. */
function marksOf(lines: readonly string[], skimmer = new Skimmer(4096)): string {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
  const marks: string[] = []
  skimLog(skimmer, (into, position) => bytes.copy(into, 0, position), {
    rows({ rows }) {
      for (let i = 0; i < rows; i++) {
        marks.push(`${skimmer.has(i, at.ALIKE) ? 'a' : ''}${skimmer.has(i, at.GOES_ON) ? 'g' : ''}` || '-')
      }
    },
    oversize() {},
  })
  return marks.join(' ')
}

test('answers and results that tell nothing else are alike', () => {
  expect(marksOf([call(1), result(2), call(3), result(4)])).toBe('- a ag a')
})

test('rows are alike over more skims than one', () => {
  const lines = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? call(i + 1) : result(i + 1)))
  expect(marksOf(lines)).toBe(['-', 'a', ...Array.from({ length: 19 }, () => 'ag a')].join(' '))
})

test.each([
  ['no parent', call(3, { parentUuid: null })],
  ['a logical parent', call(3, { logicalParentUuid: uuid(1) })],
  ['another session', call(3, { sessionId: '7f6f6f6f-0000-4000-8000-000000000000' })],
  ['another version', call(3, { version: '2.1.326' })],
  ['another folder', call(3, { cwd: '/elsewhere' })],
  ['another branch', call(3, { gitBranch: 'next' })],
  ['another slug', call(3, { slug: 'loud-river' })],
  ['an agent', call(3, { agentId: 'a1' })],
  ['a sidechain', call(3, { isSidechain: true })],
  ['a copy', call(3, { forkedFrom: { sessionId: SESSION, messageUuid: uuid(9) } })],
  ['no time', call(3, { timestamp: undefined })],
  ['an API error', call(3, { isApiErrorMessage: true })],
  ['no usage', call(3, {}, { usage: undefined })],
  ['no message id', call(3, {}, { id: undefined })],
  ['the client’s own answer', call(3, {}, { model: '<synthetic>' })],
])('a row is not alike with %s', (_, line) => {
  expect(marksOf([call(1), result(2), line]).split(' ')[2]).not.toContain('a')
})

test('where a row hangs and which model answered is not of the log', () => {
  expect(marksOf([call(1), result(2), call(3, { parentUuid: uuid(1) })])).toBe('- a ag')
  expect(marksOf([call(1), result(2), call(3, {}, { model: 'claude-haiku-5' })])).toBe('- a ag')
})

test('answers of the client itself are never alike', () => {
  const own = (n: number) => call(n, {}, { model: '<synthetic>' })
  expect(marksOf([own(1), own(2), own(3)])).toBe('- - -')
})

test('an answer goes on where both its ids are those of the answer before', () => {
  expect(marksOf([call(1), call(2)])).toBe('- ag')
  expect(marksOf([call(1), call(2, { requestId: 'req_02' })])).toBe('- a')
  expect(marksOf([call(1), call(2, {}, { id: 'msg_02' })])).toBe('- a')
})

test('a row that the parser reads stands between: what comes after it does not go on', () => {
  expect(marksOf([call(1), prompt(2), call(3), result(4)])).toBe('- - a a')
})

test('attachments are of the tree: rows are like them, and they are like nothing', () => {
  const attachment = row('attachment', { ...chained(2), attachment: { type: 'skill_listing', content: 'x' } })
  expect(marksOf([call(1), attachment, call(3)])).toBe('- - ag')
})

test('records that are not of the tree stand between only where they name another session', () => {
  expect(marksOf([call(1), request(SESSION), result(2)])).toBe('- - a')
  expect(marksOf([call(1), request('other'), result(2)])).toBe('- - -')
})

test('the first row of a log is like nothing of the log before', () => {
  const skimmer = new Skimmer(4096)
  marksOf([call(1)], skimmer)
  expect(marksOf([result(2)], skimmer)).toBe('-')
})
