import fc from 'fast-check'
import { expect, test } from 'vitest'
import { oneLine, plain } from './sanitize.ts'

test('leaves ordinary text as it is, in any script', () => {
  const text = 'naïve\tcafé\n日本語 العربية हिन्दी עברית\n  indented — “quoted” $ 3 ± 1'
  expect(plain(text)).toBe(text)
})

test('makes the colours of tool output vanish without litter', () => {
  expect(plain('\u001b[31mred\u001b[0m \u001b[1;38;5;208mbold\u001b[m \u001b[38:2::1:2:3mrgb')).toBe('red bold rgb')
})

test.each([
  ['cursor movement', 'a\u001b[10Ab', 'ab'],
  ['a private mode', 'a\u001b[?1049hb', 'ab'],
  ['a title ended by BEL', 'a\u001b]0;owned\u0007b', 'ab'],
  ['a title ended by ST', 'a\u001b]0;owned\u001b\\b', 'ab'],
  ['a hyperlink', '\u001b]8;;https://example.com\u001b\\text\u001b]8;;\u001b\\', 'text'],
  ['a device control string', 'a\u001bP1$r0m\u001b\\b', 'ab'],
  ['an application command', 'a\u001b_Gf=32;AAAA\u001b\\b', 'ab'],
  ['a privacy message', 'a\u001b^x\u001b\\b', 'ab'],
  ['a start of string', 'a\u001bXx\u001b\\b', 'ab'],
  ['a full reset', 'a\u001bcb', 'ab'],
  ['a charset', 'a\u001b(0b', 'ab'],
  ['an 8-bit CSI', 'a\u009b31mb', 'ab'],
  ['an 8-bit OSC', 'a\u009d0;owned\u009cb', 'ab'],
  ['an 8-bit DCS', 'a\u0090q\u009cb', 'ab'],
])('removes %s whole', (_, text, expected) => {
  expect(plain(text)).toBe(expected)
})

test('shows what follows a sequence that never ends, rather than hiding it', () => {
  expect(plain('a\u001b]0;rest of\nthe text')).toBe('a␛]0;rest of\nthe text')
  expect(plain('\u001b[')).toBe('␛[')
  expect(plain(`\u001b]52;c;${'A'.repeat(5000)}\u0007`)).toBe(`␛]52;c;${'A'.repeat(5000)}␇`)
})

test('does not build a new sequence out of the pieces around a removed one', () => {
  expect(plain('\u001b\u001b[m[31m')).toBe('␛[31m')
  expect(plain('\udb40\u001b[m\udc41')).toBe('⟨E0041⟩')
})

test('makes every other control visible', () => {
  expect(plain('\0\u0007\b\u000b\f\u001b\u007f')).toBe('␀␇␈␋␌␛␡')
  expect(plain('\u0085\u009b')).toBe('⟨0085⟩⟨009B⟩')
})

test('takes the carriage return from a line end and shows any other', () => {
  expect(plain('one\r\ntwo\r\n')).toBe('one\ntwo\n')
  expect(plain('safe\rEVIL')).toBe('safe␍EVIL')
})

test('makes bidi controls, zero width characters, tags and separators visible', () => {
  expect(plain('a\u202eb\u2066c\u200ed\u061ce')).toBe('a⟨202E⟩b⟨2066⟩c⟨200E⟩d⟨061C⟩e')
  expect(plain('\u200b\u200c\u200d\u2060\ufeff\u00ad')).toBe('⟨200B⟩⟨200C⟩⟨200D⟩⟨2060⟩⟨FEFF⟩⟨00AD⟩')
  expect(plain('\u{e0001}\u{e0041}\u{e007f}')).toBe('⟨E0001⟩⟨E0041⟩⟨E007F⟩')
  expect(plain('\u2028\u2029')).toBe('⟨2028⟩⟨2029⟩')
})

test('keeps emoji and ideographs whole, but not selectors that carry something else', () => {
  const whole = '👩‍👩‍👧 👩🏽‍💻 🏳️‍🌈 ❤️ 1️⃣ ✓︎ 葛\u{e0100}'
  expect(plain(whole)).toBe(whole)
  expect(plain('a\ufe0f')).toBe('a⟨FE0F⟩')
  expect(plain('❤\ufe0f\ufe0f\u{e0101}')).toBe('❤\ufe0f⟨FE0F⟩⟨E0101⟩')
  expect(plain('👩\u200da')).toBe('👩⟨200D⟩a')
})

test('replaces lone surrogates', () => {
  expect(plain('a\ud800b\udc00')).toBe('a\ufffdb\ufffd')
})

test('puts text on one line', () => {
  expect(oneLine('  a\r\n\tb  c\u001b[31m\n\nd ')).toBe('a b c d')
})

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '\u001b',
      '[',
      ']',
      '\u0007',
      '\\',
      '\u009b',
      '\u009c',
      '\ud83d',
      '\udc69',
      '\u200d',
      '\ufe0f',
      'm',
    ),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
})

test('lets no control through, whatever the text', () => {
  fc.assert(fc.property(hostile, (text) => !/(?![\n\t])[\p{Cc}\p{Cs}]/u.test(plain(text))))
})

test('changes nothing the second time', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(plain(plain(text))).toBe(plain(text))
    }),
  )
})

// No clock here: were any of these more than linear, the test would run into its time limit.
test.each([
  ['escapes', '\u001b'],
  ['open strings', '\u001b]a'],
  ['open sequences', `\u001b[${'0'.repeat(300)}`],
  ['carriage returns', '\r'],
  ['joiners', '👩\u200d'],
  ['spaces', ' '],
])('gets through two million characters of %s', (_, piece) => {
  const shown = oneLine(`${piece.repeat(2_000_000 / piece.length)}\nx`)
  expect(shown.at(-1)).toBe('x')
})

test('a line is the plain text with every run of white space as one space, whatever it has at its ends', () => {
  const words = fc.string({ unit: fc.constantFrom('a', '~', ' ', '\n', '\t', 'é', '\u00a0', '\u001b[31m') })
  fc.assert(fc.property(words, (text) => oneLine(text) === plain(text).replace(/\s+/g, ' ').trim()))
})

test('a line may be as long as it likes', () => {
  const words = 'a '.repeat(5_000_000)
  expect(oneLine(words).length).toBe(words.length - 1)
})
