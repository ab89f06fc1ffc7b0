import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type DiskSource, diskSource } from './disk-source.ts'
import type { SourceEntry } from './source.ts'
import type { Warning } from './warning.ts'

let dir = ''
let root = ''
let warnings: Warning[] = []
let source: DiskSource

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'annals-disk-')))
  root = join(dir, 'root')
  mkdirSync(join(root, 'projects'), { recursive: true })
  warnings = []
  source = diskSource([root], { onProblem: (warning) => warnings.push(warning) })
})

afterEach(() => {
  source.close()
  rmSync(dir, { recursive: true, force: true })
})

function put(path: string, text = 'x\n'): string {
  const full = join(root, path)
  mkdirSync(dirname(full), { recursive: true })
  writeFileSync(full, text)
  return full
}

function listed(from = source): string[] {
  return Array.from(from.list(), (entry) => relative(root, entry.path)).sort()
}

function find(path: string): SourceEntry {
  const found = Array.from(source.list()).find((entry) => entry.path === join(root, path))
  if (!found) throw new Error(`${path} is not listed`)
  return found
}

function readAll(entry: SourceEntry, size = 3): string | undefined {
  const into = new Uint8Array(size)
  let text = ''
  for (let offset = 0; ; ) {
    const count = source.read(entry, offset, into)
    if (count === undefined) return undefined
    if (count === 0) return text
    text += new TextDecoder().decode(into.subarray(0, count))
    offset += count
  }
}

describe('list', () => {
  test('lists every file below projects, and nothing else', () => {
    put('projects/-a/s.jsonl')
    put('projects/-a/s/subagents/agent-1.jsonl')
    put('projects/-a/s/tool-results/t.txt')
    put('history.jsonl')
    put('.credentials.json')
    expect(listed()).toEqual([
      'projects/-a/s.jsonl',
      'projects/-a/s/subagents/agent-1.jsonl',
      'projects/-a/s/tool-results/t.txt',
    ])
  })

  test('asks include about every file and folder', () => {
    put('projects/-a/s.jsonl')
    put('projects/-a/memory/m.jsonl')
    put('history.jsonl')
    put('plugins/p.jsonl')
    const include = (path: string) =>
      path === 'history.jsonl' || (path.startsWith('projects/') && !path.endsWith('/memory/'))
    expect(listed(diskSource([root], { include }))).toEqual(['history.jsonl', 'projects/-a/s.jsonl'])
  })

  test('says what the file system says', () => {
    const path = put('projects/-a/s.jsonl', 'hello\n')
    const { dev, ino, mtimeMs } = statSync(path)
    expect(find('projects/-a/s.jsonl')).toEqual({
      root,
      path,
      sizeBytes: 6,
      modifiedAt: mtimeMs,
      inode: `${dev}:${ino}`,
    })
  })

  test('gives nothing, quietly, for a root that is not there or has no projects', () => {
    rmSync(join(root, 'projects'), { recursive: true })
    const both = diskSource([root, join(dir, 'nowhere')], { onProblem: (warning) => warnings.push(warning) })
    expect(listed(both)).toEqual([])
    expect(warnings).toEqual([])
  })

  test('lists a root once that is named twice, or that another one leads to', () => {
    put('projects/-a/s.jsonl')
    symlinkSync(root, join(dir, 'alias'))
    expect(listed(diskSource([root, `${root}/`, join(dir, 'alias')]))).toEqual(['projects/-a/s.jsonl'])
  })

  test('T30: ends in a loop of links, and lists nothing twice', () => {
    put('projects/-a/s.jsonl')
    symlinkSync('..', join(root, 'projects/-a/up'))
    symlinkSync('-a', join(root, 'projects/-0'))
    symlinkSync('s.jsonl', join(root, 'projects/-a/again.jsonl'))
    symlinkSync('circle', join(root, 'projects/circle'))
    expect(listed()).toEqual(['projects/-a/s.jsonl'])
    expect(warnings.map((warning) => warning.file)).toEqual([join(root, 'projects/circle')])
  })

  test('T30: what a link of one root leads to is not listed again by the next root', () => {
    put('kept/projects/-b/s.jsonl')
    put('projects/-a/own.jsonl')
    symlinkSync(join(root, 'kept/projects/-b/s.jsonl'), join(root, 'projects/-a/linked.jsonl'))
    expect(listed(diskSource([root, join(root, 'kept')]))).toEqual([
      'projects/-a/linked.jsonl',
      'projects/-a/own.jsonl',
    ])
  })

  test('T30: follows a link inside the root, and reports one that leads out', () => {
    put('kept/-b/s.jsonl', 'b\n')
    put('kept/-c/one.jsonl', 'c\n')
    mkdirSync(join(dir, 'elsewhere'))
    writeFileSync(join(dir, 'elsewhere/secret.jsonl'), 'x')
    mkdirSync(join(root, 'projects/-c'))
    symlinkSync(join(root, 'kept/-b'), join(root, 'projects/-b'))
    symlinkSync(join(root, 'kept/-c/one.jsonl'), join(root, 'projects/-c/one.jsonl'))
    symlinkSync(join(dir, 'elsewhere'), join(root, 'projects/-out'))
    symlinkSync(join(dir, 'elsewhere/secret.jsonl'), join(root, 'projects/-c/out.jsonl'))
    expect(listed()).toEqual(['projects/-b/s.jsonl', 'projects/-c/one.jsonl'])
    expect(warnings.map((warning) => warning.file).sort()).toEqual([
      join(root, 'projects/-c/out.jsonl'),
      join(root, 'projects/-out'),
    ])
    expect(readAll(find('projects/-b/s.jsonl'))).toBe('b\n')
    expect(readAll(find('projects/-c/one.jsonl'))).toBe('c\n')
  })

  test('follows projects itself wherever it leads', () => {
    put('projects/-a/s.jsonl', 'a\n')
    renameSync(join(root, 'projects'), join(dir, 'dotfiles'))
    symlinkSync(join(dir, 'dotfiles'), join(root, 'projects'))
    expect(listed()).toEqual(['projects/-a/s.jsonl'])
    expect(readAll(find('projects/-a/s.jsonl'))).toBe('a\n')
    expect(warnings).toEqual([])
  })

  test('T30: reports a pipe that is named like a log', () => {
    put('projects/-a/s.jsonl')
    execFileSync('mkfifo', [join(root, 'projects/-a/x.jsonl')])
    expect(listed()).toEqual(['projects/-a/s.jsonl'])
    expect(warnings).toMatchObject([
      { file: join(root, 'projects/-a/x.jsonl'), message: expect.stringContaining('pipe') },
    ])
  })

  test('S13: reports a folder it may not read, and goes on', () => {
    put('projects/-a/s.jsonl')
    put('projects/-b/s.jsonl')
    chmodSync(join(root, 'projects/-a'), 0)
    chmodSync(dir, 0o755)
    const isSuperuser = process.getuid?.() === 0
    if (isSuperuser) process.seteuid?.(65534)
    try {
      expect(listed()).toEqual(['projects/-b/s.jsonl'])
    } finally {
      if (isSuperuser) process.seteuid?.(0)
      chmodSync(join(root, 'projects/-a'), 0o700)
    }
    const path = join(root, 'projects/-a')
    expect(warnings).toEqual([{ file: path, message: 'It could not be read: permission denied.' }])
  })

  test('S16: ends, without a word, while files and folders vanish under it', () => {
    for (let i = 0; i < 50; i++) put(`projects/-${i}/s.jsonl`)
    const vanishing = diskSource([root], {
      onProblem: (warning) => warnings.push(warning),
      include(path) {
        const [, folder] = /^projects\/(.*)\/s.jsonl$/.exec(path) ?? []
        const others = readdirSync(join(root, 'projects')).filter((name) => folder !== undefined && name !== folder)
        for (const name of others.slice(0, 5)) rmSync(join(root, 'projects', name), { recursive: true })
        return true
      },
    })
    const { length: count } = [...vanishing.list()]
    expect(count).toBeGreaterThan(0)
    expect(count).toBeLessThan(50)
    expect(warnings).toEqual([])
    expect(listed()).toHaveLength(readdirSync(join(root, 'projects')).length)
  })
})

