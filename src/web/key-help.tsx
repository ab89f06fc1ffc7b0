import { Dialog } from './ui/dialog.tsx'
import { Kbd } from './ui/kbd.tsx'

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
    <Dialog label="Keys" onClose={props.onClose} className="w-[min(26rem,calc(100vw-2rem))]">
      <div className="p-5">
        <h2 className="mb-3 font-semibold">Keys</h2>
        <dl className="grid grid-cols-[auto_1fr] gap-x-5 gap-y-2 text-sm">
          {KEYS.map(({ keys, does }) => (
            <div key={does} className="contents">
              <dt className="space-x-1">
                {keys.map((key) => (
                  <Kbd key={key}>{key}</Kbd>
                ))}
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <p className="mt-4 text-sm text-muted">Inside a session there are more; its own page tells them.</p>
      </div>
    </Dialog>
  )
}
