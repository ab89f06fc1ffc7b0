import { KeyList } from './ui/key-list.tsx'

const KEYS = [
  { keys: ['/'], does: 'Search everything' },
  { keys: ['Ctrl-K'], does: 'Go to a page, a project or a session' },
  { keys: ['↓', 'j'], does: 'Next' },
  { keys: ['↑', 'k'], does: 'Previous' },
  { keys: ['Enter'], does: 'Open' },
  { keys: ['Esc'], does: 'Leave a field, close a window' },
  { keys: ['?'], does: 'Show these keys' },
] as const

/** The keys, and what they do. */
export function KeyHelp(props: { readonly onClose: () => void }) {
  return (
    <KeyList title="Keys" rows={KEYS} onClose={props.onClose}>
      <p className="mt-4 text-sm text-muted">Inside a session there are more; its own page tells them.</p>
    </KeyList>
  )
}
