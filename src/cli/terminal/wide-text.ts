/** The columns of any text, and text wrapped to some columns: both load large tables of characters. */
export { default as stringWidth } from 'string-width'
export { default as wrapAnsi } from 'wrap-ansi'
