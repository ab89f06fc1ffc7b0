import { Failure } from '../core/failure.ts'

/** The longest title that is taken: what lists can show of one is far less. */
const MOST_TITLE = 300
const MOST_TAG = 60

/** A title as a person gave it, trimmed; one that no list could show is refused. */
export function checkTitle(text: string): string {
  return checked(text, 'title', MOST_TITLE)
}

/** A tag as a person gave it. */
export function checkTag(text: string): string {
  return checked(text.replace(/^#/, ''), 'tag', MOST_TAG)
}

/** Control bytes move cursors and end lines: they are nobody's words. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u

function checked(text: string, what: 'title' | 'tag', most: number): string {
  const words = text.trim()
  const refuse = (why: string, hint = 'Nothing was changed.') =>
    new Failure('BAD_INPUT', `The ${what} ${why}.`, { hint })
  if (words === '') throw refuse('is empty')
  if (/\p{Cs}/u.test(words)) throw refuse('is not valid text: half of a character is missing')
  if (CONTROLS.test(words)) throw refuse('has a line break or another control character')
  if ([...words].length > most) throw refuse(`is too long: it has ${[...words].length} characters, ${most} are taken`)
  return words
}
