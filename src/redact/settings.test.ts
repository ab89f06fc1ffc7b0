import { expect, test } from 'vitest'
import { withFolder } from '../../tests/support/made-folder.ts'
import { Failure } from '../core/failure.ts'
import { readRedactionSettings } from './settings.ts'

const read = (text: string) => withFolder({ 'redact.json': text }, (folder) => readRedactionSettings(folder))

test('is empty without a file', () => {
  expect(withFolder({}, readRedactionSettings)).toEqual({ patterns: [], allow: [] })
  expect(readRedactionSettings(undefined)).toEqual({ patterns: [], allow: [] })
})

test('reads patterns and what is allowed', () => {
  const text = JSON.stringify({
    patterns: [
      { kind: 'acme-key', pattern: 'acme_([a-z0-9]{20})', flags: 'i', keywords: ['ACME_'] },
      { kind: 'x', pattern: 'x' },
    ],
    allow: ['plain text', '/^test_/i'],
  })
  expect(read(text)).toEqual({
    patterns: [
      { kind: 'acme-key', pattern: /acme_([a-z0-9]{20})/i, keywords: ['ACME_'] },
      { kind: 'x', pattern: /x/, keywords: [] },
    ],
    allow: ['plain text', /^test_/i],
  })
})

test.each([
  ['{', 'The file is not valid JSON.'],
  ['[]', 'It has to hold an object with "patterns" and "allow".'],
  ['{"pattern": []}', '"pattern" is neither "patterns" nor "allow".'],
  ['{"patterns": {}}', '"patterns" has to be a list.'],
  ['{"patterns": [{"kind": "A b", "pattern": "x"}]}', 'Pattern 1 needs a "kind" of small letters, digits and hyphens.'],
  ['{"patterns": [{"kind": "a"}]}', 'Pattern 1 needs a "pattern".'],
  ['{"patterns": [{"kind": "a", "pattern": "("}]}', 'Pattern 1 is not a regular expression'],
  ['{"patterns": [{"kind": "a", "pattern": "a", "keywords": ["é"]}]}', 'The keywords of pattern 1'],
  ['{"allow": [1]}', 'Entry 1 of "allow" has to be a text.'],
  ['{"allow": ["/(/"]}', 'Entry 1 of "allow" is not a regular expression'],
])('refuses %s with a sentence', (text, sentence) => {
  expect(() => read(text)).toThrow(Failure)
  expect(() => read(text)).toThrow(sentence)
})
