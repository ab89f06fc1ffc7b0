import { expect, test } from 'vitest'
import { PAGES, preloadLinks } from './preload-links.ts'

const asset = (text: string) => ({
  type: 'text/javascript',
  body: new TextEncoder().encode(text),
  packed: {},
  isHashed: true,
})
const assets = new Map([
  ['/assets/index-aaaaaaa1.js', asset('import{a}from"./words-bbbbbbb2.js"')],
  [
    '/assets/session-ccccccc3.js',
    asset('import{t}from"./words-bbbbbbb2.js";import{m}from"./markdown-d-d_ddd4.js";import"./gone-x.js"'),
  ],
  ['/assets/markdown-d-d_ddd4.js', asset('import{t}from"./words-bbbbbbb2.js"')],
  ['/assets/words-bbbbbbb2.js', asset('export{}')],
  // The part of another page, whose name begins the same.
  ['/assets/session-map-eeeeeee5.js', asset('export{}')],
])
const linkOf = (path: string, names = {}, query = '') => {
  const page = PAGES.find((one) => one.path === path)
  return page && preloadLinks(page, assets)(names, new URLSearchParams(query)).Link
}

test('a page is told with the chunks that draw it and what it asks for first', () => {
  expect(linkOf('/s/:session', { session: 'last' })).toBe(
    [
      '</api/read?session=last&from=0&count=50>; rel=preload; as=fetch; crossorigin',
      '</assets/session-ccccccc3.js>; rel=modulepreload',
      '</assets/words-bbbbbbb2.js>; rel=modulepreload',
      '</assets/markdown-d-d_ddd4.js>; rel=modulepreload',
    ].join(', '),
  )
  expect(linkOf('/')).toBe('</api/first-screen>; rel=preload; as=fetch; crossorigin')
  expect(linkOf('/check')).toBeUndefined()
})

test('with a query only the app knows what it asks for', () => {
  expect(linkOf('/', {}, 'q=x')).toBeUndefined()
  expect(linkOf('/s/:session', { session: 'last' }, 'at=x')).not.toContain('/api/')
})

test('no name leaves its place in the header', () => {
  const link = linkOf('/s/:session', { session: '>; rel=x, </evil\r\nSet-Cookie a' }) ?? ''
  expect(link.split(', ')[0]).toMatch(/^<\/api\/read\?session=[\w%.+*-]+&from=0&count=50>; rel=preload/)
})
