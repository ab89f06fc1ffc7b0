const TOKENS = ['input', 'output', 'cache_read', 'cache_write_5m', 'cache_write_1h'].map((kind) => `${kind}_tokens`)

/** The columns of `response` and `billed` that are summed. */
export const SUMMED = [...TOKENS, 'web_searches']

/** The columns of `held` and `log_sum` that are summed: the names that the index has. */
export const LOG_SUMMED = ['input', 'output', 'cache_read', 'write_5m', 'write_1h', 'web_searches']
