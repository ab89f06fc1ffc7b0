/**
 * What a query needs of the tables before it runs: the facts of all logs (lists, sums), also their tool calls, or also their text.
 * `as-is` reads nothing.
 */
export type Need = 'as-is' | 'facts' | 'calls' | 'text'
