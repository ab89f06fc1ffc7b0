import { KeyList } from '../ui/key-list.tsx'

const KEYS = [
  { keys: ['j', 'k'], does: 'Next and previous prompt' },
  { keys: ['n', 'N'], does: 'Next and previous error; while finding, next and previous match' },
  { keys: ['j', 'k', 'n', 'N'], does: 'After a search: next and previous hit, on to the next session' },
  { keys: ['o'], does: 'Open or fold what one reads' },
  { keys: ['t'], does: 'Open or fold all thinking' },
  { keys: ['g', 'G'], does: 'First and last row' },
  { keys: ['f'], does: 'Find in this session' },
  { keys: ['m'], does: 'Map of the session' },
  { keys: ['Esc'], does: 'Close what is open' },
] as const

/** The keys of a conversation, and what they do. */
export function ReaderKeys({ onClose }: { onClose: () => void }) {
  return <KeyList title="Keys of this page" rows={KEYS} onClose={onClose} />
}
