import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callOf, turnOf, viewOf } from '../../../tests/support/format-sample-parts.ts'
import { empties, samples } from '../../../tests/support/format-samples.ts'
import { opLoaders } from '../../ops/index.ts'
import { createStyle } from '../terminal/style.ts'
import { width as widthOf } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { followFormats, formats } from './index.ts'

type Name = keyof typeof formats
const names = Object.keys(samples) as Name[]

/** Formats a sample that was changed on the way: types are no help here, and none is needed. */
async function linesOf(name: Name, result: unknown, view: View): Promise<readonly string[]> {
  const format = (await formats[name]()) as (result: unknown, view: View) => readonly string[]
  return format(result, view)
}

/** The sample with every string made by `change`, which also hears the field's name. */
function changed(value: unknown, change: (text: string, key: string) => string, key = ''): unknown {
  if (typeof value === 'string') return change(value, key)
  if (Array.isArray(value)) return value.map((item) => changed(item, change, key))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([k, field]) => [k, changed(field, change, k)]))
}

const views: readonly Partial<View>[] = [
  { tools: 'none' },
  { tools: 'brief', input: { families: true, rows: true } },
  { tools: 'full', input: { session: 'last' } },
]
// A path that is cut is of no use, so these two are never cut.
const COPIED = new Set<Name>(['path', 'resume'])
// Fields that say what a thing is: with other words in them formatters never reach the rest.
const WORDS = new Set([
  'kind',
  'name',
  'from',
  'status',
  'operation',
  'class',
  'attachedBy',
  'attachedTo',
  'uuid',
  'leaf',
])
// Words that the schema of items lists: nothing else can stand there.
const LISTED = new Set(samples.show.turns.flatMap(({ items }) => Array.from(items, ({ kind }): string => kind)))
const isListed = (text: string, key: string) =>
  (key === 'kind' && LISTED.has(text)) || key === 'outcome' || key === 'runBy'
const PAYLOADS = [
  '\u001b]0;owned\u0007',
  '\u001b[2J\u001b[31m',
  '\u009b31m\u0090q\u009c',
  'a\rb\nc\td\u0000\u007f',
  '\u202eevil\u2066\u200b',
  '\u001b',
]

test('there is a formatter for every operation', () => {
  expect(Object.keys(formats).sort()).toEqual(Object.keys(opLoaders).sort())
})

describe.each(names)('%s', (name) => {
  test('fits the width', async () => {
    for (const width of [60, 100]) {
      for (const changes of views) {
        const lines = await linesOf(name, samples[name], viewOf({ ...changes, width }))
        if (!COPIED.has(name)) for (const line of lines) expect(widthOf(line), line).toBeLessThanOrEqual(width)
      }
    }
  })

  test('cuts nothing when nobody looks on', async () => {
    const long = changed(samples[name], (text, key) => (key === 'title' ? `${text} ${'long '.repeat(60)}end` : text))
    const lines = await linesOf(name, long, viewOf({ width: Number.POSITIVE_INFINITY }))
    expect(lines.join('\n')).not.toContain('long…')
    expect(lines.length).toBeGreaterThan(0)
  })

  test('never shows what is not known by its name', async () => {
    for (const changes of views) {
      const lines = await linesOf(name, samples[name], viewOf(changes))
      expect(lines.join('\n')).not.toMatch(/\b(?:null|undefined|NaN|Infinity)\b/)
    }
  })

  test('gives one line per line, without a control byte, whatever the data', async () => {
    for (const payload of PAYLOADS) {
      for (const isAll of [true, false]) {
        const hostile = changed(samples[name], (text, key) =>
          isListed(text, key) || (!isAll && WORDS.has(key)) ? text : `${payload}${text}${payload}`,
        )
        for (const changes of views) {
          for (const width of [60, Number.POSITIVE_INFINITY]) {
            const lines = await linesOf(name, hostile, viewOf({ ...changes, width }))
            // Where nobody looks on, tabs part the columns of a list.
            const text = lines.join('').replaceAll(width === 60 ? '' : '\t', '')
            expect(text).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u200b]/u)
          }
        }
      }
    }
  })

  test('holds its width with any text', async () => {
    const words = fc.string({ unit: 'binary', maxLength: 90 })
    await fc.assert(
      fc.asyncProperty(words, async (word) => {
        const odd = changed(samples[name], (text, key) =>
          WORDS.has(key) || isListed(text, key) || key === 'timestamp' ? text : word,
        )
        const lines = await linesOf(name, odd, viewOf({ width: 60, tools: 'full' }))
        expect(lines.join('')).not.toMatch(/\p{Cc}/u)
        if (!COPIED.has(name)) for (const line of lines) expect(widthOf(line), line).toBeLessThanOrEqual(60)
      }),
      { numRuns: 30 },
    )
  })

  test('has the same words in colour', async () => {
    const plainLines = await linesOf(name, samples[name], viewOf())
    const coloured = await linesOf(name, samples[name], viewOf({ style: createStyle({ colour: true }) }))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is taken out
    const bare = coloured.map((line) => line.replace(/\u001b\[[\d;]*m/g, ''))
    // Without colour the marks of markdown stay.
    const withoutMarks = (lines: readonly string[]) => lines.map((line) => line.replaceAll(/[*`#]/g, '').trim())
    expect(withoutMarks(bare)).toEqual(withoutMarks(plainLines))
  })
})

test.each(Object.keys(empties) as Name[])('%s says so when there is nothing', async (name) => {
  const lines = await linesOf(name, empties[name], viewOf())
  expect(lines.join('\n')).toMatch(/[A-Z].*\.$/m)
})

test('makes the keys of maps harmless too', async () => {
  const key = '\u001b]0;owned\u0007\nx'
  const check = { ...samples.check, versions: { [key]: 1 }, others: { [key]: { files: 1, records: 1, problems: 1 } } }
  const sessions = { ...samples.sessions, hidden: { [key]: 1 } }
  const item = callOf(key, { [key]: { [key]: [key] } })
  const show = { ...samples.show, turns: [turnOf(1, 'go', [item])] }
  const view = viewOf({ tools: 'full' })
  const lines = [
    ...(await linesOf('check', check, view)),
    ...(await linesOf('sessions', sessions, view)),
    ...(await linesOf('show', show, view)),
  ]
  expect(lines.join('')).not.toMatch(/\p{Cc}/u)
})

test('follows with a formatter of its own', async () => {
  const format = await followFormats.tail()
  expect(format({ session: null, turns: [], items: [] }, viewOf())).toEqual([])
})
