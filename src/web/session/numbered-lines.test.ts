import { expect, test } from 'vitest'
import { readOutputOf } from './numbered-lines.ts'

test('takes the numbers off, old style and new', () => {
  expect(readOutputOf('     1→const a = 1\n12\t  two').lines).toEqual([
    { number: 1, text: 'const a = 1' },
    { number: 12, text: '  two' },
  ])
})

test('keeps what is no line of the file apart', () => {
  const output = readOutputOf('1\ta\n\n<system-reminder>Careful.</system-reminder>')
  expect(output).toEqual({ lines: [{ number: 1, text: 'a' }], notes: '<system-reminder>Careful.</system-reminder>' })
})
