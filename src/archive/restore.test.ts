import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { type MadeArchive, NOW, withArchived } from '../../tests/support/made-archive.ts'
import { filesOf, readArchive } from './archive.ts'
import { restoreFiles } from './restore.ts'

const LOG = 'projects/-p/3f9a.jsonl'
const BINARY = Buffer.from([0, 255, 10, 13, 0xed, 0xa0, 0x80, 0])
const FILES = {
  [LOG]: 'the first line\n{"half',
  'projects/-p/3f9a/subagents/agent-a1.jsonl': 'agent\r\n',
  'projects/-p/3f9a/tool-results/b1.txt': BINARY,
  'file-history/3f9a/0123456789abcdef@v1': '',
  'todos/3f9a-agent-3f9a.json': '[]',
  'projects/-p/77.jsonl': 'another session\n',
} as const

const restore = ({ folder }: MadeArchive, to?: string) => {
  const archive = readArchive(folder)
  return restoreFiles(archive, filesOf(archive, '3f9a'), { to, now: NOW })
}
const remove = (made: MadeArchive) => {
  for (const path of Object.keys(FILES)) made.remove(path)
}

test('puts a family back byte for byte, with the time of now, closed to others', () =>
  withArchived(FILES, async (made) => {
    await made.sync()
    remove(made)
    const { written, problems } = restore(made)
    expect(problems).toEqual([])
    expect(written.length).toBe(5)
    for (const [path, content] of Object.entries(FILES).slice(0, 5)) {
      const full = join(made.root, path)
      expect(readFileSync(full).equals(Buffer.from(content)), path).toBe(true)
      expect(statSync(full).mtimeMs, path).toBe(NOW.getTime())
      expect(statSync(full).mode & 0o777, path).toBe(0o600)
    }
    expect(existsSync(join(made.root, 'projects/-p/77.jsonl'))).toBe(false)
    expect(readdirSync(join(made.root, 'projects/-p')).sort()).toEqual(['3f9a', '3f9a.jsonl'])
    // The log comes last: a session never appears without its family.
    expect(written.at(-1)?.file).toBe(join(made.root, LOG))
  }))

test('puts it into another root', () =>
  withArchived(FILES, async (made) => {
    await made.sync()
    const to = join(dirname(made.root), 'elsewhere')
    restore(made, to)
    expect(readFileSync(join(to, LOG), 'utf8')).toBe(FILES[LOG])
  }))

test('what is there already, as it was or longer, is left alone', () =>
  withArchived(FILES, async (made) => {
    await made.sync()
    writeFileSync(join(made.root, LOG), `${FILES[LOG]} and more`)
    const { written, present } = restore(made)
    expect(written).toEqual([])
    expect(present.length).toBe(5)
    expect(readFileSync(join(made.root, LOG), 'utf8')).toBe(`${FILES[LOG]} and more`)
  }))

test('where something else stands in the place of one file, none is written', () =>
  withArchived(FILES, async (made) => {
    await made.sync()
    remove(made)
    for (const content of ['something else', 'the first line', '']) {
      made.write(LOG, content)
      expect(() => restore(made)).toThrow(/already exists/)
      expect(readFileSync(join(made.root, LOG), 'utf8')).toBe(content)
      expect(existsSync(join(made.root, 'file-history/3f9a/0123456789abcdef@v1'))).toBe(false)
      made.remove(LOG)
    }
    mkdirSync(join(made.root, LOG))
    expect(() => restore(made)).toThrow(/already exists/)
  }))

test('no link is followed', () =>
  withArchived(FILES, async (made) => {
    await made.sync()
    remove(made)
    const outside = join(dirname(made.root), 'outside')
    mkdirSync(outside)
    for (const path of ['projects/-p', 'projects/-p/3f9a', 'file-history', 'file-history/3f9a']) {
      const to = join(dirname(made.root), `to ${path.replaceAll('/', ' ')}`)
      mkdirSync(dirname(join(to, path)), { recursive: true })
      symlinkSync(outside, join(to, path))
      expect(() => restore(made, to), path).toThrow(/is a link/)
    }
    const to = join(dirname(made.root), 'to file')
    mkdirSync(dirname(join(to, LOG)), { recursive: true })
    symlinkSync(join(outside, 'x'), join(to, LOG))
    expect(() => restore(made, to)).toThrow(/already exists/)
    expect(readdirSync(outside)).toEqual([])
  }))

test('the root itself may be a link', () =>
  withArchived(FILES, async (made) => {
    await made.sync()
    const real = join(dirname(made.root), 'real')
    const to = join(dirname(made.root), 'link')
    mkdirSync(real)
    symlinkSync(real, to)
    restore(made, to)
    expect(readFileSync(join(real, LOG), 'utf8')).toBe(FILES[LOG])
  }))

test('a damaged file is named, and the rest is restored', () =>
  withArchived(FILES, async (made) => {
    await made.sync()
    remove(made)
    const sha256 = made.file('projects/-p/3f9a/tool-results/b1.txt').generations[0]?.frames[0]?.sha256
    writeFileSync(join(made.folder, 'data', `${sha256}.gz`), 'damaged')
    const { written, problems } = restore(made)
    expect(written.length).toBe(4)
    expect(problems.map(({ file }) => file)).toEqual([join(made.root, 'projects/-p/3f9a/tool-results/b1.txt')])
    expect(readdirSync(join(made.root, 'projects/-p/3f9a/tool-results'))).toEqual([])
  }))

test('what a killed restore left is cleared away, and never kept', () =>
  withArchived(FILES, async (made) => {
    await made.sync()
    remove(made)
    made.write(`${LOG}.annals-restore`, 'half')
    made.write('projects/-p/3f9a/tool-results/b1.txt.annals-restore', 'half')
    await made.sync()
    expect(made.read().manifest.state.files.size).toBe(6)
    restore(made)
    const left = readdirSync(made.root, { recursive: true, encoding: 'utf8' }).filter((path) => path.includes('annals'))
    expect(left).toEqual([])
  }))

test('a restored family is the same to the next sync', () =>
  withArchived(FILES, async (made) => {
    await made.sync()
    remove(made)
    restore(made)
    const { taken } = await made.sync()
    expect(taken).toEqual([])
    expect(made.file(LOG).generations.length).toBe(1)
  }))

test('a disk that cannot be written gives a sentence and leaves nothing', () =>
  withArchived(FILES, async (made) => {
    if (process.getuid?.() === 0) return
    await made.sync()
    const to = join(dirname(made.root), 'closed')
    mkdirSync(to)
    chmodSync(to, 0o500)
    expect(() => restore(made, to)).toThrow(/permission denied/)
    expect(readdirSync(to)).toEqual([])
  }))
