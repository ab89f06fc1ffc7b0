import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Library } from '../disk/library.ts'
import { files } from '../ops/files.ts'
import { plans } from '../ops/plans.ts'
import { skills } from '../ops/skills.ts'
import { stats } from '../ops/stats.ts'
import { todos } from '../ops/todos.ts'
import { log } from '../testing/index.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'annals-folds-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const root = () => join(folder, 'root')
const state = () => join(folder, 'state')

/** What all operations that fold logs say of the root. */
async function answers(cacheDir: string | undefined) {
  const library = new Library({ roots: [root()] })
  const nowhere = { cwd: folder, home: folder, currentSession: undefined, warn: () => {}, progress: () => {} }
  const context = { library, cacheDir, now: new Date('2026-03-10T12:00:00.000Z'), ...nowhere }
  const all = {
    stats: await stats.run(context, { timezone: 'UTC', since: '2026-03-01' }),
    files: await files.run(context, { reads: true }),
    plans: await plans.run(context, {}),
    todos: await todos.run(context, { all: true }),
    skills: await skills.run(context, {}),
  }
  library.close()
  return all
}

const made = (seed: string) =>
  log({ seed, startedAt: '2026-03-02T09:00:00.000Z' })
    .user('one')
    .edit('/home/ana/api/a.ts', { before: 'a', after: 'b' })
    .tool('TodoWrite', { todos: [{ content: 'first', status: 'pending' }] }, { output: 'ok' })
    .tool('ExitPlanMode', { plan: '# The plan' }, { output: 'ok' })
    .tool('Skill', { skill: 'deploy' }, { output: 'ok' })
    .subagent({ description: 'Look', prompt: 'p', result: 'r' })
    .compact({ summary: 's' })

function writeRoot(): string {
  const path = join(root(), made('one').write(root()).path)
  made('two').write(root())
  mkdirSync(join(root(), 'commands'), { recursive: true })
  writeFileSync(join(root(), 'commands', 'deploy.md'), 'Deploy it.')
  return path
}

/** A call of a tool as a client writes it, with the row that answers it. */
function called(id: string, name: string, input: object): string {
  const at = { timestamp: '2026-03-03T10:00:00.000Z' }
  const use = { type: 'tool_use', id, name, input }
  const result = { type: 'tool_result', tool_use_id: id, content: 'done' }
  return [
    { type: 'assistant', uuid: `${id} a`, ...at, message: { id: `m ${id}`, model: 'x', content: [use], usage: {} } },
    { type: 'user', uuid: `${id} b`, ...at, message: { content: [result] } },
  ]
    .map((row) => `${JSON.stringify(row)}\n`)
    .join('')
}

test('what is said with an index is what the logs say, whatever happens to them', async () => {
  const action = fc.constantFrom(
    'edit',
    'todo',
    'plan',
    'skill',
    'half',
    'flip',
    'flip, same time',
    'truncate',
    'replace',
    'age',
    'nothing',
  )
  const change = (path: string, one: string, n: number) => {
    const { atime, mtime } = statSync(path)
    if (one === 'edit') appendFileSync(path, called(`e${n}`, 'Write', { file_path: `/new/${n}`, content: 'x' }))
    if (one === 'todo') appendFileSync(path, called(`t${n}`, 'TodoWrite', { todos: [{ content: `todo ${n}` }] }))
    if (one === 'skill') appendFileSync(path, called(`s${n}`, 'Skill', { skill: 'deploy' }))
    if (one === 'plan') appendFileSync(path, called(`p${n}`, 'ExitPlanMode', { plan: `plan ${n}` }))
    if (one === 'half') appendFileSync(path, called(`h${n}`, 'Write', { file_path: '/half' }).slice(0, 100))
    if (one === 'truncate') truncateSync(path, Math.floor(statSync(path).size / 2))
    if (one === 'age') utimesSync(path, atime, new Date(mtime.getTime() - 60_000))
    if (one === 'replace') {
      writeFileSync(`${path}.new`, called(`r${n}`, 'Edit', { file_path: '/replaced' }))
      renameSync(`${path}.new`, path)
    }
    if (one.startsWith('flip')) {
      const bytes = readFileSync(path)
      const at = bytes.indexOf('/a.ts') + 1
      if (at > 0) bytes[at] = (bytes[at] as number) ^ 1
      writeFileSync(path, bytes)
    }
    // A file that has been at rest is known by its time: whoever sets that back is not found out.
    if (one.endsWith('same time') && mtime.getTime() > Date.now() - 30_000) utimesSync(path, atime, mtime)
  }
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 6 }), async (actions) => {
      for (const one of [root(), state()]) rmSync(one, { recursive: true, force: true })
      const path = writeRoot()
      for (const [n, one] of ['nothing', ...actions].entries()) {
        change(path, one, n)
        const fresh = await answers(undefined)
        expect(await answers(state())).toEqual(fresh)
        expect(await answers(state())).toEqual(fresh)
      }
    }),
    { numRuns: 15 },
  )
}, 60_000)

test('what the index says of all sessions is what the log of each says', async () => {
  writeRoot()
  made('three').forked().user('again').edit('/home/ana/api/b.ts', { before: 'a', after: 'b' }).write(root())
  const library = new Library({ roots: [root()] })
  const nowhere = { cwd: folder, home: folder, currentSession: undefined, warn: () => {}, progress: () => {} }
  const context = { library, cacheDir: state(), now: new Date('2026-03-10T12:00:00.000Z'), ...nowhere }
  const sessions = library.sessions().map(({ id }) => id)
  expect(sessions.length).toBe(4)
  const asSet = (items: readonly object[]) => items.map((item) => JSON.stringify(item)).sort()
  for (const ask of [
    async (named: { session?: string }) => (await files.run(context, { reads: true, ...named })).items,
    async (named: { session?: string }) => (await plans.run(context, named)).items,
    async (named: { session?: string }) => (await todos.run(context, { all: true, ...named })).items,
  ]) {
    const each = await Promise.all(sessions.map((session) => ask({ session })))
    const all = await ask({})
    expect(all.length).toBeGreaterThan(2)
    expect(asSet(all)).toEqual(asSet(each.flat()))
  }
  library.close()
})
