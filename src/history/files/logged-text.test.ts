import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EditedContent } from '../../core/tools/edited-content.ts'
import { LoggedText } from './logged-text.ts'

const logged = (text: string) => new LoggedText(() => Buffer.from(JSON.stringify(text).slice(1, -1)))

/** A text after some part of it was replaced, compared by bytes with another. */
function isSame(before: string, oldText: string, newText: string, after: string): boolean | undefined {
  const lines = (text: string, sign: string) => text.split('\n').map((line) => sign + line)
  const patch = [
    { oldStart: 1, oldLines: 0, newStart: 1, newLines: 0, lines: [...lines(oldText, '-'), ...lines(newText, '+')] },
  ]
  const edit = { kind: 'edit' as const, before: undefined, replacements: [{ oldText, newText, isAll: false }], patch }
  return logged(after).isSame(new EditedContent(logged(before), edit))
}

test('a text is read back as it was', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(logged(text).text).toBe(text)
    }),
  )
})

const piece = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '"', '\\', 'é', '\t'), maxLength: 12 })

test('an edit that leads from one text to the next is seen', () => {
  fc.assert(
    fc.property(piece, piece, piece, piece, (lead, oldText, newText, trail) => {
      fc.pre(oldText !== '' && oldText !== newText)
      expect(isSame(lead + oldText + trail, oldText, newText, lead + newText + trail)).toBe(true)
    }),
  )
})

test('two texts are never said to be the same by an edit that does not lead from one to the other', () => {
  fc.assert(
    fc.property(piece, piece, piece, piece, piece, (lead, oldText, newText, trail, other) => {
      const before = lead + oldText + trail
      const after = lead + other + trail
      if (isSame(before, oldText, newText, after) !== true) return
      // Somewhere in the text, replacing it gives just what was found.
      const places = [...before].flatMap((_, at) => (before.startsWith(oldText, at) ? [at] : []))
      const results = places.map((at) => before.slice(0, at) + newText + before.slice(at + oldText.length))
      expect(results).toContain(after)
    }),
    { numRuns: 2000 },
  )
})

test('texts are compared whole, and what only reading tells is left open', () => {
  expect(logged('a\nb').isSame(logged('a\nb'))).toBe(true)
  expect(logged('a\nb').isSame(logged('a\nc'))).toBe(false)
  expect(logged('a').isSame({ text: 'a', isBase64: false })).toBeUndefined()
})
