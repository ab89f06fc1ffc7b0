import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { projectKey } from '../../src/core/encode.ts'
import { type JsonObject, parseJson } from '../../src/core/json.ts'
import type { Static } from '../../src/core/schema.ts'
import { check } from '../../src/ops/check.ts'
import { edit } from '../../src/ops/edit/edit.ts'
import { undo } from '../../src/ops/edit/undo.ts'
import { files } from '../../src/ops/files.ts'
import { sessions } from '../../src/ops/sessions.ts'
import { show } from '../../src/ops/show.ts'
import { usage } from '../../src/ops/usage.ts'
import { close, type EditedRoot, editedRoot, OLD, type Picture } from '../support/edited-root.ts'

let made: EditedRoot
beforeEach(() => {
  made = editedRoot((built, project) => {
    built.file('.claude.json', settings(project))
  })
})
afterEach(() => made.remove())

function settings(project: string): string {
  return JSON.stringify({ numStartups: 3, projects: { [project]: { allowedTools: ['x'] } }, tips: { a: 1.5 } }, null, 2)
}

async function ask<T>(work: (context: ReturnType<EditedRoot['context']>) => T | Promise<T>): Promise<T> {
  const context = made.context()
  try {
    return await work(context)
  } finally {
    close(context)
  }
}

const run = (input: Static<typeof edit.input>) => ask((context) => edit.run(context, { yes: true, ...input }))
const back = (id?: string, more = {}) => ask((context) => undo.run(context, { ...(id && { id }), ...more }))
const rowsOf = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => parseJson(line) as JsonObject)
const lastRows = (count: number) => rowsOf(made.log).slice(-count)
const listed = async () =>
  (await ask((context) => sessions.run(context, {}))).items.find(({ id }) => id === made.sessionId)
/** What was used, to a millionth of a cent: sums of the same numbers in another order differ in their last digit. */
const usageNow = async () => {
  const {
    abandoned: _,
    costUsd,
    ownCostUsd,
    withUnloggedUsd: __,
    ...tokens
  } = (await ask((context) => usage.run(context, { by: 'total' }))).total
  return { ...tokens, costUsd: costUsd?.toFixed(8), ownCostUsd: ownCostUsd?.toFixed(8) }
}
const diagnostics = async () => (await ask((context) => check.run(context, { paths: [made.root] }))).diagnostics

/** The files that differ. */
function changedBetween(before: Picture, after: Picture): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((path) => before[path] !== after[path])
    .sort()
}

/** Does an edit, looks that nothing else than said changed and that nothing is wrong with it, and takes it back. */
async function tried(input: Static<typeof edit.input>, look: () => void | Promise<void>): Promise<string[]> {
  const before = made.picture()
  const found = await diagnostics()
  const planned = await run({ ...input, 'dry-run': true })
  expect(planned).toMatchObject({ id: null, applied: false })
  expect(made.picture()).toEqual(before)
  const done = await run(input)
  expect(done).toMatchObject({ applied: true, undoable: true })
  // A fork has another id each time.
  expect(done.plan.map(({ action }) => action)).toEqual(planned.plan.map(({ action }) => action))
  const changed = changedBetween(before, made.picture())
  expect(await diagnostics()).toEqual(found)
  await look()
  const after = made.picture()
  const undone = await back()
  expect(undone).toMatchObject({ applied: true, edit: 'undo' })
  expect(made.picture()).toEqual(before)
  // And the undo itself.
  await back(undone.id as string)
  const again = made.picture()
  expect(Object.keys(again)).toEqual(Object.keys(after))
  for (const [path, seen] of Object.entries(after))
    expect(again[path]?.split(' ').slice(0, 3), path).toEqual(seen.split(' ').slice(0, 3))
  expect(made.warnings).toEqual([])
  return changed
}

const logPath = () => made.log.slice(made.root.length + 1)
const folderPath = () => logPath().replace('.jsonl', '')

