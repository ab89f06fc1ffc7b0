import {
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { withArchived } from '../../tests/support/made-archive.ts'
import { newest } from './kept-state.ts'
import { LEAST_FRAME_BYTES, MOST_FRAME_BYTES } from './objects.ts'

const LOG = 'projects/-code-api/3f9a.jsonl'
const line = (text: string) => `${JSON.stringify({ type: 'user', sessionId: '3f9a', uuid: text })}\n`
const objects = (folder: string) =>
  readdirSync(join(folder, 'data'))
    .filter((name) => name.endsWith('.gz'))
    .sort()

test('takes a whole family and what sessions share, and nothing else', () =>
  withArchived(
    {
      [LOG]: line('one'),
      'projects/-code-api/3f9a/subagents/agent-a1.jsonl': line('agent'),
      'projects/-code-api/3f9a/subagents/agent-a1.meta.json': '{}',
      'projects/-code-api/3f9a/subagents/workflows/wf_1/journal.jsonl': '{}',
      'projects/-code-api/3f9a/workflows/wf_1.json': '{}',
      'projects/-code-api/3f9a/tool-results/b1.txt': 'output',
      'projects/-code-api/memory/MEMORY.md': 'memory',
      'projects/-code-api/sessions-index.json': '{}',
      'projects/-code-api/.session-aliases': 'x',
      'projects/-code-api/cloud-snapshots/x.bin': 'x',
      'file-history/3f9a/0123456789abcdef@v1': 'backup',
      'todos/3f9a-agent-3f9a.json': '[]',
      'tasks/3f9a/1.json': '{}',
      'tasks/3f9a/.lock': '',
      'plans/quiet-fox.md': '# plan',
      'paste-cache/ab12.txt': 'pasted',
      'image-cache/3f9a/1.png': 'png',
      'history.jsonl': '{"display":"hi","sessionId":"3f9a"}\n',
      '.credentials.json': 'secret',
      'settings.json': '{}',
      'sessions/12.json': '{}',
      'sessions/12.aa.key': 'secret',
      'session-env/3f9a/hook.sh': 'export TOKEN=x',
      'debug/3f9a.txt': 'x',
    },
    async ({ sync, read }) => {
      const { taken, problems } = await sync()
      const owners = Object.fromEntries(
        [...read().manifest.state.files.values()].map(({ path, owner }) => [path, owner]),
      )
      expect(owners).toEqual({
        [LOG]: '3f9a',
        'projects/-code-api/3f9a/subagents/agent-a1.jsonl': '3f9a',
        'projects/-code-api/3f9a/subagents/agent-a1.meta.json': '3f9a',
        'projects/-code-api/3f9a/subagents/workflows/wf_1/journal.jsonl': '3f9a',
        'projects/-code-api/3f9a/workflows/wf_1.json': '3f9a',
        'projects/-code-api/3f9a/tool-results/b1.txt': '3f9a',
        'projects/-code-api/memory/MEMORY.md': null,
        'file-history/3f9a/0123456789abcdef@v1': '3f9a',
        'todos/3f9a-agent-3f9a.json': '3f9a',
        'tasks/3f9a/1.json': '3f9a',
        'plans/quiet-fox.md': null,
        'paste-cache/ab12.txt': null,
        'image-cache/3f9a/1.png': '3f9a',
        'history.jsonl': null,
      })
      expect(taken.length).toBe(14)
      expect(problems).toEqual([])
    },
  ))

test('a flat agent log and a plan belong to the session that their content names', () =>
  withArchived(
    {
      [LOG]: `${JSON.stringify({ type: 'user', sessionId: '3f9a', slug: 'quiet-fox', message: { content: 'x' } })}\n`,
      'projects/-code-api/agent-0a1b.jsonl': line('flat'),
      'plans/quiet-fox.md': '# plan',
      'plans/quiet-fox-agent-a1.md': '# plan of an agent',
    },
    async ({ sync, file }) => {
      await sync()
      for (const path of ['projects/-code-api/agent-0a1b.jsonl', 'plans/quiet-fox.md', 'plans/quiet-fox-agent-a1.md']) {
        expect(file(path).owner, path).toBe('3f9a')
      }
    },
  ))

test('what did not change costs nothing', () =>
  withArchived({ [LOG]: line('one'), 'tasks/3f9a/1.json': '' }, async ({ sync, folder, root }) => {
    const old = new Date('2026-11-01T00:00:00Z')
    utimesSync(join(root, LOG), old, old)
    await sync()
    await sync()
    const before = readFileSync(join(folder, 'manifest'))
    const { taken, bytesRaw, bytesStored } = await sync()
    expect({ taken, bytesRaw, bytesStored }).toEqual({ taken: [], bytesRaw: 0, bytesStored: 0 })
    expect(readFileSync(join(folder, 'manifest')).equals(before)).toBe(true)
  }))

test('an append costs its own bytes; small frames are packed together until they are large enough', () =>
  withArchived({ [LOG]: '' }, async ({ sync, write, file, content, folder }) => {
    let text = ''
    let most = 0
    for (let i = 0; i < 40; i++) {
      text += line(`${i} ${'x'.repeat(9000)}`)
      write(LOG, text)
      const { bytesRaw } = await sync()
      most = Math.max(most, bytesRaw)
    }
    expect(most).toBeLessThan(10_000)
    const generation = newest(file(LOG))
    expect(file(LOG).generations.length).toBe(1)
    const sizes = generation?.frames.map(({ rawBytes }) => rawBytes) ?? []
    expect(sizes.length).toBeGreaterThan(1)
    for (const size of sizes.slice(0, -1)) expect(size).toBeGreaterThanOrEqual(LEAST_FRAME_BYTES)
    expect(content(LOG)).toBe(text)
    // Nothing that was packed anew is left behind.
    expect(objects(folder)).toEqual([...new Set(generation?.frames.map(({ sha256 }) => `${sha256}.gz`))].sort())
  }))

test('a large file is cut into frames of bounded size', () => {
  const text = line('y'.repeat(700)).repeat(6000)
  return withArchived({ [LOG]: text }, async ({ sync, file, content }) => {
    await sync()
    const sizes = newest(file(LOG))?.frames.map(({ rawBytes }) => rawBytes) ?? []
    expect(Math.max(...sizes)).toBeLessThanOrEqual(MOST_FRAME_BYTES + LEAST_FRAME_BYTES)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(text.length)
    expect(content(LOG)).toBe(text)
  })
})

test('a rewrite begins a new generation and keeps the old one', () =>
  withArchived({ [LOG]: line('one') + line('two') }, async ({ sync, write, root, content, file }) => {
    await sync()
    write(LOG, line('rewritten, and not shorter than before'))
    await sync()
    truncateSync(join(root, LOG), 10)
    await sync()
    expect(file(LOG).generations.length).toBe(3)
    expect(content(LOG, 1)).toBe(line('one') + line('two'))
    expect(content(LOG, 2)).toBe(line('rewritten, and not shorter than before'))
    expect(content(LOG, 3)).toBe(line('rewritten, and not shorter than before').slice(0, 10))
  }))

test('a file that vanishes stays; one that comes back as it was is the same', () =>
  withArchived({ [LOG]: line('one') }, async ({ sync, write, remove, content, file }) => {
    await sync()
    remove(LOG)
    expect((await sync()).taken).toEqual([])
    expect(content(LOG)).toBe(line('one'))
    write(LOG, line('one'))
    await sync()
    expect(file(LOG).generations.length).toBe(1)
  }))

test('a moved file is the same file in another place', () =>
  withArchived({ [LOG]: line('one') }, async ({ sync, root, read, write }) => {
    await sync()
    write('projects/-code-web/x.jsonl', 'x\n')
    renameSync(join(root, LOG), join(root, 'projects/-code-web/3f9a.jsonl'))
    await sync()
    const paths = [...read().manifest.state.files.values()].map(({ path }) => path)
    expect(paths.sort()).toEqual(['projects/-code-web/3f9a.jsonl', 'projects/-code-web/x.jsonl'])
  }))

test('equal content is stored once', () =>
  withArchived(
    { [LOG]: line('same'), 'projects/-code-api/copy.jsonl': line('same'), 'plans/a.md': line('same') },
    async ({ sync, folder, content }) => {
      await sync()
      expect(objects(folder).length).toBe(1)
      expect(content('plans/a.md')).toBe(line('same'))
    },
  ))

test('an object is gzip and named after what is in it', () =>
  withArchived({ [LOG]: line('one') }, async ({ sync, folder, file }) => {
    await sync()
    const frame = newest(file(LOG))?.frames[0]
    const stored = readFileSync(join(folder, 'data', `${frame?.sha256}.gz`))
    expect(gunzipSync(stored).toString()).toBe(line('one'))
    expect(stored.length).toBe(frame?.storedBytes)
  }))

test('only what is wanted is taken', () =>
  withArchived({ [LOG]: line('one'), 'projects/-code-api/77.jsonl': line('two') }, async ({ sync, read }) => {
    await sync({ only: ({ owner }) => owner === '77' })
    expect([...read().manifest.state.files.values()].map(({ path }) => path)).toEqual(['projects/-code-api/77.jsonl'])
  }))

test('stops when its time is up, and goes on the next time', () =>
  withArchived({ [LOG]: line('one'), 'projects/-code-api/77.jsonl': line('two') }, async ({ sync, read }) => {
    const { isComplete } = await sync({ withinMs: -1 })
    expect(isComplete).toBe(false)
    expect((await sync()).isComplete).toBe(true)
    expect(read().manifest.state.files.size).toBe(2)
  }))

test('an edit that times and ends do not show is found by a thorough look', () =>
  withArchived({ [LOG]: line('x'.repeat(20_000)) }, async ({ sync, root, file, content, write }) => {
    await sync()
    write('projects/-code-api/later.jsonl', 'x\n')
    const path = join(root, LOG)
    const before = statSync(path)
    const edited = Buffer.from(readFileSync(path))
    edited[10_000] = 0x79
    writeFileSync(path, Buffer.concat([edited, Buffer.from(line('appended'))]))
    utimesSync(path, before.atime, new Date(before.mtimeMs + 5000))
    await sync()
    expect(file(LOG).generations.length).toBe(1)
    await sync({ thorough: true })
    expect(file(LOG).generations.length).toBe(2)
    expect(content(LOG)).toBe(edited.toString('latin1') + line('appended'))
  }))

test('a link out of the root is not followed', () =>
  withArchived({ [LOG]: line('one'), 'settings.json': 'secret' }, async ({ sync, root, read }) => {
    symlinkSync('/etc/hostname', join(root, 'projects/-code-api/evil.jsonl'))
    const { problems } = await sync()
    expect(read().manifest.state.files.size).toBe(1)
    expect(problems.length).toBe(1)
  }))

test('everything is closed to others, whatever the umask', () =>
  withArchived({ [LOG]: line('one') }, async ({ sync, folder }) => {
    const before = process.umask(0)
    try {
      await sync()
    } finally {
      process.umask(before)
    }
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
    for (const path of [folder, join(folder, 'data')]) expect(mode(path), path).toBe('700')
    const files = ['manifest', 'README', `data/${objects(folder)[0]}`]
    for (const path of files) expect(mode(join(folder, path)), path).toBe('600')
  }))

test('the history is taken by whole lines', () =>
  withArchived({ 'history.jsonl': '{"display":"a"}\n{"disp' }, async ({ sync, write, content }) => {
    await sync()
    expect(content('history.jsonl')).toBe('{"display":"a"}\n')
    expect((await sync()).taken).toEqual([])
    write('history.jsonl', '{"display":"a"}\n{"display":"b"}\n')
    await sync()
    expect(content('history.jsonl')).toBe('{"display":"a"}\n{"display":"b"}\n')
  }))

test('a log that shrinks or grows back between two looks is left for the next time, and the others are taken', () =>
  withArchived({ [LOG]: line('one') + line('two') }, async ({ sync, write, root, content, read }) => {
    await sync()
    const whole = readFileSync(join(root, LOG))
    const other = 'projects/-code-api/77.jsonl'
    const third = 'projects/-code-api/88.jsonl'
    write(LOG, whole.subarray(0, 10))
    write(other, line('x'.repeat(3_000_000)))
    write(third, line('third'))
    const old = new Date('2026-11-01T00:00:00Z')
    utimesSync(join(root, other), old, old)
    const { problems } = await sync({
      // Asked after the listing and before any look: the log is as it was by then.
      only: () => {
        writeFileSync(join(root, LOG), whole)
        return true
      },
      // Called when the oldest file has been read.
      withinMs: 600_000,
      progress: () => truncateSync(join(root, third), 3),
    })
    expect(problems.map(({ file }) => file).sort()).toEqual([join(root, LOG), join(root, third)].sort())
    expect(problems[0]?.message).toBe('It changed while it was being read; the next run keeps it.')
    expect(content(other)).toBe(line('x'.repeat(3_000_000)))
    expect(content(LOG)).toBe(whole.toString())
    expect((await sync()).problems).toEqual([])
    expect(content(third)).toBe(line('third').slice(0, 3))
    expect(read().manifest.damage).toEqual([])
  }))

test('a moved file is named in its new place beside all of its objects', () =>
  withArchived({ [LOG]: line('one') }, async ({ sync, root, write, folder, file }) => {
    await sync()
    const to = 'projects/-code-web/3f9a.jsonl'
    write('projects/-code-web/x.jsonl', 'x\n')
    renameSync(join(root, LOG), join(root, to))
    await sync()
    const sha256 = newest(file(to))?.frames[0]?.sha256
    expect(readFileSync(join(folder, 'data', `${sha256}.of`), 'utf8')).toContain(`\t${root}\t3f9a\t${to}\t1\t0\t`)
  }))

test('what a killed transaction left is cleared away while the original has it, and put aside when that is gone', () =>
  withArchived({ [LOG]: line('one') }, async ({ sync, write, folder, root, remove }) => {
    await sync()
    const before = readFileSync(join(folder, 'manifest'))
    const [there, gone] = ['projects/-code-api/77.jsonl', 'projects/-code-api/88.jsonl']
    write(there, line('there'))
    write(gone, line('gone'))
    await sync()
    // As a kill before the commit leaves it.
    writeFileSync(join(folder, 'manifest'), before)
    const all = objects(folder)
    expect(all.length).toBe(3)
    remove(gone)
    const { damage } = await sync({ only: () => false })
    expect(damage).toEqual([])
    expect(objects(folder).length).toBe(1)
    const lost = readdirSync(join(folder, 'lost+found')).filter((name) => name.endsWith('.gz'))
    expect(lost.map((name) => gunzipSync(readFileSync(join(folder, 'lost+found', name))).toString())).toEqual([
      line('gone'),
    ])
    expect(root).toBeTruthy()
  }))
