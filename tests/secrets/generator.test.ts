import { expect, test } from 'vitest'
import { FORMS } from './forms.ts'
import { innocentFiles } from './innocent.ts'
import { FAMILIES, KINDS } from './kinds.ts'
import { falseMarks, measure } from './measure.ts'
import { randomFrom } from './random.ts'
import { readablePart } from './readable.ts'

const SEED = 20_261_115
const PER_KIND = 2

/** Every sample of every kind, with the forms it is shown in. */
const shown = KINDS.flatMap((kind) =>
  Array.from({ length: PER_KIND }, (_, nth) => {
    const random = randomFrom(`${SEED}/${kind.name}/${nth}`)
    const sample = kind.make(random)
    return Object.entries(FORMS).flatMap(([form, show]) => {
      const result = show(sample, kind, random)
      return result === undefined ? [] : [{ kind, form, sample, ...result }]
    })
  }).flat(),
)

test('there are at least 150 kinds, each with a name of its own', () => {
  expect(KINDS.length).toBeGreaterThanOrEqual(150)
  expect(new Set(KINDS.map(({ name }) => name)).size).toBe(KINDS.length)
  for (const [family, kinds] of Object.entries(FAMILIES)) expect(kinds.length, family).toBeGreaterThan(10)
})

test('equal seeds give equal texts, other seeds others', () => {
  const textsOf = (seed: number): readonly string[] => {
    const texts: string[] = []
    measure(
      (text) => {
        texts.push(text)
        return ''
      },
      { seed, perKind: 1 },
    )
    return texts
  }
  expect(textsOf(SEED)).toEqual(textsOf(SEED))
  expect(textsOf(SEED)).not.toEqual(textsOf(SEED + 1))
  expect(innocentFiles(SEED, 2000)).toEqual(innocentFiles(SEED, 2000))
})

test('a secret stands once in its text, where the sample says, and is long enough to be one', () => {
  for (const { kind, sample } of shown) {
    expect(sample.text.indexOf(sample.secret), kind.name).toBe(sample.start)
    expect(sample.text.lastIndexOf(sample.secret), kind.name).toBe(sample.start)
    expect(sample.secret.length, kind.name).toBeGreaterThanOrEqual(8)
  }
})

test('every sample of a kind has another secret: none is written in the source', () => {
  for (const kind of KINDS) {
    const secrets = Array.from({ length: 20 }, (_, nth) => kind.make(randomFrom(`${kind.name}/${nth}`)).secret)
    expect(new Set(secrets).size, kind.name).toBe(20)
  }
})

test('every form of every kind holds its secret when decoded', () => {
  const decoders: Readonly<Record<string, (text: string) => string>> = {
    plain: (text) => text,
    json: (text) => JSON.parse(text).message,
    'json-in-json': (text) => JSON.parse(JSON.parse(text).line).message,
    base64: (text) => Buffer.from(text.split("'")[1] as string, 'base64').toString('utf8'),
    url: (text) => new URL(text).searchParams.get('line') as string,
    html: (text) =>
      text
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&'),
    diff: (text) => text.replace(/^[+-]/gm, ''),
    env: (text) => text.replace(/\\([\\"$`])/g, '$1'),
  }
  for (const { kind, form, sample, text } of shown) {
    if (form.startsWith('wrap-')) {
      expect(text.replaceAll('\n', ''), kind.name).toContain(sample.secret.replaceAll('\n', ''))
      const columns = Number(form.slice(5))
      for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
    } else expect(decoders[form]?.(text), `${kind.name} as ${form}`).toContain(sample.secret)
  }
})

test('a wrapped form breaks the secret and its pieces make the secret up', () => {
  const wraps = shown.filter(({ form }) => form.startsWith('wrap-'))
  for (const { kind, sample, pieces } of wraps) {
    expect(pieces.join(''), kind.name).toBe(sample.secret.replaceAll('\n', ''))
    expect(pieces.length, kind.name).toBeGreaterThan(sample.secret.split('\n').length)
    expect(Math.max(...pieces.map(({ length }) => length)), kind.name).toBeGreaterThanOrEqual(6)
  }
  for (const form of Object.keys(FORMS))
    expect(shown.filter((one) => one.form === form).length).toBeGreaterThan(KINDS.length)
})

test('a mask that changes nothing has masked nothing', () => {
  const { total, forms, kinds, missed } = measure((text) => text, { seed: SEED, perKind: PER_KIND })
  expect(total).toMatchObject({ tried: shown.length, masked: 0, share: 0 })
  expect(missed).toHaveLength(shown.length)
  for (const tally of [...Object.values(forms), ...Object.values(kinds)]) expect(tally.share).toBe(0)
  expect(Object.keys(forms)).toEqual(Object.keys(FORMS))
  expect(Object.keys(kinds)).toHaveLength(KINDS.length)
})

test('a mask that blanks everything has masked everything', () => {
  const { total, missed } = measure((text) => text.replace(/\S/g, '*'), { seed: SEED, perKind: PER_KIND })
  expect(missed).toEqual([])
  expect(total.share).toBe(1)
})

test('a mask that takes out the pieces and nothing else has masked everything', () => {
  for (const { kind, form, text, pieces } of shown) {
    const longestFirst = [...pieces].sort((one, other) => other.length - one.length)
    const masked = longestFirst.reduce(
      (rest, piece) => (piece.length < 6 ? rest : rest.replaceAll(piece, '[***]')),
      text,
    )
    expect(readablePart(masked, pieces), `${kind.name} as ${form}: ${masked}`).toBeUndefined()
  }
})

test('eight characters in a row are readable, also escaped or in base64; seven are not', () => {
  const pieces = ['k9<Q&7"vTz02']
  expect(readablePart('tail: Q&7"vTz02', pieces)).toBe('Q&7"vTz0')
  expect(readablePart('tail: &7"vTz0', pieces)).toBeUndefined()
  expect(readablePart('Q&amp;7&quot;vTz02', pieces)).toBeDefined()
  expect(readablePart('Q%267%22vTz02', pieces)).toBeDefined()
  expect(readablePart(JSON.stringify(JSON.stringify('Q&7"vTz02')), pieces)).toBeDefined()
  expect(readablePart(`x${Buffer.from('k9<Q&7"vTz02').toString('base64')}`, pieces)).toBeDefined()
  expect(readablePart('short', ['short'])).toBeUndefined()
  expect(readablePart('a seven7 b', ['seven7'])).toBe('seven7')
})

test('there are 50,000 innocent lines, and none holds a secret of any kind', () => {
  const files = innocentFiles(SEED, 50_000)
  const text = files.map((file) => file.text).join('\n')
  expect(text.split('\n').length).toBeGreaterThanOrEqual(50_000)
  const secrets = new Set(shown.map(({ sample }) => sample.secret.split('\n')[0] as string))
  expect([...secrets].filter((secret) => secret.length >= 8 && text.includes(secret))).toEqual([])
})

test('false marks are the lines that came back changed', () => {
  const few = { seed: SEED, lines: 5000 }
  const none = falseMarks((text) => text)
  expect(none).toMatchObject({ marked: 0, examples: [] })
  expect(none.lines).toBeGreaterThanOrEqual(50_000)
  const all = falseMarks((text) => text.replace(/^/gm, '*'), few)
  expect(all.marked).toBe(all.lines)
  const some = falseMarks((text) => text.replace('password: null', 'password: ***'))
  expect(some.marked).toBeGreaterThan(0)
  expect(some.examples[0]).toMatchObject({ source: 'placeholders' })
  expect(falseMarks(() => '', few).marked).toBeGreaterThan(5000 * 0.9)
})
