import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { expect, test } from 'vitest'
import { fenced, inlineCode } from '../core/markdown/text.ts'
import { folded, htmlInline, plainInline, prose } from './markdown-text.ts'

/** A reader that obeys HTML, as many do. */
const reader = new MarkdownIt({ html: true })
reader.validateLink = () => true

const tokensOf = (text: string) => reader.parse(text, {}).flatMap((token) => [token, ...(token.children ?? [])])

test('prose stays as it is where there is nothing wrong with it', () => {
  const text =
    'Use `<div>` and **bold**.\n\n```html\n<script>x</script>\n```\n\n- a\n- [b](https://b.example)\n\n| a |\n|---|\n| 1 |'
  expect(prose(text)).toBe(text)
})

test('headings stand below those of the document', () => {
  expect(prose('# One\n\nTwo\n===\n\nThree\n---\n\n##### Five\n\n```\n# no heading\n```')).toBe(
    '### One\n\n### Two\n\n\n#### Three\n\n\n###### Five\n\n```\n# no heading\n```',
  )
})

test('HTML becomes text, also where it was escaped in part', () => {
  expect(prose('a <img src=x onerror=alert(1)> b')).toBe('a \\<img src=x onerror=alert(1)> b')
  expect(prose('\\<b> <i>')).toBe('\\<b> \\<i>')
  expect(prose('\\\\<i>')).toBe('\\\\\\<i>')
  expect(prose('<div>\n\ntext')).toBe('\\<div>\n\ntext')
})

test('pictures are not loaded, and links lead to the web alone', () => {
  expect(prose('![p](http://evil.example/p.png)')).toBe('!\\[p](http://evil.example/p.png)')
  expect(prose('[x](javascript:alert(1))')).toBe('\\[x](javascript:alert(1))')
  expect(prose('[x](src/a.ts) and [y](https://y.example)')).toBe('[x](src/a.ts) and [y](https://y.example)')
})

test('a fence that was left open is closed', () => {
  expect(prose('see\n\n```js\nlet a')).toBe('see\n\n```js\nlet a\n```')
  expect(prose('~~~~\n```\na')).toBe('~~~~\n```\na\n~~~~')
})

test('whatever a text is, it ends where it ends and holds nothing that is obeyed', () => {
  const hostile = fc.constantFrom(
    '<img src=x>',
    '</details>',
    '<!--',
    '```',
    '~~~~',
    '> ',
    '- ',
    '    ',
    '[x](javascript:1)',
    '![](//e)',
    '`',
    '\\',
    '|',
    '# ',
    '---',
    '\n',
    '\n\n',
    '<a',
    '[r]: data:x',
    '[r]',
    '$',
    '\t',
    'word',
    ' ',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(hostile, fc.string({ maxLength: 6 })), { maxLength: 24 }), (parts) => {
      const made = prose(parts.join(''))
      const all = tokensOf(`${made}\n\nafter`)
      expect(all.filter(({ type }) => type.startsWith('html') || type === 'image')).toEqual([])
      const top = reader.parse(`${made}\n\nafter`, {})
      expect(top.at(-2)?.content).toBe('after')
      expect(top.at(-3)).toMatchObject({ type: 'paragraph_open', level: 0 })
    }),
    { numRuns: 500 },
  )
})

test('a line reads as it was written, in a heading, a table and a link', () => {
  const signs = fc.constantFrom(
    '*',
    '_',
    '`',
    '[',
    ']',
    '<b>',
    '|',
    '\\',
    '&amp;',
    '#',
    '~',
    '!',
    '(',
    ')',
    'a',
    ' ',
    '1.',
    '-',
  )
  fc.assert(
    fc.property(fc.array(signs, { minLength: 1, maxLength: 16 }), (parts) => {
      const text = `x${parts.join('')}`.replace(/\s+/g, ' ').trim()
      const line = plainInline(text)
      const said = (html: string) => unescaped(html.replace(/<[^>]*>/g, ''))
      expect(said(reader.render(`## ${line}`)).trim()).toBe(text)
      expect(said(reader.render(`[${line}](https://a.example)`)).trim()).toBe(text)
      const table = reader.parse(`| a | b |\n|---|---|\n| ${line} | end |`, {})
      expect(table.filter(({ type }) => type === 'td_open')).toHaveLength(2)
      expect(table.findLast(({ type }) => type === 'inline')?.content).toBe('end')
    }),
    { numRuns: 500 },
  )
})

test('code is never left from inside', () => {
  expect(fenced('a\n````\nb\n', 'diff')).toBe('`````diff\na\n````\nb\n`````')
  expect(inlineCode('a `` b')).toBe('``` a `` b ```')
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('`', '```', '\n', '~~~', 'a', '</details>', ' '), { maxLength: 20 }),
      (parts) => {
        const [fence, after] = [reader.parse(`${fenced(parts.join(''))}\n\nafter`, {})[0], 'after']
        expect(fence?.type).toBe('fence')
        expect(reader.parse(`${fenced(parts.join(''))}\n\n${after}`, {})).toHaveLength(4)
      },
    ),
  )
})

test('what is folded cannot be unfolded from inside its line', () => {
  const line = htmlInline('a</summary></details><script>\n\nx & "y"')
  expect(line).toBe('a&lt;/summary&gt;&lt;/details&gt;&lt;script&gt; x &amp; &quot;y&quot;')
  expect(folded(line, 'body').split('\n\n')).toHaveLength(3)
})

function unescaped(html: string): string {
  return html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}
