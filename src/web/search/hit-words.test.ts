import { describe, expect, test } from 'vitest'
import { hitWords, plainSnippet } from './hit-words.ts'

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
    ['output of a command', 'command-output', 'Command', 'output'],
    ['output of a ! command', 'bash-output', 'Shell command', 'output'],
    [null, 'tool-result', 'Tool', undefined],
  ])('%s, %s', (who, kind, said, what) => {
    expect(hit(who, kind)).toEqual({ who: said, what })
  })

  test("an agent's are told apart", () => {
    expect(hit('prompt', 'prompt', 'a1').who).toBe('To an agent')
    expect(hit('answer', 'text', 'a1').who).toBe('Agent')
  })
})

describe('a snippet', () => {
  const plain = (snippet: string, matches: readonly (readonly [number, number])[], kind = 'text') =>
    plainSnippet({ snippet, matches: matches.map(([from, to]) => [from, to]), kind })
  const marked = (snippet: string, word: string, kind = 'text') => {
    const at = snippet.indexOf(word)
    const { text, matches } = plain(snippet, [[at, at + word.length]], kind)
    return [text, ...matches.map(([from, to]) => text.slice(from, to))]
  }

  test('has no tags of the client, and the same words are marked', () => {
    const snippet = '<command-name>/review</command-name> the <system-reminder>login page'
    expect(marked(snippet, 'login', 'command')).toEqual(['/review the login page', 'login'])
  })

  test('what was found in a tag alone is not marked; other tags are code and stay', () => {
    expect(plain('<bash-stdout>ok', [[1, 5]])).toEqual({ text: 'ok', matches: [] })
    expect(plain('a <div class="x"> b', [[3, 6]])).toEqual({ text: 'a <div class="x"> b', matches: [[3, 6]] })
  })

  test('of an answer is plain text: no stars, backticks, signs of headings', () => {
    expect(marked('## The fix\n\n**Two** tabs call `refresh()` at once', 'refresh')).toEqual([
      'The fix\n\nTwo tabs call refresh() at once',
      'refresh',
    ])
  })

  test('of a command or its output is left as it is, and so are marks that were looked for', () => {
    expect(marked('echo `date` **/*.ts', 'date', 'tool')).toEqual(['echo `date` **/*.ts', 'date'])
    expect(marked('a **bold** word', '**bold**')).toEqual(['a **bold** word', '**bold**'])
  })
})
