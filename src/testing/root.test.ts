import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { isObject, type JsonObject, objectAt, objectsAt, parseJson, stringAt } from '../core/json.ts'
import { writeDemoRoot } from './demo-root.ts'
import { generateRoot } from './generate-root.ts'
import { log } from './log.ts'
import { root } from './root.ts'

const DAY = 86_400_000
const temporary = mkdtempSync(join(tmpdir(), 'annals-testing-'))
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

test('a log is written into a root, with the time of its last record', () => {
  const dir = join(temporary, 'one')
  const { sessionId, path } = log({ version: '2.1.325', cwd: '/home/ana/api' }).user('hi').assistant('ho').write(dir)
  expect(path).toBe(`projects/-home-ana-api/${sessionId}.jsonl`)
  const last = rowsAt(join(dir, path))
    .flatMap((row) => stringAt(row, 'timestamp') ?? [])
    .at(-1)
  expect(statSync(join(dir, path)).mtime.toISOString()).toBe(last)
})

test('long working folders are cut and hashed', () => {
  const cwd = `/home/ana/${'deep/'.repeat(60)}end`
  const [file] = log({ cwd }).user('hi').files()
  expect(file?.path.split('/')[1]).toMatch(/^.{200}-[0-9a-z]+$/)
})

test('a root gathers everything around its logs', () => {
  const cwd = '/home/ana/api'
  const long = 'line\n'.repeat(400)
  const files = root()
    .add(log({ cwd }).user('hi'))
    .history([
      { display: 'hi', project: cwd, sessionId: 's' },
      { display: 'see', project: cwd, pasted: ['short', long], at: '2026-05-01T10:00:00.000Z' },
    ])
    .todos('s', [{ content: 'A', status: 'pending', activeForm: 'A' }])
    .tasks('s', [{ id: '1', subject: 'Build' }])
    .plan('my-plan', '# Plan')
    .memory(cwd, { 'MEMORY.md': 'Remember.' })
    .skill('tidy', { description: 'Tidies.', body: 'Tidy up.' })
    .commandFile('go', { body: 'Go.' })
    .agentFile('critic', { description: 'Criticizes.', body: 'Be kind.', head: { model: 'opus' } })
    .settings({ cleanupPeriodDays: 9 })
    .live({ pid: 77, sessionId: 's', cwd })
    .statsCache({ totalSessions: 3 })
    .sessionsIndex(cwd, [{ sessionId: 's' }])
    .file('CLAUDE.md', 'Be brief.')
    .files()
  const content = (path: string) => String(files.find((file) => file.path === path)?.content)
  const hash = createHash('sha256').update(long).digest('hex').slice(0, 16)
  const [first, second] = content('history.jsonl')
    .trim()
    .split('\n')
    .map((line) => parseJson(line))
  expect(first).toMatchObject({ display: 'hi', pastedContents: {}, project: cwd, sessionId: 's' })
  expect(second).toEqual({
    display: 'see [Pasted text #1] [Pasted text #2 +400 lines]',
    pastedContents: { 1: { id: 1, type: 'text', content: 'short' }, 2: { id: 2, type: 'text', contentHash: hash } },
    timestamp: Date.parse('2026-05-01T10:00:00.000Z'),
    project: cwd,
  })
  expect(content(`paste-cache/${hash}.txt`)).toBe(long)
  expect(parseJson(content('todos/s-agent-s.json'))).toMatchObject([{ content: 'A' }])
  expect(parseJson(content('tasks/s/1.json'))).toMatchObject({ id: '1', subject: 'Build', status: 'pending' })
  expect(content('plans/my-plan.md')).toBe('# Plan')
  expect(content('projects/-home-ana-api/memory/MEMORY.md')).toBe('Remember.')
  expect(content('skills/tidy/SKILL.md')).toBe('---\nname: tidy\ndescription: Tidies.\n---\n\nTidy up.\n')
  expect(content('commands/go.md')).toBe('Go.\n')
  expect(content('agents/critic.md')).toContain('model: opus')
  expect(parseJson(content('settings.json'))).toEqual({ cleanupPeriodDays: 9 })
  expect(parseJson(content('sessions/77.json'))).toMatchObject({ pid: 77, sessionId: 's', kind: 'interactive' })
  expect(parseJson(content('stats-cache.json'))).toMatchObject({ totalSessions: 3 })
  expect(parseJson(content('projects/-home-ana-api/sessions-index.json'))).toMatchObject({ originalPath: cwd })
  expect(content('CLAUDE.md')).toBe('Be brief.')
})

test('the demo is the same bytes twice', () => {
  const now = new Date('2026-11-20T12:00:00.000Z')
  writeDemoRoot(join(temporary, 'demo-a'), now)
  writeDemoRoot(join(temporary, 'demo-b'), now)
  expect(fingerprint(join(temporary, 'demo-a'))).toEqual(fingerprint(join(temporary, 'demo-b')))
})

