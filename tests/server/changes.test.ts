import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadAll, opLoaders } from '../../src/ops/index.ts'
import { cookieFor, jsonOf, type Served, serveDemo } from './served.ts'

const ops = await loadAll(opLoaders)

let served: Served
let cookie: string
beforeAll(async () => {
  served = await serveDemo()
  cookie = await cookieFor(served)
})
afterAll(() => served.remove())

const JSON_TYPE = 'application/json'
/** Operations that change nothing, whatever they are asked. */
const READING = [
  ...[
    'agents',
    'attribution',
    'blame',
    'check',
    'context',
    'doctor',
    'files',
    'find',
    'memory',
    'outline',
    'path',
    'plans',
    'projects',
  ],
  ...[
    'prompts',
    'read',
    'recap',
    'receipt',
    'record',
    'redact',
    'search',
    'sessions',
    'show',
    'skills',
    'stats',
    'status',
  ],
  ...['statusline', 'tail', 'timeline', 'todos', 'tree', 'usage'],
]

/** What the server has no route for. */
const COMMAND_LINE = ['sql', 'edit', 'move']

const changing = Object.values(ops).filter((op) => 'changes' in op && op.changes)

test('what changes something is asked for by POST, everything else by GET', () => {
  // A new operation is put here by hand, or says that it changes something.
  expect(Object.keys(ops).sort()).toEqual(
    [...new Set([...READING, ...COMMAND_LINE, ...changing.map(({ name }) => name)])].sort(),
  )
  for (const name of COMMAND_LINE) expect(served.routes.map(({ path }) => path)).not.toContain(`/api/${name}`)
  for (const { method, path } of served.routes) {
    // The rules of notifications are read at the address where they are set.
    if (path === '/api/notifications') continue
    const isChange = path === '/api/sign-out' || changing.some(({ name }) => path === `/api/${name}`)
    expect(method, path).toBe(isChange ? 'POST' : 'GET')
  }
})

test('no GET changes anything, nor any other method', async () => {
  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const answer = await fetch(`${served.origin}/api/index?rebuild=true`, {
      method,
      headers: { Authorization: `Bearer ${served.server.token}` },
    })
    expect(answer.status, method).toBe(405)
    expect(answer.headers.get('allow')).toBe('POST')
  }
})

test('a form of another page, or anything like one, changes nothing', async () => {
  const form = 'application/x-www-form-urlencoded'
  const shapes: readonly (readonly [headers: Record<string, string>, body: string, status: number])[] = [
    [{ 'Content-Type': 'text/plain', 'Sec-Fetch-Site': 'cross-site' }, '{}', 403],
    [{ 'Content-Type': JSON_TYPE, 'Sec-Fetch-Site': 'cross-site' }, '{}', 403],
    [{ 'Content-Type': JSON_TYPE, 'Sec-Fetch-Site': 'same-site' }, '{}', 403],
    [{ 'Content-Type': JSON_TYPE, 'Sec-Fetch-Site': 'none' }, '{}', 403],
    [{ 'Content-Type': JSON_TYPE, Origin: 'https://evil.example' }, '{}', 403],
    [{ 'Content-Type': JSON_TYPE, Origin: 'null' }, '{}', 403],
    // A browser too old to say where a request comes from.
    [{ 'Content-Type': JSON_TYPE }, '{}', 403],
    [{ 'Content-Type': form, 'Sec-Fetch-Site': 'same-origin' }, 'rebuild=true', 415],
    [{ 'Content-Type': 'multipart/form-data; boundary=x', 'Sec-Fetch-Site': 'same-origin' }, '--x--', 415],
    [{ 'Content-Type': 'text/plain', 'Sec-Fetch-Site': 'same-origin' }, '{"rebuild":true}', 415],
    [{ 'Content-Type': 'text/plain; application/json', 'Sec-Fetch-Site': 'same-origin' }, '{}', 415],
    [{ 'Content-Type': 'application/jsonp', 'Sec-Fetch-Site': 'same-origin' }, '{}', 415],
    [{ 'Content-Type': JSON_TYPE, 'Sec-Fetch-Site': 'same-origin' }, 'no json', 415],
    [{ 'Content-Type': JSON_TYPE, 'Sec-Fetch-Site': 'same-origin' }, '[]', 415],
    [{ 'Content-Type': JSON_TYPE, 'Sec-Fetch-Site': 'same-origin' }, '{"rebuild":"true"}', 400],
    [{ 'Content-Type': JSON_TYPE, 'Sec-Fetch-Site': 'same-origin' }, '{"__proto__":1}', 400],
    [{ 'Content-Type': JSON_TYPE, 'Sec-Fetch-Site': 'same-origin' }, '{"follow":true}', 400],
  ]
  for (const [headers, body, status] of shapes) {
    const answer = await fetch(`${served.origin}/api/index`, {
      method: 'POST',
      headers: { ...headers, Cookie: cookie },
      body,
    })
    expect(answer.status, JSON.stringify([headers, body])).toBe(status)
  }
})

test('our own page may change something, and a program with the token', async () => {
  const own = { 'Content-Type': JSON_TYPE, 'Sec-Fetch-Site': 'same-origin', Cookie: cookie }
  const program = { 'Content-Type': 'application/json; charset=utf-8', Authorization: `Bearer ${served.server.token}` }
  const sessions = async () => (await jsonOf(served.get('/api/sessions'))).items
  const before = await sessions()
  for (const headers of [own, program]) {
    const answer = await fetch(`${served.origin}/api/index`, { method: 'POST', headers, body: '{"rebuild":true}' })
    expect(answer.status).toBe(200)
    expect(await jsonOf(answer)).toMatchObject({ schema: 'annals/index/1', behindBytes: 0 })
    // It was begun anew, and is answered from as before.
    expect(await sessions()).toEqual(before)
  }
})
