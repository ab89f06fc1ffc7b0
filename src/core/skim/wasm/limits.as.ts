/** A name longer than this is left to the parser. */
export const MAX_NAME = 1024
/** `MAX_SEARCHABLE`, in bytes: more searched text in one row is left to the parser, which knows where to cut. */
export const MAX_TEXT = 2097152
/** Files that one row may name, each a place. */
export const MAX_FILES = 256
