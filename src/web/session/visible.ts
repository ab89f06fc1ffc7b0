/**
 * Text that reads as it runs: characters that turn, hide or reorder what stands around them are written out, so that no
 * command or diff can look like another. A newline and a tab stay.
 */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0
    if (code < 0x20) return String.fromCharCode(0x2400 + code)
    return code === 0x7f ? '␡' : `⟨${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
  })
}

/** What was said, as one line of a list: without the marks of prose around code and strong words. */
export function oneLine(text: string): string {
  return visible(text)
    .replace(/`([^`\n]+)`|\*\*([^*\n]+)\*\*/g, '$1$2')
    .replace(/\s+/g, ' ')
}

/** The longest line that is drawn of prose: one without an end holds up the page. */
const LONGEST = 20_000

/** Prose as it can be drawn: as `visible` has it, and no line longer than a page can lay out. */
export function readable(text: string, longest = LONGEST): string {
  return visible(
    text
      .split(/\r?\n/)
      .map((line) => cutLine(line, longest))
      .join('\n'),
  )
}

/** A line cut where it would be too long to draw, with a word about what is missing. */
export function cutLine(text: string, longest: number): string {
  return text.length <= longest
    ? text
    : `${text.slice(0, longest)} … ${(text.length - longest).toLocaleString('en')} more characters`
}

// A joiner and a variation selector stay: emoji and many scripts are written with them.
const UNSEEN =
  /(?![\n\t])[\p{Cc}\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu
