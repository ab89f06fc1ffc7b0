/** How many bytes of UTF-8 one token is taken for, where nothing better is known. */
export const TOKEN_BYTES = 4

/** The same for what a window held: measured against the input tokens of real responses (docs/decisions/0026). */
export const CONTEXT_TOKEN_BYTES = 2.9
