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

// A joiner and a variation selector stay: emoji and many scripts are written with them.
const UNSEEN =
  /(?![\n\t])[\p{Cc}\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu
