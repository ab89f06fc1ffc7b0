import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { archiveFolder } from '../src/archive/archive.ts'
import { purgeSession } from '../src/archive/purge.ts'
import { rootsOf } from '../src/cli/environment.ts'
import { importedRoots } from '../src/history/imported-roots.ts'
import { sessions } from '../src/ops/sessions.ts'
import { createRedactor } from '../src/redact/redactor.ts'
import { log, root as newRoot, writeDemoRoot } from '../src/testing/index.ts'
import { importAll, linesOf, machine, told, writeBundles } from './bundles.ts'
import { inFolder } from './support/made-folder.ts'

const redactor = createRedactor({ key: new Uint8Array(32) })

test(
  'what is bundled on one machine and imported on another tells the same',
  () =>
    inFolder({}, async (folder) => {
      const root = join(folder, 'root')
      writeDemoRoot(root, new Date('2026-11-15T12:00:00.000Z'))
      const bundles = await writeBundles(root, join(folder, 'sent'), { redactor })
      const { items } = await importAll(join(folder, 'other'), bundles)
      expect(items.map(({ state, redacted }) => [state, redacted])).toEqual(bundles.map(() => ['imported', true]))
      const roots = importedRoots(join(folder, 'other'))
      expect(roots).toHaveLength(15)
      const [source, copy] = [await told([root], join(folder, 'mine')), await told(roots, join(folder, 'other'))]
      expect(copy.sessions).toHaveLength(15)
      expect(copy.agents.length).toBeGreaterThan(3)
      expect(copy).toEqual(source)
    }),
  120_000,
)

test('importing twice changes nothing', () =>
  inFolder({}, async (folder) => {
    const root = join(folder, 'root')
    log().user('hi').assistant('ho').write(root)
    const [one] = await writeBundles(root, join(folder, 'sent'))
    await importAll(join(folder, 'home'), [one as string])
    const before = snapshot(join(folder, 'home'))
    const { items } = await importAll(join(folder, 'home'), [one as string])
    expect(items).toMatchObject([{ state: 'present', files: 0 }])
    expect(snapshot(join(folder, 'home'))).toEqual(before)
  }))

function snapshot(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((path) => {
      const stats = statSync(join(folder, path))
      return stats.isFile() ? `${path} ${stats.mtimeMs} ${stats.size}` : path
    })
}

