import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NOW, withArchived } from '../../tests/support/made-archive.ts'
import { diskSource } from '../disk/disk-source.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import { lookAll } from '../disk/survey.ts'
import { archiveSource, withArchive } from './archive-source.ts'
import { purgeSession } from './purge.ts'

const LOG = 'projects/-p/3f9a.jsonl'
const LONG = Array.from({ length: 60_000 }, (_, i) => `line ${i} of a long log\n`).join('')

function readAll(source: Source, entry: SourceEntry, step = 70_001): string {
  const parts: Buffer[] = []
  for (let offset = 0; ; ) {
    const into = Buffer.alloc(step)
    const count = source.read(entry, offset, into)
    if (!count) return Buffer.concat(parts).toString()
    parts.push(into.subarray(0, count))
    offset += count
  }
}

test('gives every file as it was, from any offset', () =>
  withArchived({ [LOG]: LONG, 'projects/-p/empty.jsonl': '' }, async ({ sync, read, root }) => {
    await sync()
    const source = archiveSource(read())
    const entries = [...source.list()]
    expect(entries.map(({ path, sizeBytes }) => ({ path, sizeBytes }))).toEqual(
      [
        { path: join(root, 'projects/-p/empty.jsonl'), sizeBytes: 0 },
        { path: join(root, LOG), sizeBytes: LONG.length },
      ].sort(
        (a, b) => entries.findIndex(({ path }) => path === a.path) - entries.findIndex(({ path }) => path === b.path),
      ),
    )
    const log = entries.find(({ path }) => path.endsWith('3f9a.jsonl')) as SourceEntry
    expect(readAll(source, log)).toBe(LONG)
    const into = Buffer.alloc(40)
    const count = source.read(log, 1_048_560, into) ?? 0
    expect(into.subarray(0, count).toString()).toBe(LONG.slice(1_048_560, 1_048_560 + count))
    expect(source.read(log, LONG.length, into)).toBe(0)
    expect(source.read({ ...log, path: '/nowhere' }, 0, into)).toBeUndefined()
  }))

test('what the disk lacks comes from the archive, in its old place; the disk goes first', () =>
  withArchived({ [LOG]: 'old\n', 'projects/-p/77.jsonl': 'both\n' }, async ({ sync, remove, write, folder, root }) => {
    await sync()
    remove(LOG)
    write('projects/-p/new.jsonl', 'new\n')
    const source = withArchive(folder)([root])
    const entries = [...source.list()]
    const told = Object.fromEntries(
      entries.map(({ path, kept, gone }) => [path.slice(root.length + 1), { kept, gone }]),
    )
    expect(told).toEqual({
      'projects/-p/77.jsonl': { kept: true, gone: undefined },
      'projects/-p/new.jsonl': { kept: undefined, gone: undefined },
      [LOG]: { kept: true, gone: true },
    })
    const log = entries.find(({ gone }) => gone) as SourceEntry
    expect(readAll(source, log)).toBe('old\n')
    // A place that the index remembers is read the same way.
    expect(readAll(source, { root, path: join(root, LOG), sizeBytes: 0, modifiedAt: 0 })).toBe('old\n')
    source.close()
  }))

test('a file that goes from the disk to the archive is the same file to a cursor', () =>
  withArchived({ [LOG]: 'old\n' }, async ({ sync, remove, folder, root, write }) => {
    write('projects/-p/77.jsonl', 'later\n')
    await sync()
    const disk = diskSource([root])
    const before = [...lookAll([], disk).looks.values()].map(({ cursor }) => cursor)
    disk.close()
    remove(LOG)
    const source = withArchive(folder)([root])
    const { looks, gone } = lookAll(before, source)
    expect(gone).toEqual([])
    expect([...looks.values()].map(({ look }) => look.kind)).not.toContain('new-generation')
    source.close()
  }))

test('of other roots, and of files that are not asked for, nothing is listed', () =>
  withArchived({ [LOG]: 'old\n', 'tasks/3f9a/1.json': '{}' }, async ({ sync, remove, folder, root }) => {
    await sync()
    remove('projects')
    expect([...withArchive(folder)([join(root, 'other')]).list()]).toEqual([])
    expect([...withArchive(folder)([root]).list()].length).toBe(1)
  }))

test('what was purged is nowhere', () =>
  withArchived({ [LOG]: 'old\n', 'projects/-p/77.jsonl': 'x\n' }, async ({ sync, folder, root }) => {
    await sync()
    await purgeSession(folder, '3f9a', { now: NOW })
    const paths = [...withArchive(folder)([root]).list()].map(({ path }) => path)
    expect(paths).toEqual([join(root, 'projects/-p/77.jsonl')])
  }))

test('without an archive the disk is all there is', () =>
  withArchived({ [LOG]: 'old\n' }, ({ folder, root }) => {
    expect([...withArchive(folder)([root]).list()]).toEqual([...diskSource([root]).list()])
  }))
