import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Library } from '../disk/library.ts'
import type { Context } from '../history/context.ts'
import { findSession } from '../history/find.ts'
import { plans } from './plans.ts'
import { sessions } from './sessions.ts'
import { todos } from './todos.ts'

const root = mkdtempSync(join(tmpdir(), 'annals-scoped-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const API = '11111111-0000-4000-8000-000000000000'
const WEB = '22222222-0000-4000-8000-000000000000'
const BARE = '33333333-0000-4000-8000-000000000000'

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** The rows of a session; each hangs under the one before. */
function putLog(key: string, id: string, rows: readonly object[]): void {
  const uuid = (n: number) => `${id.slice(0, 24)}${String(n).padStart(12, '0')}`
  const lines = rows.map((row, n) =>
    JSON.stringify({
      uuid: uuid(n + 1),
      parentUuid: n === 0 ? null : uuid(n),
      sessionId: id,
      timestamp: `2026-03-02T09:00:0${n}.000Z`,
      ...row,
    }),
  )
  put(`projects/${key}/${id}.jsonl`, `${lines.join('\n')}\n`)
}

const prompt = (content: string, more: object) => ({ type: 'user', message: { role: 'user', content }, ...more })
const call = (id: string, name: string, input: object) => ({
  type: 'assistant',
  message: { id: `msg_${id}`, model: 'm', content: [{ type: 'tool_use', id, name, input }] },
})
const failed = (id: string) => ({
  type: 'user',
  message: {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: id, content: 'No such tool available', is_error: true }],
  },
})

putLog('-code-api', API, [
  prompt('api', { cwd: '/code/api', slug: 'first-api-plan' }),
  prompt('on', { cwd: '/code/api', slug: 'later-api-plan' }),
  call('t1', 'TodoWrite', { todos: [{ content: 'was never taken', status: 'pending' }] }),
  failed('t1'),
  call('t2', 'TaskCreate', { subject: 'nor this' }),
  failed('t2'),
])
putLog('-code-web', WEB, [prompt('web', { cwd: '/code/web', slug: 'web-plan' })])
putLog('-code-bare', BARE, [prompt('bare', {})])
for (const slug of ['first-api-plan', 'later-api-plan', 'web-plan', 'nobodys-plan'])
  put(`plans/${slug}.md`, `# ${slug}\n`)
for (const id of [API, WEB]) {
  put(`todos/${id}-agent-${id}.json`, JSON.stringify([{ content: `of ${id}`, status: 'pending', activeForm: '' }]))
}

const context: Context = {
  library: new Library({ roots: [root] }),
  now: new Date('2026-03-08T12:00:00Z'),
  cwd: root,
  home: root,
  currentSession: undefined,
  warn: () => {},
  progress: () => {},
}
const SCOPES = [{ under: '/code/api' }, { project: '/code/api' }, { project: '-code-api' }]

test.each(SCOPES)('plans of a scope are those of its sessions: %j', async (scope) => {
  const { items } = await plans.run(context, scope)
  expect(items.map(({ slug }) => slug).sort()).toEqual(['first-api-plan', 'later-api-plan'])
  const { markdown } = await plans.run(context, { ...scope, markdown: true })
  expect(markdown).not.toMatch(/web-plan|nobodys-plan/)
  expect((await plans.run(context, {})).total).toBe(4)
})

test.each(SCOPES)('todos of a scope are those of its sessions: %j', async (scope) => {
  const { items } = await todos.run(context, scope)
  expect(items.flatMap(({ todos: own }) => own.map(({ text }) => text))).toEqual([`of ${API}`])
})

test('what a failed call would have made is no todo', async () => {
  const { items } = await todos.run(context, { session: API })
  expect(items.map(({ from }) => from)).toEqual(['todos'])
})

test('a session is found by each of its slugs', async () => {
  expect((await findSession(context, 'first-api-plan')).files.id).toBe(API)
  expect((await findSession(context, 'later-api-plan')).files.id).toBe(API)
})

test('a session that names no folder is in the scope of the folder that its project is called after', async () => {
  const ids = async (scope: object) => (await sessions.run(context, { all: true, ...scope })).items.map(({ id }) => id)
  expect(await ids({ project: '/code/bare' })).toEqual([BARE])
  expect(await ids({ under: '/code/bare' })).toEqual([BARE])
  expect(await ids({ under: '/code/bar' })).toEqual([])
})
