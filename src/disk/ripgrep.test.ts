import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { parseJson, stringAt } from '../core/json.ts'
import { matchTexts } from './match-texts.ts'
import { jsonSpellings, linesWith, requiredLiteral, ripgrepPath } from './ripgrep.ts'

const rg = ripgrepPath(isOnPath() ? 'rg' : undefined)

function isOnPath(): boolean {
  try {
    execFileSync('rg', ['--version'])
    return true
  } catch {
    return false
  }
}

const folder = mkdtempSync(join(tmpdir(), 'ripgrep-'))
afterAll(() => rmSync(folder, { recursive: true }))

function write(name: string, lines: readonly string[]): string {
  const file = join(folder, name)
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
  return file
}

test('without a package, the ripgrep of the caller is used', () => {
  expect(ripgrepPath('/usr/bin/rg')).toMatch(/rg(\.exe)?$/)
})

test('a needle is spelled in the ways of JSON', () => {
  expect(jsonSpellings('plain')).toEqual(['plain'])
  expect(jsonSpellings('a"b\\c\n')).toEqual(['a\\"b\\\\c\\n'])
  expect(jsonSpellings('a/b')).toEqual(['a/b', 'a\\/b'])
  expect(jsonSpellings('ë')).toEqual(['ë', '\\u00eb', '\\u00EB'])
  expect(jsonSpellings('😀')).toEqual(['😀', '\\ud83d\\ude00', '\\uD83D\\uDE00'])
  expect(jsonSpellings('<b>')).toEqual(['<b>', '\\u003cb\\u003e', '\\u003Cb\\u003E'])
})

test.each<[string, string | undefined]>([
  ['needle', 'needle'],
  ['foo.*needle', 'needle'],
  ['needles?', 'needle'],
  ['needles*x', 'needle'],
  ['needles{0,3}', 'needle'],
  ['needles+', 'needles'],
  ['^needle$', 'needle'],
  ['needle\\d+thing', 'needle'],
  ['\\bneedle\\b', 'needle'],
  ['[abc]needle', 'needle'],
  ['[]needle]', undefined],
  ['[[:alpha:]needle]', undefined],
  ['(needle)?x', undefined],
  ['(needle)+other', 'other'],
  ['(?:no)needle', 'needle'],
  ['(?i)needle', undefined],
  ['needle|other', undefined],
  ['\\x41bc', undefined],
  ['\\pLong', 'ong'],
  ['ab', undefined],
  ['né', undefined],
  ['(unclosed', undefined],
  ['', undefined],
])('%j needs %j', (pattern, expected) => {
  expect(requiredLiteral(pattern)).toBe(expected)
})

