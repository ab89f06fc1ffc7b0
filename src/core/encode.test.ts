import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keyMatches, projectKey } from './encode.ts'

test.each([
  ['/home/dev/p/2.1.325/proj.dir_x', '-home-dev-p-2-1-325-proj-dir-x'],
  ['Ünï cødé 项目 (v1.2)_x@y+z~', '-n--c-d------v1-2--x-y-z-'],
  ['C:\\Users\\a b', 'C--Users-a-b'],
  ['/', '-'],
  ['', ''],
  ['/a//b', '-a--b'],
  ['/😀', '---'],
])('%s', (path, key) => expect(projectKey(path)).toBe(key))

/** Java's hash of a string, by its definition: s[0]·31^(n-1) + … + s[n-1], in 32 bits. */
function javaHash(text: string): number {
  let sum = 0n
  for (let i = 0; i < text.length; i++) sum = sum * 31n + BigInt(text.charCodeAt(i))
  return Number(BigInt.asIntN(32, sum))
}

test('a long path is cut at 200 characters and told apart by its hash', () => {
  expect(javaHash('hello')).toBe(99162322)
  fc.assert(
    fc.property(fc.string({ minLength: 201, maxLength: 400, unit: 'binary' }), (path) => {
      const key = projectKey(path)
      expect(key).toBe(`${path.replace(/[^a-zA-Z0-9]/g, '-').slice(0, 200)}-${Math.abs(javaHash(path)).toString(36)}`)
      expect(keyMatches(key, path)).toBe(true)
    }),
  )
})

test('a path of exactly 200 characters is not cut', () => {
  expect(projectKey(`/${'a'.repeat(199)}`)).toBe(`-${'a'.repeat(199)}`)
  expect(projectKey(`/${'a'.repeat(200)}`)).toMatch(/^-a{199}-[0-9a-z]+$/)
})

test('long keys match by what precedes their hash, short ones as a whole', () => {
  const long = `/${'a'.repeat(250)}`
  expect(keyMatches(`-${'a'.repeat(199)}-bunhash`, long)).toBe(true)
  expect(keyMatches(`-${'a'.repeat(250)}`, long)).toBe(true)
  expect(keyMatches(`-${'b'.repeat(199)}-bunhash`, long)).toBe(false)
  expect(keyMatches('-home-ana', '/home/ana')).toBe(true)
  expect(keyMatches('-home-ana-x', '/home/ana')).toBe(false)
})