describe('a bundle', () => {
  test('can be read with zcat: what is in it first, then its files in pieces', () =>
    inFolder({}, async (folder) => {
      const root = join(folder, 'root')
      const one = log({ sessionId: 'aaaaaaaa-0000-4000-8000-000000000001' }).user('hi').assistant('x'.repeat(300_000))
      newRoot()
        .add(one)
        .tasks(one.sessionId, [{ id: '1', subject: 'Build' }])
        .write(root)
      const [path] = await writeBundles(root, join(folder, 'sent'))
      const lines = execFileSync('sh', ['-c', 'zcat "$0"', path as string], { maxBuffer: 1 << 28 })
        .toString('utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      const [manifest, ...pieces] = lines
      expect(manifest).toMatchObject({
        format: 'annals-bundle',
        version: 1,
        annals: '0.0.0-test',
        session: one.sessionId,
        redacted: false,
      })
      expect(pieces.length).toBeGreaterThan(3)
      for (const { path: name, bytes, sha256 } of manifest.files) {
        const content = Buffer.from(
          pieces
            .filter((piece) => piece.path === name)
            .map((piece) => piece.text)
            .join(''),
        )
        expect(content.length).toBe(bytes)
        expect(createHash('sha256').update(content).digest('hex')).toBe(sha256)
        if (name.startsWith('tasks/')) expect(content).toEqual(readFileSync(join(root, name)))
      }
      expect(manifest.files.map((file: { path: string }) => file.path)).toContain(`tasks/${one.sessionId}/1.json`)
    }))

  test('has the family and nothing else: no history, no settings, no other session', () =>
    inFolder({}, async (folder) => {
      const root = join(folder, 'root')
      const one = log({ seed: 'one' })
        .user('plan it')
        .plan('# The plan', { slug: 'calm-owl' })
        .edit('/home/ana/api/a.ts', { before: 'a', after: 'b' })
      one.subagent({ description: 'Look', prompt: 'Look', result: 'Looked' }).assistant('done')
      const two = log({ seed: 'two' }).user('other').assistant('one')
      const made = newRoot()
        .add(one, two)
        .history([{ display: 'plan it', project: '/home/ana/api', sessionId: one.sessionId }])
      made
        .settings({ apiKeyHelper: 'x' })
        .todos(one.sessionId, [])
        .plan('other-plan', '# Other')
        .memory('/home/ana/api', { 'MEMORY.md': 'm' })
      made
        .file('.credentials.json', '{"a":1}')
        .file(`projects/-home-ana-api/${one.sessionId}/sent-prefix.json`, '{"system":"prompt"}')
      made.write(root)
      const paths = await writeBundles(root, join(folder, 'sent'))
      const bundles = paths.map(linesOf)
      const mine = bundles.find(([manifest]) => manifest?.session === one.sessionId)?.[0]
      const names = (mine as { files: { path: string }[] }).files.map(({ path }) => path.replace(one.sessionId, 'ID'))
      expect(
        names
          .filter((name) => name.startsWith('projects/'))
          .every((name) => /^projects\/-home-ana-api\/ID(\.jsonl|\/subagents\/agent-[^/]+)$/.test(name)),
      ).toBe(true)
      expect(names).toContain('plans/calm-owl.md')
      expect(names.some((name) => name.startsWith('file-history/ID/'))).toBe(true)
      expect(names.some((name) => name.startsWith('todos/ID-agent-'))).toBe(true)
      const tops = new Set(names.map((name) => name.split('/')[0]))
      expect([...tops].sort()).toEqual(['file-history', 'plans', 'projects', 'todos'])
      expect(names).not.toContain('plans/other-plan.md')
    }))

  test('has no secret and no system prompt in it, and as many lines as the log', () =>
    inFolder({}, async (folder) => {
      const secret = `gh${'p_'}${'a1B2c3D4e5F6'.repeat(3)}`
      const id = 'aaaaaaaa-0000-4000-8000-000000000002'
      const rows = [
        {
          type: 'user',
          uuid: 'u1',
          parentUuid: null,
          sessionId: id,
          cwd: '/code',
          message: { role: 'user', content: `use ${secret}` },
        },
        {
          type: 'attachment',
          uuid: 'p1',
          parentUuid: 'u1',
          attachment: { type: 'prompt_snapshot', content: 'SYSTEMPROMPT' },
        },
        { type: 'api-request-shape', shapeHash: 'h', shape: { system: ['SYSTEMPROMPT'] } },
        {
          type: 'attachment',
          uuid: 'p2',
          parentUuid: 'p1',
          attachment: { type: 'file', filename: 'a' },
          rendered: [{ content: 'SYSTEMPROMPT' }],
        },
        {
          type: 'assistant',
          uuid: 'a1',
          parentUuid: 'p2',
          message: { role: 'assistant', id: 'm', content: [{ type: 'text', text: 'ok' }] },
        },
      ]
      const text = `${rows.map((row) => JSON.stringify(row)).join('\n')}\n{"broken ${secret}\n`
      const base = join(folder, 'root/projects/-code')
      mkdirSync(join(base, id, 'tool-results'), { recursive: true })
      writeFileSync(join(base, `${id}.jsonl`), text)
      writeFileSync(join(base, id, 'tool-results/text.txt'), `KEY ${secret}`)
      writeFileSync(
        join(base, id, 'tool-results/bytes.txt'),
        Buffer.concat([Buffer.from([0xff, 0xfe, 0x00]), Buffer.from(secret), Buffer.from([0x80])]),
      )
      writeFileSync(
        join(base, id, 'tool-results/wide.txt'),
        Buffer.concat([Buffer.from([0xff]), Buffer.from(secret, 'utf16le')]),
      )
      const warnings: string[] = []
      const warn = ({ file }: { file: string }) => warnings.push(basename(file))
      const [path] = await writeBundles(join(folder, 'root'), join(folder, 'sent'), { redactor, warn })
      const all = linesOf(path as string)
      const bytes = Buffer.concat(
        all
          .slice(1)
          .map((piece) =>
            piece.base64 === undefined ? Buffer.from(String(piece.text)) : Buffer.from(String(piece.base64), 'base64'),
          ),
      )
      expect(bytes.includes(secret) || bytes.includes('SYSTEMPROMPT')).toBe(false)
      expect(bytes.includes(Buffer.from(secret, 'utf16le'))).toBe(false)
      expect(warnings).toEqual(['wide.txt'])
      const log = all
        .filter((piece) => String(piece.path).endsWith(`${id}.jsonl`))
        .map((piece) => piece.text)
        .join('')
      expect(log.split('\n')).toHaveLength(text.split('\n').length)
      expect(JSON.parse(log.split('\n')[1] as string)).toEqual({
        type: 'attachment',
        uuid: 'p1',
        parentUuid: 'u1',
        attachment: { type: 'prompt_snapshot' },
      })
      // What holds nothing to hide keeps its bytes.
      expect(log.split('\n')[4]).toBe(JSON.stringify(rows[4]))
    }))
})

describe('what is imported', () => {
  test('is read where no root was named, also where there is no other', () =>
    inFolder({}, async (folder) => {
      log({ seed: 'x' }).user('hi').assistant('ho').write(join(folder, 'root'))
      const [path] = await writeBundles(join(folder, 'root'), join(folder, 'sent'))
      const { items } = await importAll(join(folder, 'home'), [path as string])
      const imported = importedRoots(join(folder, 'home'))
      expect(imported).toEqual([items[0]?.root])
      expect(rootsOf([], {}, join(folder, 'nobody'), imported)).toEqual(imported)
      expect(rootsOf([], { CLAUDE_CONFIG_DIR: '/mine' }, '/', imported)).toEqual(['/mine', ...imported])
      expect(rootsOf(['/named'], {}, '/', imported)).toEqual(['/named'])
    }))

  test('is private, keeps its times and never expires', () =>
    inFolder({}, async (folder) => {
      const made = log({ seed: 'x', startedAt: '2026-01-02T03:04:05.000Z' }).user('hi').assistant('ho')
      const { path: inside } = made.write(join(folder, 'root'))
      const [path] = await writeBundles(join(folder, 'root'), join(folder, 'sent'))
      const { items } = await importAll(join(folder, 'home'), [path as string])
      const stats = statSync(join(items[0]?.root as string, inside))
      expect(stats.mode & 0o777).toBe(0o600)
      expect(statSync(items[0]?.root as string).mode & 0o777).toBe(0o700)
      expect(Math.abs(stats.mtimeMs - statSync(join(folder, 'root', inside)).mtimeMs)).toBeLessThan(5)
      const list = await sessions.run(machine(join(folder, 'home'), importedRoots(join(folder, 'home'))), {
        full: true,
      })
      expect(list.items[0]?.expiresAt?.startsWith('212')).toBe(true)
    }))

  test('goes into a root that is named, unless something different is there', () =>
    inFolder({}, async (folder) => {
      const made = log({ seed: 'x', attachments: false })
        .user('hi')
        .subagent({ description: 'd', prompt: 'p', result: 'r' })
        .assistant('ho')
      const { path: inside } = made.write(join(folder, 'root'))
      const [path] = await writeBundles(join(folder, 'root'), join(folder, 'sent'))
      const to = join(folder, 'claude')
      await expect(importAll(join(folder, 'home'), [path as string], to)).rejects.toThrow(/There is no folder/)
      mkdirSync(to)
      expect((await importAll(join(folder, 'home'), [path as string], to)).items).toMatchObject([
        { state: 'imported', root: to },
      ])
      expect(readFileSync(join(to, inside))).toEqual(readFileSync(join(folder, 'root', inside)))
      expect(existsSync(join(folder, 'home'))).toBe(false)
      // It went on there: that is more, not something else.
      appendFileSync(join(to, inside), '{"type":"user"}\n')
      expect((await importAll(join(folder, 'home'), [path as string], to)).items).toMatchObject([{ state: 'present' }])
      writeFileSync(join(to, inside), 'something else')
      const before = snapshot(to)
      await expect(importAll(join(folder, 'home'), [path as string], to)).rejects.toThrow(
        /already exists, and is different/,
      )
      expect(snapshot(to)).toEqual(before)
    }))

  test('may be a plain log', () =>
    inFolder({}, async (folder) => {
      const made = log({ seed: 'x', cwd: '/home/bo/web' }).user('hi').assistant('ho')
      writeFileSync(join(folder, `${made.sessionId}.jsonl`), made.content())
      const { items } = await importAll(join(folder, 'home'), [join(folder, `${made.sessionId}.jsonl`)])
      expect(items).toMatchObject([{ session: made.sessionId, redacted: null, state: 'imported', files: 1 }])
      const file = join(items[0]?.root as string, 'projects/-home-bo-web', `${made.sessionId}.jsonl`)
      expect(readFileSync(file)).toEqual(Buffer.from(made.content()))
      expect((await importAll(join(folder, 'home'), [join(folder, `${made.sessionId}.jsonl`)])).items).toMatchObject([
        { state: 'present' },
      ])
    }))

  test('may be a bundle that someone has unpacked', () =>
    inFolder({}, async (folder) => {
      log({ seed: 'x' }).user('hi').assistant('ho').write(join(folder, 'root'))
      const [path] = await writeBundles(join(folder, 'root'), join(folder, 'sent'))
      writeFileSync(
        join(folder, 'plain'),
        `${linesOf(path as string)
          .map((line) => JSON.stringify(line))
          .join('\n')}\n`,
      )
      const [packed, plain] = (await importAll(join(folder, 'home'), [path as string, join(folder, 'plain')])).items
      expect(plain).toMatchObject({ root: packed?.root, state: 'present' })
    }))

  test('is never something that was purged on this machine', () =>
    inFolder({}, async (folder) => {
      const made = log({ seed: 'x' }).user('hi').assistant('ho')
      made.write(join(folder, 'root'))
      const [path] = await writeBundles(join(folder, 'root'), join(folder, 'sent'))
      const home = join(folder, 'home')
      await purgeSession(archiveFolder(home), made.sessionId, { now: new Date() })
      await expect(importAll(home, [path as string])).rejects.toThrow(/was purged here/)
      expect(importedRoots(home)).toEqual([])
    }))
})
