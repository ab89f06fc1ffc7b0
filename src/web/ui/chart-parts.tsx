import type { CSSProperties, ReactNode } from 'react'

/** What the colours of a chart mean. */
export function Legend(props: {
  readonly items: readonly { readonly name: string; readonly look: string }[]
  readonly children?: ReactNode
}) {
  return (
    <ul className="flex flex-1 flex-wrap gap-x-4 gap-y-1 text-xs text-muted max-sm:basis-full">
      {props.items.map(({ name, look }) => (
        <Sign key={name} name={name}>
          <span className={`inline-block size-3 rounded-sm ${look}`} />
        </Sign>
      ))}
      {props.children}
    </ul>
  )
}

/** A sign of a legend that is no box. */
export function Sign({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <li className="flex items-center gap-1.5">
      <span aria-hidden="true" className="flex">
        {children}
      </span>
      {name}
    </li>
  )
}

/** Facts beside the pointer. */
export function ChartTip(props: {
  readonly title: ReactNode
  readonly style: CSSProperties
  readonly children: ReactNode
}) {
  return (
    <div
      role="tooltip"
      className="pointer-events-none absolute z-20 w-max max-w-80 rounded-md border border-line bg-surface px-3 py-2 text-sm shadow-lg"
      style={props.style}
    >
      <p className="line-clamp-3 font-medium break-words">{props.title}</p>
      <div className="mt-1 text-xs text-muted">{props.children}</div>
    </div>
  )
}
