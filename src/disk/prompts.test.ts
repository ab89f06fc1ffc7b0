import fc from 'fast-check'
import { expect, test } from 'vitest'
import { filesOf, withFolder } from '../../tests/support/made-folder.ts'
import { type JsonObject, parseJson } from '../core/json.ts'
import { legacyPrompts, openPasteCache, type PasteCache, readPrompts } from './prompts.ts'
import type { Warning } from './warning.ts'

const place = { file: '/r/history.jsonl', line: 3, offset: 40, length: 20 }
const noCache: PasteCache = () => undefined

function readOne(raw: JsonObject, cache = noCache) {
  return [...readPrompts([{ raw, place }], cache)][0]
}

test('reads a prompt', () => {
  const raw = { display: 'hello', pastedContents: {}, timestamp: 1794765545831, project: '/p', sessionId: 's' }
  expect(readOne(raw)).toEqual({
    text: 'hello',
    expanded: 'hello',
    timestamp: '2026-11-15T17:59:05.831Z',
    project: '/p',
    sessionId: 's',
    pastes: [],
  })
})

test('fills in what was pasted, from the line and from the cache', () => {
  const raw = {
    display: 'see [Pasted text #1 +2 lines] and [Pasted text #2] and [...Truncated text #3 +9 lines...] and [Image #4]',
    pastedContents: {
      '1': { id: 1, type: 'text', content: 'a $& [Pasted text #2]' },
      '2': { id: 2, type: 'text', contentHash: 'bc1473db265eaa4d', filename: 'notes.txt' },
      '3': { id: 3, type: 'text', content: '' },
    },
  }
  const prompt = readOne(raw, (hash) => (hash === 'bc1473db265eaa4d' ? 'long' : undefined))
  expect(prompt?.expanded).toBe('see a $& [Pasted text #2] and long and  and [Image #4]')
  expect(prompt?.text).toBe(raw.display)
  expect(prompt?.pastes[1]).toEqual({ id: 2, type: 'text', content: 'long', hash: 'bc1473db265eaa4d' })
})

test('leaves the placeholders of pasted texts that are gone', () => {
  const raw = {
    display: '[Pasted text #1 +1 line] [Pasted text #7]',
    pastedContents: { '1': { id: 1, type: 'text', contentHash: 'ff' } },
  }
  expect(readOne(raw)).toMatchObject({ expanded: raw.display, pastes: [{ id: 1, content: null }] })
})

test('passes over a record without a prompt, with a warning', () => {
  const warnings: Warning[] = []
  const records = [{}, { display: 5 }, { display: 'ok' }].map((raw) => ({ raw, place }))
  expect([...readPrompts(records, noCache, warnings)].map((prompt) => prompt.text)).toEqual(['ok'])
  expect(warnings.map((warning) => warning.message)).toEqual(Array(2).fill('Line 3 has no prompt ("display").'))
})

test.each([
  [{ timestamp: 1e300 }, { timestamp: null }],
  [{ timestamp: 'yesterday' }, { timestamp: null }],
  [
    { project: '', sessionId: 7 },
    { project: null, sessionId: null },
  ],
  [{ pastedContents: 'x' }, { pastes: [] }],
  [{ pastedContents: null }, { pastes: [] }],
  [{ pastedContents: { '1': null, '2': 'two' } }, { pastes: [{ id: 2, content: 'two' }] }],
  [{ pastedContents: parseJson('{"__proto__":{"content":"x"}}') }, { pastes: [{ id: null, content: 'x' }] }],
])('reads the odd prompt %j', (odd, expected) => {
  expect(readOne({ display: 'x', ...odd })).toMatchObject(expected)
})

test('never throws on what stands in a record', () => {
  fc.assert(
    fc.property(fc.string(), fc.json(), fc.json(), (display, pasted, timestamp) => {
      const raw = { display, pastedContents: parseJson(pasted), timestamp: parseJson(timestamp) }
      expect(readOne(raw)?.text).toBe(display)
    }),
  )
})

test('reads the prompts that 1.0 kept in the config, and only that field', () => {
  const touched: string[] = []
  const watched = <T extends object>(value: T, name: string): T =>
    new Proxy(value, {
      get(target, key, receiver) {
        touched.push(`${name}.${String(key)}`)
        return Reflect.get(target, key, receiver)
      },
    })
  const project = { history: [{ display: 'one', pastedContents: {} }, 'two', 3], lastSessionId: 'secret' }
  const config = { projects: { '/p': watched(project, 'project'), '/q': {} }, oauthAccount: { email: 'secret' } }
  const prompts = legacyPrompts(watched(config, 'config'))
  expect(prompts.map(({ text, project }) => [text, project])).toEqual([
    ['one', '/p'],
    ['two', '/p'],
  ])
  expect(new Set(touched)).toEqual(new Set(['config.projects', 'project.history']))
})

test.each([{}, { projects: null }, { projects: [] }, { projects: { a: 1, b: { history: 'x' } } }])(
  'finds no old prompts in %j',
  (config) => {
    expect(legacyPrompts(config)).toEqual([])
  },
)

test('reads the paste cache and nothing outside it', () => {
  withFolder({ 'paste-cache/ab12.txt': 'pasted', 'secret.txt': 'no', 'paste-cache/dd.txt': null }, (root) => {
    const warnings: Warning[] = []
    const cache = openPasteCache(filesOf(root), root, warnings)
    expect(cache('ab12')).toBe('pasted')
    expect(cache('../secret')).toBeUndefined()
    expect(cache('ffff')).toBeUndefined()
    expect(cache('dd')).toBeUndefined()
    expect(warnings).toEqual([])
  })
})