test('rename writes the two rows and the file, and nothing else; the time of the log stays', async () => {
  const spent = await usageNow()
  const bytes = readFileSync(made.log)
  const changed = await tried({ action: 'rename', what: [made.sessionId, '  Ein neuer „Titel“ 项目 '] }, async () => {
    const title = 'Ein neuer „Titel“ 项目'
    expect(readFileSync(made.log).subarray(0, bytes.length)).toEqual(bytes)
    expect(readFileSync(made.log).subarray(bytes.length).toString()).toBe(
      `{"type":"custom-title","customTitle":"${title}","sessionId":"${made.sessionId}"}\n{"type":"agent-name","agentName":"${title}","sessionId":"${made.sessionId}"}\n`,
    )
    expect(readFileSync(made.log.replace('.jsonl', '/custom-title.json'), 'utf8')).toBe(`{"customTitle":"${title}"}`)
    expect(statSync(made.log).mtimeMs).toBe(OLD.getTime())
    expect(await listed()).toMatchObject({ title, titleFrom: 'custom' })
    expect(await usageNow()).toEqual(spent)
  })
  expect(changed).toEqual([logPath(), `${folderPath()}/custom-title.json`].sort())
})

test('a log whose last line was never ended is ended first', async () => {
  appendFileSync(made.log, '{"type":"user","half')
  utimesSync(made.log, OLD, OLD)
  await run({ action: 'rename', what: [made.sessionId, 'After the torn line'] })
  expect(lastRows(2)).toMatchObject([{ customTitle: 'After the torn line' }, { agentName: 'After the torn line' }])
  expect(readFileSync(made.log, 'utf8')).toContain('{"type":"user","half\n{"type":"custom-title"')
})

test('tag and its clearing', async () => {
  const spent = await usageNow()
  await tried({ action: 'tag', what: [made.sessionId, '#auth'] }, async () => {
    expect(lastRows(1)).toEqual([{ type: 'tag', tag: 'auth', sessionId: made.sessionId }])
    expect(await listed()).toMatchObject({ tags: ['auth'] })
    expect(await usageNow()).toEqual(spent)
  })
  const { items } = await ask((context) => sessions.run(context, { tag: 'auth' }))
  expect(items).toHaveLength(1)
  await tried({ action: 'tag', what: [made.sessionId], clear: true }, async () => {
    expect(lastRows(1)).toEqual([{ type: 'tag', tag: '', sessionId: made.sessionId }])
    expect(await listed()).toMatchObject({ tags: [] })
  })
})

test('move takes the log, its folder and a row to another folder', async () => {
  const spent = await usageNow()
  const to = join(made.folder, 'elsewhere')
  mkdirSync(to)
  const before = readFileSync(made.log)
  await tried({ action: 'move', what: [made.sessionId], to }, async () => {
    const moved = join(made.root, 'projects', projectKey(to), `${made.sessionId}.jsonl`)
    expect(existsSync(made.log)).toBe(false)
    expect(existsSync(made.log.replace('.jsonl', ''))).toBe(false)
    expect(readFileSync(moved).toString()).toBe(
      `${before}{"type":"relocated","relocatedCwd":${JSON.stringify(to)},"sessionId":"${made.sessionId}"}\n`,
    )
    expect(existsSync(join(moved.replace('.jsonl', ''), 'subagents'))).toBe(true)
    expect(await listed()).toMatchObject({ project: { path: to } })
    expect(await usageNow()).toEqual(spent)
  })
})

