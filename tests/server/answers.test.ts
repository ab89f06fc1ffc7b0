import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadAll, opLoaders } from '../../src/ops/index.ts'
import { log } from '../../src/testing/index.ts'
import { jsonOf, type Served, serveDemo } from './served.ts'

const ops = await loadAll(opLoaders)

let served: Served
beforeAll(async () => {
  served = await serveDemo()
})
afterAll(() => served.remove())

/** Inputs with which each operation that needs one answers on the demo root. */
const INPUT: Readonly<Record<string, string>> = {
  blame: 'file=src/auth/token-store.ts',
  context: 'session=last',
  find: 'session=last&query=the',
  outline: 'session=last',
  timeline: 'session=last',
  read: 'session=last',
  receipt: 'what=last',
  redact: 'action=scan',
  search: 'query=greenhouse',
  show: 'session=last&tools=full&thinking=true',
  tree: 'session=last',
}

for (const op of Object.values(ops)) {
  if ('changes' in op || 'commandLineOnly' in op || op.name === 'record') continue
  test(`${op.name} answers with what --json prints`, async () => {
    const answer = await served.get(`/api/${op.name}?${INPUT[op.name] ?? ''}`)
    const { schema, warnings, ...result } = await jsonOf(answer)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(schema).toBe(`annals/${op.name}/1`)
    expect(warnings).toEqual([])
    expect([...Value.Errors(op.result, result)]).toEqual([])
  })
}

test('failures are sentences with a code and a status, never a stack', async () => {
  const cases = [
    ['/api/show?session=no-such', 404, 'SESSION_NOT_FOUND'],
    ['/api/show', 400, 'USAGE'],
    ['/api/show?session=last&session=last', 400, 'USAGE'],
    ['/api/show?session=last&nonsense=1', 400, 'USAGE'],
    ['/api/show?session=last&__proto__=1', 400, 'USAGE'],
    ['/api/show?session=last&thinking=yes', 400, 'USAGE'],
    ['/api/show?session=last&tools=some', 400, 'USAGE'],
    ['/api/sessions?limit=0', 400, 'USAGE'],
    ['/api/sessions?limit=1e3', 400, 'USAGE'],
    ['/api/sessions?since=whenever', 400, undefined],
    ['/api/search?query=-word', 400, 'BAD_INPUT'],
    ['/api/search?query=(&regex=true', 400, undefined],
    ['/api/tail?follow=true', 400, 'USAGE'],
    ['/api/nonsense', 404, 'NOT_FOUND'],
    ['/api/__proto__', 404, 'NOT_FOUND'],
    ['/api/constructor', 404, 'NOT_FOUND'],
    ['/api/serve', 404, 'NOT_FOUND'],
  ] as const
  for (const [path, status, code] of cases) {
    const answer = await served.get(path)
    const text = await answer.text()
    expect(answer.status, path).toBe(status)
    const { error } = JSON.parse(text)
    if (code) expect(error.code, path).toBe(code)
    expect(error.message, path).toMatch(/[.:]/)
    expect(text, path).not.toMatch(/\bat .*:\d+:\d+|node_modules|\.ts:/)
  }
})

test('a log that is written while the server runs is seen by the next question after it was told', async () => {
  const ask = async () => (await jsonOf(served.get('/api/sessions'))).total
  const before = await ask()
  const stream = (await served.get('/api/events')).body?.getReader()
  const project = join(served.root, 'projects', '-home-ana-new')
  mkdirSync(project)
  writeFileSync(
    join(project, 'dddddddd-0000-4000-8000-000000000001.jsonl'),
    log({ seed: 'new' }).user('new').assistant('yes').content(),
  )
  for (let text = ''; !text.includes('event: change'); ) {
    text += new TextDecoder().decode((await stream?.read())?.value)
  }
  expect(await ask()).toBe(before + 1)
  expect((await served.get('/api/show?session=dddddddd')).status).toBe(200)
  await stream?.cancel()
})

test('what was written a moment ago is found, though nobody has noticed it yet', async () => {
  const project = join(served.root, 'projects', '-home-ana-just-now')
  mkdirSync(project)
  writeFileSync(
    join(project, 'dddddddd-0000-4000-8000-000000000002.jsonl'),
    log({ seed: 'just now' }).user('quagga').assistant('yes').content(),
  )
  expect((await jsonOf(served.get('/api/search?query=quagga'))).total).toBe(1)
  writeFileSync(
    join(project, 'dddddddd-0000-4000-8000-000000000003.jsonl'),
    log({ seed: 'and now' }).user('hello').assistant('yes').content(),
  )
  expect((await served.get('/api/show?session=dddddddd-0000-4000-8000-000000000003')).status).toBe(200)
})

test('all addresses of the app are its page; what is none is not', async () => {
  const pages = [
    '/',
    '/s/abc',
    '/s/abc/tree',
    '/s/abc/context',
    '/s/abc/files',
    '/search?q=x',
    '/usage?by=day',
    '/usage/receipt/msg_1',
  ]
  for (const path of [...pages, '/projects', '/prompts', '/plans', '/files', '/check', '/s/agent-a1']) {
    const answer = await served.get(path)
    expect(answer.headers.get('content-type'), path).toBe('text/html; charset=utf-8')
    expect(await answer.text(), path).toContain('the app')
  }
  for (const path of ['/index.html', '/assets', '/assets/', '/s', '/s/abc/nope', '/nope']) {
    const answer = await served.get(path, { Accept: 'text/html' })
    expect(answer.status, path).toBe(404)
    expect(await answer.text(), path).toContain('There is nothing here.')
  }
})

test('the files of the app come with their types', async () => {
  const script = await served.get('/assets/index-Ab12.js')
  expect([script.headers.get('content-type'), await script.text()]).toEqual([
    'text/javascript; charset=utf-8',
    'export {}',
  ])
  expect((await served.get('/icon.svg')).headers.get('content-type')).toBe('image/svg+xml')
})

test('about says what is served', async () => {
  expect(await jsonOf(served.get('/api/about'))).toEqual({
    schema: 'annals/about/1',
    version: '1.2.3',
    demo: true,
    roots: [served.root],
  })
})
