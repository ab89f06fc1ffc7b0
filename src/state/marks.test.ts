import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withFolder } from '../../tests/support/made-folder.ts'
import { changeMark, readMarks } from './marks.ts'

test('stars and notes are kept by session, for their owner alone', () =>
  withFolder({}, (folder) => {
    expect(changeMark(folder, 'a', (mark) => ({ ...mark, starred: true }))).toEqual({ starred: true, note: null })
    expect(changeMark(folder, 'a', (mark) => ({ ...mark, note: 'n' }))).toEqual({ starred: true, note: 'n' })
    changeMark(folder, 'b', () => ({ starred: false, note: 'm' }))
    expect([...readMarks(folder)]).toEqual([
      ['a', { starred: true, note: 'n' }],
      ['b', { starred: false, note: 'm' }],
    ])
    changeMark(folder, 'b', () => ({ starred: false, note: null }))
    expect([...readMarks(folder).keys()]).toEqual(['a'])
    expect(statSync(join(folder, 'marks/marks.json')).mode & 0o777).toBe(0o600)
  }))

test('a file that cannot be read is nothing to lists, and is never written over', () =>
  withFolder({}, (folder) => {
    mkdirSync(join(folder, 'marks'))
    for (const text of ['not JSON', '[]', '{"sessions":3}', '']) {
      writeFileSync(join(folder, 'marks/marks.json'), text)
      expect(readMarks(folder).size).toBe(0)
    }
    writeFileSync(join(folder, 'marks/marks.json'), 'not JSON')
    expect(() => changeMark(folder, 'a', (mark) => mark)).toThrow(/cannot be read/)
    expect(readFileSync(join(folder, 'marks/marks.json'), 'utf8')).toBe('not JSON')
    expect(readMarks(undefined).size).toBe(0)
  }))
