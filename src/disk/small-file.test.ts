import { execFileSync } from 'node:child_process'
import { symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withFolder } from '../../tests/support/made-folder.ts'
import { isoTime, listFolder, readJsonFile, readSmallFile, timeAt } from './small-file.ts'
import type { Warning } from './warning.ts'

function read(folder: string, name: string, options = {}) {
  const warnings: Warning[] = []
  const file = readSmallFile(join(folder, name), warnings, options)
  return { file, messages: warnings.map((warning) => warning.message) }
}

test('reads a file with its size and time, without the byte order mark', () => {
  withFolder({ 'a.txt': '\uFEFFhé' }, (folder) => {
    utimesSync(join(folder, 'a.txt'), 1_700_000_000, 1_700_000_000)
    expect(read(folder, 'a.txt')).toEqual({
      file: { path: join(folder, 'a.txt'), text: 'hé', sizeBytes: 6, modifiedAt: '2023-11-14T22:13:20.000Z' },
      messages: [],
    })
  })
})

test('reads an empty file and one that is not UTF-8', () => {
  withFolder({ empty: '', latin: new Uint8Array([0x68, 0xe9]) }, (folder) => {
    expect(read(folder, 'empty').file?.text).toBe('')
    expect(read(folder, 'latin').file?.text).toBe('h\uFFFD')
  })
})

test('says nothing of a file that is not there', () => {
  withFolder({ file: 'x' }, (folder) => {
    expect(read(folder, 'gone/too')).toEqual({ file: undefined, messages: [] })
    expect(read(folder, 'file/below')).toEqual({ file: undefined, messages: [] })
  })
})

test.each([
  ['folder', 'It is a folder, not a file, and was not opened.'],
  ['big', 'It has 5 bytes, more than the 4 that are read of such a file.'],
  ['nul\0name', 'It could not be read: ERR_INVALID_ARG_VALUE.'],
])('refuses %j with a sentence', (name, message) => {
  withFolder({ folder: null, file: 'x', big: '12345' }, (folder) => {
    expect(read(folder, name, { maxBytes: 4 })).toEqual({ file: undefined, messages: [message] })
  })
})

test.skipIf(process.platform === 'win32')('never opens a FIFO, also behind a link', () => {
  withFolder({}, (folder) => {
    execFileSync('mkfifo', [join(folder, 'pipe.json')])
    symlinkSync('pipe.json', join(folder, 'link.json'))
    const refusal = { file: undefined, messages: ['It is a pipe, not a file, and was not opened.'] }
    expect(read(folder, 'pipe.json')).toEqual(refusal)
    expect(read(folder, 'link.json', { followLinks: true })).toEqual(refusal)
  })
})

test.skipIf(process.platform === 'win32')('follows a link only when asked to', () => {
  withFolder({ target: 'text' }, (folder) => {
    symlinkSync('target', join(folder, 'link'))
    symlinkSync('loop', join(folder, 'loop'))
    symlinkSync('nowhere', join(folder, 'dangling'))
    expect(read(folder, 'link').messages).toEqual(['It is a link to another place, and was not followed.'])
    expect(read(folder, 'link', { followLinks: true }).file?.text).toBe('text')
    expect(read(folder, 'loop', { followLinks: true }).messages).toHaveLength(1)
    expect(read(folder, 'dangling', { followLinks: true })).toEqual({ file: undefined, messages: [] })
  })
})

test.each([
  ['', 'The file is empty.'],
  ['{"half', 'The file is not valid JSON.'],
])('warns of %j where JSON was expected', (content, message) => {
  withFolder({ 'a.json': content }, (folder) => {
    const warnings: Warning[] = []
    expect(readJsonFile(join(folder, 'a.json'), warnings)).toBeUndefined()
    expect(warnings).toEqual([{ file: join(folder, 'a.json'), message }])
  })
})

test('lists a folder by name, with kinds', () => {
  withFolder({ b: '', 'a/x': '' }, (folder) => {
    expect(listFolder(folder, [])).toEqual([
      { name: 'a', path: join(folder, 'a'), kind: 'folder' },
      { name: 'b', path: join(folder, 'b'), kind: 'file' },
    ])
  })
})

test('lists nothing for an absent folder, and says so for a file', () => {
  withFolder({ b: '' }, (folder) => {
    const warnings: Warning[] = []
    expect(listFolder(join(folder, 'gone'), warnings)).toEqual([])
    expect(warnings).toEqual([])
    expect(listFolder(join(folder, 'b'), warnings)).toEqual([])
    expect(warnings).toHaveLength(1)
  })
})

test('gives a time only where there is one', () => {
  expect(isoTime(0)).toBe('1970-01-01T00:00:00.000Z')
  expect(isoTime(8.64e15 + 1)).toBeNull()
  expect(isoTime(undefined)).toBeNull()
  expect(timeAt({ at: '2026-11-15T18:00:00Z' }, 'at')).toBe('2026-11-15T18:00:00.000Z')
  expect(timeAt({ at: 'soon' }, 'at')).toBeNull()
})
