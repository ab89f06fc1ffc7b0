import fc from 'fast-check'
import { expect, test } from 'vitest'
import { safePath, slug } from './names.ts'

test('a title becomes words of any script', () => {
  expect(slug('Fix: token refresh — race!', 48)).toBe('fix-token-refresh-race')
  expect(slug('Ключи и 鍵', 48)).toBe('ключи-и-鍵')
  expect(slug('../../etc/passwd\0\n', 48)).toBe('etc-passwd')
  expect(slug('a'.repeat(60), 48)).toHaveLength(48)
  expect(slug('one two', 4)).toBe('one')
  expect(slug('💥', 48)).toBe('')
})

test('names of devices, dots and controls become harmless', () => {
  expect(safePath('../../a/./b.md')).toBe('a/b.md')
  expect(safePath('/etc\\passwd')).toBe('etc/passwd')
  expect(safePath('con.md')).toBe('_con.md')
  expect(safePath('NUL')).toBe('_NUL')
  expect(safePath('.hidden/x. ')).toBe('_hidden/x_')
  expect(safePath('a\u0000b:c\u202e')).toBe('a-b-c-')
  expect(safePath('console.md')).toBe('console.md')
})

test('no name leads out of its folder', () => {
  const part = fc.constantFrom('..', '.', '/', '\\', 'a', ':', '\0', ' ', '~', 'nul')
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const path = safePath(parts.join(''))
      expect(path.split('/')).not.toContain('..')
      expect(path.startsWith('/')).toBe(false)
      expect(path).not.toMatch(/[\\\0:]/)
    }),
  )
})
