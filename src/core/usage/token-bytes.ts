/** How many bytes of UTF-8 one token is taken for, where nothing better is known. */
export const TOKEN_BYTES = 4
