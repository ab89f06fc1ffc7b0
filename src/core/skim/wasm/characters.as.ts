import { codeAt } from './decode.as'

/** What a character beyond ASCII is, and how it is folded: `core/words` knows, by the tables of the JavaScript that runs it. */
// @ts-ignore
@external('words', 'kindOf')
declare function kindOfCharacter(code: u32): u32
// @ts-ignore
@external('words', 'foldOf')
declare function foldOfCharacter(code: u32): u32

/** Kinds and folded forms of the characters of the first plane that have been met; 0 is not yet asked. */
export const KINDS: usize = memory.data(0x10000)
const FOLDS: usize = memory.data(0x20000, 2)
/** What `fold` gives for a character that is not written. */
export const NO_FOLD: u32 = 0xffff

for (let code: u32 = 0; code < 0x80; code++) store<u8>(KINDS + code, <u8>kindOfCharacter(code))

/** The kind of the character at a place. */
export function kindAt(at: usize): u32 {
  const code = codeAt(at)
  if (code > 0xffff) return kindOfCharacter(code)
  const known: u32 = load<u8>(KINDS + code)
  if (known != 0) return known
  const kind = kindOfCharacter(code)
  store<u8>(KINDS + code, <u8>kind)
  return kind
}

/** How a character is written in the index; `NO_FOLD` if it is not. */
export function fold(c: u32): u32 {
  if (c < 0x80) return c - 0x41 < 26 ? c | 0x20 : c
  if (c > 0xffff) return foldOfCharacter(c)
  const known: u32 = load<u16>(FOLDS + (<usize>c << 1))
  if (known != 0) return known
  const folded = foldOfCharacter(c)
  store<u16>(FOLDS + (<usize>c << 1), <u16>folded)
  return folded
}
