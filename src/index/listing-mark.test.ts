import { expect, test } from 'vitest'
import { listingMark } from './listing-mark.ts'

test('a listing has the same mark only where all its files are the same, each in its folder', () => {
  const listings = [
    ['/r/a/1', '/r/a/2', '/r/b/3'],
    ['/r/a/1', '/r/b/2', '/r/b/3'],
    ['/r/a/1', '/r/b/2', '/r/a/3'],
    ['/r/b/1', '/r/b/2', '/r/b/3'],
    ['/r/1', '/r/a/2', '/r/a/3'],
    ['/r/a/1', '/r/2', '/r/a/3'],
  ]
  const marks = listings.map((paths) => textOf(paths.map((path) => fileAt(path))))
  expect(new Set(marks).size).toBe(listings.length)
  expect(textOf([fileAt('/r/a/1'), fileAt('/r/a/2')])).toBe(textOf([fileAt('/r/a/1'), fileAt('/r/a/2')]))
})

test.each([{ sizeBytes: 2 }, { modifiedAt: 2 }, { inode: '1:3' }, { gone: true as const }])(
  'and where nothing about any of them differs: %o',
  (change) => {
    expect(textOf([{ ...fileAt('/r/a/1'), ...change }])).not.toBe(textOf([fileAt('/r/a/1')]))
  },
)

function fileAt(path: string) {
  return { root: '/r', path, sizeBytes: 1, modifiedAt: 1, inode: '1:2' }
}

function textOf(entries: Parameters<typeof listingMark>[0]): string {
  return Buffer.from(listingMark(entries)).toString('latin1')
}