describe('move --project', () => {
  test('takes all sessions of a folder, memory, prompts and settings, and none of a folder that is called alike', async () => {
    const to = join(made.folder, 'renamed')
    mkdirSync(to)
    const dir = dirname(made.log)
    mkdirSync(join(dir, 'memory'))
    writeFileSync(join(dir, 'memory/MEMORY.md'), 'remember')
    const text = readFileSync(join(made.root, '.claude.json'), 'utf8')
    const prompts = readFileSync(join(made.root, 'history.jsonl'), 'utf8')
    await tried({ action: 'move', project: made.project, to, settings: true }, () => {
      const target = join(made.root, 'projects', projectKey(to))
      expect(existsSync(dir)).toBe(false)
      expect(readFileSync(join(target, 'memory/MEMORY.md'), 'utf8')).toBe('remember')
      expect(rowsOf(join(target, `${made.sessionId}.jsonl`)).at(-1)).toMatchObject({
        type: 'relocated',
        relocatedCwd: to,
      })
      expect(readFileSync(join(made.root, '.claude.json'), 'utf8')).toBe(text.replace(made.project, to))
      expect(readFileSync(join(made.root, 'history.jsonl'), 'utf8')).toBe(
        prompts.replace(`"project":"${made.project}"`, `"project":"${to}"`),
      )
      expect(existsSync(join(made.root, 'projects', projectKey(`${made.project}-docker`)))).toBe(true)
    })
  })

  test('leaves settings alone unless asked, and memory that is on both sides', async () => {
    const to = join(made.folder, 'renamed')
    mkdirSync(to)
    const { left } = await run({ action: 'move', project: made.project, to, 'dry-run': true })
    expect(left.join(' ')).toContain('--settings')
    for (const folder of [dirname(made.log), join(made.root, 'projects', projectKey(to))]) {
      mkdirSync(join(folder, 'memory'), { recursive: true })
      writeFileSync(join(folder, 'memory/MEMORY.md'), folder)
    }
    const before = made.picture()
    await expect(run({ action: 'move', project: made.project, to })).rejects.toThrow(/does not merge/)
    expect(made.picture()).toEqual(before)
  })

  test('leaves history and settings alone while a client runs on the root', async () => {
    const to = join(made.folder, 'renamed')
    mkdirSync(to)
    mkdirSync(join(made.root, 'sessions'))
    const stat = readFileSync('/proc/self/stat', 'latin1')
    const procStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    const claim = { pid: process.pid, sessionId: 'another', procStart }
    writeFileSync(join(made.root, `sessions/${process.pid}.json`), JSON.stringify(claim))
    const { left, plan } = await run({ action: 'move', project: made.project, to, settings: true })
    expect(left.filter((one) => one.includes(`process ${process.pid}`))).toHaveLength(2)
    expect(plan.map(({ file }) => file)).not.toContain(join(made.root, 'history.jsonl'))
  })
})

test('fork copies the rows of a branch up to a turn, marked, with checkpoints and todos, and is not billed again', async () => {
  const spent = await usageNow()
  await tried({ action: 'fork', what: [`${made.sessionId}:2`], title: 'Another way' }, async () => {
    const { items } = await ask((context) => sessions.run(context, {}))
    const fork = items.find(({ title }) => title === 'Another way')
    expect(fork).toMatchObject({ forkedFrom: made.sessionId, counts: { turns: 2 }, ownCostUsd: 0 })
    const rows = rowsOf(fork?.file as string)
    const tree = rows.filter((row) => 'parentUuid' in row)
    expect(tree.length).toBeGreaterThan(5)
    for (const row of tree) {
      expect(row).toMatchObject({
        sessionId: fork?.id,
        forkedFrom: { sessionId: made.sessionId, messageUuid: row.uuid },
      })
    }
    const uuids = new Set(tree.map(({ uuid }) => uuid))
    for (const { parentUuid } of tree) if (parentUuid !== null) expect(uuids).toContain(parentUuid)
    expect(rows.slice(-2)).toMatchObject([{ customTitle: 'Another way' }, { agentName: 'Another way' }])
    expect(JSON.stringify(rows)).not.toContain('third question')
    expect(existsSync(join(made.root, 'file-history', fork?.id ?? ''))).toBe(true)
    expect(existsSync(join(made.root, 'todos', `${fork?.id}-agent-${fork?.id}.json`))).toBe(true)
    expect(await usageNow()).toEqual(spent)
    const { turns } = await ask((context) => show.run(context, { session: fork?.id ?? '' }))
    expect(turns.map(({ prompt }) => prompt?.text)).toEqual(['first question', 'second question'])
  })
})

