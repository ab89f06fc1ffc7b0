/** Kinds of characters, as words are made of them: compiled into both sides, TypeScript and WebAssembly. */

export const SEPARATOR = 1
export const LOWER = 2
export const UPPER = 3
export const DIGIT = 4
/** A letter or number without case. */
export const LETTER = 5
export const CJK = 6
/** Belongs to the character before it: an accent, or the second half of a pair. */
export const MARK = 7
/** A symbol newer than SQLite's table, which takes whatever it does not know for a letter; to us it is none. */
export const ODD = 8
/** An upper-case letter that begins a word: no hump comes of it. */
export const FIRST_UPPER = 9
/** What comes of two kinds between which a word may have parts. */
export const JOINT = 15

/** Longer words are hashes, keys and other people's packed data. */
export const LONGEST_IDENTIFIER = 128
