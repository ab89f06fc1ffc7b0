import type { KeyRow } from '../ui/key-list.tsx'

/** The keys of a conversation, and what they do. */
export const READER_KEYS: readonly KeyRow[] = [
  { keys: ['j', 'k'], does: 'Next and previous prompt' },
  { keys: ['n', 'N'], does: 'Next and previous error; while finding, next and previous match' },
  { keys: ['j', 'k', 'n', 'N'], does: 'After a search: next and previous hit, on to the next session' },
  { keys: ['o'], does: 'Open or fold what one reads' },
  { keys: ['t'], does: 'Open or fold all thinking' },
  { keys: ['g', 'G'], does: 'First and last row' },
  { keys: ['f'], does: 'Find in this session' },
  { keys: ['m'], does: 'Map of the session' },
]
