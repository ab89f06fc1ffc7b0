import type { ReactNode } from 'react'

/** What is said where there is nothing to show: a sentence, and what one might do. */
export function Empty(props: { readonly children: ReactNode; readonly hint?: ReactNode }) {
  return (
    <div className="px-4 py-12 text-center">
      <p>{props.children}</p>
      {props.hint !== undefined && <p className="mt-1 text-sm text-muted">{props.hint}</p>}
    </div>
  )
}
