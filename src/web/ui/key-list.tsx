import type { ReactNode } from 'react'
import { Dialog } from './dialog.tsx'
import { Kbd } from './kbd.tsx'

/** Some keys that do the same thing. */
export interface KeyRow {
  readonly keys: readonly string[]
  readonly does: string
}

interface Props {
  readonly title: string
  readonly rows: readonly KeyRow[]
  readonly onClose: () => void
  readonly children?: ReactNode
}

/** A dialog that tells keys and what they do. */
export function KeyList({ title, rows, onClose, children }: Props) {
  return (
    <Dialog label={title} onClose={onClose} className="w-[min(28rem,calc(100vw-2rem))]">
      <div className="p-5">
        <h2 className="mb-3 font-semibold">{title}</h2>
        <dl className="grid grid-cols-[auto_1fr] gap-x-5 gap-y-2 text-sm">
          {rows.map(({ keys, does }) => (
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
        {children}
      </div>
    </Dialog>
  )
}
