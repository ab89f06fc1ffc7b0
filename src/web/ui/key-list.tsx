import { Dialog } from './dialog.tsx'
import { Kbd } from './kbd.tsx'

/** Some keys that do the same thing. */
export interface KeyRow {
  readonly keys: readonly string[]
  readonly does: string
}

interface Props {
  readonly title: string
  readonly parts: readonly { readonly title: string; readonly rows: readonly KeyRow[] }[]
  readonly onClose: () => void
}

/** A dialog that tells keys and what they do. */
export function KeyList({ title, parts, onClose }: Props) {
  return (
    <Dialog label={title} onClose={onClose} className="w-[min(28rem,calc(100vw-2rem))]!">
      <div className="max-h-[76dvh] overflow-y-auto p-5">
        <h2 className="mb-3 font-semibold">{title}</h2>
        {parts.map((part) => (
          <section key={part.title} className="mt-4">
            <h3 className="mb-2 text-sm text-muted">{part.title}</h3>
            <dl className="grid grid-cols-[7rem_1fr] gap-x-5 gap-y-2 text-sm">
              {part.rows.map(({ keys, does }) => (
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
          </section>
        ))}
      </div>
    </Dialog>
  )
}
