import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ansiLines, withoutAnsi } from './ansi.ts'

const ESC = '\u001b'

test('colours become classes and go on over lines until they end', () => {
  expect(ansiLines(`${ESC}[31mred\nstill${ESC}[0m plain ${ESC}[1;42mbold${ESC}[22m`)).toEqual([
    [{ text: 'red', className: 'text-ansi-red' }],
    [
      { text: 'still', className: 'text-ansi-red' },
      { text: ' plain ', className: '' },
      { text: 'bold', className: 'bg-ansi-green/15 font-bold' },
    ],
  ])
})

test('a link of a terminal is its text alone', () => {
  const link = `${ESC}]8;;javascript:alert(1)${ESC}\\click${ESC}]8;;${ESC}\\`
  expect(ansiLines(link)).toEqual([[{ text: 'click', className: '' }]])
})

test('markup inside a colour stays text', () => {
  expect(ansiLines(`${ESC}[31m<img src=x>${ESC}[39m`)).toEqual([[{ text: '<img src=x>', className: 'text-ansi-red' }]])
})

test('colours of 256 and of 24 bits become the nearest of the theme', () => {
  expect(ansiLines(`${ESC}[38;5;196mA${ESC}[48;2;255;255;255mB`)).toEqual([
    [
      { text: 'A', className: 'text-ansi-red' },
      { text: 'B', className: 'text-ansi-red bg-line' },
    ],
  ])
})

test('a line that is written anew shows its last state', () => {
  expect(ansiLines('10%\r50%\r100%\r\nnext')).toEqual([
    [{ text: '100%', className: '' }],
    [{ text: 'next', className: '' }],
  ])
})

test('what would turn the order of letters is written out', () => {
  expect(ansiLines('a\u202eb')).toEqual([[{ text: 'a⟨202E⟩b', className: '' }]])
})

test('no escape is left in any text, and none throws', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(ESC, '[', ']8;;', '31', ';', 'm', '\u0007', 'x', '\n', '\r', '\u009b')),
      (parts) => {
        const shown = ansiLines(parts.join('')).flat()
        expect(shown.every(({ text }) => !/[\p{Cc}]/u.test(text))).toBe(true)
      },
    ),
  )
})

test('text without colours is left as it is', () => {
  expect(withoutAnsi('plain <b>')).toBe('plain <b>')
  expect(withoutAnsi(`${ESC}[1mx${ESC}[0m`)).toBe('x')
})
