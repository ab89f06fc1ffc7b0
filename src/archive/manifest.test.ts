import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { withArchived } from '../../tests/support/made-archive.ts'
import { Manifest } from './manifest.ts'
import { type Line, makeCommit, NO_CHAIN, writeCommit, writeLine } from './manifest-line.ts'
import { parseManifest } from './manifest-parse.ts'

const LOG = 'projects/-p/a.jsonl'
const AT = '2026-11-15T12:00:00.000Z'
const FILES = { [LOG]: 'one\n', 'projects/-p/b.jsonl': 'two\n', 'history.jsonl': '{"display":"x"}\n' }

/** What a manifest says, without the parts that change from run to run. */
const saidBy = (bytes: Buffer) => JSON.stringify([...parseManifest(Buffer.from(bytes)).state.lines()])

test('a manifest that is cut anywhere is found to be, and what it lost comes from the one before', () =>
  withArchived(FILES, async ({ sync, folder, write, read }) => {
    await sync()
    const path = join(folder, 'manifest')
    const before = readFileSync(path)
    write('projects/-p/c.jsonl', 'three\n')
    await sync()
    const after = readFileSync(path)
    expect(readFileSync(join(folder, 'manifest.before')).equals(before)).toBe(true)
    const [old, now] = [saidBy(before), saidBy(after)]
    // All of them by ANNALS_CRASH=all, else all ends of lines and some of the rest.
    const isMeant = (at: number) =>
      process.env.ANNALS_CRASH === 'all' || at % 37 === 0 || [after[at], after[at - 1], after[at + 1]].includes(10)
    for (let length = 0; length < after.length; length++) {
      if (!isMeant(length)) continue
      writeFileSync(path, after.subarray(0, length))
      const { manifest } = read()
      expect(manifest.damage.length, `cut at ${length}`).toBeGreaterThan(0)
      // The last line counts without its newline.
      const isAllThere = length === after.length - 1
      expect(manifest.isDamaged, `cut at ${length}`).toBe(!isAllThere)
      expect(JSON.stringify([...manifest.state.lines()]), `cut at ${length}`).toBe(isAllThere ? now : old)
    }
  }))

test('what stands behind the last commit is found, and costs nothing', () =>
  withArchived(FILES, async ({ sync, folder, content }) => {
    await sync()
    const bytes = readFileSync(join(folder, 'manifest'))
    for (const more of [
      Buffer.alloc(4096),
      Buffer.from('\ncommit\n'),
      Buffer.from('x'),
      Buffer.from('root\t9\t/x\n'),
    ]) {
      const longer = Buffer.concat([bytes, more])
      const { damage, isWhole } = parseManifest(Buffer.from(longer))
      expect(damage.map(({ mended }) => mended)).toEqual([true])
      expect(isWhole).toBe(true)
      expect(saidBy(longer)).toBe(saidBy(bytes))
      writeFileSync(join(folder, 'manifest'), longer)
      await sync()
      expect(parseManifest(readFileSync(join(folder, 'manifest'))).damage).toEqual([])
      expect(content(LOG)).toBe('one\n')
    }
  }))

test('of a manifest that is damaged in its middle, later transactions are taken all the same', () =>
  withArchived(FILES, async ({ sync, folder, write, read }) => {
    await sync()
    write('projects/-p/c.jsonl', 'three\n')
    await sync()
    const path = join(folder, 'manifest')
    const bytes = readFileSync(path)
    const said = saidBy(bytes)
    bytes.fill('x', 400, 900)
    writeFileSync(path, bytes)
    expect(read().manifest.isDamaged).toBe(true)
    expect(JSON.stringify([...read().manifest.state.lines()])).toBe(said)
  }))

test('every flipped bit is found, and turned back', () =>
  withArchived(FILES, async ({ sync, folder, write }) => {
    await sync()
    write(LOG, 'one\nmore\n')
    await sync()
    const bytes = readFileSync(join(folder, 'manifest'))
    const said = saidBy(bytes)
    // Each takes a while to turn back: all of them by ANNALS_CRASH=all, else all separators and some of the rest.
    const isMeant = (at: number) => process.env.ANNALS_CRASH === 'all' || at % 17 === 0 || (bytes[at] as number) < 0x20
    for (let at = 0; at < bytes.length; at++) {
      if (!isMeant(at)) continue
      const flipped = Buffer.from(bytes)
      flipped[at] = (flipped[at] as number) ^ (1 << (at % 8))
      const { damage, state } = parseManifest(flipped)
      expect(damage.length, `byte ${at}`).toBeGreaterThan(0)
      expect(
        damage.every((one) => one.mended),
        `byte ${at}: ${JSON.stringify(damage)}`,
      ).toBe(true)
      expect(JSON.stringify([...state.lines()]), `byte ${at}`).toBe(said)
    }
  }))

test('a line that is lost for good costs its own file only', () =>
  withArchived(FILES, async ({ sync, folder, read, root }) => {
    await sync()
    const path = join(folder, 'manifest')
    rmSync(join(folder, 'manifest.before'))
    const lines = readFileSync(path, 'utf8').split('\n')
    const at = lines.findIndex((line) => line.startsWith('frame\t1\t'))
    lines[at] = 'overwritten by something else'
    writeFileSync(path, lines.join('\n'))
    const { manifest } = read()
    expect(manifest.isDamaged).toBe(true)
    expect([...manifest.state.files.values()].map(({ isDamaged }) => isDamaged)).toEqual([true, false, false])
    expect(manifest.damage[0]).toMatchObject({ line: at + 1, mended: false })
    expect(root).toBeTruthy()
  }))

