import { type ReactNode, useEffect } from 'react'
import { visible } from '../session/visible.ts'

/** A page: its title (also the window's), what stands beside it, and its content in a column of readable width. */
export function Page(props: {
  readonly title: string
  /** Where the title shall not be seen, only heard. */
  readonly hideTitle?: boolean
  /** As wide as the screen. */
  readonly wide?: boolean
  readonly aside?: ReactNode
  readonly children: ReactNode
}) {
  useTitle(props.title)
  return (
    <div className={`mx-auto w-full px-4 py-5 sm:px-6 ${props.wide ? '' : 'max-w-5xl'}`}>
      <div
        className={props.hideTitle ? 'sr-only' : 'mb-4 flex flex-wrap items-baseline justify-between gap-x-6 gap-y-2'}
      >
        <h1 className="text-xl font-semibold tracking-tight">{visible(props.title)}</h1>
        {props.hideTitle ? null : props.aside}
      </div>
      {props.children}
    </div>
  )
}

/** Names the window while the component is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${visible(title.slice(0, 120))} · annals`
  }, [title])
}
