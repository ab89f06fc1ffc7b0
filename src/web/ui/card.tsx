import { type ReactNode, useId } from 'react'
import { visible } from '../session/visible.ts'

/** A part of a page, with a heading where it needs one. */
export function Card(props: {
  readonly title?: string
  readonly aside?: ReactNode
  readonly children: ReactNode
  readonly className?: string
}) {
  const id = useId()
  return (
    <section
      aria-labelledby={props.title === undefined ? undefined : id}
      className={`min-w-0 rounded-lg border border-line bg-surface p-4 ${props.className ?? ''}`}
    >
      {props.title !== undefined && (
        <div className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
          <h2 id={id} className="font-semibold">
            {visible(props.title)}
          </h2>
          {props.aside}
        </div>
      )}
      {props.children}
    </section>
  )
}
