import { expect, test } from 'vitest'
import { viewOf } from '../../../../tests/support/format-sample-parts.ts'
import { cost, expiry, fitPath, pathFrom, projectName, shortId, shortIds } from './names.ts'

test('shortens ids as far as they can be told apart', () => {
  expect(shortId('3f9a1b2c-1111-4000-8000-000000000001')).toBe('3f9a1b2c')
  expect(shortId('notes-of-today')).toBe('notes-of-today')
  const short = shortIds(['00000000-0001-4000-8000-000000000001', '00000000-0002-4000-8000-000000000001'])
  expect(short('00000000-0002-4000-8000-000000000001')).toBe('00000000-0002')
})

test('names projects and paths as one would say them', () => {
  expect(projectName({ key: '-code-api', path: '/code/api/' })).toBe('api')
  expect(projectName({ key: '-code-api', path: 'C:\\code\\api' })).toBe('api')
  expect(projectName({ key: '-code-api', path: null })).toBe('-code-api')
  expect(pathFrom('/code/api', '/code/api/src/a.ts', viewOf())).toBe('src/a.ts')
  expect(pathFrom('/code/api', '/code/api-old/a.ts', viewOf())).toBe('/code/api-old/a.ts')
  expect(pathFrom(null, '/home/ana/a.ts', viewOf())).toBe('~/a.ts')
})

test('keeps the end of a path that is too long', () => {
  expect(fitPath('/a/long/way/to/file.ts', 14)).toBe('…/to/file.ts')
  expect(fitPath('/a/file-with-a-long-name.ts', 8)).toBe('file-wi…')
  expect(fitPath('/a/b', 40)).toBe('/a/b')
})

test('tells when something will be gone', () => {
  expect(expiry('2026-11-18T13:00:00.000Z', viewOf())).toEqual({ text: 'expires in 3 d', isSoon: true })
  expect(expiry('2026-12-14T12:00:00.000Z', viewOf())).toEqual({ text: 'expires in 29 d', isSoon: false })
  expect(expiry('soon', viewOf())).toBeUndefined()
  expect(expiry(null, viewOf())).toBeUndefined()
})

test('an unknown price is no price', () => {
  expect(cost(null)).toBe('')
  expect(cost(0)).toBe('$0.00')
})
