import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { annals } from '../cli/annals.ts'
import { type EditedRoot, editedRoot, OLD } from '../support/edited-root.ts'

/** Built here, so that no scanner takes this file for a leak. */
const TOKEN = `ghp_${'Zq7Xw9Kd2Lm4'.repeat(3)}`
const KEY = [
  '-----BEGIN RSA PRIVATE KEY-----',
  `${'MIIEpAIBAAKCAQEA7'.repeat(20)}`,
  '-----END RSA PRIVATE KEY-----',
].join('\n')
/** What must be nowhere in the end: the token, and the inside of the key. */
const NEEDLES = [TOKEN, 'MIIEpAIBAAKCAQEA7MIIEpAIBAAKCAQEA7']

let made: EditedRoot
beforeEach(() => {
  made = editedRoot()
  const folder = made.log.replace('.jsonl', '')
  const uuid = 'aaaaaaaa-0000-4000-8000-00000000000a'
  const row = {
    type: 'user',
    uuid,
    parentUuid: null,
    isSidechain: false,
    sessionId: made.sessionId,
    cwd: made.project,
    timestamp: '2026-03-02T11:00:00.000Z',
    version: '2.1.325',
    message: { role: 'user', content: `use ${TOKEN}\n${KEY}` },
  }
  const blob = {
    type: 'api-request-blob',
    hash: 'ab',
    sessionId: made.sessionId,
    message: { role: 'user', content: [{ type: 'text', text: `token ${TOKEN}` }] },
  }
  const lines = [row, blob].map((one) => `${JSON.stringify(one)}\n`).join('')
  const agent = join(
    folder,
    'subagents',
    readdirSync(join(folder, 'subagents')).find((name) => name.endsWith('.jsonl')) as string,
  )
  put(made.log, readFileSync(made.log, 'utf8') + lines)
  put(
    agent,
    readFileSync(agent, 'utf8') +
      `${JSON.stringify({ ...row, uuid: 'aaaaaaaa-0000-4000-8000-00000000000b', isSidechain: true, agentId: 'a1' })}\n`,
  )
  put(join(folder, 'resume-head.jsonl'), lines)
  put(join(folder, 'tool-results/b1.txt'), `export GITHUB_TOKEN=${TOKEN}\n${KEY}\n`)
  put(join(made.root, 'file-history', made.sessionId, '0123456789abcdef@v1'), `const token = "${TOKEN}"\n`)
  put(join(made.root, 'paste-cache/00ff00ff00ff00ff.txt'), `pasted ${TOKEN}\n`)
  const history = join(made.root, 'history.jsonl')
  put(
    history,
    readFileSync(history, 'utf8') +
      `${JSON.stringify({ display: `use ${TOKEN}`, project: made.project, sessionId: made.sessionId, timestamp: 1, pastedContents: {} })}\n`,
  )
})
afterEach(() => made.remove())

function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  utimesSync(path, OLD, OLD)
}

const run = (...args: string[]) =>
  annals([...args, '--root', made.root], { env: { ANNALS_HOME: made.dataDir, HOME: made.folder }, cwd: made.project })

/** Every byte below a folder, packed and unpacked, with the names of the files. */
function everything(folder: string): readonly { readonly path: string; readonly text: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((one) => {
    if (!one.isFile()) return []
    const path = join(one.parentPath, one.name)
    const bytes = readFileSync(path)
    return [
      { path, text: `${bytes.toString('latin1')}${path.endsWith('.gz') ? gunzipSync(bytes).toString('latin1') : ''}` },
    ]
  })
}

const holding = () =>
  [made.root, made.dataDir]
    .flatMap(everything)
    .filter(({ text }) => NEEDLES.some((needle) => text.toLowerCase().includes(needle.toLowerCase())))
    .map(({ path }) => path)

test('prune --secret leaves no byte of a secret: session, agents, forks, sidecars, history, archive, index, copies of edits', () => {
  // A fork, an archive, words in an index, and edits whose copies hold it.
  const forked = JSON.parse(run('edit', 'fork', made.sessionId, '--json').stdout)
  expect(run('keep').code).toBe(0)
  expect(run('index').code).toBe(0)
  expect(run('edit', 'prune', made.sessionId, '--over', '1k', '--yes').code).toBe(0)
  expect(run('undo').code).toBe(0)
  const before = holding()
  expect(before.some((path) => path.includes('/archive/'))).toBe(true)
  expect(before.some((path) => path.includes('/edits/'))).toBe(true)
  expect(before.some((path) => path.includes(forked.created))).toBe(true)
  expect(before.length).toBeGreaterThan(10)

  const unsure = run('edit', 'prune', made.sessionId, '--secret')
  expect(unsure).toMatchObject({ code: 2 })
  expect(unsure.stderr).toContain('There is no undo')
  expect(holding()).toEqual(before)

  const masked = run('edit', 'prune', made.sessionId, '--secret', '--yes', '--json')
  expect(masked, masked.stderr).toMatchObject({ code: 0 })
  expect(JSON.parse(masked.stdout)).toMatchObject({ applied: true, undoable: false })
  expect(holding()).toEqual([])
  expect(Math.round(statSync(made.log).mtimeMs)).toBe(OLD.getTime())

  // What is left is whole: every line is JSON, the archive is sound, and there is nothing to undo.
  for (const line of readFileSync(made.log, 'utf8').trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow()
  expect(run('archive', 'verify').code).toBe(0)
  expect(run('undo').stderr).toContain('There is no edit to undo')
  expect(run('show', made.sessionId).code).toBe(0)
  expect(run('search', 'REDACTED').code).toBe(0)
  expect(run('keep').code).toBe(0)
  expect(holding()).toEqual([])
  // Once more finds nothing.
  expect(run('edit', 'prune', made.sessionId, '--secret', '--yes').code).toBe(1)
})

test('purge forgets the copies that edits kept, the star and the note', () => {
  expect(run('star', made.sessionId).code).toBe(0)
  expect(run('note', made.sessionId, `about ${TOKEN}`).code).toBe(0)
  expect(run('edit', 'prune', made.sessionId, '--over', '1k', '--yes').code).toBe(0)
  expect(run('purge', made.sessionId, '--source', '--yes').code).toBe(0)
  const ours = everything(made.dataDir).filter(({ text }) => NEEDLES.some((needle) => text.includes(needle)))
  expect(ours.map(({ path }) => path)).toEqual([])
})
