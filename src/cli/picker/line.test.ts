import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EMPTY_LINE, edit, insert, type Line, type LineEdit } from './line.ts'

/** `ab|c` is a line with the cursor before its c. */
function line(drawn: string, cut = ''): Line {
  return { text: drawn.replace('|', ''), cursor: drawn.indexOf('|'), cut }
}

function drawn({ text, cursor }: Line): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`
}

test.each<[LineEdit, string, string]>([
  ['left', 'ab|c', 'a|bc'],
  ['left', '|abc', '|abc'],
  ['left', 'e\u0301|', '|e\u0301'],
  ['right', 'a|👩‍💻b', 'a👩‍💻|b'],
  ['right', 'abc|', 'abc|'],
  ['word-left', 'fix the race|', 'fix the |race'],
  ['word-left', 'fix the |race', 'fix |the race'],
  ['word-left', 'since:7d naïve|', 'since:7d |naïve'],
  ['word-right', '|fix the race', 'fix| the race'],
  ['word-right', 'fix| the race', 'fix the| race'],
  ['word-right', '|日本 go', '日本| go'],
  ['line-start', 'a b|', '|a b'],
  ['line-end', '|a b', 'a b|'],
  ['backspace', 'ab|c', 'a|c'],
  ['backspace', '|abc', '|abc'],
  ['backspace', 'e\u0301|x', '|x'],
  ['delete', 'a|bc', 'a|c'],
  ['delete', 'abc|', 'abc|'],
  ['cut-word', 'project:/a/b next|', 'project:/a/b |'],
  ['cut-word', 'since:7d  |x', '|x'],
  ['cut-word-left', 'a project:/a/b|', 'a project:/a/|'],
  ['cut-word-right', 'a |b-c d', 'a |-c d'],
  ['cut-left', 'ab|c', '|c'],
  ['cut-right', 'ab|c', 'ab|'],
])('%s of %j gives %j', (how, before, after) => {
  expect(drawn(edit(line(before), how))).toBe(after)
})

describe('what was cut', () => {
  test('is pasted where the cursor stands', () => {
    const cut = edit(line('one two|'), 'cut-word')
    expect(cut.cut).toBe('two')
    expect(drawn(edit(edit(cut, 'line-start'), 'paste'))).toBe('two|one ')
  })

  test('stays when nothing is cut', () => {
    expect(edit(line('|abc', 'before'), 'cut-left').cut).toBe('before')
    expect(edit(line('a|', 'before'), 'backspace').cut).toBe('before')
  })
})

describe('typing', () => {
  test('goes to where the cursor stands', () => expect(drawn(insert(line('a|c'), 'b'))).toBe('ab|c'))
  test('begins with no space', () => {
    expect(drawn(insert(EMPTY_LINE, '  '))).toBe('|')
    expect(drawn(insert(EMPTY_LINE, '  a b'))).toBe('a b|')
  })
  test('ends where a line is too long to be of use', () => {
    expect(insert(EMPTY_LINE, 'x'.repeat(5000)).text).toHaveLength(400)
  })
})

test('whatever is typed and edited, the cursor stands inside the line and never inside a character', () => {
  const edits = fc.constantFrom<LineEdit>(
    'left',
    'right',
    'word-left',
    'word-right',
    'line-start',
    'line-end',
    'backspace',
    'delete',
    'cut-word',
    'cut-word-left',
    'cut-word-right',
    'cut-left',
    'cut-right',
    'paste',
  )
  const typed = fc.constantFrom(' ', 'a', 'word ', '日本', '👩‍💻', 'e\u0301', 'since:7d', '-')
  fc.assert(
    fc.property(fc.array(fc.oneof(edits, typed), { maxLength: 30 }), (actions) => {
      let now = EMPTY_LINE
      for (const action of actions) {
        now = /^(?:left|right|word-|line-|backspace|delete|cut-|paste)/.test(action)
          ? edit(now, action as LineEdit)
          : insert(now, action)
        expect(now.text.startsWith(' ')).toBe(false)
        const ends = [
          0,
          ...[...new Intl.Segmenter('en').segment(now.text)].map((one) => one.index + one.segment.length),
        ]
        expect(ends).toContain(now.cursor)
      }
    }),
  )
})
