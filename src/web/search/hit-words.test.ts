import { describe, expect, test } from 'vitest'
import { hitWords, withoutTags } from './hit-words.ts'

const hit = (who: string | null, kind: string, agent: string | null = null) =>
  hitWords({ who, kind, agent, role: 'tool' })

describe('whose words were found', () => {
  test.each([
    ['output of Bash · npm test', 'tool-result', 'Bash · npm test', 'output'],
    ['Edit · src/auth.ts', 'tool', 'Edit · src/auth.ts', undefined],
    ['prompt', 'prompt', 'You', undefined],
    ['answer', 'text', 'Claude', undefined],
    ['thinking', 'thinking', 'Claude', 'thinking'],
    ['summary of a compaction', 'compact-summary', 'Summary of a compaction', undefined],
    ['output of a tool', 'tool-result', 'Tool', 'output'],
    [null, 'tool-result', 'Tool', undefined],
  ])('%s, %s', (who, kind, said, what) => {
    expect(hit(who, kind)).toEqual({ who: said, what })
  })

  test("an agent's are told apart", () => {
    expect(hit('prompt', 'prompt', 'a1').who).toBe('To an agent')
    expect(hit('answer', 'text', 'a1').who).toBe('Agent')
  })
})

describe('a snippet without tags', () => {
  test('marks the same words', () => {
    const snippet = '<command-name>/review</command-name> the <system-reminder>login page'
    const at = snippet.indexOf('login')
    const { text, matches } = withoutTags(snippet, [[at, at + 5]])
    expect(text).toBe('/review the login page')
    expect(matches.map(([from, to]) => text.slice(from, to))).toEqual(['login'])
  })

  test('what was found in a tag alone is not marked; other tags are code and stay', () => {
    expect(withoutTags('<bash-stdout>ok', [[1, 5]])).toEqual({ text: 'ok', matches: [] })
    expect(withoutTags('a <div class="x"> b', [[3, 6]])).toEqual({ text: 'a <div class="x"> b', matches: [[3, 6]] })
  })
})