test('the demo has something of everything', () => {
  const now = new Date('2026-11-20T12:00:00.000Z')
  const dir = join(temporary, 'demo')
  writeDemoRoot(dir, now)
  const paths = filesIn(dir)
  const sessions = paths.filter((path) => /^projects\/[^/]+\/[0-9a-f-]{36}\.jsonl$/.test(path))
  const rows = sessions.flatMap((path) => rowsAt(join(dir, path)))
  const agents = paths.filter((path) => /\/agent-[^/]+\.jsonl$/.test(path))

  expect(new Set(sessions.map((path) => path.split('/')[1]))).toEqual(
    new Set([
      '-home-ana-code-api',
      '-home-ana-code-api--claude-worktrees-rate-limits',
      '-home-ana-code-garden-web',
      '-home-ana-notes',
    ]),
  )
  expect(sessions.length).toBe(15)
  expect(new Set(rows.flatMap((row) => stringAt(row, 'version') ?? [])).size).toBeGreaterThanOrEqual(6)
  expect(agents.length).toBeGreaterThanOrEqual(8)

  const ages = sessions.map((path) => (now.getTime() - statSync(join(dir, path)).mtimeMs) / DAY)
  expect(Math.max(...ages)).toBeGreaterThan(34)
  expect(Math.max(...ages)).toBeLessThan(36)
  expect(Math.min(...ages)).toBeGreaterThan(0)

  const has = (test: (row: JsonObject) => boolean) => rows.some(test)
  const metas = paths.filter((path) => path.endsWith('.meta.json')).map((path) => parseJson(read(dir, path)))
  expect(metas.some((meta) => isObject(meta) && meta.spawnDepth === 2)).toBe(true)
  expect(has((row) => objectAt(row, 'toolUseResult')?.status === 'async_launched')).toBe(true)
  expect(has((row) => (stringAt(row, 'toolUseResult') ?? '').startsWith('Error: Agent terminated'))).toBe(true)
  expect(has((row) => row.explicit === true)).toBe(true)
  expect(has((row) => row.subtype === 'compact_boundary')).toBe(true)
  expect(has((row) => row.isApiErrorMessage === true)).toBe(true)
  expect(has((row) => text(row) === '[Request interrupted by user for tool use]')).toBe(true)
  expect(has((row) => objectsAt(row.message, 'content').some(({ type }) => type === 'image'))).toBe(true)
  expect(has((row) => row.type === 'custom-title')).toBe(true)
  expect(has((row) => row.type === 'ai-title')).toBe(true)
  expect(has((row) => row.type === 'file-history-delta')).toBe(true)
  expect(has((row) => row.forkedFrom !== undefined)).toBe(true)
  expect(has((row) => objectAt(row, 'attachment')?.type === 'queued_command')).toBe(true)
  expect(read(dir, 'history.jsonl')).toContain('[Pasted text #1 +39 lines]')
  for (const path of [
    'plans/gentle-sailing-otter.md',
    'skills/release-notes/SKILL.md',
    'commands/review.md',
    'projects/-home-ana-code-api/memory/MEMORY.md',
    'settings.json',
  ]) {
    expect(paths).toContain(path)
  }
  expect(paths.some((path) => path.startsWith('todos/') && read(dir, path).includes('completed'))).toBe(true)
  expect(paths.some((path) => path.startsWith('file-history/'))).toBe(true)
  expect(paths.some((path) => path.startsWith('paste-cache/'))).toBe(true)
})

test('nothing in the demo is later than now', () => {
  const now = new Date('2026-11-20T00:10:00.000Z')
  const dir = join(temporary, 'demo-early')
  writeDemoRoot(dir, now)
  for (const path of filesIn(dir).filter((path) => path.endsWith('.jsonl') && path.startsWith('projects/'))) {
    for (const row of rowsAt(join(dir, path))) {
      expect(Date.parse(stringAt(row, 'timestamp') ?? '2026-01-01')).toBeLessThanOrEqual(now.getTime())
    }
  }
})

test('a generated root has about the bytes asked for, and is the same twice', () => {
  const [one, two] = ['gen-a', 'gen-b'].map((name) =>
    generateRoot(join(temporary, name), { bytes: 6_000_000, seed: 's' }),
  )
  expect(one).toEqual(two)
  expect(one?.bytes).toBeGreaterThanOrEqual(6_000_000)
  expect(one?.bytes).toBeLessThan(7_500_000)
  expect(fingerprint(join(temporary, 'gen-a'))).toEqual(fingerprint(join(temporary, 'gen-b')))
})

test('a generated root reads like a real one', () => {
  const dir = join(temporary, 'gen')
  const made = generateRoot(dir, { bytes: 20_000_000 })
  const logs = filesIn(dir).filter((path) => path.startsWith('projects/') && path.endsWith('.jsonl'))
  expect(logs.length).toBe(made.sessions + made.agents)
  const types = new Set<unknown>()
  let bytes = 0
  let resultBytes = 0
  for (const path of logs) {
    const seen = new Set<string>()
    for (const line of read(dir, path).trimEnd().split('\n')) {
      const row = parseJson(line)
      if (!isObject(row)) throw new Error(`${path} has a line that is not an object.`)
      const parent = stringAt(row, 'parentUuid')
      if (parent !== undefined && !seen.has(parent)) throw new Error(`${path} has a row before its parent.`)
      seen.add(stringAt(row, 'uuid') ?? '')
      types.add(row.type)
      bytes += line.length
      if (row.toolUseResult !== undefined) resultBytes += line.length
    }
  }
  expect(types).toEqual(new Set(['user', 'assistant', 'api-request', 'api-request-shape', 'file-history-snapshot']))
  expect(resultBytes / bytes).toBeGreaterThan(0.65)
  expect(resultBytes / bytes).toBeLessThan(0.85)
})

function filesIn(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(dir.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort()
}

function fingerprint(dir: string): readonly string[] {
  return filesIn(dir).map(
    (path) =>
      `${path} ${createHash('sha256')
        .update(readFileSync(join(dir, path)))
        .digest('hex')}`,
  )
}

function read(dir: string, path: string): string {
  return readFileSync(join(dir, path), 'utf8')
}

function rowsAt(path: string): readonly JsonObject[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => parseJson(line))
    .filter(isObject)
}

function text(row: JsonObject): string | undefined {
  return stringAt(objectsAt(row.message, 'content')[0], 'text')
}
