import { KeyList } from './ui/key-list.tsx'
import { useShownPageKeys } from './ui/page-keys.ts'

const KEYS = [
  { keys: ['/'], does: 'Search everything' },
  { keys: ['Ctrl-K'], does: 'Go somewhere, or do something' },
  { keys: ['Esc'], does: 'Leave a field, close a window' },
  { keys: ['?'], does: 'Show these keys' },
] as const

/** The keys of the page one is on, and those of every page. */
export function KeyHelp(props: { readonly onClose: () => void }) {
  const own = useShownPageKeys()
  const parts = [...(own.length > 0 ? [{ title: 'On this page', rows: own }] : []), { title: 'Everywhere', rows: KEYS }]
  return <KeyList title="Keys" parts={parts} onClose={props.onClose} />
}