describe('a manifest that somebody else wrote', () => {
  const root: Line = { kind: 'root', root: 1, path: '/home/ana/.claude' }
  const file: Line = { kind: 'file', file: 1, root: 1, owner: 'a', path: LOG }
  const sha256 = 'a'.repeat(64)
  const frame: Line = {
    kind: 'frame',
    file: 1,
    generation: 1,
    offset: 0,
    rawBytes: 4,
    storedBytes: 24,
    sum: '00000000',
    sha256,
  }
  const seen: Line = { kind: 'seen', file: 1, generation: 1, bytes: 4, modifiedAt: 0, cursor: '{}' }

  /** Lines with hashes that are all right. */
  function manifestOf(lines: readonly (Line | string)[]): Buffer {
    const chains = new Map<string, string>()
    const text = lines
      .map((line) => {
        if (typeof line === 'string') return `${line}\n`
        const key = 'file' in line ? String(line.file) : ''
        const { text, chain } = writeLine(line, chains.get(key) ?? NO_CHAIN)
        chains.set(key, chain)
        return `${text}\n`
      })
      .join('')
    return Buffer.from(`annals archive 1\n${text}${writeCommit(makeCommit(1, AT, NO_CHAIN, text))}\n`)
  }

  test('is read where it is sound', () => {
    expect(parseManifest(manifestOf([root, file, frame, seen])).damage).toEqual([])
  })

  const withPath = (path: string): readonly Line[] => [root, { ...file, path }, frame, seen]
  const hostile: readonly [string, readonly (Line | string)[]][] = [
    ['an absolute path', withPath('/etc/cron.d/x')],
    ['a path that climbs', withPath('projects/../../../etc/passwd')],
    ['a path that climbs at its end', withPath('projects/-p/..')],
    ['a path that begins above', withPath('../projects/-p/a.jsonl')],
    ['a path with a dot in it', withPath('projects/./a.jsonl')],
    ['an empty part', withPath('projects//a.jsonl')],
    ['an empty path', withPath('')],
    ['a folder', withPath('projects/-p/')],
    ['a NUL', withPath('projects/-p/a\0.jsonl')],
    ['a backslash', withPath('projects\\..\\..\\x.jsonl')],
    ['a drive', withPath('C:/Windows/x.jsonl')],
    ['the settings, with hooks in them', withPath('settings.json')],
    ['the local settings', withPath('settings.local.json')],
    ['the credentials', withPath('.credentials.json')],
    ['the key of a session', withPath('sessions/1.aa.key')],
    ['a command of the user', withPath('commands/deploy.md')],
    ['a skill of the user', withPath('skills/x/SKILL.md')],
    ['instructions of the user', withPath('CLAUDE.md')],
    ['a file beside the sessions', withPath('projects/-p/.bashrc')],
    ['a script that the shell reads', withPath('session-env/a/hook.sh')],
    ['a name that is too long', withPath(`projects/-p/${'x'.repeat(300)}.jsonl`)],
    ['a root that is relative', [{ ...root, path: 'home' }, file, frame, seen]],
    ['a root that climbs', [{ ...root, path: '/home/../etc' }, file, frame, seen]],
    ['a file of no root', [root, { ...file, root: 9 }, frame, seen]],
    ['two files of one path', [root, file, frame, seen, { ...file, file: 2 }]],
    ['a frame of no file', [root, { ...frame, file: 9 }]],
    ['a hash that is a path', [root, file, { ...frame, sha256: '../../../../etc/passwd' }, seen]],
    ['a frame that is larger than any', [root, file, { ...frame, rawBytes: 2 ** 40 }, seen]],
    ['a negative offset', [root, file, { ...frame, offset: -4 }, seen]],
    ['a hole', [root, file, { ...frame, offset: 4096 }, seen]],
    ['a generation that is missing', [root, file, { ...frame, generation: 7 }, seen]],
    ['a length that is not that of its frames', [root, file, frame, { ...seen, bytes: 1_000_000 }]],
    ['a line of no kind', [root, file, frame, seen, `run\trm -rf /\t${'a'.repeat(64)}`]],
    ['text that is no line', [root, file, frame, seen, '#!/bin/sh']],
  ]

  test.each(hostile)('%s is refused', (_, lines) => {
    const { damage, state } = parseManifest(manifestOf(lines))
    expect(damage.filter((one) => !one.mended).length).toBeGreaterThan(0)
    for (const one of state.files.values()) expect([LOG]).toContain(one.path)
  })
})

test('is written anew with what counts when most of its lines have been replaced', () =>
  withArchived(FILES, async ({ sync, folder, read }) => {
    await sync()
    const manifest = new Manifest(folder)
    const said = JSON.stringify([...manifest.state.lines()])
    const seen = [...manifest.state.lines()].find((line) => line.kind === 'seen') as Line
    manifest.append(Array(2500).fill(seen), new Date(AT))
    expect(manifest.isWordy).toBe(true)
    const before = statSync(manifest.path).size
    manifest.rewrite(new Date(AT), { isTwice: false })
    expect(manifest.isWordy).toBe(false)
    expect(statSync(manifest.path).size).toBeLessThan(before / 100)
    expect(JSON.stringify([...read().manifest.state.lines()])).toBe(said)
    expect(read().manifest.damage).toEqual([])
  }))

test('something else in its place is not touched', () =>
  withArchived(FILES, async ({ sync, folder }) => {
    await sync()
    writeFileSync(join(folder, 'manifest'), 'my own notes\n')
    const { damage, taken } = await sync()
    expect(taken).toEqual([])
    expect(damage.map(({ file }) => file)).toContain(join(folder, 'manifest'))
    expect(readFileSync(join(folder, 'manifest'), 'utf8')).toBe('my own notes\n')
  }))
