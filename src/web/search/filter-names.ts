/** The filters of a search, as the address names them. */
export const FILTERS = [
  'project',
  'since',
  'until',
  'role',
  'kind',
  'tool',
  'model',
  'session',
  'error',
  'exact',
  'regex',
] as const