describe('read', () => {
  test('reads from any offset into any buffer', () => {
    put('projects/-a/s.jsonl', 'hello world')
    const entry = find('projects/-a/s.jsonl')
    for (const size of [1, 2, 5, 100]) expect(readAll(entry, size)).toBe('hello world')
    const into = new Uint8Array(4)
    expect(source.read(entry, 9, into)).toBe(2)
    expect(source.read(entry, 11, into)).toBe(0)
    expect(source.read(entry, 99, into)).toBe(0)
  })

  test('T16: gives undefined for a file that vanished between the listing and the reading', () => {
    const path = put('projects/-a/s.jsonl')
    const entry = find('projects/-a/s.jsonl')
    rmSync(path)
    expect(source.read(entry, 0, new Uint8Array(4))).toBeUndefined()
    expect(warnings).toEqual([])
  })

  test('T15: keeps no hold of a deleted file once it is listed anew', () => {
    const path = put('projects/-a/s.jsonl', 'old\n')
    expect(readAll(find('projects/-a/s.jsonl'))).toBe('old\n')
    rmSync(path)
    put('projects/-a/s.jsonl', 'new\n')
    expect(readAll(find('projects/-a/s.jsonl'))).toBe('new\n')
  })

  test('reads two files in turn, and after close', () => {
    put('projects/-a/1.jsonl', 'one')
    put('projects/-a/2.jsonl', 'two')
    const [one, two] = [find('projects/-a/1.jsonl'), find('projects/-a/2.jsonl')]
    expect([readAll(one), readAll(two), readAll(one)]).toEqual(['one', 'two', 'one'])
    source.close()
    expect(readAll(two)).toBe('two')
  })

  test('T30: reports what became something else than a file', () => {
    const path = put('projects/-a/s.jsonl')
    const entry = find('projects/-a/s.jsonl')
    rmSync(path)
    execFileSync('mkfifo', [path])
    expect(source.read(entry, 0, new Uint8Array(4))).toBeUndefined()
    expect(warnings).toMatchObject([{ file: path }])
  })
})

test('who reads what others have listed follows the same links, and no others', () => {
  const elsewhere = join(dir, 'elsewhere')
  mkdirSync(elsewhere)
  writeFileSync(join(elsewhere, 'secret.jsonl'), 'secret\n')
  put('projects/p/real.jsonl', 'real\n')
  symlinkSync(join(root, 'projects/p/real.jsonl'), join(root, 'projects/p/inside.jsonl'))
  symlinkSync(join(elsewhere, 'secret.jsonl'), join(root, 'projects/p/outside.jsonl'))
  const textAt = (name: string) => {
    const into = new Uint8Array(20)
    const entry = { root, path: join(root, 'projects/p', name), sizeBytes: 1, modifiedAt: 1 }
    const count = source.read(entry, 0, into)
    return count === undefined ? undefined : new TextDecoder().decode(into.subarray(0, count))
  }
  expect(['real.jsonl', 'inside.jsonl', 'outside.jsonl'].map(textAt)).toEqual(['real\n', 'real\n', undefined])
})