describe('rewind', () => {
  test('is one row, and another brings it back', async () => {
    const spent = await usageNow()
    const prompts = async () =>
      (await ask((context) => show.run(context, { session: made.sessionId }))).turns.map(({ prompt }) => prompt?.text)
    const tip = rowsOf(made.log).findLast(({ type }) => type === 'assistant')?.uuid as string
    await tried({ action: 'rewind', what: [`${made.sessionId}:1`] }, async () => {
      expect(lastRows(1)).toMatchObject([{ type: 'last-prompt', explicit: true, sessionId: made.sessionId }])
      expect(await prompts()).toEqual(['first question'])
      expect(await usageNow()).toEqual(spent)
    })
    await run({ action: 'rewind', what: [`${made.sessionId}:${tip}`] })
    expect(await prompts()).toEqual(['first question', 'second question', 'third question'])
    await run({ action: 'rewind', what: [`${made.sessionId}:0`] })
    expect(lastRows(1)).toMatchObject([{ leafUuid: '00000000-0000-0000-0000-000000000000' }])
    expect(await prompts()).toEqual([])
  })

  test('says which turns there are', async () => {
    await expect(run({ action: 'rewind', what: [`${made.sessionId}:9`] })).rejects.toThrow('There is no turn 9')
  })
})

test('prune replaces long results and leaves every other line as it is', async () => {
  const before = readFileSync(made.log, 'utf8').split('\n')
  await tried({ action: 'prune', what: [made.sessionId], over: '10k' }, async () => {
    const after = readFileSync(made.log, 'utf8').split('\n')
    const differing = before.flatMap((line, at) => (line === after[at] ? [] : [at]))
    expect(after).toHaveLength(before.length)
    expect(differing).toHaveLength(1)
    const row = parseJson(after[differing[0] as number] as string) as JsonObject
    expect(row.toolUseResult).toBeUndefined()
    expect(JSON.stringify(row)).toMatch(/\[pruned: 4\d,\d+ bytes of this tool result were taken out to save room\.\]/)
    const { expect: said } = await run({ action: 'prune', what: [made.sessionId], over: '10k' })
    expect(said.join(' ')).toContain('0 bytes less')
  })
})

test('what was pruned is no longer known of a file, and never guessed', async () => {
  const held = async () => (await ask((context) => files.run(context, { path: 'notes.txt', at: '1' }))).text
  expect(await held()).toBe('a line of notes\n'.repeat(2_000))
  await run({ action: 'prune', what: [made.sessionId] })
  expect(await held()).toBeNull()
})

test('prune says what the next resume saves', async () => {
  const { expect: said } = await run({ action: 'prune', what: [made.sessionId], 'dry-run': true })
  // 2,000 lines of 16 characters, each with its number before it, at four bytes a token.
  const tokens = Number(/about ([\d,]+) tokens/.exec(said.join(' '))?.[1]?.replace(',', ''))
  expect(tokens).toBeGreaterThan(8_000)
  expect(tokens).toBeLessThan(13_000)
})

test('delete removes the whole family, its prompts and what only they pasted; of others nothing', async () => {
  const changed = await tried({ action: 'delete', what: [made.sessionId] }, async () => {
    expect(Object.keys(made.picture()).filter((path) => path.includes(made.sessionId))).toEqual([])
    expect(readFileSync(join(made.root, 'history.jsonl'), 'utf8')).not.toContain(made.sessionId)
    expect(readFileSync(join(made.root, 'history.jsonl'), 'utf8')).toContain('bbbb2222')
    expect(Object.keys(made.picture()).filter((path) => path.startsWith('paste-cache/'))).toEqual([])
    expect(await listed()).toBeUndefined()
  })
  for (const path of changed) {
    expect(path).toMatch(new RegExp(`${made.sessionId}|^history\\.jsonl$|^paste-cache/`))
  }
})

