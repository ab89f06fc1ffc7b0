import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderMarkdown } from './markdown.ts'
import { createStyle } from './style.ts'
import { width } from './width.ts'

const bare = (text: string, room = 40) => renderMarkdown(text, { width: room, style: createStyle({ colour: false }) })
const painted = (text: string) => renderMarkdown(text, { width: 40, style: createStyle({ colour: true }) })

test('paints headings, emphasis and code', () => {
  expect(painted('# Title\n\n**a** *b* ~~c~~ `d`')).toEqual([
    '\u001b[1mTitle\u001b[22m',
    '',
    '\u001b[1ma\u001b[22m \u001b[3mb\u001b[23m \u001b[9mc\u001b[29m \u001b[36md\u001b[39m',
  ])
})

test('keeps the marks where there is no colour', () => {
  expect(bare('## Title\n\n**a** _b_ ~~c~~ `d`')).toEqual(['## Title', '', '**a** _b_ ~~c~~ `d`'])
})

test('wraps paragraphs and keeps their line breaks', () => {
  expect(bare('the quick brown fox\njumps', 10)).toEqual(['the quick', 'brown fox', 'jumps'])
})

test('renders lists, nested, numbered and of tasks', () => {
  expect(bare('- one\n  - two\n    1. three\n- [ ] open\n- [x] done\n\n9. nine\n10. ten')).toEqual([
    '• one',
    '  • two',
    '    1. three',
    '☐ open',
    '☑ done',
    '',
    ' 9. nine',
    '10. ten',
  ])
  expect(bare('- loose\n\n- list\n\n  of two')).toEqual(['• loose', '', '• list', '', '  of two'])
  expect(bare('- a list whose item is wrapped', 16)).toEqual(['• a list whose', '  item is', '  wrapped'])
  expect(bare('-\n- a')).toEqual(['•', '• a'])
})

test('indents code and names its language, and never breaks its lines', () => {
  const long = 'x'.repeat(60)
  expect(bare(`\`\`\`ts\nif (a) {\n\t${long}\n\`\`\``)).toEqual(['  ```ts', '  if (a) {', `      ${long}`, '  ```'])
  expect(painted('```ts\na\n\nb\n```')).toEqual(['  \u001b[2mts\u001b[22m', '  a', '', '  b'])
})

test('shows where a link leads, once', () => {
  expect(bare('[text](https://a.example) <https://b.example>', 80)).toEqual([
    'text (https://a.example) https://b.example',
  ])
  expect(bare('<me@example.com> ![alt](i.png)')).toEqual(['me@example.com [alt] (i.png)'])
  expect(painted('[a](b)')).toEqual(['\u001b[4ma\u001b[24m \u001b[2m(b)\u001b[22m'])
})

test('renders quotes and rules', () => {
  expect(bare('> a\n>\n> - b\n\n---', 10)).toEqual(['│ a', '│', '│ • b', '', '─'.repeat(10)])
})

test('aligns tables and wraps their cells rather than losing text', () => {
  expect(bare('| Name | Size |\n|---|---:|\n| 日本 | 5 |\n| b | 1,234 |')).toEqual([
    'Name   Size',
    '────  ─────',
    '日本      5',
    'b     1,234',
  ])
  expect(bare('| A | B |\n|---|---|\n| x | one two three |', 10)).toEqual([
    'A  B',
    '─  ───────',
    'x  one two',
    '   three',
  ])
})

test('shows html, comments and definitions, which a browser would hide', () => {
  expect(bare('<!-- a --> <b>b</b>\n\n[c]: d')).toEqual(['<!-- a --> <b>b</b>', '', '[c]: d'])
})

test('makes plain what the parser decodes', () => {
  expect(bare('&#x202e;&ZeroWidthSpace;&#13;')).toEqual(['⟨202E⟩⟨200B⟩␍'])
  const [link] = bare('<https://a.example/%1B%5B31m%9B>', 80)
  expect(link).not.toMatch(/\p{Cc}/u)
  expect(link).toContain('(https://a.example/%1B%5B31m%9B)')
})

test('shows a text nested beyond reason, or beyond a megabyte, as it was written', () => {
  expect(bare(`${'>'.repeat(500)} deep`, 600)).toEqual([`${'>'.repeat(500)} deep`])
  const large = '**a**\n'.repeat(200_000)
  expect(bare(large).slice(0, 2)).toEqual(['**a**', '**a**'])
})

test('survives emphasis nested as deep as the text is long', () => {
  expect(bare('*a '.repeat(20_000) + 'b* '.repeat(20_000)).join('')).toContain('b*')
})

test('gives an empty text no lines', () => {
  expect(bare('')).toEqual([])
})

test('fits the width, except for code, and never throws', () => {
  const piece = fc.constantFrom(
    'a',
    'word ',
    '日本 ',
    '\n',
    '\n\n',
    '- ',
    '1. ',
    '> ',
    '**',
    '`',
    '| ',
    '|-|-|\n',
    '[x](y)',
    '# ',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 15 }), fc.integer({ min: 60, max: 80 }), (pieces, room) => {
      // Four leading spaces or a fence would make code of what follows.
      const text = pieces.join('').replace(/`{2,}/g, '`').replace(/ {2,}/g, ' ')
      const lines = bare(text, room).filter((line) => !/^[│ •☐☑\d.]* {2}/.test(line))
      for (const line of lines) expect(width(line)).toBeLessThanOrEqual(room)
    }),
  )
})
