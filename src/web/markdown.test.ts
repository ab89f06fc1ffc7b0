import { beforeAll, expect, test } from 'vitest'
import { loadColours } from './highlight.ts'
import { renderMarkdown } from './markdown.tsx'

beforeAll(loadColours)

test('raw HTML stays text', () => {
  expect(renderMarkdown('<img src=x onerror=alert(1)>')).toBe('<p>&lt;img src=x onerror=alert(1)&gt;</p>\n')
})

test('links lead to the web or to mail, and tell nobody where from', () => {
  expect(renderMarkdown('[a](https://a.example)')).toBe(
    '<p><a href="https://a.example" rel="noopener noreferrer" target="_blank">a</a></p>\n',
  )
  for (const address of [
    'javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    '/api/x',
    '//a.b',
  ]) {
    expect(renderMarkdown(`[a](${address})`), address).not.toContain('href')
  }
})

test('plain addresses become links, names of files do not', () => {
  expect(renderMarkdown('see https://a.example/b')).toContain('href="https://a.example/b"')
  expect(renderMarkdown('see README.md and a.example')).toBe('<p>see README.md and a.example</p>\n')
})

test('a picture is named, never loaded', () => {
  const link =
    '<a href="http://a.example/p.png" rel="noopener noreferrer" target="_blank">image: cat (http://a.example/p.png)</a>'
  expect(renderMarkdown('![cat](http://a.example/p.png)')).toBe(`<p>${link}</p>\n`)
  const nested = renderMarkdown('[![cat](http://a.example/p.png)](http://b.example)')
  expect(nested.match(/<a /g)).toHaveLength(1)
  expect(nested).not.toContain('<img')
})

test('tables align by class, for the policy of the page forbids styles', () => {
  const html = renderMarkdown('| a | b |\n|--:|:-:|\n| 1 | 2 |')
  expect(html).toContain('<td class="to-right">1</td>')
  expect(html).toContain('<td class="to-center">2</td>')
  expect(html).not.toContain('style=')
})

test('headings stand below those of the page', () => {
  expect(renderMarkdown('# a')).toBe('<h3>a</h3>\n')
  expect(renderMarkdown('###### a')).toBe('<h6>a</h6>\n')
})

test('code is coloured where its language is known, and escaped everywhere', () => {
  expect(renderMarkdown('```js\nlet a = "<b>"\n```')).toContain('<span class="hljs-keyword">let</span>')
  expect(renderMarkdown('```js\nlet a = "<b>"\n```')).not.toContain('<b>')
  expect(renderMarkdown('```nonsense\n<b>\n```')).toContain('&lt;b&gt;')
})