describe('delete in bulk', () => {
  test('takes what is old, large and of a project; what has a star stays', async () => {
    const { star } = await import('../../src/ops/edit/star.ts')
    const old = (more: object) => run({ action: 'delete', 'older-than': '30d', ...more, 'dry-run': true })
    expect((await old({})).sessions).toHaveLength(2)
    expect((await old({ 'larger-than': '30k' })).sessions).toEqual([made.sessionId])
    expect((await old({ project: `${made.project}-docker` })).sessions).toHaveLength(1)
    await ask((context) => star.run(context, { session: made.sessionId }))
    await expect(old({ 'larger-than': '30k' })).rejects.toThrow('No session matches')
  })

  test('is one edit, and one undo', async () => {
    const before = made.picture()
    const { sessions: gone, id } = await run({ action: 'delete', 'older-than': '30d' })
    expect(gone).toHaveLength(2)
    expect(Object.keys(made.picture()).filter((path) => path.endsWith('.jsonl') && path !== 'history.jsonl')).toEqual(
      [],
    )
    await back(id as string)
    expect(made.picture()).toEqual(before)
  })
})

describe('restore-file', () => {
  const at = (more: object = {}) => run({ action: 'restore-file', what: ['a.ts'], at: `${made.sessionId}:1`, ...more })

  test('puts a file back as it was, and undo the one that was there', async () => {
    const path = join(made.project, 'a.ts')
    writeFileSync(path, 'by hand\n', { mode: 0o640 })
    const { id } = await at()
    expect(readFileSync(path, 'utf8')).toBe('one\n')
    expect(statSync(path).mode & 0o777).toBe(0o640)
    await back(id as string)
    expect(readFileSync(path, 'utf8')).toBe('by hand\n')
    await expect(at({ at: `${made.sessionId}:2` })).resolves.toMatchObject({ applied: true })
    expect(readFileSync(path, 'utf8')).toBe('two\n')
  })

  test('makes one that is gone', async () => {
    await at()
    expect(readFileSync(join(made.project, 'a.ts'), 'utf8')).toBe('one\n')
    await back()
    expect(existsSync(join(made.project, 'a.ts'))).toBe(false)
  })
})

describe('undo when the log went on', () => {
  const more = '{"type":"mode","mode":"normal","sessionId":"x"}\n'
  const goOn = () => {
    appendFileSync(made.log, more)
    utimesSync(made.log, OLD, OLD)
  }

  test('takes out its own rows alone', async () => {
    const before = readFileSync(made.log, 'utf8')
    await run({ action: 'tag', what: [made.sessionId, 'x'] })
    goOn()
    await back()
    expect(readFileSync(made.log, 'utf8')).toBe(before + more)
  })

  test('puts back what was pruned, and keeps what came after', async () => {
    const before = readFileSync(made.log, 'utf8')
    await run({ action: 'prune', what: [made.sessionId] })
    goOn()
    await back()
    expect(readFileSync(made.log, 'utf8')).toBe(before + more)
  })

  test('says what can no longer be undone', async () => {
    const { created } = await run({ action: 'fork', what: [`${made.sessionId}:1`] })
    const fork = join(dirname(made.log), `${created}.jsonl`)
    appendFileSync(fork, more)
    utimesSync(fork, OLD, OLD)
    await expect(back()).rejects.toThrow(/was written to since/)
    expect(existsSync(fork)).toBe(true)
  })

  test('an edit that was rewritten by others is left alone', async () => {
    await run({ action: 'tag', what: [made.sessionId, 'x'] })
    writeFileSync(made.log, readFileSync(made.log, 'utf8').replace('first question', 'other question'))
    utimesSync(made.log, OLD, OLD)
    await expect(back()).rejects.toThrow(/was changed since/)
  })

  test('an edit is undone once', async () => {
    const { id } = await run({ action: 'tag', what: [made.sessionId, 'x'] })
    await back(id as string)
    await expect(back(id as string)).rejects.toThrow(/was already undone/)
    await expect(back()).rejects.toThrow('There is no edit to undo')
  })
})
