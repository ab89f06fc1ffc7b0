/** Signs that begin a formula, also where blanks or quotes stand before them, and their wide forms. */
const FORMULA = /^[\s"']*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/

/** A text that no spreadsheet takes for a formula: one that it would gets an apostrophe before it. */
export function harmless(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}
