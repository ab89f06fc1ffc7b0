import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../src/core/json.ts'
import { readLog } from '../src/core/log/log.ts'
import { searchableText } from '../src/core/search/searchable.ts'
import { createRedactor } from '../src/redact/redactor.ts'
import { corpus, WITHOUT_CORPUS } from './corpus.ts'
import type { Sample } from './secrets/kind.ts'
import { SCANNERS } from './secrets/kinds/scanners.ts'
import { KINDS } from './secrets/kinds.ts'
import { falseMarks, measure } from './secrets/measure.ts'
import { randomFrom } from './secrets/random.ts'
import { readablePart } from './secrets/readable.ts'

const SEED = 20_261_115
const redactor = createRedactor({ key: new Uint8Array(32) })
const mask = (text: string) => redactor.text(text).text

/** The least share of secrets of which nothing may be readable, by form. */
const GOALS: Readonly<Record<string, number>> = {
  plain: 0.98,
  json: 0.98,
  'json-in-json': 0.9,
  base64: 0.9,
  url: 0.95,
  html: 0.95,
  diff: 0.95,
  env: 0.95,
  'wrap-20': 0.95,
  'wrap-32': 0.95,
  'wrap-40': 0.95,
  'wrap-60': 0.95,
  'wrap-80': 0.95,
}

describe('secrets of every kind', () => {
  const { forms, missed } = measure(mask, { seed: SEED, perKind: 1 })

  test.each(Object.entries(GOALS))('as %s are masked in a share of at least %d', (form, goal) => {
    const { share = 0, tried = 0, masked = 0 } = forms[form] ?? {}
    const examples = missed.filter((miss) => miss.form === form).map(({ kind }) => kind)
    console.log(`${form}: ${masked} of ${tried}`)
    expect(share, `not masked: ${examples.join(', ')}`).toBeGreaterThanOrEqual(goal)
  })

  test('are measured in every form', () => expect(Object.keys(forms).sort()).toEqual(Object.keys(GOALS).sort()))
})

/** Ways of a log that a text alone cannot have. */
const PLACES: Readonly<Record<string, (sample: Sample, at: number) => JsonValue>> = {
  'in the name of a field': ({ text }) => ({ env: { [text]: true } }),
  'with colours of a terminal in it': ({ text, start }, at) =>
    `\u001b[32m${text.slice(0, start + at)}\u001b[1;31m${text.slice(start + at)}\u001b[0m`,
  'in two blocks': ({ text, start }, at) => [
    { type: 'text', text: text.slice(0, start + at) },
    { type: 'text', text: text.slice(start + at) },
  ],
}

test.each(Object.entries(PLACES))('19 of 20 secrets %s are masked', (_, place) => {
  const samples = KINDS.map(({ name, make }) => make(randomFrom(`${SEED}/${name}`)))
  const missed = samples.filter((sample) => {
    const at = Math.min(sample.secret.length >> 1, 200)
    const output = JSON.stringify(redactor.value(place(sample, at)).value).replaceAll(/\\u001b\[[\d;]*m/g, '')
    return readablePart(output, [sample.secret.slice(0, at), sample.secret.slice(at)]) !== undefined
  })
  console.log(`${samples.length - missed.length} of ${samples.length}`)
  expect(missed.length / samples.length).toBeLessThanOrEqual(0.05)
})

test('every kind of the lists of scanners is masked, as text and where a block ends within it', () => {
  const missed = SCANNERS.flatMap(({ name, make }) =>
    [1, 2, 3].flatMap((number) => {
      const { text, secret, start } = make(randomFrom(`${SEED}/${name}/${number}`))
      const at = secret.length >> 1
      const blocks = [text.slice(0, start + at), text.slice(start + at)].map((part) => ({ type: 'text', text: part }))
      const isOpen = readablePart(mask(text), [secret]) !== undefined
      const split = JSON.stringify(redactor.value(blocks).value)
      const isSplitOpen = readablePart(split, [secret.slice(0, at), secret.slice(at)]) !== undefined
      return [...(isOpen ? [name] : []), ...(isSplitOpen ? [`${name} (split)`] : [])]
    }),
  )
  expect([...new Set(missed)]).toEqual([])
})

test('nothing is marked in 50,000 lines of code, hashes, lock files and pictures', () => {
  const { lines, examples } = falseMarks(mask)
  expect(lines).toBeGreaterThanOrEqual(50_000)
  expect(examples).toEqual([])
})

const folder = corpus('2.1.325') ?? corpus('entireio__cli')

test.skipIf(!folder)(
  `one of 1,000 messages of real logs is marked at most${folder ? '' : WITHOUT_CORPUS}`,
  () => {
    const logs = readdirSync(folder as string, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.jsonl'),
    )
    let messages = 0
    let marked = 0
    for (const name of logs) {
      for (const record of readLog(readFileSync(join(folder as string, name)), name).records) {
        const text = searchableText(record)?.text
        if (text === undefined) continue
        messages++
        if (redactor.scan(text).length > 0) marked++
      }
    }
    console.log(`${marked} of ${messages} messages marked`)
    expect(messages).toBeGreaterThan(0)
    expect(marked / messages).toBeLessThanOrEqual(0.001)
  },
  300_000,
)