describe.skipIf(rg === undefined)('with ripgrep', () => {
  const ripgrep = rg ?? ''

  test('finds the lines that may hold a needle, however they spell it', async () => {
    const a = write('a.jsonl', ['{"x":"caf\\u00e9"}', '{"x":"none"}', '{"x":"café"}', '{"x":"caf\\u00E9"}'])
    const b = write('-b\n.jsonl', ['', '\0\0{"x":"café","y":"\udc00"}'])
    const found = await linesWith(ripgrep, 'café', [b, join(folder, 'gone.jsonl'), a])
    expect(found).toEqual({
      isComplete: true,
      lines: [
        { file: b, line: 2, offset: 1 },
        { file: a, line: 1, offset: 0 },
        { file: a, line: 3, offset: 31 },
        { file: a, line: 4, offset: 45 },
      ],
    })
  })

  test('finds needles of any kind in lines written as JSON', async () => {
    const needles = [
      'a\nb',
      'say "hi"',
      'C:\\dir',
      '\t',
      'a/b',
      '-e',
      '--',
      '$(x)',
      '.*',
      '😀',
      '\u2028',
      '\0',
      '\ud800',
      'x'.repeat(500),
    ]
    const file = write(
      'needles.jsonl',
      needles.map((needle) => JSON.stringify({ x: `<${needle}>` })),
    )
    for (const [i, needle] of needles.entries()) {
      const { lines } = await linesWith(ripgrep, needle, [file])
      expect(
        lines.map(({ line }) => line),
        JSON.stringify(needle),
      ).toContain(i + 1)
    }
  })

  test('searches more files than one command line takes', async () => {
    const files = Array.from({ length: 500 }, (_, i) =>
      write(`many-${'x'.repeat(60)}-${i}.jsonl`, [`{"n":${i}}`, 'needle']),
    )
    const { lines } = await linesWith(ripgrep, 'needle', files)
    expect(lines.map(({ file }) => file)).toEqual(files)
  })

  test('stops at its limits, and says so', async () => {
    const file = write(
      'large.jsonl',
      Array.from({ length: 5000 }, () => 'needle here'),
    )
    const found = await linesWith(ripgrep, 'needle', [file], { maxOutputBytes: 1000 })
    expect(found.isComplete).toBe(false)
    const aborted = await matchTexts(ripgrep, 'a', ['a'], { signal: AbortSignal.abort() })
    expect(aborted).toEqual({ ranges: [[]], isComplete: false })
  })

  test.each<[string, readonly string[], readonly (readonly [number, number])[][]]>([
    [
      'fo+',
      ['a foo', 'none', 'foo fo'],
      [
        [[2, 5]],
        [],
        [
          [0, 3],
          [4, 6],
        ],
      ],
    ],
    [
      '^b',
      ['a\nb', 'b', 'ab', 'b\nb'],
      [
        [[2, 3]],
        [[0, 1]],
        [],
        [
          [0, 1],
          [2, 3],
        ],
      ],
    ],
    ['b$', ['b\na', 'b', 'ba', 'ab'], [[[0, 1]], [[0, 1]], [], [[1, 2]]]],
    ['a\\nb', ['a\nb', 'a b'], [[[0, 3]], []]],
    ['é.', ['😀éx', 'ë é', 'éé'], [[[2, 4]], [], [[0, 2]]]],
    ['(?i)STRASSE', ['strasse'], [[[0, 7]]]],
    ['x', ['', '', 'x', ''], [[], [], [[0, 1]], []]],
    ['a.b', ['a\0b'], [[[0, 3]]]],
    ['-', ['a-b'], [[[1, 2]]]],
    ['a*', ['baab', 'b'], [[[1, 3]], []]],
    ['[^z]+', ['ab\ncd', 'ef'], [[[0, 5]], [[0, 2]]]],
    [':\\d', ['a:1', '12:3'], [[[1, 3]], [[2, 4]]]],
  ])('%j in %j', async (pattern, texts, expected) => {
    expect(await matchTexts(ripgrep, pattern, texts)).toEqual({ ranges: expected, isComplete: true })
  })

  test('no text at all is no error', async () => {
    expect(await matchTexts(ripgrep, 'a', [])).toEqual({ ranges: [], isComplete: true })
  })

  test.each([
    '(a',
    '[',
    'a{2',
    '*',
    '(?=a)',
    '\\1',
    'a\0b',
    '(?<n',
    'a{1000}{1000}{1000}',
    'x'.repeat(10_000_000),
    '\\p{Nope}',
    'a\\x00b',
  ])('a pattern that cannot be used is said to be so', async (pattern) => {
    const failure = await matchTexts(ripgrep, pattern, ['a']).then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(failure).toMatchObject({ code: 'BAD_INPUT' })
    expect(String(failure)).toMatch(/^Failure: The pattern cannot be used: [^\n]{3,200}\.$/)
    expect(String(failure)).not.toMatch(/pcre|--multiline|rg:/i)
  })

  test.each(['(a+)+$', '(.*a){25}', '(a|aa)+$', '(.*)(.*)(.*)(.*)x', '(?:a?){50}a{50}'])('%s ends', async (pattern) => {
    const { ranges } = await matchTexts(ripgrep, pattern, [`${'a'.repeat(20_000)}b`], { timeoutMs: 20_000 })
    expect(ranges).toHaveLength(1)
  })

  test('a literal in any texts is found just where it stands', async () => {
    const text = fc.array(fc.constantFrom('é', '😀', 'a', 'ab', '\n', ' ', '\r', '我')).map((list) => list.join(''))
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 8 }), async (texts) => {
        const { ranges } = await matchTexts(ripgrep, 'ab', texts)
        const expected = texts.map((each) => [...each.matchAll(/ab/g)].map(({ index }) => [index, index + 2]))
        expect(ranges).toEqual(expected)
      }),
      { numRuns: 30 },
    )
  })

  test('whatever a needle is, its line is among the candidates', async () => {
    let count = 0
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }), async (needle) => {
        const line = JSON.stringify({ x: `<${needle}>` })
        expect(stringAt(parseJson(line), 'x')).toContain(needle)
        const { lines } = await linesWith(ripgrep, needle, [write(`any-${count++}.jsonl`, [line])])
        expect(lines).toHaveLength(1)
      }),
      { numRuns: 30 },
    )
  })

  test('a program that is not there is said to be so', async () => {
    await expect(linesWith(join(folder, 'no-rg'), 'a', [folder])).rejects.toMatchObject({ code: 'CANNOT_RUN' })
  })
})
