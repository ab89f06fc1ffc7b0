import { Dialog } from '../ui/dialog.tsx'
import { Kbd } from '../ui/kbd.tsx'

const KEYS = [
  { keys: ['j', 'k'], does: 'Next and previous prompt' },
  { keys: ['n', 'p'], does: 'Next and previous error; while finding, next and previous match' },
  { keys: ['o'], does: 'Open or fold what one reads' },
  { keys: ['t'], does: 'Open or fold all thinking' },
  { keys: ['g', 'G'], does: 'First and last row' },
  { keys: ['f'], does: 'Find in this session' },
  { keys: ['m'], does: 'Map of the session' },
  { keys: ['Esc'], does: 'Close what is open' },
] as const

/** The keys of a conversation, and what they do. */
export function ReaderKeys({ onClose }: { onClose: () => void }) {
  return (
    <Dialog label="Keys of this page" onClose={onClose} className="w-[min(28rem,calc(100vw-2rem))]">
      <div className="p-5">
        <h2 className="mb-3 font-semibold">Keys of this page</h2>
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
      </div>
    </Dialog>
  )
}
