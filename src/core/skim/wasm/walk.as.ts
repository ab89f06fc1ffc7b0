/** Where the walk over a line stands. Shared by all files: a parameter for each would cost more than all they do. */
export class Walk {
  static p: usize = 0
  /** The line is not plain: the parser shall read it. */
  static bad: bool = false
  /** Not zero once a byte beyond ASCII may have passed: then the line is looked at as UTF-8. */
  static high: i32 = 0
}

export const QUOTE: u8 = 0x22
export const BACKSLASH: u8 = 0x5c
export const COLON: u8 = 0x3a
export const COMMA: u8 = 0x2c
export const OPEN: u8 = 0x7b
export const CLOSE: u8 = 0x7d
export const OPEN_ARRAY: u8 = 0x5b
export const CLOSE_ARRAY: u8 = 0x5d
export const NEWLINE: u8 = 0x0a
/** `null`, `true`, `fals` as words of four bytes. */
export const NULL: u32 = 0x6c6c756e
export const TRUE: u32 = 0x65757274
export const FALS: u32 = 0x736c6166

/** After a member of an object: whether another follows. Leaves the walk at its key, or behind the object. */
// @ts-ignore
@inline
export function another(): bool {
  const c = load<u8>(Walk.p)
  if (c == COMMA) {
    Walk.p++
    return true
  }
  if (c == CLOSE) Walk.p++
  else Walk.bad = true
  return false
}

/** Steps into the object that begins here: whether it has a member. */
// @ts-ignore
@inline
export function enter(): bool {
  Walk.p++
  if (load<u8>(Walk.p) != CLOSE) return true
  Walk.p++
  return false
}

// @ts-ignore
@inline
export function isObject(): bool {
  return load<u8>(Walk.p) == OPEN
}

/** Passes a `null`, if here is one. What follows it is looked at by who goes on. */
// @ts-ignore
@inline
export function isNull(): bool {
  if (load<u32>(Walk.p) != NULL) return false
  Walk.p += 4
  return true
}
